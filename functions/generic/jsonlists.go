package generic

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
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
