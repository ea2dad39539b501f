package krm

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/fctl-dev/fctl/internal/krm/doctext"
	"github.com/fctl-dev/fctl/internal/source"
)

// pipedFiles are files with what programs lose that print YAML again.
func pipedFiles() map[string]string {
	const config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME}\ndata:\n" +
		"    b:   'x'   # why\n    a: |\n        1\n        2\n"
	named := func(name string) string { return strings.Replace(config, "NAME", name, 1) }
	return map[string]string{
		"a.yaml": "# Licence\n\n---\n# only a comment\n---\n# head\n\n" +
			strings.Replace(deployment, "on: yes", "paused: yes", 1) +
			"---\n" + named("second") + "...\n# between\n---\n" + named("third") + "---\n# last\n",
		"crlf.yaml":    strings.ReplaceAll(named("windows"), "\n", "\r\n"),
		"bom.yaml":     "\ufeff# mark\n" + named("bom"),
		"dir/end.yaml": named("one") + "...\n" + strings.TrimSuffix(named("two"), "\n"),
		"empty.yaml":   "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: e, annotations: {}}\n",
		"version.yaml": "%YAML 1.2\n---\n" + named("version"),
		"values.yaml":  "# no resource\nimage: {tag: 1.10}\n",
		"list.yaml": "# head\napiVersion: v1\nkind: List\nmetadata: {resourceVersion: ''}\nitems:\n" +
			"# first\n-   apiVersion: v1 # odd\n    kind: ConfigMap\n    metadata: {name: l1}\n" +
			"- {apiVersion: v1, kind: ConfigMap, metadata: {name: l2}}\n# end\n---\n" + named("l3"),
		"roles.yaml": "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBindingList\nitems:\n" +
			"- metadata: {name: r1} # typed\n- metadata: {name: r2}\n",
		"list.json": `{"apiVersion": "v1", "kind": "List", "items": [` + "\n" +
			`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "j1"}},` + "\n" +
			`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "j2"}}]}` + "\n",
		"data.json": `{"apiVersion": "v1",   "kind": "ConfigMap", "metadata": {"name": "json"}}`,
	}
}

// piped reads files and returns what a program prints that reads them from fn source with another
// library.
func piped(t *testing.T, files map[string]string) []byte {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p, err := ReadPackage(t.Context(), dir, ReadOptions{Reader: &source.Reader{}, All: true})
	if err != nil {
		t.Fatal(err)
	}
	text, err := (&ResourceList{Items: p.Items()}).Source(true)
	if err != nil {
		t.Fatal(err)
	}
	var list any
	if err := yaml.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	if text, err = yaml.Marshal(list); err != nil {
		t.Fatal(err)
	}
	return text
}

// sunk returns the files that fn sink makes in a new directory, and its notes.
func sunk(t *testing.T, text []byte) (files map[string]string, notes []string) {
	t.Helper()
	s, err := ReadStream(text, "stdin")
	if err != nil {
		t.Fatal(err)
	}
	p, changes, err := Sink(t.Context(), filepath.Join(t.TempDir(), "new"), s.List.Items,
		ReadOptions{}, provider())
	if err != nil {
		t.Fatal(err)
	}
	files = map[string]string{}
	for _, c := range changes {
		for _, part := range c.After {
			files[c.Path] += string(part)
		}
	}
	return files, p.Notes
}

// K10: a program that prints every resource in its own way changes no byte of a new directory.
func TestPipesKeepEveryByte(t *testing.T) {
	want := pipedFiles()
	files, notes := sunk(t, piped(t, want))
	if len(notes) > 0 {
		t.Errorf("notes %q", notes)
	}
	for name, text := range want {
		if files[name] != text {
			t.Errorf("%s: have\n%q, want\n%q", name, files[name], text)
		}
	}
	if len(files) != len(want) {
		t.Errorf("files %v", maps.Keys(files))
	}
}

// A change of the program is the only one.
func TestPipesTakeChanges(t *testing.T) {
	files := pipedFiles()
	text := strings.Replace(string(piped(t, files)), "replicas: 3", "replicas: 7", 1)
	text = strings.Replace(text, "name: l2\n", "name: l2\n  data: {a: b}\n", 1)
	have, _ := sunk(t, []byte(text))
	list := strings.Replace(files["list.yaml"], "l2}}", "l2}, data: {a: b}}", 1)
	if have["list.yaml"] != list {
		t.Errorf("have\n%s\nwant\n%s", have["list.yaml"], list)
	}
	want := strings.Replace(files["a.yaml"], "replicas: 3", "replicas: 7", 1)
	if have["a.yaml"] != want {
		t.Errorf("have\n%s\nwant\n%s", have["a.yaml"], want)
	}
}

// What somebody wrote into the annotation gives comments and layout at most.
func TestForgedTextHasNoValues(t *testing.T) {
	const resource = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: \"1\"\n"
	for name, c := range map[string]struct{ forged, want, note string }{
		"other values": {
			"# c\n" + strings.Replace(resource, "1", "2", 1) + "  b: x\nimmutable: true\n",
			"# c\n" + resource, "",
		},
		"merged values": {
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nx: &x {b: \"2\"}\n" +
				"data: {<<: *x, a: \"1\"}\n",
			resource, "inherited",
		},
		"a second resource": {
			resource + "---\n" + strings.Replace(resource, "name: a", "name: b", 1),
			resource, "it is not one resource",
		},
		"a list": {"kind: List\napiVersion: v1\nitems: [{a: 1}]\n", resource, "another resource"},
		"a list with a field": {
			"kind: List\napiVersion: v1\nimmutable: true\nitems:\n- " + strings.ReplaceAll(
				strings.TrimSpace(resource), "\n", "\n  ") + "\n", resource, "immutable",
		},
		"a list with other values": {
			"kind: List\napiVersion: v1\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: " +
				"{name: a}, data: {a: \"2\"}, immutable: true}\n- {apiVersion: v1, kind: Secret}\n",
			"kind: List\napiVersion: v1\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: " +
				"{name: a}, data: {a: \"1\"}}\n", "",
		},
		"no resource":  {"# nothing\n", resource, "it is not one resource"},
		"hidden lines": {"# c\u0085immutable: true\n" + resource, resource, "line endings"},
		"a carriage":   {"# c\rimmutable: true\n" + resource, resource, "line endings"},
		"directives":   {"%TAG ! !x\n---\n" + resource, resource, "directives"},
		"twice":        {resource + "data: {}\n", resource, "occurs twice"},
		"broken":       {"a: [\n", resource, "not one resource"},
		"other annotation": {
			strings.Replace(resource, "  name: a", "  name: a\n  annotations: {"+PathAnnotation+
				": /x}", 1), resource, "it has the annotation",
		},
	} {
		t.Run(name, func(t *testing.T) {
			text := "apiVersion: v1\nkind: ResourceList\nitems:\n- " +
				strings.ReplaceAll(strings.Replace(strings.TrimSpace(resource), "  name: a",
					"  name: a\n  annotations: {"+PathAnnotation+": a.yaml, "+TextAnnotation+": "+
						doctext.Encode([]byte(c.forged))+"}", 1), "\n", "\n  ") + "\n"
			files, notes := sunk(t, []byte(text))
			if have := files["a.yaml"]; have != c.want || len(files) != 1 {
				t.Errorf("files %q", files)
			}
			if have := strings.Join(notes, ""); !strings.Contains(have, c.note) ||
				c.note == "" && have != "" {
				t.Errorf("notes %q", notes)
			}
		})
	}
}
