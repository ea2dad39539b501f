package lines

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestWalkIsSearch checks that walk finds what search finds, if it finds anything.
func TestWalkIsSearch(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name, letters string) []string {
			return rapid.SliceOfN(rapid.SampledFrom(Split(letters)), 0, 12).Draw(t, name)
		}
		// Both have many lines in common, and a few of their own.
		a := draw("a", "a\na\nb\nc\nx\n")
		b := slices.Clone(a)
		for _, line := range draw("new", "a\ny\nz\n") {
			at := rapid.IntRange(0, len(b)).Draw(t, "at")
			if at < len(b) && rapid.Bool().Draw(t, "replace") {
				b[at] = line
			} else {
				b = slices.Insert(b, at, line)
			}
		}
		compare := func(by func(c *comparison) bool) ([]Hunk, bool) {
			c := &comparison{kept: [2][]bool{make([]bool, len(a)), make([]bool, len(b))}}
			ok := by(c)
			return c.hunks(0), ok
		}
		walked, ok := compare(func(c *comparison) bool { return c.walk(a, b) })
		if !ok {
			return
		}
		found++
		searched, _ := compare(func(c *comparison) bool { c.search(a, b); return true })
		if !slices.Equal(walked, searched) {
			t.Fatalf("walk finds %v, search %v", walked, searched)
		}
	})
	if found < 10 {
		t.Errorf("walk found something in %d texts only", found)
	}
}
