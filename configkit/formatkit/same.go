package formatkit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// same compares two values and returns the path of a difference. The order of keys does not matter.
// With scalarsOnly a map or list counts as the set of its scalars, by keys joined with dots.
func same(a, b gaby.Value, scalarsOnly bool) (path string, ok bool) {
	switch {
	case scalarsOnly:
		return sameLeaves(a, b)
	case a.Equal(b):
		return "", true
	}
	return string(yamlpath.Join(difference(a, b))), false
}

// difference returns the path of the first difference between two values that are not equal.
func difference(a, b gaby.Value) []string {
	if a.Kind() != b.Kind() || a.Len() != b.Len() {
		return nil
	}
	for i, x := range a.All() {
		segment, other := strconv.Itoa(i), b.Index(i)
		if a.Kind() == gaby.Map {
			segment = x.Key()
			other = b.Get(segment)
		}
		if !x.Equal(other) {
			return append([]string{segment}, difference(x, other)...)
		}
	}
	return nil
}

// sameLeaves compares the scalars. Several may have the same path: if a map has a key twice, or if
// a map has both "a.b" and a map a with the key b.
func sameLeaves(a, b gaby.Value) (string, bool) {
	want, have := map[string][]gaby.Value{}, map[string][]gaby.Value{}
	order := scalarsByPath(a, "", want, nil)
	for _, path := range append(order, scalarsByPath(b, "", have, nil)...) {
		w, h := want[path], have[path]
		byText := func(a, b gaby.Value) int { return strings.Compare(a.Text(), b.Text()) }
		slices.SortStableFunc(w, byText)
		slices.SortStableFunc(h, byText)
		if !slices.EqualFunc(w, h, gaby.Value.Equal) {
			return path, false
		}
		delete(want, path)
		delete(have, path)
	}
	return "", true
}

// scalarsByPath adds the scalars at and below v, which is at path, to into, and returns order with
// their paths.
func scalarsByPath(
	v gaby.Value, path string, into map[string][]gaby.Value, order []string,
) []string {
	if v.Kind() == gaby.Scalar {
		into[path] = append(into[path], v)
		return append(order, path)
	}
	for i, kid := range v.All() {
		order = scalarsByPath(kid, joinKey(path, v.Kind(), kid.Key(), i), into, order)
	}
	return order
}
