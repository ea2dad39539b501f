package yamlkit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/configkit/yamlpath"
)

// shapes are bodies of a resource in which the way to a.b is what a path has to deal with.
var shapes = []string{
	"a: {b: {c: 1, d: 2, l: [{x: 3}]}}",
	"a:\n  b:\n    c: 1\n    l:\n    - x: 3\n    - x: 4\n",
	"a: {b: }", "a: {b: text}", "a: {b: [{c: 1, d: 2}]}", "a: [{b: {c: 1}}]", "a: text", "a.b: {c: 1, d: 2}", "other: 1",
	"base: &base {c: 1, d: 2}\na: {b: *base}",
	"base: &base {b: {c: 1, l: [{x: 5}]}}\na: {<<: *base}",
	"a: {b: {c: 1}, b: {d: 2}}",
}

func shaped(shape string) string {
	return "apiVersion: v1\nkind: Thing\nmetadata:\n  name: n\n" + shape + "\n"
}

// Paths that begin the same lead to the places that each leads to alone, which are called the same.
func TestPathsThatBeginTheSame(t *testing.T) {
	paths := []api.UnresolvedPath{"a.b.c", "a.b.d", "a.b.l.*.x"}
	together := api.PathToVisitorInfoType{}
	for _, path := range paths {
		together[path] = &api.PathVisitorInfo{Path: path, DataType: api.DataTypeNone}
	}
	for _, shape := range shapes {
		var want []string
		doc := container(t, shaped(shape))[0]
		for _, path := range paths {
			p, err := yamlpath.Parse(string(path))
			if err != nil {
				t.Fatal(err)
			}
			_ = p.Resolve(doc.Value(), yamlpath.Options{}, func(m *yamlpath.Match) error {
				want = append(want, fmt.Sprint(yamlpath.ReportedPath(doc.Value(), m.Segments, nil), "=", m.Value.Text()))
				return nil
			})
		}
		var got []string
		_, err := yamlkit.VisitPathsDoc(container(t, shaped(shape)), api.ResourceTypeToPathToVisitorInfoType{"v1/Thing": together}, nil, nil, k8skit.New(),
			func(_ *gaby.YamlDoc, _ any, c yamlkit.VisitorContext, current *gaby.YamlDoc) (any, error) {
				got = append(got, fmt.Sprint(c.Path, "=", current.Value().Text()))
				return nil, nil
			}, false)
		if err != nil {
			t.Errorf("%s: %v", shape, err)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", shape, strings.Join(got, ", "), strings.Join(want, ", "))
		}
	}
}

// A visitor that edits above the next place is followed there.
func TestPathsThatBeginTheSameAndEdits(t *testing.T) {
	paths := api.PathToVisitorInfoType{}
	for _, path := range []api.UnresolvedPath{"a.b.c", "a.b.d"} {
		paths[path] = &api.PathVisitorInfo{Path: path, DataType: api.DataTypeNone}
	}
	for _, upsert := range []bool{false, true} {
		var seen []string
		docs := container(t, shaped(shapes[0]))
		_, err := yamlkit.VisitPathsDoc(docs, api.ResourceTypeToPathToVisitorInfoType{"v1/Thing": paths}, nil, nil, k8skit.New(),
			func(doc *gaby.YamlDoc, _ any, c yamlkit.VisitorContext, current *gaby.YamlDoc) (any, error) {
				seen = append(seen, fmt.Sprint(c.Path, "=", current.Value().Text()))
				if c.Path != "a.b.c" {
					return nil, nil
				}
				if err := doc.DeleteP("a"); err != nil {
					return nil, err
				}
				_, err := doc.SetP(map[string]any{"b": map[string]any{"d": "new"}}, "a")
				return nil, err
			}, upsert)
		if got, want := strings.Join(seen, " "), "a.b.c=1 a.b.d=new"; err != nil || got != want {
			t.Errorf("upsert %v: %s (%v), want %s\n%s", upsert, got, err, want, docs.Text())
		}
	}
}

const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  hostname: h\n  nodeName: n\n  containers:\n  - {name: a, image: i}\n  - {name: b, image: j}\n"

// podValues reads the values at paths of the pod.
func podValues(t *testing.T, infos ...*api.PathVisitorInfo) string {
	t.Helper()
	paths := api.PathToVisitorInfoType{}
	for _, info := range infos {
		paths[info.Path] = info
	}
	rows, err := yamlkit.GetStringPaths(container(t, pod), api.ResourceTypeToPathToVisitorInfoType{"v1/Pod": paths}, nil, k8skit.New())
	if err != nil {
		t.Error(err)
	}
	var values []string
	for _, r := range rows {
		values = append(values, fmt.Sprint(r.Path, "=", r.Value))
	}
	return strings.Join(values, " ")
}

// Elements of lists below a common beginning are called by their keys.
func TestPathsThatBeginTheSameAndKeys(t *testing.T) {
	got := podValues(t, &api.PathVisitorInfo{Path: "spec.nodeName"}, &api.PathVisitorInfo{Path: "spec.containers.*.image"})
	if want := "spec.containers.?name=a.image=i spec.containers.?name=b.image=j spec.nodeName=n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// What a path is constrained to counts from its beginning.
func TestPathsThatBeginTheSameAndConstraints(t *testing.T) {
	got := podValues(t, &api.PathVisitorInfo{Path: "spec.nodeName"}, &api.PathVisitorInfo{Path: "spec.hostname", ResolvedPath: "other.hostname"},
		&api.PathVisitorInfo{Path: "spec.containers.*.image", ResolvedPath: "spec.containers.1.image"})
	if want := "spec.containers.?name=b.image=j spec.nodeName=n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
