package yamlkit_test

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
)

// Sorting and merging are stable sorts by type, name and path.
func TestPropertySortAndMergeRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var lists []api.AttributeValueList
		var all api.AttributeValueList
		for range rapid.IntRange(0, 6).Draw(t, "lists") {
			var list api.AttributeValueList
			for range rapid.IntRange(0, 40).Draw(t, "rows") {
				letter := func(label string) string {
					return rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, label)
				}
				row := api.AttributeValue{Value: len(all) + len(list)}
				row.ResourceType, row.ResourceName = api.ResourceType(letter("type")),
					api.ResourceName(letter("name"))
				row.Path = api.ResolvedPath(letter("path"))
				list = append(list, row)
			}
			all = append(all, list...)
			lists = append(lists, slices.Clone(list))
		}
		want := valuesOf(slices.SortedStableFunc(slices.Values(all),
			func(a, b api.AttributeValue) int {
				return cmp.Or(cmp.Compare(a.ResourceType, b.ResourceType),
					cmp.Compare(a.ResourceName, b.ResourceName), cmp.Compare(a.Path, b.Path))
			}))
		if got := valuesOf(yamlkit.SortRows(slices.Clone(all))); !slices.Equal(got, want) {
			t.Fatalf("sorted %v, want %v", got, want)
		}
		if got := valuesOf(yamlkit.MergeRows(lists)); !slices.Equal(got, want) {
			t.Fatalf("merged %v, want %v", got, want)
		}
	})
}

func valuesOf(rows api.AttributeValueList) []any {
	values := make([]any, len(rows))
	for i := range rows {
		values[i] = rows[i].Value
	}
	return values
}
