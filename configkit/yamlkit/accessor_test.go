package yamlkit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
)

func TestEmbeddedAccessors(t *testing.T) {
	const image = `^(?P<uri>[a-z/]+)(?P<reference>(?::\w+)?)$`
	for _, c := range []struct {
		name     string
		of       api.EmbeddedAccessorType
		config   string
		text     string
		sub      string
		want     string // as %T %v, "" when there is no such part
		value    any
		replaced string // "" when the value cannot be the part
	}{
		{"group", api.EmbeddedAccessorRegexp, image, "nginx:v1", "uri", "string nginx", "my/nginx", "my/nginx:v1"},
		{"group that is empty", api.EmbeddedAccessorRegexp, image, "nginx", "reference", "string ", ":v2", "nginx:v2"},
		{"no such group", api.EmbeddedAccessorRegexp, image, "nginx", "tag", "", "x", ""},
		{"no match", api.EmbeddedAccessorRegexp, image, "NGINX", "uri", "", "x", ""},
		{"group that would be another", api.EmbeddedAccessorRegexp, image, "nginx", "reference", "string ", "zzz", ""},
		{"group that would not be", api.EmbeddedAccessorRegexp, image, "nginx:v1", "uri", "string nginx", "NGINX", ""},
		{"group that would be in another place", api.EmbeddedAccessorRegexp, `v(?P<n>\d+)`, "v1", "n", "string 1", "x v1", ""},
		{"first line", api.EmbeddedAccessorLine, "", "a\nb\n", "1", "string a", "x", "x\nb\n"},
		{"last line", api.EmbeddedAccessorLine, "", "a\nb", "2", "string b", "x", "a\nx"},
		{"empty line", api.EmbeddedAccessorLine, "", "a\n\nb\n", "2", "string ", "x", "a\nx\nb\n"},
		{"line with a carriage return", api.EmbeddedAccessorLine, "", "a\r\nb\r\n", "2", "string b", "x", "a\r\nx\r\n"},
		{"two lines for one", api.EmbeddedAccessorLine, "", "a\nb\n", "1", "string a", "x\ny", ""},
		{"line with a line end for one without", api.EmbeddedAccessorLine, "", "a\nb\n", "1", "string a", "x\r", ""},
		{"no such line", api.EmbeddedAccessorLine, "", "a\nb\n", "3", "", "x", ""},
		{"line 0", api.EmbeddedAccessorLine, "", "a\n", "0", "", "x", ""},
		{"JSON string", api.EmbeddedAccessorJSON, "", `{"a": {"b.c" : "x"},  "n":1}`, "a.b~1c", "string x", "y\"z", `{"a": {"b.c" : "y\"z"},  "n":1}`},
		{"JSON number", api.EmbeddedAccessorJSON, "", "{\n  \"a\": [1, 2]\n}\n", "a.1", "int 2", 30, "{\n  \"a\": [1, 30]\n}\n"},
		{"JSON bool", api.EmbeddedAccessorJSON, "", `{"a":true}`, "a", "bool true", false, `{"a":false}`},
		{"JSON control character", api.EmbeddedAccessorJSON, "", `{"a":"x"}`, "a", "string x", "\x01", `{"a":"\u0001"}`},
		{"JSON that is YAML", api.EmbeddedAccessorJSON, "", "a: 1", "a", "", 1, ""},
		{"JSON without the key", api.EmbeddedAccessorJSON, "", `{"a":1}`, "b", "", 1, ""},
		{"JSON map", api.EmbeddedAccessorJSON, "", `{"a":{"b":1}}`, "a", "map[string]interface {} map[b:1]", 1, `{"a":1}`},
		{"YAML", api.EmbeddedAccessorYAML, "", "# head\na:\n    b: 'x'   # why\n\nc: d\n", "a.b", "string x", "y", "# head\na:\n    b: 'y'   # why\n\nc: d\n"},
		{"YAML with a key twice", api.EmbeddedAccessorYAML, "", "a: 1\na: 2\n", "a", "int 2", "y", ""},
		{"YAML that is broken", api.EmbeddedAccessorYAML, "", "a: [", "a", "", "y", ""},
	} {
		accessor, err := yamlkit.NewEmbeddedAccessor(c.of, c.config)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := ""
		if part, ok := accessor.Extract(c.text, c.sub); ok {
			got = fmt.Sprintf("%T %v", part, part)
		}
		if got != c.want {
			t.Errorf("%s: extracted %q, want %q", c.name, got, c.want)
		}
		replaced, ok := accessor.Replace(c.text, c.sub, c.value)
		if ok != (c.replaced != "") || ok && replaced != c.replaced || !ok && replaced != c.text {
			t.Errorf("%s: replaced %v %q, want %q", c.name, ok, replaced, c.replaced)
		}
	}
	for of, config := range map[api.EmbeddedAccessorType]string{"XML": "", "Regexp": "(", "Line": "x"} {
		if _, err := yamlkit.NewEmbeddedAccessor(of, config); err == nil {
			t.Errorf("%s %q is an accessor", of, config)
		}
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
	set := func(path api.UnresolvedPath, accessor api.EmbeddedAccessorType, value string) (string, int) {
		docs := container(t, application)
		source := api.ResourceTypeToPathToVisitorInfoType{"v1/ConfigMap": {path: {AttributeName: "x", EmbeddedAccessorType: accessor}}}
		matches, err := yamlkit.UpdatePaths(docs, source, nil, provider, func(string) string { return value }, yamlkit.UpdateOptions{Upsert: true})
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
		{"data.app~1yaml#server.host", api.EmbeddedAccessorYAML, "host: a.example.com", "host: new"},
		{"data.app~1json#level", api.EmbeddedAccessorJSON, `"info"`, `"new"`},
		{"data.flags#2", api.EmbeddedAccessorLine, "    two\n", "    new\n"},
		{"data.flags#9", api.EmbeddedAccessorLine, "", ""},
		{"data.app~1yaml#server.port", api.EmbeddedAccessorYAML, "", ""}, // a number
		{"data.gone#1", api.EmbeddedAccessorLine, "", ""},                // upsert is off
	} {
		got, matches := set(c.path, c.accessor, "new")
		if want := strings.Replace(application, c.from, c.to, 1); got != want || (matches == 1) != (c.from != "") {
			t.Errorf("%s: %d matches:\n%s\nwant:\n%s", c.path, matches, got, want)
		}
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
	if want := "spec.containers.?name=a.args.0#value=1; spec.containers.?name=a.args.2#value=debug; spec.containers.?name=b.args.0#value=2; "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if err := yamlkit.UpdateStringPaths(docs, paths, []any{"*", "verbose"}, provider, "9", true); err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("--verbose=1", "--verbose=9", "--verbose=2", "--verbose=9").Replace(pod)
	if docs.String() != want {
		t.Errorf("%s", docs.String())
	}
	rows, err = yamlkit.GetStringPaths(docs, paths, []any{"a", "log~1level"}, provider)
	if err != nil || len(rows) != 1 || rows[0].Value != "debug" {
		t.Errorf("%v %v", rows, err)
	}
}
