//go:build !race

package gaby_test

import (
	"slices"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// TestArrangeKeysLaws checks that arranging the keys of random documents changes neither the values
// nor the set of lines.
func TestArrangeKeysLaws(t *testing.T) {
	done := 0
	for n := range 2_000 {
		d := seeded(n)
		text := randomText(d, d.oneIn(3))
		if d.oneIn(3) {
			text = textAtEnd(d)
		}
		doc, err := gaby.ParseYAML([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		data := doc.Data()
		for _, p := range append(places(data), pathValue{nil, data}) {
			m, ok := p.Value.(map[string]any)
			if !ok || !d.oneIn(2) {
				continue
			}
			if d.oneIn(2) {
				at := append(p.Path[:len(p.Path):len(p.Path)], "added")
				if _, err := doc.Set(0, at...); err == nil {
					m["added"] = 0
					data = doc.Data()
				}
			}
			keys := sortedKeys(m)
			if d.oneIn(2) {
				slices.Reverse(keys)
			}
			if doc.ReorderKeys(keys, p.Path...) {
				done++
			}
		}
		again, err := gaby.ParseYAML(doc.Bytes())
		if err != nil || diffData(data, again.Data(), "") != "" {
			t.Fatalf("%d: %v %s\n--- before\n%s\n--- after\n%s", n, err,
				diffData(data, again.Data(), ""), text, doc)
		}
		for _, c := range comments(text) {
			if commentIndex(doc.String(), c.Text) < 0 {
				t.Fatalf("%d: comment %s is gone\n--- before\n%s\n--- after\n%s", n, c.Text, text,
					doc)
			}
		}
	}
	if done < 500 {
		t.Errorf("%d maps were arranged", done)
	}
}
