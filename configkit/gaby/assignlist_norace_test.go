//go:build !race

package gaby_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// TestSetListRandom sets lists to others that share some of their items.
func TestSetListRandom(t *testing.T) {
	items := []string{
		"- a%d # %d\n", "# above %d\n- b%[1]d\n", "\n- name: c%d\n  x: |\n    text %d\n\n",
		"- name: d%d # %d\n  l:\n  - 1 # one\n  - 2\n", "- {name: e%d}\n# - out %d\n",
		"-\n  - f%d # %d\n", "- >+\n  g%d\n\n", "# - h\n- h%d\n\n# apart\n\n",
	}
	rapid.Check(t, func(r *rapid.T) {
		var text strings.Builder
		text.WriteString("l:\n")
		for i := range rapid.IntRange(1, 6).Draw(r, "items") {
			item := rapid.SampledFrom(items).Draw(r, "item")
			fmt.Fprintf(&text, item, slices.Repeat([]any{i}, strings.Count(item, "%d"))...)
		}
		text.WriteString("end: 1\n")
		doc, err := gaby.ParseYAML([]byte(text.String()))
		if err != nil {
			r.Fatal(err)
		}
		list := doc.Path("l").Data().([]any)
		list = rapid.Permutation(list).Draw(r, "order")
		list = list[:rapid.IntRange(0, len(list)).Draw(r, "length")]
		for i := range list {
			switch m, isMap := list[i].(map[string]any); rapid.IntRange(0, 3).Draw(r, "change") {
			case 0:
				list[i] = fmt.Sprint("new", i)
			case 1:
				if isMap {
					m["x"] = i
				}
			}
		}
		if rapid.Bool().Draw(r, "more") {
			list = slices.Insert(list, rapid.IntRange(0, len(list)).Draw(r, "at"), any("more"))
		}
		if err := doc.SetData(map[string]any{"l": list, "end": 1}); err != nil {
			r.Fatal(err)
		}
		again, err := gaby.ParseYAML(doc.Bytes())
		if err != nil {
			r.Fatalf("%v\n%s", err, doc)
		}
		want, err := gaby.ParseYAML([]byte("null\n"))
		if err == nil {
			err = want.SetData(list)
		}
		if err != nil {
			r.Fatal(err)
		}
		if got := again.Path("l").Data(); !reflect.DeepEqual(got, want.Data()) {
			r.Errorf("%s\nbecame\n%s\nwith %#v instead of %#v", text.String(), doc, got, want.Data())
		}
	})
}
