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

// TestSetListMovesItems checks that items of a list that is set keep their text and comments.
func TestSetListMovesItems(t *testing.T) {
	for _, c := range []struct {
		name, text, value, want string
	}{
		{
			"texts", "l:\n# about a\n- a\n- b # b\n\n- c\n", "[c, b, a]",
			"l:\n- c\n- b # b\n\n# about a\n- a\n",
		},
		{
			"names", "l:\n- name: a\n  v: 1 # one\n# b\n- name: b\n  v: 2\n- name: c\n",
			"[{name: c}, {name: b, v: 3}, {name: a, v: 1}]",
			"l:\n- name: c\n# b\n- name: b\n  v: 3\n- name: a\n  v: 1 # one\n",
		},
		{
			"a new one", "l:\n- a # a\n- b # b\n- c # c\n", "[c, x, a, b]",
			"l:\n- c # c\n- x\n- a # a\n- b # b\n",
		},
		{
			"without some", "l:\n- a # a\n- b # b\n- c # c\n- d # d\n- e\n", "[b, d, f]",
			"l:\n- b # b\n- d # d\n- f\n",
		},
		{
			"in place", "l:\n- a # a\n- b # b\n- c # c\n", "[a, x, c]",
			"l:\n- a # a\n- x # b\n- c # c\n",
		},
		{
			"renamed", "l:\n- name: a # a\n  v: 1\n- name: b # b\n  v: 2\n",
			"[{name: x, v: 3}, {name: b, v: 2}]",
			"l:\n- name: x # a\n  v: 3\n- name: b # b\n  v: 2\n",
		},
		{
			"equal ones", "l:\n- -v # 1\n- a # a\n- -v # 2\n- b # b\n", "[-v, b, -v, a]",
			"l:\n- -v # 1\n- b # b\n- -v # 2\n- a # a\n",
		},
		{"to others", "l:\n- a # a\n- b # b\n- c\n", "[c, b, x]", "l:\n- c\n- b # b\n- x\n"},
		{
			"commented out", "l:\n- a # a\n# - x\n- b # b\n", "[b, a]",
			"l:\n- b # b\n# - x\n- a # a\n",
		},
		// Lines cannot be moved, so the texts stay where they are.
		{"in brackets", "l: [a, b, c] # all\n", "[c, b, a]", "l: [c, b, a] # all\n"},
		{"on the line of a dash", "l:\n- - a # a\n  - b\n", "[[b, a]]", "l:\n- - b # a\n  - a\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := parse(t, c.text)[0]
			if err := doc.SetDocP(parse(t, c.value)[0], "l"); err != nil {
				t.Fatal(err)
			}
			if got := doc.String(); got != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

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
