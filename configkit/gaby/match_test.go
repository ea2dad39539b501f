package gaby_test

import (
	"slices"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// TestMatch checks which items of a list continue items of another.
func TestMatch(t *testing.T) {
	for name, c := range map[string]struct {
		old, now string
		want     []int
	}{
		"equal items move":        {"[a, b, c]", "[c, a]", []int{2, 0}},
		"an item is inserted":     {"[a, b]", "[a, x, b]", []int{0, -1, 1}},
		"an item is replaced":     {"[a, b, c]", "[a, x, c]", []int{0, 1, 2}},
		"maps with the same name": {"[{name: a}, {name: b, v: 1}]", "[{name: b, v: 2}]", []int{1}},
		"nothing is left":         {"[a]", "[]", []int{}},
	} {
		t.Run(name, func(t *testing.T) {
			old, err := gaby.ParseYAML([]byte(c.old))
			if err != nil {
				t.Fatal(err)
			}
			now, err := gaby.ParseYAML([]byte(c.now))
			if err != nil {
				t.Fatal(err)
			}
			if got := old.Value().Match(now.Value()); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
