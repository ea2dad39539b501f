package generic

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

// decodeList reads a JSON list; what its items are is for errors, which tell where the text is no JSON, or which field is wrong.
func decodeList[T any](text, what string) ([]T, error) {
	var list []T
	err := json.Unmarshal([]byte(text), &list)
	if err == nil {
		return list, nil
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		read := text[:min(max(int(syntax.Offset)-1, 0), len(text))]
		line, column := 1+strings.Count(read, "\n"), len(read)-strings.LastIndexByte(read, '\n')
		return nil, fmt.Errorf("no JSON list of %s: %d:%d: %w", what, line, column, err)
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrong.Field == "" {
			return nil, fmt.Errorf("no JSON list of %s, but a JSON %s", what, wrong.Value)
		}
		return nil, fmt.Errorf("a list of %s: %s cannot be a JSON %s", what, strings.TrimPrefix(wrong.Field, "."), wrong.Value)
	}
	return nil, fmt.Errorf("no JSON list of %s: %w", what, err)
}

// unknownFields finds fields of the items of a JSON list, one that decodeList has read, that are none of the known ones. The case of
// letters does not matter, as it does not where the list is read.
func unknownFields(parameter, text string, known []string) error {
	var list []map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return err
	}
	var problems []error
	for i, item := range list {
		for _, field := range slices.Sorted(maps.Keys(item)) {
			if !slices.ContainsFunc(known, func(name string) bool { return strings.EqualFold(name, field) }) {
				problems = append(problems, &handler.ArgumentError{
					Parameter: parameter, Value: text, Suggestions: handler.Suggest(field, known),
					Message: fmt.Sprintf("argument %s: entry %d: there is no field %s", parameter, i+1, configkit.Quoted(field)),
				})
			}
		}
	}
	return errors.Join(problems...)
}

// fieldsOf are the names that the fields of a type have in JSON.
func fieldsOf[T any]() []string {
	var names []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if !field.Anonymous && field.Tag.Get("json") != "-" {
			names = append(names, field.Name)
		}
	}
	return names
}
