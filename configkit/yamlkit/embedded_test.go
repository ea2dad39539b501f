package yamlkit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

func TestCheckPart(t *testing.T) {
	const types = "accessors:\n  version: {type: Regexp, config: " +
		"'^v(?P<major>[0-9]+)[.](?P<minor>[0-9]+)$'}\nresourceTypes:\n  v1/A:\n    attributes:\n" +
		"      a: [{path: spec.version, accessor: version}]\n" +
		"      b: [{path: spec.text, accessor: line}]\n"
	provider := k8skit.New(resourcetypes.TypesFile{Name: "types.yaml", Text: []byte(types)})
	for _, c := range []struct {
		of         api.ResourceType
		path, want string
	}{
		{"v1/A", "spec.version#major", ""},
		{"v1/A", "spec.version#mayor", "did you mean #major?"},
		{"*", "spec.version#x", "known are #major, #minor"},
		{"v1/B", "spec.version#major", ""},
		{"*", "spec.version#minor", ""},
		{"*", "spec.text#7", ""},
		{"*", "spec.version", ""},
		{"*", "spec.template.spec.containers.?name=web.image#uri", ""},
	} {
		t.Run(string(c.of), func(t *testing.T) {
			path, err := yamlpath.Parse(c.path)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if err := provider.CheckPart(c.of, path); err != nil {
				got = err.(*resourcetypes.NoAccessorError).Hint()
			}
			if got != c.want {
				t.Errorf("%s of %s: %q, want %q", c.path, c.of, got, c.want)
			}
		})
	}
	err := &resourcetypes.NoAccessorError{Path: "a#b", Part: "b", Known: []string{"c"}}
	if got := fmt.Sprint(err); got != "path a#b: the value has no part b" {
		t.Error(got)
	}
}

const application = `apiVersion: v1
kind: ConfigMap
metadata:
  name: app
data:
  app.yaml: |
    # the server
    server:
        port: 8080   # public
        host: a.example.com
  app.json: '{"level": "info"}'
  flags: |
    one
    two
`

func TestEditingEmbeddedParts(t *testing.T) {
	provider := k8skit.New()
	set := func(path api.UnresolvedPath, accessor api.EmbeddedAccessorType, value string) (string,
		int,
	) {
		docs := container(t, application)
		source := api.ResourceTypeToPathToVisitorInfoType{"v1/ConfigMap": {path: {AttributeName: "x", EmbeddedAccessorType: accessor}}}
		matches, err := yamlkit.UpdatePaths(docs, source, nil, provider,
			func(string) string { return value }, yamlkit.UpdateOptions{Upsert: true})
		if err != nil {
			t.Error(err)
		}
		return docs.String(), matches
	}
	for _, c := range []struct {
		path     api.UnresolvedPath
		accessor api.EmbeddedAccessorType
		from, to string
	}{
		{
			"data.app~1yaml#server.host", api.EmbeddedAccessorYAML, "host: a.example.com",
			"host: new",
		},
		{"data.app~1json#level", api.EmbeddedAccessorJSON, `"info"`, `"new"`},
		{"data.flags#2", api.EmbeddedAccessorLine, "    two\n", "    new\n"},
		{"data.flags#9", api.EmbeddedAccessorLine, "", ""},
		{"data.app~1yaml#server.port", api.EmbeddedAccessorYAML, "", ""}, // a number
		{"data.gone#1", api.EmbeddedAccessorLine, "", ""},                // upsert is off
	} {
		t.Run(string(c.path), func(t *testing.T) {
			got, matches := set(c.path, c.accessor, "new")
			if want := strings.Replace(application, c.from, c.to, 1); got != want ||
				(matches == 1) != (c.from != "") {
				t.Errorf("%s: %d matches:\n%s\nwant:\n%s", c.path, matches, got, want)
			}
		})
	}
}

func TestContainerFlags(t *testing.T) {
	const pod = `apiVersion: v1
kind: Pod
metadata:
  name: p
spec:
  containers:
  - name: a
    args: ["--verbose=1", run, "--log.level=debug"]
  - name: b
    args:
    - --verbose=2 # why
`
	provider := k8skit.New()
	docs := container(t, pod)
	paths := provider.AttributePaths("container-flag")
	rows, err := yamlkit.GetStringPaths(docs, paths, []any{"*", "*"}, provider)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, row := range rows {
		got += fmt.Sprintf("%s=%v; ", row.Path, row.Value)
	}
	if want := "spec.containers.?name=a.args.0#value=1; " +
		"spec.containers.?name=a.args.2#value=debug; spec.containers.?name=b.args.0#value=2; "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if err := yamlkit.UpdateStringPaths(docs, paths, []any{"*", "verbose"}, provider, "9",
		true); err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("--verbose=1", "--verbose=9", "--verbose=2",
		"--verbose=9").Replace(pod)
	if docs.String() != want {
		t.Errorf("%s", docs.String())
	}
	rows, err = yamlkit.GetStringPaths(docs, paths, []any{"a", "log~1level"}, provider)
	if err != nil || len(rows) != 1 || rows[0].Value != "debug" {
		t.Errorf("%v %v", rows, err)
	}
}
