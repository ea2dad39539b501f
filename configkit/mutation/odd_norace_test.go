//go:build !race

package mutation_test

import (
	"slices"
	"testing"

	"github.com/fctl-dev/fctl/configkit/mutation/mutationtest"
)

// oddUnit returns resources with keys and values that are special in paths, JSON or YAML, with list
// elements that share a name or have none, and with resources that share a name.
func oddUnit(m mutationtest.Maker) []mutationtest.Object {
	var docs []mutationtest.Object
	for range 1 + m.IntN(3) {
		metadata := mutationtest.Object{"name": mutationtest.PickOne(m, "a", "b", "a.b")}
		if m.OneIn(2) {
			metadata["namespace"] = mutationtest.PickOne(m, "dev", "shop")
		}
		if m.OneIn(2) {
			metadata["annotations"] = oddMap(m, 1)
		}
		doc := mutationtest.Object{
			"apiVersion": mutationtest.PickOne(m, "v1", "example.com/v1"),
			"kind":       mutationtest.PickOne(m, "ConfigMap", "Widget"), "metadata": metadata,
		}
		if !slices.ContainsFunc(docs, func(o mutationtest.Object) bool {
			return sameIdentity(o, doc)
		}) {
			doc["data"], doc["spec"] = oddMap(m, 2), oddTree(m, 3)
			docs = append(docs, doc)
		}
	}
	return docs
}

func sameIdentity(a, b mutationtest.Object) bool {
	x, y := a["metadata"].(mutationtest.Object), b["metadata"].(mutationtest.Object)
	return a["apiVersion"] == b["apiVersion"] && a["kind"] == b["kind"] && x["name"] == y["name"] &&
		x["namespace"] == y["namespace"]
}

// oddVariant changes some entries and items at any depth.
func oddVariant(m mutationtest.Maker, docs []mutationtest.Object) []mutationtest.Object {
	out := mutationtest.Clone(any(docs)).([]mutationtest.Object)
	for range 1 + m.IntN(3) {
		doc := out[m.IntN(len(out))]
		part := mutationtest.PickOne(m, "data", "spec")
		doc[part] = oddChange(m, doc[part], 3)
	}
	if len(out) > 1 && m.OneIn(4) {
		out = slices.Delete(out, 0, 1)
	}
	if m.OneIn(4) {
		slices.Reverse(out)
	}
	return out
}

func oddChange(m mutationtest.Maker, v any, depth int) any {
	switch v := v.(type) {
	case mutationtest.Object:
		if len(v) > 0 && !m.OneIn(3) {
			keys := sortedKeys(v)
			key := keys[m.IntN(len(keys))]
			switch m.IntN(4) {
			case 0:
				delete(v, key)
			case 1:
				v[oddKey(m)] = v[key]
			default:
				v[key] = oddChange(m, v[key], depth-1)
			}
			return v
		}
		v[oddKey(m)] = oddTree(m, depth-1)
		return v
	case []any:
		if len(v) > 0 && !m.OneIn(3) {
			i := m.IntN(len(v))
			switch m.IntN(5) {
			case 0:
				return slices.Delete(v, i, i+1)
			case 1:
				return slices.Insert(v, m.IntN(len(v)+1), mutationtest.Clone(v[i]))
			case 2:
				m.Shuffle(len(v), func(i, j int) { v[i], v[j] = v[j], v[i] })
				return v
			}
			v[i] = oddChange(m, v[i], depth-1)
			return v
		}
		return slices.Insert(v, m.IntN(len(v)+1), oddTree(m, depth-1))
	}
	return oddTree(m, depth)
}

func sortedKeys(o mutationtest.Object) []string {
	var keys []string
	for k := range o {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// TestDiffIsAPatchOfOddUnits is TestDiffIsAPatch for units nobody should write: variants of odd
// units, and pairs of unrelated units.
func TestDiffIsAPatchOfOddUnits(t *testing.T) {
	for seed := range mutationtest.Cases(1_000, 20_000) {
		m := mutationtest.NewMaker(uint64(seed))
		before := oddUnit(m)
		after := oddVariant(m, before)
		if m.OneIn(4) {
			after = oddUnit(m)
		}
		replay(t, seed, mutationtest.Text(t, before), mutationtest.Text(t, after))
	}
}
