package gaby_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// TestPropertyBefore checks that a snapshot shows the document as it was, whatever is edited later,
// and that Same is never true of values that differ.
func TestPropertyBefore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dice := rapidDice(t)
		text, _, data := drawDocument(t, dice, dice.oneIn(3))
		doc := mustParse(t, text)
		c := gaby.Container{doc}
		edit := func() {
			if e := randomEdit(dice, data); e != nil && possible(t, e, doc) {
				data, _ = e.model(data)
			}
		}
		for range dice(3) {
			edit()
		}
		mark, then := doc.Checkpoint(), data
		for range dice(4) {
			edit()
		}
		before := c.At([]gaby.Mark{mark})[0]
		if doc.Checkpoint() == mark != (before == doc) {
			t.Fatalf("without edits there is no other state")
		}
		if diff := diffData(then, before.Data(), ""); diff != "" {
			t.Fatalf("another value: %s\n%s", diff, text)
		}
		if before.Identity() != doc.Identity() {
			t.Fatal("another identity")
		}
		same := 0
		checkSame(t, before.Value(), doc.Value(), &same)
		if before.Value().Equal(doc.Value()) != sameData(then, data) {
			t.Fatalf("Equal says %v\n%s", !sameData(then, data), doc.Bytes())
		}
		if before == doc {
			return
		}
		edit()
		if diff := diffData(then, before.Data(), ""); diff != "" {
			t.Fatalf("a later edit changed the past: %s\n%s", diff, text)
		}
	})
}

// checkSame compares the entries at the same index of two collections.
func checkSame(t *rapid.T, a, b gaby.Value, count *int) {
	if a.Same(b) {
		*count++
		if !a.Equal(b) || diffData(a.Data(), b.Data(), "") != "" {
			t.Fatalf("%s and %s are the same", a.YAML(), b.YAML())
		}
		return
	}
	if a.Kind() == gaby.Scalar || a.Kind() != b.Kind() {
		return
	}
	for x, y := a.First(), b.First(); x.Exists() && y.Exists(); x, y = x.Next(), y.Next() {
		checkSame(t, x, y, count)
	}
}

func TestSameFindsWhatWasNotEdited(t *testing.T) {
	doc, err := gaby.ParseYAML([]byte("a: {b: 1, c: [x, y]}\nd: [1, 2]\ne: {f: {g: 1}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := doc.SetP(2, "a.b"); err != nil {
		t.Fatal(err)
	}
	if err := doc.ArrayAppendP(3, "d"); err != nil {
		t.Fatal(err)
	}
	before := gaby.Container{doc}.At([]gaby.Mark{0})[0]
	for path, want := range map[string]bool{
		"": false, "a": false, "a.b": false, "a.c": true,
		"d": false, "d.0": true, "e": true, "e.f.g": true,
	} {
		t.Run(path, func(t *testing.T) {
			if got := before.Path(path).Value().Same(doc.Path(path).Value()); got != want {
				t.Errorf("%q: %v", path, got)
			}
		})
	}
}

func TestBeforeOfListItems(t *testing.T) {
	c, err := gaby.ParseAll([]byte(
		"apiVersion: v1\nkind: List\nitems:\n- {kind: A, n: 1}\n- {kind: B, n: 1}\n"))
	if err != nil || len(c) != 2 {
		t.Fatal(len(c), err)
	}
	marks := []gaby.Mark{c[0].Checkpoint(), c[1].Checkpoint()}
	if _, err := c[1].SetP(2, "n"); err != nil {
		t.Fatal(err)
	}
	before := c.At(marks)
	if !before[0].Value().Same(c[0].Value()) || before[1].Value().Same(c[1].Value()) {
		t.Error("the wrong item is the same")
	}
	if got := before[1].Path("n").Data(); got != 1 {
		t.Errorf("n was %v", got)
	}
	if before[0].Identity() == before[1].Identity() || before[1].Identity() != c[1].Identity() {
		t.Error("identities")
	}
}

func TestBeforeOfSeveral(t *testing.T) {
	c, err := gaby.ParseAll([]byte("n: 1\n---\nn: 2\n---\nn: 3\n"))
	if err != nil {
		t.Fatal(err)
	}
	marks := make([]gaby.Mark, len(c))
	for i, d := range c {
		if _, err := d.SetP(7+i, "n"); err != nil {
			t.Fatal(err)
		}
	}
	for i, d := range c.At(marks) {
		if got := d.Path("n").Data(); got != i+1 || d.Identity() != c[i].Identity() ||
			d.Identity() != c[i].Identity() {
			t.Errorf("document %d: %v", i, got)
		}
	}
}

func TestEqual(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"a: 1\nb: 2", "{b: 2, a: 1}", true},
		{"a: 1", "a: 1\nb: 2", false},
		{"a: 1\nb: 2", "a: 1\nc: 2", false},
		{"1", `"1"`, false},
		{"1", "1.0", false},
		{"16", "0x10", true},
		{"2024-01-01", `"2024-01-01"`, true},
		{"null", "~", true},
		{"null", "{}", false},
		{"[1, 2]", "- 1\n- 2", true},
		{"[1, 2]", "[2, 1]", false},
		{"[1]", "[1, 2]", false},
		{".nan", ".NaN", true},
		{"a: &x {k: v}\nb: *x", "{a: {k: v}, b: {k: v}}", true},
		{"a: &x {k: v}\nb: {<<: *x, l: w}", "{a: {k: v}, b: {l: w, k: v}}", true},
		{"!a x", "!b x", false},
	}
	for _, test := range tests {
		t.Run(test.a, func(t *testing.T) {
			a, err := gaby.ParseYAML([]byte(test.a))
			if err != nil {
				t.Fatal(err)
			}
			b, err := gaby.ParseYAML([]byte(test.b))
			if err != nil {
				t.Fatal(err)
			}
			if a.Value().Equal(b.Value()) != test.want || b.Value().Equal(a.Value()) != test.want {
				t.Errorf("%s equal to %s: %v expected", test.a, test.b, test.want)
			}
		})
	}
}

func TestContent(t *testing.T) {
	c, err := gaby.ParseAll([]byte("# head\n---\n# about a\na: 1 # one\n...\n---\nb: 2\n"))
	if err != nil || len(c) != 2 {
		t.Fatal(len(c), err)
	}
	if got, want := c[0].Content(), "# head\n# about a\na: 1 # one\n"; got != want {
		t.Errorf("%q", got)
	}
	if got, want := c[1].Content(), "b: 2\n"; got != want {
		t.Errorf("%q", got)
	}
	if !c[0].SameText(c[0]) || c[0].SameText(c[1]) || !c[0].MayContain("about") ||
		c[1].MayContain("about") {
		t.Error("SameText, MayContain")
	}
	if got := string(c[1].Source()); !strings.HasSuffix(got, "b: 2\n") ||
		c[1].Path("b").Source() != nil {
		t.Errorf("Source: %q", got)
	}
	if _, err := c[1].SetP(3, "b"); err != nil || c[1].Source() != nil {
		t.Errorf("Source of a document with an edit: %q, %v", c[1].Source(), err)
	}
}

// TestHeaderOfEditedDocument checks that the header is that of the text, whatever was edited since
// it was last read.
func TestHeaderOfEditedDocument(t *testing.T) {
	parse := func(text []byte) *gaby.YamlDoc {
		doc, err := gaby.ParseYAML(text)
		if err != nil {
			t.Fatal(err)
		}
		return doc
	}
	const text = "apiVersion: v1\nkind: A\nmetadata:\n  name: a\n  generateName: g\n" +
		"  labels: {name: l}\nspec: {name: s, kind: t}\n"
	for _, paths := range [][]string{
		{"kind"},
		{"apiVersion"},
		{"metadata.name"},
		{"metadata.labels.name", "spec.name", "spec.kind"},
		{"spec.name", "metadata.name", "kind"},
		{"metadata.namespace"},
		{"metadata.generateName", "metadata.name"},
		{"metadata.generateName"},
		{"metadata"},
		{"spec"},
	} {
		t.Run(paths[0], func(t *testing.T) {
			for _, value := range []any{"new", 1, map[string]any{"name": "m"}, nil} { // nil deletes
				doc := parse([]byte(text))
				for _, path := range paths {
					if _, err := doc.Header(); err != nil {
						t.Fatal(err)
					}
					var err error
					if value != nil {
						_, err = doc.SetP(value, path)
					} else if doc.ExistsP(path) {
						err = doc.DeleteP(path)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				want, err := parse(doc.Bytes()).Header()
				if err != nil {
					t.Fatal(err)
				}
				if got, err := doc.Header(); got != want || err != nil {
					t.Errorf("%v set to %v: %+v, %v, want %+v", paths, value, got, err, want)
				}
				doc.Rollback(0)
				if got, err := doc.Header(); got != (gaby.Header{
					APIVersion: "v1", Kind: "A", Name: "a",
					GenerateName: "g",
				}) || err != nil {
					t.Errorf("%v set back: %+v, %v", paths, got, err)
				}
			}
		})
	}
}

// TestMayContainInItem searches one item of a List with the comments around it, and no other item.
func TestMayContainInItem(t *testing.T) {
	c, err := gaby.ParseAll([]byte("apiVersion: v1\nkind: List\nitems:\n# above a\n- kind: A\n" +
		"  a: [\"x # y\"] # after a\n  # below a\n- # after the dash\n  kind: B\n  b: |\n    text\n" +
		"- {kind: C, c: last} # after c\n# end\n"))
	if err != nil || len(c) != 3 {
		t.Fatal(len(c), err)
	}
	for i, texts := range [][]string{
		{"kind: A", "x # y", "above a", "after a", "below a"},
		{"kind: B", "    text", "after the dash"},
		{"kind: C", "last", "after c", "end"},
	} {
		for _, text := range texts {
			if !c[i].MayContain(text) {
				t.Errorf("item %d does not contain %q", i, text)
			}
		}
		for _, value := range texts[:2] {
			if c[(i+1)%3].MayContain(value) || c[(i+2)%3].MayContain(value) {
				t.Errorf("not only item %d contains %q", i, value)
			}
		}
	}
	if c, err = gaby.ParseAll([]byte("apiVersion: v1\nkind: List\nitems:\n- {kind: A, a: &a text}\n" +
		"- {kind: B, b: *a}\n")); err != nil || !c[1].MayContain("text") {
		t.Error("text of an alias is not found", err)
	}
}
