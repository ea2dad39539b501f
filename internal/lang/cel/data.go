package cel

import (
	"errors"
	"fmt"
	"math"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// toData converts a value to Go data. Values of a document are returned as they are, with the order
// of their keys.
func toData(value ref.Val) (any, error) {
	switch value.(type) {
	case docMap, docList:
	default:
		if sizeOf(value) > maxSize {
			return nil, tooLarge("result")
		}
	}
	return data(value)
}

func data(value ref.Val) (any, error) {
	switch v := value.(type) {
	case docMap:
		return v.v, nil
	case docList:
		return v.v, nil
	case types.Null:
		return nil, nil
	case types.Bool, types.String, types.Double:
		return v.Value(), nil
	case types.Int:
		return int(v), nil
	case types.Uint:
		if uint64(v) <= math.MaxInt64 {
			return int(v), nil
		}
		return uint64(v), nil
	case traits.Mapper:
		return mapData(v)
	case traits.Lister:
		var items []any
		for e := range elements(v) {
			item, err := data(e)
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		return items, nil
	case *types.Optional:
		if !v.HasValue() {
			return nil, errors.New("optional.none() is not a value to write")
		}
		return data(v.GetValue())
	case *types.Type:
	default:
		if text, ok := value.ConvertToType(types.StringType).(types.String); ok {
			return string(text), nil
		}
	}
	return nil, fmt.Errorf("%s is not a value to write", describe(value))
}

// mapData is toData for maps that are not part of a document.
func mapData(m traits.Mapper) (any, error) {
	entries := map[string]any{}
	for it := m.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		name, ok := key.(types.String)
		if !ok {
			return nil, fmt.Errorf("%s is not a key of a map to write, keys are strings",
				describe(key))
		}
		value, err := data(m.Get(key))
		if err != nil {
			return nil, err
		}
		entries[string(name)] = value
	}
	return entries, nil
}

// describe returns how messages describe a value: its type and, for a scalar, the value.
func describe(value ref.Val) string {
	switch v := value.(type) {
	case types.Null:
		return "null"
	case types.Bool:
		return fmt.Sprint(bool(v))
	case types.String:
		text := []rune(string(v))
		if len(text) > 40 {
			text = append(text[:39], '…')
		}
		return fmt.Sprintf("the string %q", string(text))
	case types.Int, types.Uint, types.Double:
		return fmt.Sprintf("the number %v", v.Value())
	case *types.Optional:
		return "an optional value"
	case traits.Mapper:
		return "a map"
	case traits.Lister:
		return "a list"
	}
	return "a " + value.Type().TypeName()
}

// typeText returns how messages describe a type.
func typeText(t *types.Type) string {
	switch t.Kind() {
	case types.NullTypeKind:
		return "null"
	case types.MapKind:
		return "a map"
	case types.ListKind:
		return "a list"
	case types.IntKind:
		return "an int"
	}
	return "a " + t.TypeName()
}
