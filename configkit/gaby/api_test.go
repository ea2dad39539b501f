package gaby_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// These tests cover promises of the API that the property tests over random documents do not.

func TestNilDocument(t *testing.T) {
	d, err := gaby.ParseYAML([]byte("a: b\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, nothing := range map[string]*gaby.YamlDoc{
		"nil": nil, "missing": d.Search("x", "y"),
		"missing path": d.Path("a.b.c"),
	} {
		t.Run(name, func(t *testing.T) {
			if nothing != nil {
				t.Fatalf("%s: %#v is not nil", name, nothing)
			}
			readEverything(nothing)
			if nothing.Exists("a") || nothing.Data() != nil || nothing.Len() != 0 ||
				len(nothing.Bytes()) != 0 || nothing.Check() != nil ||
				nothing.Position() != (gaby.Position{}) || nothing.Value().Exists() ||
				nothing.Search("a") != nil {
				t.Errorf("%s is something", name)
			}
			if _, err := nothing.Set(1, "a"); err == nil {
				t.Errorf("%s can be set", name)
			}
			if err := nothing.Delete("a"); err == nil {
				t.Errorf("%s can be deleted from", name)
			}
		})
	}
}

// The position of a value made by an edit is that of what it replaced, or of what it was put into.
func TestPositionsOfMadeValues(t *testing.T) {
	made := parse(t, "# head\na:\n  b: 1\nc: 2\nd: [x]\n")[0]
	for _, path := range []string{"a.new.sub.key", "c", "d.-.in"} {
		t.Run(path, func(t *testing.T) {
			if _, err := made.SetP(map[string]any{"k": 1}, path); err != nil {
				t.Fatal(err)
			}
		})
	}
	for path, want := range map[string]string{
		"a.new": "3:3", "a.new.sub.key.k": "3:3",
		"c.k": "4:4", "d.1.in.k": "5:4",
	} {
		t.Run(path, func(t *testing.T) {
			if got := made.Path(path).Position().String(); got != want {
				t.Errorf("%q, which was made, is at %s, want %s", path, got, want)
			}
		})
	}
}

func TestPlaces(t *testing.T) {
	text := "# head\na:\n  b:\n  - c: 1 # one\n    d: |\n      x\n  - e\nf: {g: [h, i]}\n"
	d, err := gaby.ParseYAML([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"a":     "b:\n- c: 1 # one\n  d: |\n    x\n- e\n",
		"a.b.0": "c: 1 # one\nd: |\n  x\n",
		"a.b.1": "e\n",
		"f":     "{g: [h, i]}\n",
		"f.g.1": "i\n",
		"":      text,
	} {
		t.Run(path, func(t *testing.T) {
			place := d
			if path != "" {
				place = d.Path(path)
			}
			if got := place.String(); got != want {
				t.Errorf("%q prints %q, want %q", path, got, want)
			}
			again, err := gaby.ParseYAML(place.Bytes())
			if err != nil || !sameData(again.Data(), place.Data()) {
				t.Errorf("%q prints another value: %q, %v", path, place.Bytes(), err)
			}
		})
	}
	for path, want := range map[string]string{"a.b.0.c": "4:8", "f.g.1": "8:12", "a": "3:3"} {
		t.Run(path, func(t *testing.T) {
			if got := d.Path(path).Position().String(); got != want {
				t.Errorf("%q is at %s, want %s", path, got, want)
			}
		})
	}
	if got := d.Path("f.g").Children(); len(got) != 2 || got[1].Data() != "i" {
		t.Errorf("children are %v", got)
	}
	if got := d.Path("a.b.0").ChildrenMap(); len(got) != 2 || got["c"].Data() != 1 {
		t.Errorf("children are %v", got)
	}
	// A slot shows what is put there later, and edits through a slot change the document.
	place := d.Path("a.b.0")
	if _, err := place.Set(2, "c"); err != nil {
		t.Fatal(err)
	}
	if got := d.Path("a.b.0.c").Data(); got != 2 {
		t.Errorf("the document shows %v", got)
	}
	if want := strings.Replace(text, "c: 1", "c: 2", 1); d.String() != want {
		t.Errorf("prints %q, want %q", d, want)
	}
}

func TestDotPaths(t *testing.T) {
	for path, want := range map[string][]string{
		"a.b.c": {"a", "b", "c"}, "a.b~1c": {"a", "b.c"}, "x~0y": {"x~y"}, "a.0.b": {"a", "0", "b"},
		"~01": {"~1"}, "a": {"a"},
	} {
		t.Run(path, func(t *testing.T) {
			if got := gaby.DotPathToSlice(path); !slices.Equal(got, want) {
				t.Errorf("%q is %q, want %q", path, got, want)
			}
			if got := dotPath(want); got != path {
				t.Errorf("%q is written %q, want %q", want, got, path)
			}
		})
	}
}

func TestComments(t *testing.T) {
	d, err := gaby.ParseYAML([]byte(
		"# detached\n\n# one\n# two\na: 1 # line\n# of b\nb:\n  # of c\n  c: d\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := d.GetComments("a"); got.Head != "one\ntwo" || got.Line != "line" {
		t.Errorf("comments of a are %+v", got)
	}
	if got := d.GetComments("b.c"); got.Head != "of c" || got.Line != "" {
		t.Errorf("comments of b.c are %+v", got)
	}
	if err := d.SetComment("new", "b.c"); err != nil {
		t.Fatal(err)
	}
	if err := d.SetComment("other", "a"); err != nil {
		t.Fatal(err)
	}
	if want := "# detached\n\n# one\n# two\na: 1 # other\n# of b\nb:\n  # of c\n  c: d # new\n"; d.String() != want {
		t.Errorf("prints %q, want %q", d, want)
	}
	if err := d.SetComment("x", "nope"); err == nil {
		t.Error("a missing place takes a comment")
	}
}

func TestErrorsAreTyped(t *testing.T) {
	d, err := gaby.ParseYAML([]byte(
		"base: &x {k: v}\nref: *x\nmerged:\n  <<: *x\ndup: 1\ndup: 2\ntext: t\nlist: [a]\n"))
	if err != nil {
		t.Fatal(err)
	}
	before := d.String()
	var edit *gaby.EditError
	var missing *gaby.NotFoundError
	for name, try := range map[string]func() error{
		"below an alias":     func() error { _, err := d.SetP(1, "ref.k"); return err },
		"of an anchor":       func() error { _, err := d.SetP(1, "base.k"); return err },
		"inherited":          func() error { return d.DeleteP("merged.k") },
		"a duplicate":        func() error { _, err := d.SetP(1, "dup"); return err },
		"below a duplicate":  func() error { _, err := d.SetP(1, "dup.x"); return err },
		"below a scalar":     func() error { _, err := d.SetP(1, "text.x"); return err },
		"outside of a list":  func() error { _, err := d.SetP(1, "list.5"); return err },
		"append to a scalar": func() error { return d.ArrayAppendP(1, "text") },
		"insert too far":     func() error { return d.ArrayInsertP(1, 9, "list") },
	} {
		t.Run(name, func(t *testing.T) {
			err := try()
			if !errors.As(err, &edit) || edit.Pos.Line == 0 || edit.Path == "" || edit.Msg == "" {
				t.Errorf("%s: want a located *EditError with a path, have %#v", name, err)
			}
		})
	}
	for name, try := range map[string]func() error{
		"delete a key":   func() error { return d.DeleteP("nope.x") },
		"delete an item": func() error { return d.DeleteP("list.7") },
	} {
		t.Run(name, func(t *testing.T) {
			if err := try(); !errors.As(err, &missing) {
				t.Errorf("%s: want a *NotFoundError, have %#v", name, err)
			}
		})
	}
	if d.String() != before || d.Changed() {
		t.Errorf("failed edits changed the document to %q", d)
	}
	if _, err := gaby.ParseYAML([]byte("a: 1\n---\nb: 2\n")); err == nil {
		t.Error("ParseYAML takes two documents")
	}
	if _, err := d.Set(make(chan int), "text"); err == nil {
		t.Error("a channel can be written")
	}
	loop := map[string]any{}
	loop["x"] = loop
	if _, err := d.Set(loop, "text"); err == nil {
		t.Error("a value inside itself can be written")
	}
}
