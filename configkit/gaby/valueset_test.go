package gaby_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// TestValueSet checks that setting a value through its cursor does the same as setting it by its
// path.
func TestValueSet(t *testing.T) {
	const text = `base: &x {k: v}
ref: *x
same: &s one
alias: *s
merged:
  <<: *x
  own: 1
dup: {a: 1}
dup:
  a: 2
list:
- name: a
  ports: [80, 81]
- name: b
"": empty
a.b: {c~d: 1}
`
	for _, c := range []struct {
		path  string
		value any
		err   string
	}{
		{"merged.own", 2, ""},
		{"list.0.name", "x", ""},
		{"list.0.ports.1", 82, ""},
		{"list.1", map[string]any{"name": "c", "n": 1}, ""},
		{"a~1b.c~0d", "x", ""},
		{"", "all", ""},
		{"alias", "two", ""},
		{"list.0.ports", []any{80, 82}, ""},
		{"base.k", "v", ""},
		{"base.k", "w", "1:14: base.k: the value is repeated elsewhere by an alias"},
		{"same", "w", "3:7: same: the value is repeated elsewhere by an alias"},
		{"dup.a", 3, "10:3: dup: the key occurs 2 times in its map"},
		{"dup", 3, "10:3: dup: the key occurs 2 times in its map"},
	} {
		t.Run(fmt.Sprint(c.path, "=", c.value), func(t *testing.T) {
			doc, err := gaby.ParseYAML([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			v := doc.Path(c.path).Value()
			if got, want := v.Segments(), gaby.DotPathToSlice(c.path); !slices.Equal(got, want) {
				t.Errorf("segments %q, want %q", got, want)
			}
			byPath, err := gaby.ParseYAML([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			_, want := byPath.Set(c.value, gaby.DotPathToSlice(c.path)...)
			if err := v.Set(c.value); fmt.Sprint(err) != fmt.Sprint(want) || c.err != "" &&
				err.Error() != c.err {
				t.Errorf("error %v, want %v", err, want)
			}
			if doc.String() != byPath.String() {
				t.Errorf("%s\nwant:\n%s", doc, byPath)
			}
		})
	}
}

// TestValueSetOfAnotherPosition checks that a cursor does not set what is written elsewhere, and
// that Segments leads to where a value is written.
func TestValueSetOfAnotherPosition(t *testing.T) {
	doc, err := gaby.ParseYAML([]byte("base: &x {k: v}\nref: *x\nmerged:\n  <<: *x\n"))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"ref.k":    "1:14: base.k: this value comes from an alias; it cannot be edited here",
		"merged.k": "1:14: merged.k: the value is inherited through <<",
		"none":     `path "" does not exist`,
	} {
		t.Run(path, func(t *testing.T) {
			if err := doc.Path(path).Value().Set(1); fmt.Sprint(err) != want {
				t.Errorf("%s: %v, want %s", path, err, want)
			}
		})
	}
	if doc.Changed() {
		t.Errorf("failed edits changed the document to\n%s", doc)
	}
}

// TestValueSegmentsAfterEdits checks the paths of values that edits moved or made.
func TestValueSegmentsAfterEdits(t *testing.T) {
	doc, err := gaby.ParseYAML([]byte("list:\n- a: 1\n- {b: 2}\nscalar: 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	moved := doc.Path("list.1.b").Value()
	if err := doc.ArrayInsertP(map[string]any{"c": []any{3, 4}}, 1, "list"); err != nil {
		t.Fatal(err)
	}
	if _, err := doc.SetP(map[string]any{"x": map[string]any{"y": 5}}, "scalar"); err != nil {
		t.Fatal(err)
	}
	for v, want := range map[gaby.Value]string{
		moved:                              "[list 2 b]",
		doc.Path("list.1.c.1").Value():     "[list 1 c 1]",
		doc.Path("scalar.x.y").Value():     "[scalar x y]",
		doc.Path("scalar.x").Value():       "[scalar x]",
		doc.Path("list.1").Value().First(): "[list 1 c]",
	} {
		t.Run(fmt.Sprint(v), func(t *testing.T) {
			if got := fmt.Sprint(v.Segments()); got != want {
				t.Errorf("have %s, want %s", got, want)
			}
			if err := v.Set("new"); err != nil {
				t.Error(want, err)
			}
		})
	}
}

// TestSetShared sets values that aliases repeat.
func TestSetShared(t *testing.T) {
	doc, err := gaby.ParseYAML([]byte("base: &b {k: v}\nsame: &s x\ncopy: *b\nlist: [*s, *s]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.SetShared("w", "base", "k"); err != nil {
		t.Error(err)
	}
	if err := doc.SetShared("x2", "same"); err != nil {
		t.Error(err)
	}
	if got := doc.Path("copy.k").Value().Text() + doc.Path("list.1").Value().Text(); got != "wx2" {
		t.Errorf("the aliases have %q", got)
	}
	if want := "base: &b {k: w}\nsame: &s x2\ncopy: *b\nlist: [*s, *s]\n"; doc.String() != want {
		t.Errorf("got\n%s", doc)
	}
	if err := doc.SetShared("z", "copy", "k"); err == nil {
		t.Error("an alias was changed")
	}
}
