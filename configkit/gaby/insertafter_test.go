package gaby_test

import (
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

func TestPlaceNewKeyAfter(t *testing.T) {
	tests := []struct{ name, text, after, path, want string }{
		{"in between", "a: 1\n# two\nb: 2\n", "a", "new", "a: 1\nnew: 0\n# two\nb: 2\n"},
		{"in front", "# one\na: 1\nb: 2\n", "", "new", "new: 0\n# one\na: 1\nb: 2\n"},
		{"at the end", "a: 1\nb: 2 # two\n", "b", "new", "a: 1\nb: 2 # two\nnew: 0\n"},
		{"after a missing key", "a: 1\nb: 2\n", "c", "new", "a: 1\nb: 2\nnew: 0\n"},
		{"what was there stays", "a: 1\nnew: 0\nb: 2\n", "b", "new", "a: 1\nnew: 0\nb: 2\n"},
		{
			"after a text of several lines", "a: |+\n  x\n\nb: 2\n", "a", "new",
			"a: |+\n  x\n\nnew: 0\nb: 2\n",
		},
		{
			"on the line of a dash", "l:\n- a: 1 # one\n  b: 2\n", "", "l.0.new",
			"l:\n- new: 0\n  a: 1 # one\n  b: 2\n",
		},
		{
			"after an entry on the line of a dash", "l:\n- a: 1 # one\n  b: 2\n", "a", "l.0.new",
			"l:\n- a: 1 # one\n  new: 0\n  b: 2\n",
		},
		{"in brackets", "m: {a: 1, b: 2}\n", "a", "m.new", "m: {a: 1, new: 0, b: 2}\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			doc, err := gaby.ParseYAML([]byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := doc.SetP(0, test.path); err != nil {
				t.Fatal(err)
			}
			if err := doc.MoveKeyAfter(test.after, gaby.DotPathToSlice(test.path)...); err != nil {
				t.Fatal(err)
			}
			if have := doc.String(); have != test.want {
				t.Errorf("have\n%s\nwant\n%s", have, test.want)
			}
		})
	}
}

func TestWithOwnComments(t *testing.T) {
	from, err := gaby.ParseYAML([]byte("a: 1\n# above\nb: # beside\n  # inside\n  c: 2\n"))
	if err != nil {
		t.Fatal(err)
	}
	for want, value := range map[string]any{
		"x: 0\nb:\n  c: 2\n":             from.Path("b").Value(),
		"x: 0\nb:\n  # inside\n  c: 2\n": gaby.WithComments(from.Path("b").Value()),
		"x: 0\n# above\nb: # beside\n  # inside\n  c: 2\n": gaby.WithOwnComments(
			from.Path("b").Value()),
	} {
		t.Run(want, func(t *testing.T) {
			doc, err := gaby.ParseYAML([]byte("x: 0\n"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := doc.SetP(value, "b"); err != nil {
				t.Fatal(err)
			}
			if have := doc.String(); have != want {
				t.Errorf("have\n%s\nwant\n%s", have, want)
			}
		})
	}
}
