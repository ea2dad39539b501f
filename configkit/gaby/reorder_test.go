package gaby_test

import (
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

func TestArrangeKeys(t *testing.T) {
	tests := []struct {
		name, text, path string
		keys             []string
		want             string // "" if it is not possible
	}{
		{
			"with comments", "# all\n\na: 1 # one\n# two\nb: 2\n", "",
			[]string{"b", "a"},
			"# all\n\n# two\nb: 2\na: 1 # one\n",
		},
		{
			"inside", "m:\n  a: {x: 1}\n  b:\n    c: 1\n    # d\n\n  e: 1\n", "m",
			[]string{"e", "b", "a"},
			"m:\n  e: 1\n  b:\n    c: 1\n    # d\n\n  a: {x: 1}\n",
		},
		{"text", "a: |\n  x\n\nb: 1\n", "", []string{"b", "a"}, "b: 1\n\na: |\n  x\n"},
		{"text without line end", "b: 1\na: |\n  x", "", []string{"a", "b"}, "a: |-\n  x\nb: 1"},
		{"as it is", "a: 1\nb: 2\n", "", []string{"a", "b"}, "a: 1\nb: 2\n"},
		{
			"after a dash", "- a: 1\n  b: 2\n  c: 3\n", "0",
			[]string{"a", "c", "b"},
			"- a: 1\n  c: 3\n  b: 2\n",
		},
		{"on the line of a dash", "- a: 1\n  b: 2\n", "0", []string{"b", "a"}, ""},
		{"kept line ends", "a: |+\n  x\n\nb: 1\n", "", []string{"b", "a"}, ""},
		{"in brackets", "m: {a: 1, b: 2}\n", "m", []string{"b", "a"}, ""},
		{"not all keys", "a: 1\nb: 2\n", "", []string{"b"}, ""},
		{"other keys", "a: 1\nb: 2\n", "", []string{"b", "c"}, ""},
		{"a key twice", "a: 1\na: 2\n", "", []string{"a", "a"}, ""},
		{
			"inherited", "x: &x {k: 1}\ny:\n  <<: *x\n  a: 1\n  b: 2\n", "y",
			[]string{"b", "a", "k"},
			"",
		},
		{"anchored", "a: &x 1\nb: *x\n", "", []string{"b", "a"}, ""},
		{"no map", "- 1\n", "", []string{"0"}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			doc, err := gaby.ParseYAML([]byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			var segments []string
			if test.path != "" {
				segments = gaby.DotPathToSlice(test.path)
			}
			data := doc.Data()
			want := test.want
			if want == "" {
				want = test.text
			}
			if done := doc.ReorderKeys(test.keys, segments...); done != (test.want != "") ||
				doc.String() != want {
				t.Errorf("%v, have\n%s\nwant\n%s", done, doc, want)
			}
			if again, err := gaby.ParseYAML(doc.Bytes()); err != nil ||
				diffData(data, again.Data(), "") != "" {
				t.Errorf("it says something else: %v\n%s", err, doc)
			}
		})
	}
}
