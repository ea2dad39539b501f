package yamlkit_test

import (
	"fmt"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
)

func TestCheckPart(t *testing.T) {
	const types = "accessors:\n  version: {type: Regexp, config: '^v(?P<major>[0-9]+)[.](?P<minor>[0-9]+)$'}\nresourceTypes:\n  v1/A:\n    attributes:\n" +
		"      a: [{path: spec.version, accessor: version}]\n      b: [{path: spec.text, accessor: line}]\n"
	provider := k8skit.New(yamlkit.KnowledgeFile{Name: "types.yaml", Text: []byte(types)})
	for _, c := range []struct {
		of         api.ResourceType
		path, want string
	}{
		{"v1/A", "spec.version#major", ""},
		{"v1/A", "spec.version#mayor", "did you mean #major?"},
		{"*", "spec.version#x", "known are #major, #minor"},
		{"v1/B", "spec.version#major", "a file about resource types can say how to reach it: fctl help resource-types"},
		{"*", "spec.version#minor", ""},
		{"*", "spec.text#7", ""},
		{"*", "spec.version", ""},
		{"*", "spec.template.spec.containers.?name=web.image#uri", ""},
	} {
		path, err := yamlkit.ParsePath(c.path)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := provider.CheckPart(c.of, path); err != nil {
			got = err.(*yamlkit.NoAccessorError).Hint()
		}
		if got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.path, c.of, got, c.want)
		}
	}
	err := &yamlkit.NoAccessorError{Path: "a#b", Part: "b", Known: []string{"c"}}
	if got := fmt.Sprint(err); got != "path a#b: the value has no part b" {
		t.Error(got)
	}
}
