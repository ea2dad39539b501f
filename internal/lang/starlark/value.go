package starlark

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/lang/limit"
)

// maxDepth is the maximum nesting depth of a program's result. It also catches values that contain
// themselves.
const maxDepth = 1000

// maxIntBits is the maximum size of an integer of a document: all readers have a number for it.
const maxIntBits = 1000

// maxResult is the maximum number of values in a program's result.
const maxResult = 2_000_000

// fromDocument copies a value of a document.
func fromDocument(v gaby.Value) starlark.Value {
	switch v.Kind() {
	case gaby.Map:
		dict := starlark.NewDict(v.Len())
		for _, c := range v.All() {
			// with string keys this fails on frozen dicts only
			_ = dict.SetKey(starlark.String(c.Key()), fromDocument(c))
		}
		return dict
	case gaby.List:
		var items []starlark.Value
		for _, c := range v.All() {
			items = append(items, fromDocument(c))
		}
		return starlark.NewList(items)
	}
	data := v.Data()
	if text, ok := data.(string); ok && !utf8.ValidString(text) {
		data = v.Text() // for the bytes of a !!binary, their base64 text
	}
	if _, ok := data.(float64); ok { // integers of more than 64 bits are floats, too
		if n, ok := new(big.Int).SetString(v.Text(), 10); ok && n.BitLen() <= maxIntBits {
			return starlark.MakeBigInt(n)
		}
	}
	value, _ := fromData(data) // scalars have no other types than it knows
	return value
}

// fromData copies a scalar of a document or a value of a scope. Keys are sorted.
func fromData(data any) (starlark.Value, error) {
	switch v := data.(type) {
	case nil:
		return starlark.None, nil
	case string:
		return starlark.String(v), nil
	case bool:
		return starlark.Bool(v), nil
	case int:
		return starlark.MakeInt(v), nil
	case int64:
		return starlark.MakeInt64(v), nil
	case uint64:
		return starlark.MakeUint64(v), nil
	case float64:
		return starlark.Float(v), nil
	case map[string]any:
		return dictOf(v)
	case map[string]string:
		return dictOf(v)
	case []any:
		return listOf(v)
	case []string:
		return listOf(v)
	}
	return nil, fmt.Errorf("a value of type %s is not known", reflect.TypeOf(data))
}

func dictOf[V any](m map[string]V) (starlark.Value, error) {
	dict := starlark.NewDict(len(m))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		value, err := fromData(m[key])
		if err != nil {
			return nil, err
		}
		if err := dict.SetKey(starlark.String(key), value); err != nil {
			return nil, err
		}
	}
	return dict, nil
}

func listOf[V any](l []V) (starlark.Value, error) {
	items := make([]starlark.Value, len(l))
	for i, item := range l {
		var err error
		if items[i], err = fromData(item); err != nil {
			return nil, err
		}
	}
	return starlark.NewList(items), nil
}

// result converts the result of a program to Go data, with the order of keys. values counts the
// converted values. A value that is referenced several times counts every time, because each
// reference becomes a value of its own.
type result struct {
	values int
	text   int64        // how many bytes all texts together may still have
	watch  *limit.Watch // nil in a step of a program, which is watched
	int64  bool         // larger ints are errors, as in the published function for lists
}

// newResult returns the conversion of the result of a program.
func newResult(watch *limit.Watch) *result {
	return &result{text: watch.Account().Memory() / 4, watch: watch}
}

// data converts a value at a nesting depth.
func (r *result) data(value starlark.Value, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("a value with more than %d dicts and lists inside each other",
			maxDepth)
	}
	if r.values++; r.values > maxResult {
		return nil, fmt.Errorf("the result of the program has more than %d values", maxResult)
	}
	if r.watch != nil && r.watch.Err() != nil {
		return nil, r.watch.Err()
	}
	switch v := value.(type) {
	case starlark.NoneType:
		return nil, nil
	case starlark.Bool:
		return bool(v), nil
	case starlark.String:
		if r.text -= int64(len(v)); r.text < 0 {
			return nil, errors.New("the result of the program has too much text")
		}
		return string(v), nil
	case starlark.Float:
		return float64(v), nil
	case starlark.Int:
		if n, ok := v.Int64(); ok {
			return int(n), nil
		}
		if r.int64 {
			return nil, fmt.Errorf("%s is out of the range of a signed 64-bit integer", v)
		}
		if n, ok := v.Uint64(); ok {
			return n, nil
		}
		if v.BigInt().BitLen() > maxIntBits {
			return nil, fmt.Errorf("an int of more than %d bits cannot be written", maxIntBits)
		}
		return json.Number(v.String()), nil
	case *starlark.Dict:
		entries := make(gaby.Entries, 0, v.Len())
		for _, item := range v.Items() {
			key, ok := starlark.AsString(item[0])
			if !ok {
				return nil, fmt.Errorf("%s %s cannot be the key of a map, keys are strings",
					item[0].Type(), item[0])
			}
			data, err := r.data(item[1], depth+1)
			if err != nil {
				return nil, err
			}
			entries = append(entries, gaby.Entry{Key: key, Value: data})
		}
		return entries, nil
	case *starlark.List:
		return r.items(v, depth)
	case starlark.Tuple:
		return r.items(v, depth)
	case *starlark.Set:
		return r.items(v, depth)
	}
	return nil, fmt.Errorf("a %s cannot be written", value.Type())
}

func (r *result) items(values starlark.Sequence, depth int) (any, error) {
	all := make([]any, 0, values.Len())
	for item := range starlark.Elements(values) {
		data, err := r.data(item, depth+1)
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	return all, nil
}
