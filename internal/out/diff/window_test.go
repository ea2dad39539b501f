package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/out/diff"
)

// TestLargeTextsAsWhole checks that the diff of a large stream, which compares only the documents
// that differ, is that of the whole texts.
func TestLargeTextsAsWhole(t *testing.T) {
	document := func(i int, replicas string) string {
		return fmt.Sprintf("---\n# item %d\nkind: Item\nname: item-%d\nspec:\n  replicas: %s\n"+
			"  note: |\n    ---\n    --- %d\n", i, i, replicas, i) + strings.Repeat("  # same\n", 9)
	}
	stream := func(changed func(i int) string) string {
		var b strings.Builder
		for i := range 1000 {
			b.WriteString(changed(i))
		}
		return b.String()
	}
	same := func(i int) string { return document(i, "1") }
	before := stream(same)
	for name, changed := range map[string]func(i int) string{
		"one": func(i int) string {
			if i == 500 {
				return document(i, "2")
			}
			return same(i)
		},
		"neighbours": func(i int) string {
			if i == 0 || i == 7 || i == 8 || i == 999 {
				return document(i, "2\n  more: true")
			}
			return same(i)
		},
		"all": func(i int) string { return document(i, "2") },
		"swapped": func(i int) string {
			if i == 3 || i == 4 {
				return same(7 - i)
			}
			return same(i)
		},
		"removed": func(i int) string {
			if i == 600 {
				return ""
			}
			return same(i)
		},
		"last line": func(i int) string {
			if i == 999 {
				return strings.TrimSuffix(same(i), "\n")
			}
			return same(i)
		},
		"first lines": func(i int) string {
			if i%100 == 50 {
				return strings.Replace(same(i), "# item", "# thing", 1)
			}
			return same(i)
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := diff.FileDiff{Name: "x", Before: []byte(before), After: []byte(stream(changed))}
			have := string(diff.Unified(f))
			f.Shown = func(before, after []byte) ([]byte, []byte) { return before, after }
			if want := string(diff.Unified(f)); have != want || have == "" {
				t.Errorf("have\n%.2000s\nwant\n%.2000s", have, want)
			}
		})
	}
}
