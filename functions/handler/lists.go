package handler

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/api"
)

// DecodeList decodes a JSON list of what, a plural noun for error messages. The errors say where
// the text is not JSON, or which field has the wrong type.
func DecodeList[T any](text, what string) ([]T, error) {
	var list []T
	err := json.Unmarshal([]byte(text), &list)
	if err == nil {
		return list, nil
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		// Offset counts the byte that was wrong, so what is before it has been read.
		read := text[:min(max(int(syntax.Offset)-1, 0), len(text))]
		line, column := 1+strings.Count(read, "\n"), len(read)-strings.LastIndexByte(read, '\n')
		return nil, fmt.Errorf("not a JSON list of %s: %d:%d: %w", what, line, column, err)
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrong.Field == "" {
			return nil, fmt.Errorf("not a JSON list of %s, but a JSON %s", what, wrong.Value)
		}
		return nil, fmt.Errorf("a list of %s: %s cannot be a JSON %s", what,
			strings.TrimPrefix(wrong.Field, "."), wrong.Value)
	}
	return nil, fmt.Errorf("not a JSON list of %s: %w", what, err)
}

// DecodeAttributes decodes a JSON list of attributes. Numbers become json.Number, because not every
// integer fits a float64.
func DecodeAttributes(text string) (api.AttributeValueList, error) {
	// The outer Value hides the embedded one, so encoding/json leaves the number as text.
	type row struct {
		api.AttributeValue
		Value json.RawMessage
	}
	list, err := DecodeList[row](text, "attributes")
	rows := make(api.AttributeValueList, len(list))
	for i := range list {
		rows[i] = list[i].AttributeValue
		if raw := list[i].Value; len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9') {
			rows[i].Value = json.Number(raw)
		} else if len(raw) > 0 {
			err = cmp.Or(err, json.Unmarshal(raw, &rows[i].Value))
		}
	}
	return rows, err
}
