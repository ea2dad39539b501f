package yamlkit_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// TestEditPathsLastFirst deletes elements of a list: deleting the first one first would move the
// others.
func TestEditPathsLastFirst(t *testing.T) {
	docs := container(t, things)
	matches, err := yamlkit.EditPaths(docs, thingPath("spec.list.*"), nil, k8skit.New(),
		yamlkit.EditOptions{}, func(p *yamlkit.Match) error {
			if p.Value.EqualText("two") {
				return nil
			}
			return p.Doc.Delete(p.Segments...)
		})
	if want := strings.Replace(things, "[1, two, true]", "[two]", 1); err != nil || matches != 3 ||
		docs.String() != want {
		t.Errorf("%d matches, %v\n%s", matches, err, docs)
	}
}

func TestEditPathsWanted(t *testing.T) {
	var seen []string
	options := yamlkit.EditOptions{
		Upsert: true,
		Wanted: func(p *yamlkit.Match) bool { return !p.Value.EqualText("x") },
	}
	matches, err := yamlkit.EditPaths(container(t, things), api.ResourceTypeToPathToVisitorInfoType{
		"v1/Thing": {"spec.name": {}, "spec.new": {}},
	}, nil, k8skit.New(), options, func(p *yamlkit.Match) error {
		seen = append(seen, fmt.Sprintf("%s %s %v", p.Resource.ResourceNameWithoutScope, p.Path(),
			p.Value.Exists()))
		return nil
	})
	if want := []string{"b spec.new false", "a spec.new false", "a spec.name true"}; err != nil ||
		matches != 3 || !slices.Equal(seen, want) {
		t.Errorf("%d matches, %v, %q", matches, err, seen)
	}
}

// TestEditPathsInOrder creates keys, which must come in the order of the paths.
func TestEditPathsInOrder(t *testing.T) {
	paths := api.ResourceTypeToPathToVisitorInfoType{"v1/Thing": {
		"spec.one": {DataType: "1"},
		"spec.two": {DataType: "2"},
	}}
	docs := container(t, "apiVersion: v1\nkind: Thing\nmetadata: {name: a}\nspec: {}\n")
	matches, err := yamlkit.EditPaths(docs, paths, nil, k8skit.New(),
		yamlkit.EditOptions{Upsert: true, InOrder: true}, func(p *yamlkit.Match) error {
			_, err := p.Doc.Set(string(p.Info().DataType), p.Segments...)
			return err
		})
	if want := "apiVersion: v1\nkind: Thing\nmetadata: {name: a}\n" +
		"spec: {one: \"1\", two: \"2\"}\n"; err != nil || matches != 2 || docs.String() != want {
		t.Errorf("%d matches, %v\n%s", matches, err, docs)
	}
}

func TestEditPathsLocatesErrors(t *testing.T) {
	const unit = "apiVersion: v1\nkind: Thing\nmetadata: {name: a}\n" +
		"spec: {name: &n x, other: *n}\n---\n" +
		"apiVersion: v1\nkind: Thing\nmetadata: {name: b}\nspec: {name: y}\n"
	_, err := yamlkit.EditPaths(container(t, unit), thingPath("spec.name"), nil, k8skit.New(),
		yamlkit.EditOptions{}, func(p *yamlkit.Match) error {
			if p.Value.EqualText("y") {
				return errors.New("y is not liked")
			}
			return p.Doc.Delete(p.Segments...)
		})
	var got []string
	for _, err := range err.(interface{ Unwrap() []error }).Unwrap() {
		f, ok := errors.AsType[*api.Failure](err)
		if !ok {
			t.Fatalf("%T", err)
		}
		got = append(got, fmt.Sprintf("%s %s %s", f.Pos, f.Resource, f.Path))
	}
	if want := []string{
		"4:14 v1/Thing /a spec.name",
		"9:14 v1/Thing /b spec.name",
	}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestLastLookup(t *testing.T) {
	for text, want := range map[string]string{
		"spec.list.?name=a~1b":        "spec.list name a.b",
		"a.?k:param=v":                "a k v",
		"spec.?name=x.list.?name=y":   "spec.?name=x.list name y",
		"spec.list.?name=*":           "",
		"spec.list.?name=@2":          "",
		"spec.list.?name=a;@2":        "",
		"spec.list.?name=%s":          "",
		"spec.list.?name=a.value":     "",
		"spec.list.?name=a#uri":       "",
		"?name=a":                     "",
		"spec.list.*?name=a":          "",
		"metadata.labels.@a:key":      "",
		"spec.template.spec.replicas": "",
	} {
		t.Run(text, func(t *testing.T) {
			path, err := yamlpath.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if list, key, value, ok := path.LastLookup(); ok {
				got = fmt.Sprintf("%s %s %s", list, key, value)
			}
			if got != want {
				t.Errorf("%s: %q, want %q", text, got, want)
			}
		})
	}
}

func TestWalk(t *testing.T) {
	doc, err := gaby.ParseYAML([]byte("a.b: 1\nlist:\n- {name: x, sub: [7]}\n- {name: y}\n" +
		"- {name: x}\n- name: '*'\n- z\nempty: {}\n"))
	if err != nil {
		t.Fatal(err)
	}
	keys := &configkit.MergeKeyTree{Children: map[string]*configkit.MergeKeyTree{"list": {Keys: []string{"name"}}}}
	var got []string
	yamlkit.Walk(doc.Value(), keys, func(w *yamlkit.Cursor) bool {
		got = append(got, fmt.Sprintf("%s %s", w.IndexPath(), w.Path()))
		return w.IndexPath() != "list.0.sub"
	})
	want := []string{
		"a~1b a~1b", "list list",
		"list.0 list.?name=x", "list.0.name list.?name=x.name", "list.0.sub list.?name=x.sub",
		"list.1 list.?name=y", "list.1.name list.?name=y.name",
		"list.2 list.2", "list.2.name list.2.name", // the name finds the first one
		"list.3 list.3", "list.3.name list.3.name", // the name would be a wildcard
		"list.4 list.4", "empty empty",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestWalkedRow(t *testing.T) {
	docs := container(t, things)
	rows := map[api.ResolvedPath]api.AttributeValue{}
	yamlkit.Walk(docs[0].Value(), nil, func(w *yamlkit.Cursor) bool {
		row := w.Row(&api.ResourceInfo{ResourceType: "v1/Thing"}, w.Path(), "x")
		rows[row.Path] = row
		return true
	})
	name := rows["spec.name"]
	if name.Value != "x" || name.DataType != api.DataTypeString || name.Comment != "first" ||
		name.Position.Line != 6 || name.ResourceType != "v1/Thing" || name.AttributeName != "x" {
		t.Errorf("%+v", name)
	}
	for path, want := range map[api.ResolvedPath]string{
		"spec.none": "JSON <nil>", "spec.list": "YAML [1, two, true]", "spec.list.0": "int 1",
		"spec.list.2": "bool true",
	} {
		t.Run(string(path), func(t *testing.T) {
			if got := fmt.Sprintf("%s %v", rows[path].DataType, rows[path].Value); got != want {
				t.Errorf("%s: %s, want %s", path, got, want)
			}
		})
	}
}

// TestPrunePaths deletes what becomes empty, but no elements, and only where an expression is true.
func TestPrunePaths(t *testing.T) {
	const thing = `apiVersion: v1
kind: Thing
metadata: {name: a}
spec:
  gone: {a: {b: 1, c: 2}} # all of it
  kept: {a: 1, empty: {}}
  list: [{x: 1}, {name: y, x: 2}]
  bound: b
  chosen: c
`
	docs := container(t, thing)
	n, err := yamlkit.PrunePaths(docs, api.ResourceTypeToPathToVisitorInfoType{"v1/Thing": {
		"spec.gone.a.b":  {Path: "spec.gone.a.b"},
		"spec.gone.a.c":  {Path: "spec.gone.a.c"},
		"spec.kept.a":    {Path: "spec.kept.a"},
		"spec.list.*.x":  {Path: "spec.list.*.x"},
		"spec.list.*":    {Path: "spec.list.*", Where: "name = 'y'"},
		"spec.bound":     {Path: "spec.bound", Where: "spec.chosen = 'c'"},
		"spec.chosen":    {Path: "spec.chosen", Where: "spec.bound IS NULL"},
		"spec.kept.none": {Path: "spec.kept.none"},
	}}, nil, k8skit.New())
	const want = `apiVersion: v1
kind: Thing
metadata: {name: a}
spec:
  kept: {empty: {}}
  list: [{}]
  chosen: c
`
	if docs.String() != want || n != 7 || err != nil {
		t.Errorf("%d matches, %v\n%s", n, err, docs)
	}
	_, err = yamlkit.PrunePaths(docs, api.ResourceTypeToPathToVisitorInfoType{"v1/Thing": {
		"spec": {Path: "spec", Where: "spec ="},
	}}, nil, k8skit.New())
	if err == nil {
		t.Error("a wrong expression is accepted")
	}
}
