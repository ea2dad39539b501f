package yamlkit_test

import (
	"slices"
	"testing"
)

// oddUnit has keys and values that are special to paths, to JSON or to YAML, elements of lists that share a name or have none, and
// resources that share a name.
func (m unitMaker) oddUnit() []object {
	var docs []object
	for range 1 + m.IntN(3) {
		metadata := object{"name": pickOne(m, "a", "b", "a.b")}
		if m.oneIn(2) {
			metadata["namespace"] = pickOne(m, "dev", "shop")
		}
		if m.oneIn(2) {
			metadata["annotations"] = m.oddMap(1)
		}
		doc := object{"apiVersion": pickOne(m, "v1", "example.com/v1"), "kind": pickOne(m, "ConfigMap", "Widget"), "metadata": metadata}
		if !slices.ContainsFunc(docs, func(o object) bool { return sameIdentity(o, doc) }) {
			doc["data"], doc["spec"] = m.oddMap(2), m.oddTree(3)
			docs = append(docs, doc)
		}
	}
	return docs
}

func sameIdentity(a, b object) bool {
	x, y := a["metadata"].(object), b["metadata"].(object)
	return a["apiVersion"] == b["apiVersion"] && a["kind"] == b["kind"] && x["name"] == y["name"] && x["namespace"] == y["namespace"]
}

func (m unitMaker) oddKey() string {
	return pickOne(m, "a", "b", "name", "a.b", "x/y", "~", "~1", "0", "1", "-", "*", "?name=a", "?a", "#", "a#b", "|", "|a", "%s", "=",
		"", " ", "a b", "null", "true", "@", "^", "é", "<<x", "key")
}

func (m unitMaker) oddScalar() any {
	return pickOne[any](m, "", "a", "b", nil, true, false, 0, 1, -1, 1.5, 1e30, 1<<53+1, "null", "~", "1", "1.0", "yes", "0x10", "a\n", "\n", "a\n\n", " a", "a ",
		"a\tb", "line 1\nline 2\n", "line 1\n  line 2", "\u2028", "\x07", "a: b", "a #b", "- a", "{}", "[]", "2024-01-01", "*a", "&a", "!a", "a\r\nb\r\n")
}

func (m unitMaker) oddMap(depth int) object {
	o := object{}
	for range m.IntN(4) {
		o[m.oddKey()] = m.oddTree(depth - 1)
	}
	return o
}

func (m unitMaker) oddTree(depth int) any {
	if depth <= 0 {
		return m.oddScalar()
	}
	switch m.IntN(6) {
	case 0:
		return m.oddScalar()
	case 1, 2:
		return m.oddMap(depth)
	case 3:
		list := []any{}
		for range m.IntN(4) {
			list = append(list, m.oddScalar())
		}
		return list
	case 4:
		list := []any{}
		for range m.IntN(4) {
			e := m.oddMap(depth - 1)
			if m.oneIn(2) {
				e["name"] = pickOne[any](m, "x", "y", "a.b", 1, "1", nil)
			}
			list = append(list, e)
		}
		return list
	}
	list := []any{}
	for range m.IntN(3) {
		list = append(list, m.oddTree(depth-1))
	}
	return list
}

// oddVariant changes some entries and items at any depth.
func (m unitMaker) oddVariant(docs []object) []object {
	out := clone(any(docs)).([]object)
	for range 1 + m.IntN(3) {
		doc := out[m.IntN(len(out))]
		part := pickOne(m, "data", "spec")
		doc[part] = m.oddChange(doc[part], 3)
	}
	if len(out) > 1 && m.oneIn(4) {
		out = slices.Delete(out, 0, 1)
	}
	if m.oneIn(4) {
		slices.Reverse(out)
	}
	return out
}

func (m unitMaker) oddChange(v any, depth int) any {
	switch v := v.(type) {
	case object:
		if len(v) > 0 && !m.oneIn(3) {
			keys := sortedKeys(v)
			key := keys[m.IntN(len(keys))]
			switch m.IntN(4) {
			case 0:
				delete(v, key)
			case 1:
				v[m.oddKey()] = v[key]
			default:
				v[key] = m.oddChange(v[key], depth-1)
			}
			return v
		}
		v[m.oddKey()] = m.oddTree(depth - 1)
		return v
	case []any:
		if len(v) > 0 && !m.oneIn(3) {
			i := m.IntN(len(v))
			switch m.IntN(5) {
			case 0:
				return slices.Delete(v, i, i+1)
			case 1:
				return slices.Insert(v, m.IntN(len(v)+1), clone(v[i]))
			case 2:
				m.Shuffle(len(v), func(i, j int) { v[i], v[j] = v[j], v[i] })
				return v
			}
			v[i] = m.oddChange(v[i], depth-1)
			return v
		}
		return slices.Insert(v, m.IntN(len(v)+1), m.oddTree(depth-1))
	}
	return m.oddTree(depth)
}

func sortedKeys(o object) []string {
	var keys []string
	for k := range o {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// TestDiffIsAPatchOfOddUnits is TestDiffIsAPatch for units as nobody should write them: variants of a unit, and units that have nothing
// to do with each other.
func TestDiffIsAPatchOfOddUnits(t *testing.T) {
	for seed := range cases(1_000, 20_000) {
		m := newUnitMaker(uint64(seed))
		before := m.oddUnit()
		after := m.oddVariant(before)
		if m.oneIn(4) {
			after = m.oddUnit()
		}
		replay(t, seed, unitText(t, before), unitText(t, after))
	}
}
