//go:build !race

package gaby_test

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// The work is proportional to the size of the result, not to its square.
func TestExpandLinear(t *testing.T) {
	text := "a: &a {x: 1, y: [2, 3]}\nb:\n" + numbered(20_000, "  k%d: *a\n") + "c:\n" +
		numbered(20_000, "- <<: *a\n  n: %d\n")
	doc, err := gaby.ParseYAML([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	bounded(t, 300, 400, func() {
		if n, err := doc.ExpandAnchors(); err != nil || n != 40_001 {
			t.Errorf("%d, %v", n, err)
		}
		if len(doc.Bytes()) < len(text) {
			t.Error("too short")
		}
	})
}

// The same holds for the items of a list, which are expanded one by one.
func TestExpandItemsLinear(t *testing.T) {
	text := "items:\n- a: &a {x: 1}\n" + numbered(20_000, "- b: *a\n  c: &c%d [1]\n")
	c, err := gaby.ParseAll([]byte("kind: List\napiVersion: v1\n" + text))
	if err != nil || len(c) != 20_001 {
		t.Fatalf("%d documents, %v", len(c), err)
	}
	bounded(t, 300, 400, func() {
		for range 2 {
			for _, d := range c {
				if _, err := d.ExpandAnchors(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if have := c.String(); strings.ContainsAny(have, "&*") ||
			!strings.Contains(have, "- b: {x: 1}\n  c: [1]\n") {
			t.Errorf("expanded to\n%.200s", have)
		}
	})
}
