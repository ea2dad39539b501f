package generic

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

// unknownFields returns an error for each field in a JSON list of objects that is not known. Case
// is ignored, as in the decoder. The list must have been decoded successfully before.
func unknownFields(parameter, text string, known []string) error {
	var list []map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return err
	}
	var problems []error
	for i, item := range list {
		for _, field := range slices.Sorted(maps.Keys(item)) {
			if !slices.ContainsFunc(known, func(name string) bool {
				return strings.EqualFold(name, field)
			}) {
				problem := handler.InvalidArgument(parameter, "entry %d: unknown field %s", i+1,
					configkit.Quote(field))
				problem.Suggestions = configkit.Suggest(field, known)
				problems = append(problems, problem)
			}
		}
	}
	return errors.Join(problems...)
}

// fieldsOf returns the names of the fields of T in JSON. It assumes that tags do not rename fields.
func fieldsOf[T any]() []string {
	var names []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if !field.Anonymous && field.Tag.Get("json") != "-" {
			names = append(names, field.Name)
		}
	}
	return names
}
