package formatkit

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// same compares two values and returns the path of a difference. If leavesOnly is set a map or list
// counts as the set of its scalars, by keys joined with dots.
func same(a, b gaby.Value, leavesOnly bool) (path string, ok bool) {
	if leavesOnly {
		return sameLeaves(a, b)
	}
	return samePath(a, b, nil)
}

// samePath compares two values and their structure. The order of keys does not matter.
func samePath(a, b gaby.Value, path []string) (string, bool) {
	differ := func() (string, bool) { return joinPath(path), false }
	if a.Kind() != b.Kind() || a.Len() != b.Len() {
		return differ()
	}
	if a.Kind() == gaby.Scalar {
		if !sameScalar(a, b) {
			return differ()
		}
		return "", true
	}
	i := 0
	for x, y := a.First(), b.First(); x.Exists(); x, y = x.Next(), y.Next() {
		segment, other := strconv.Itoa(i), y
		if a.Kind() == gaby.Map {
			if segment = x.Key(); y.Key() != segment {
				other = b.Get(segment)
			}
		}
		if p, ok := samePath(x, other, append(path, segment)); !ok {
			return p, false
		}
		i++
	}
	return "", true
}

func sameScalar(a, b gaby.Value) bool {
	x, y := a.Data(), b.Data()
	f, isFloat := x.(float64)
	g, _ := y.(float64)
	return x == y || isFloat && math.IsNaN(f) && math.IsNaN(g)
}

// sameLeaves compares the scalars. Several may have the same path: if a map has a key twice, or if
// a map has both "a.b" and a map a with the key b.
func sameLeaves(a, b gaby.Value) (string, bool) {
	want, have := map[string][]gaby.Value{}, map[string][]gaby.Value{}
	order := leaves(a, "", want, nil)
	for _, path := range append(order, leaves(b, "", have, nil)...) {
		w, h := want[path], have[path]
		if len(w) != len(h) {
			return path, false
		}
		if len(w) > 1 {
			slices.SortStableFunc(w, byText)
			slices.SortStableFunc(h, byText)
		}
		if !slices.EqualFunc(w, h, sameScalar) {
			return path, false
		}
		delete(want, path)
		delete(have, path)
	}
	return "", true
}

func byText(a, b gaby.Value) int { return strings.Compare(a.Text(), b.Text()) }

func leaves(v gaby.Value, path string, into map[string][]gaby.Value, order []string) []string {
	if v.Kind() == gaby.Scalar {
		into[path] = append(into[path], v)
		return append(order, path)
	}
	i := 0
	for kid := v.First(); kid.Exists(); kid = kid.Next() {
		order = leaves(kid, joinKey(path, v.Kind(), kid.Key(), i), into, order)
		i++
	}
	return order
}

func joinPath(segments []string) string {
	escaped := make([]string, len(segments))
	for i, s := range segments {
		escaped[i] = strings.ReplaceAll(strings.ReplaceAll(s, "~", "~0"), ".", "~1")
	}
	return strings.Join(escaped, ".")
}
