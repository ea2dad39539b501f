package yamlkit_test

import (
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
)

func TestSeen(t *testing.T) {
	add := func(s *yamlkit.Seen, of api.ResourceType, text string) {
		t.Helper()
		doc, err := gaby.ParseYAML([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		s.Add(of, doc.Value())
	}
	var all, other yamlkit.Seen
	add(&all, "a", "spec: {x: 1, list: [{name: m, port: 1}, {deep: [2]}]}")
	add(&other, "a", "spec: {y: {z: null}}")
	add(&other, "b", "{}")
	all.AddAll(&other)
	for _, c := range []struct {
		of   api.ResourceType
		path string
		want bool
	}{
		{"a", "spec.x", true},
		{"a", "spec.y.z", true},
		{"a", "spec.z", false},
		{"a", "spec.x.y", false},
		{"a", "spec.list.7.name", true},
		{"a", "spec.list.0.deep.3", true},
		{"a", "spec.list.?name=m", true},
		{"a", "spec.list.?name=n", false},
		{"b", "spec.x", false},
		{"c", "spec.x", false},
	} {
		if got := all.Has(c.of, gaby.DotPathToSlice(c.path)); got != c.want {
			t.Errorf("%s %s: %t", c.of, c.path, got)
		}
	}
	if !all.Has("b", nil) || all.Has("c", nil) {
		t.Error("the types are not those that were added")
	}
}
