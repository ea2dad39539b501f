package handler

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// TestMergeBackKeepsOrders drops, adds and moves documents in a function. The other documents keep
// their order, the returned ones keep theirs, and nothing is lost or duplicated.
func TestMergeBackKeepsOrders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var documents, selected gaby.Container
		chosen := map[*gaby.YamlDoc]bool{}
		for range rapid.IntRange(0, 8).Draw(t, "documents") {
			doc := new(gaby.YamlDoc)
			documents = append(documents, doc)
			if rapid.Bool().Draw(t, "selected") {
				selected = append(selected, doc)
				chosen[doc] = true
			}
		}
		var made gaby.Container
		for _, doc := range selected {
			if rapid.IntRange(0, 3).Draw(t, "kept") > 0 {
				made = append(made, doc)
			}
			if rapid.IntRange(0, 3).Draw(t, "added") == 0 {
				made = append(made, new(gaby.YamlDoc))
			}
		}
		if len(made) > 1 && rapid.Bool().Draw(t, "moved") {
			made = rapid.Permutation(made).Draw(t, "order")
		}
		merged := mergeBack(documents, selected, made)
		others := slices.DeleteFunc(slices.Clone(documents),
			func(doc *gaby.YamlDoc) bool { return chosen[doc] })
		isOther := func(doc *gaby.YamlDoc) bool { return slices.Contains(others, doc) }
		if left := slices.DeleteFunc(slices.Clone(merged),
			func(doc *gaby.YamlDoc) bool { return !isOther(doc) }); !slices.Equal(left, others) {
			t.Fatal("the other documents are not what they were")
		}
		if left := slices.DeleteFunc(slices.Clone(merged), isOther); !slices.Equal(left, made) {
			t.Fatal("what was made is not in its order")
		}
	})
}
