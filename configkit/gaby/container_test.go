package gaby_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"pgregory.net/rapid"
)

func parse(t *testing.T, text string) gaby.Container {
	t.Helper()
	c, err := gaby.ParseAll([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestContainerText(t *testing.T) {
	const a, b, c = "# license\n---\na: 1\n", "---\n# of b\nb: 2\n", "--- # c\nc: 3"
	doc := func(text string) *gaby.YamlDoc {
		d, err := gaby.ParseYAML([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	tests := []struct {
		name, text string
		change     func(gaby.Container) gaby.Container
		want       string
	}{
		{"unchanged", a + b + c, func(c gaby.Container) gaby.Container { return c }, a + b + c},
		{"first removed", a + b + c, func(c gaby.Container) gaby.Container { return c[1:] }, b + c},
		{
			"middle removed", a + b + c,
			func(c gaby.Container) gaby.Container { return slices.Delete(slices.Clone(c), 1, 2) },
			a + c,
		},
		{"last removed", a + b + c, func(c gaby.Container) gaby.Container { return c[:2] }, a + b},
		{"all removed", a + b + c, func(c gaby.Container) gaby.Container { return c[:0] }, ""},
		{
			"added", "a: 1\n",
			func(c gaby.Container) gaby.Container { return append(c, doc("z: 1\n")) },
			"a: 1\n---\nz: 1\n",
		},
		{
			"added after a text without line end", a + b + c,
			func(c gaby.Container) gaby.Container { return append(c, doc("z: 1\n")) }, a + b + c +
				"\n---\nz: 1\n",
		},
		{
			"added in front", "a: 1\n",
			func(c gaby.Container) gaby.Container {
				return append(gaby.Container{doc("z: 1\n")}, c...)
			}, "z: 1\n---\na: 1\n",
		},
		{
			"replaced", a + b,
			func(c gaby.Container) gaby.Container {
				return gaby.Container{c[0], doc("--- # new\nz: 1\n")}
			}, a + "--- # new\nz: 1\n",
		},
		{
			"turned round", "a: 1\n---\nb: 2\n",
			func(c gaby.Container) gaby.Container { return gaby.Container{c[1], c[0]} },
			"---\nb: 2\n---\na: 1\n",
		},
		{
			"CRLF", "a: 1\r\n",
			func(c gaby.Container) gaby.Container { return append(c, doc("z: 1\r\n")) },
			"a: 1\r\n---\r\nz: 1\r\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if have := tt.change(parse(t, tt.text)).String(); have != tt.want {
				t.Errorf("have\n%q, want\n%q", have, tt.want)
			}
		})
	}
}

// Empty documents, comments and markers stay with their neighbours.
func TestContainerDocuments(t *testing.T) {
	tests := []struct {
		text string
		docs int
	}{
		{"", 0},
		{"\n", 1},
		{"# only a comment\n", 1},
		{"---\n# only a comment\n---\n", 1},
		{"---\n---\na: 1\n---\n# nothing\n---\nb: 2\n---\n", 2},
		{"a: 1\n...\n# between\n---\nb: 2\n...\n", 2},
		{"\ufeff---\r\na: 1\r\n--- # x\r\nb: 2", 2},
		{"%YAML 1.2\n---\na: 1\n...\n%YAML 1.2\n---\nb: 2\n", 2},
		{"a: |\n  ---\n  ...\n", 1},
		{"--- text\n--- {a: 1}\n---\t\n- x\n", 3},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			c := parse(t, tt.text)
			if len(c) != tt.docs {
				t.Errorf("%q: %d documents, want %d", tt.text, len(c), tt.docs)
			}
			for _, d := range c {
				if err := d.Check(); err != nil {
					t.Errorf("%q: %v", tt.text, err)
				}
			}
			if have := c.String(); len(c) > 0 && have != tt.text {
				t.Errorf("%q is printed as %q", tt.text, have)
			}
		})
	}
}

const list = `# two
apiVersion: v1
kind: List
items:
# the first
- apiVersion: v1
  kind: Service # s
  metadata: {name: a}
- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: b
  spec:
    replicas: 1 # why
# the end
---
kind: X
`

func TestListItemsAreViews(t *testing.T) {
	c := parse(t, list)
	if len(c) != 3 {
		t.Fatalf("%d documents, want the two items and the document after them", len(c))
	}
	h, err := c[1].Header()
	if want := (gaby.Header{APIVersion: "apps/v1", Kind: "Deployment", Name: "b"}); err != nil ||
		h != want {
		t.Errorf("header is %+v, %v, want %+v", h, err, want)
	}
	if have, want := c[0].String(),
		"apiVersion: v1\nkind: Service # s\nmetadata: {name: a}\n"; have != want {
		t.Errorf("first item is %q, want %q", have, want)
	}
	if pos := c[1].Path("spec.replicas").Position(); pos != (gaby.Position{Line: 14, Column: 15}) {
		t.Errorf("position %v", pos)
	}
	if _, err := c[1].SetP(3, "spec.replicas"); err != nil {
		t.Fatal(err)
	}
	if have, want := c.String(), strings.Replace(list, "replicas: 1", "replicas: 3",
		1); have != want {
		t.Errorf("have\n%s\nwant\n%s", have, want)
	}
	defer func(text string) { // printing a part changes nothing
		if have := c.String(); have != text {
			t.Errorf("after a part was printed the list is\n%s", have)
		}
	}(c.String())
	if have, want := c[1:].String(), strings.Replace(list, "replicas: 1", "replicas: 3",
		1); !strings.Contains(have, "items:\n- apiVersion: apps/v1\n  kind: Deployment\n") ||
		len(have) >= len(want) {
		t.Errorf("without its first item the list is\n%s", have)
	}
}

func TestPositionsOfTheUnit(t *testing.T) {
	c := parse(t, "a: 1\n---\n\nb:\n  - é: x\n")
	v := c[1].Path("b.0.é").Value()
	if key, value := v.KeyPosition(), v.Position(); key != (gaby.Position{Line: 5, Column: 5}) ||
		value != (gaby.Position{Line: 5, Column: 8}) {
		t.Errorf("key at %v, value at %v", key, value)
	}
}

func TestElsewhere(t *testing.T) {
	d := parse(t, "a: &x {k: 1}\nb: *x\nc:\n  <<: *x\n  m: 2\n")[0]
	for path, want := range map[string]bool{
		"a": false, "a.k": false, "b": true, "b.k": true,
		"c": false, "c.k": true, "c.m": false, "d": false,
	} {
		t.Run(path, func(t *testing.T) {
			if have := d.Path(path).Value().IsAliased(); have != want {
				t.Errorf("%s is elsewhere: %t, want %t", path, have, want)
			}
		})
	}
}

func TestFirstLine(t *testing.T) {
	text := "# head\n\nkind: A\n---\n# of b\nkind: B\n...\n# of c\n---\nkind: C\n--- # list\n" +
		"apiVersion: v1\nkind: List\nitems:\n# one\n# two\n- kind: D\n\n# detached\n\n- kind: E\n" +
		"--- {kind: F}\n"
	c, err := gaby.ParseAll([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var have []int
	for _, doc := range c {
		have = append(have, doc.FirstLine())
	}
	if want := []int{1, 4, 8, 15, 21, 22}; !slices.Equal(have, want) {
		t.Errorf("have %v, want %v", have, want)
	}
	if n := (*gaby.YamlDoc)(nil).FirstLine(); n != 0 {
		t.Errorf("nothing begins at line %d", n)
	}
}

func TestRepeated(t *testing.T) {
	doc, err := gaby.ParseYAML([]byte("a: 1\nb: 2\n\"a\": 3\nc: {x: 1, x: 2, x: 3}\na: 4\n"))
	if err != nil {
		t.Fatal(err)
	}
	if quoted, err := gaby.ParseYAML([]byte("a: 1\n\"a\": 2\n")); err != nil ||
		quoted.Path("a").Value().Text() != "2" {
		t.Error(err, "of a plain and a quoted key that are the same the last counts")
	}
	if other, err := gaby.ParseYAML([]byte("a: {b: 1}\nb: 1\n")); err != nil ||
		other.HasDuplicateKeys() || !doc.HasDuplicateKeys() {
		t.Error(err, "keys are repeated in one document, not in the other")
	}
	list := func(v gaby.Value) (all []string) {
		for _, r := range v.Repeated() {
			all = append(all, fmt.Sprintf("%s %s %v", r.KeyPosition(), r.Key(), r.Data()))
		}
		return all
	}
	for path, want := range map[string][]string{
		"": {"1:1 a 1", "3:1 a 3"}, "c": {"4:5 x 1", "4:11 x 2"}, "b": nil, "none": nil,
	} {
		t.Run(path, func(t *testing.T) {
			if have := list(doc.Path(path).Value()); !slices.Equal(have, want) {
				t.Errorf("%s: have %q, want %q", path, have, want)
			}
		})
	}
}

// TestTypedListHeader checks the headers of the items of a typed list, also if only the list states
// their type.
func TestTypedListHeader(t *testing.T) {
	const text = `apiVersion: apps/v1
items:
- metadata: {name: a, namespace: shop}
- kind: Deployment
  metadata: {name: b}
- apiVersion: apps/v1beta1
  kind: Deployment
  metadata: {name: c}
kind: DeploymentList
metadata: {resourceVersion: ""}
`
	c, err := gaby.ParseAll([]byte(text))
	if err != nil || len(c) != 3 {
		t.Fatal(len(c), err)
	}
	for i, want := range []gaby.Header{
		{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "a"},
		{APIVersion: "apps/v1", Kind: "Deployment", Name: "b"},
		{APIVersion: "apps/v1beta1", Kind: "Deployment", Name: "c"},
	} {
		t.Run(want.Name, func(t *testing.T) {
			if h, err := c[i].Header(); err != nil || h != want {
				t.Errorf("item %d: %+v %v", i, h, err)
			}
		})
	}
	if h, _ := c[0].Search("metadata").Header(); h != (gaby.Header{}) {
		t.Errorf("a place in an item has the header %+v", h)
	}
	if _, err := c[1].Set("x", "metadata", "namespace"); err != nil {
		t.Fatal(err)
	}
	if got, want := string(c.Text()), strings.Replace(text, "{name: b}", "{name: b, namespace: x}",
		1); got != want {
		t.Errorf("%s", got)
	}
	if h, err := c[1].Header(); err != nil || h.Kind != "Deployment" || h.Namespace != "x" {
		t.Errorf("after an edit: %+v %v", h, err)
	}
}

// TestPropertyDelete checks that the other documents keep their values when one is deleted, and that
// comments between separators stay.
func TestPropertyDelete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapidDice(t)
		text, notes := "", []string(nil)
		for i, part := range randomStream(d) {
			if d(2) == 0 {
				notes = append(notes, fmt.Sprintf("# note %d", i))
				text += "---\n" + notes[len(notes)-1] + "\n"
			}
			if !strings.HasPrefix(part, "---") {
				text += "---\n"
			}
			text += strings.TrimSuffix(part, "\n") + "\n"
		}
		docs := mustParseAll(t, text)
		i := d(len(docs))
		out := docs.Delete(func(doc *gaby.YamlDoc) bool { return doc == docs[i] }).String()
		rest := mustParseAll(t, out)
		others := slices.Delete(slices.Clone(docs), i, i+1)
		if len(others) == 0 {
			others = gaby.Container{nil} // a text of comments is null
		}
		if len(rest) > 0 && len(rest) != len(others) {
			t.Fatalf("%q without document %d has %d documents:\n%s", text, i, len(rest), out)
		}
		for k := range rest {
			if !reflect.DeepEqual(others[k].Data(), rest[k].Data()) {
				t.Fatalf("%q without document %d:\n%s", text, i, out)
			}
		}
		for _, note := range notes {
			if !strings.Contains(out, note+"\n") {
				t.Fatalf("%q without document %d lost %s:\n%s", text, i, note, out)
			}
		}
	})
}

func mustParseAll(t *rapid.T, text string) gaby.Container {
	docs, err := gaby.ParseAll([]byte(text))
	if err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	return docs
}
