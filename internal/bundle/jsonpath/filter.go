package jsonpath

import (
	"cmp"
	"errors"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// filter selects the entries for which a comparison holds, or for which a path exists.
type filter struct {
	left, right operand
	operator    string // "" asks whether left exists
}

// operand is a path or a literal.
type operand struct {
	isPath, fromRoot bool
	steps            []step
	literal          any // a string, float64, bool or nil
}

func (f *filter) apply(root gaby.Value, from []gaby.Value) ([]gaby.Value, error) {
	var found []gaby.Value
	for _, v := range from {
		if k := v.Kind(); k != gaby.List && k != gaby.Map {
			return nil, errors.New("a filter is for a list, and this is a scalar")
		}
		for _, item := range v.All() {
			if f.holds(root, item) {
				found = append(found, item)
			}
		}
	}
	return found, nil
}

func (f *filter) holds(root, item gaby.Value) bool {
	left, ok := f.left.value(root, item)
	if f.operator == "" || !ok {
		return ok
	}
	right, ok := f.right.value(root, item)
	if !ok {
		return false
	}
	order, comparable := compare(left, right)
	switch f.operator {
	case "==":
		return comparable && order == 0
	case "!=":
		return !comparable || order != 0
	}
	if _, isBool := left.(bool); isBool || left == nil || !comparable {
		return false
	}
	switch f.operator {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

// value returns the value of an operand. A path that matches nothing, or several values, has none.
func (o *operand) value(root, item gaby.Value) (any, bool) {
	if !o.isPath {
		return o.literal, true
	}
	from := item
	if o.fromRoot {
		from = root
	}
	found, err := find(o.steps, root, from)
	if err != nil || len(found) != 1 {
		return nil, false
	}
	switch v := found[0].Data().(type) {
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	default:
		return v, true
	}
}

// compare orders two values; ok is false if they have different types, or are maps or lists.
func compare(a, b any) (order int, ok bool) {
	switch a := a.(type) {
	case nil:
		return 0, b == nil
	case string:
		b, ok := b.(string)
		return cmp.Compare(a, b), ok
	case float64:
		b, ok := b.(float64)
		return cmp.Compare(a, b), ok
	case bool:
		b, ok := b.(bool)
		if a == b {
			return 0, ok
		}
		return 1, ok
	}
	return 0, false
}
