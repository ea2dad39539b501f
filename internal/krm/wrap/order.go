package wrap

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// arrange puts the fields of a new resource in the usual order (X5), so that programs may print
// them in any: apiVersion, kind and metadata first and status last, and the name first in metadata.
// Other fields keep their order, as does a map that cannot be reordered by moving lines.
func arrange(doc *gaby.YamlDoc) {
	reorder(doc, doc.Value(), nil, []string{"apiVersion", "kind", "metadata", "spec"})
}

func reorder(doc *gaby.YamlDoc, v gaby.Value, path, first []string) {
	var keys []string
	for i, c := range v.All() {
		segment, below := c.Key(), []string(nil)
		switch {
		case v.Kind() == gaby.List:
			segment = strconv.Itoa(i)
		case segment == "metadata":
			below = []string{"name", "generateName", "namespace", "labels", "annotations"}
		}
		keys = append(keys, segment)
		if kind := c.Kind(); (kind == gaby.Map || kind == gaby.List) && !c.IsAliased() {
			reorder(doc, c, append(path[:len(path):len(path)], segment), below)
		}
	}
	if v.Kind() != gaby.Map {
		return
	}
	rank := func(key string) int {
		if at := slices.Index(first, key); at >= 0 {
			return at
		}
		if key == "status" && len(path) == 0 {
			return len(first) + 1
		}
		return len(first)
	}
	sorted := slices.Clone(keys)
	slices.SortStableFunc(sorted, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	if !slices.Equal(keys, sorted) {
		doc.ReorderKeys(sorted, path...)
	}
}
