package mutation_test

import (
	"github.com/fctl-dev/fctl/configkit/mutation/mutationtest"
)

func oddKey(m mutationtest.Maker) string {
	return mutationtest.PickOne(
		m, "a", "b", "name", "a.b", "x/y", "~", "~1", "0", "1", "-", "*", "?name=a", "?a", "#",
		"a#b", "|", "|a", "%s", "=",
		"", " ", "a b", "null", "true", "@", "^", "é", "<<x", "key")
}

func oddScalar(m mutationtest.Maker) any {
	return mutationtest.PickOne[any](
		m, "", "a", "b", nil, true, false, 0, 1, -1, 1.5, 1e30, 1<<53+1, "null", "~", "1", "1.0",
		"yes", "0x10", "a\n", "\n", "a\n\n", " a", "a ",
		"a\tb", "line 1\nline 2\n", "line 1\n  line 2", "\u2028", "\x07", "a: b", "a #b", "- a",
		"{}", "[]", "2024-01-01", "*a", "&a", "!a", "a\r\nb\r\n")
}

func oddMap(m mutationtest.Maker, depth int) mutationtest.Object {
	o := mutationtest.Object{}
	for range m.IntN(4) {
		o[oddKey(m)] = oddTree(m, depth-1)
	}
	return o
}

func oddTree(m mutationtest.Maker, depth int) any {
	if depth <= 0 {
		return oddScalar(m)
	}
	switch m.IntN(6) {
	case 0:
		return oddScalar(m)
	case 1, 2:
		return oddMap(m, depth)
	case 3:
		list := []any{}
		for range m.IntN(4) {
			list = append(list, oddScalar(m))
		}
		return list
	case 4:
		list := []any{}
		for range m.IntN(4) {
			e := oddMap(m, depth-1)
			if m.OneIn(2) {
				e["name"] = mutationtest.PickOne[any](m, "x", "y", "a.b", 1, "1", nil)
			}
			list = append(list, e)
		}
		return list
	}
	list := []any{}
	for range m.IntN(3) {
		list = append(list, oddTree(m, depth-1))
	}
	return list
}
