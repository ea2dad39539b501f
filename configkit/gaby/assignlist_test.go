package gaby_test

import (
	"testing"
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
