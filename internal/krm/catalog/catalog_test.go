package catalog

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
)

// update writes what the functions give to the cases in testdata. Read the diff.
var update = flag.Bool("update", false, "write the expected output")

// TestCases runs the functions on the cases in testdata: files FUNCTION-NAME.txtar with
// config.yaml, input.yaml, and what is expected: output.yaml (left out if nothing changes) and
// results.txt. The functions are those of krm.md section 10, Built in.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	tested := map[string]bool{}
	for _, path := range files {
		base := strings.TrimSuffix(filepath.Base(path), ".txtar")
		name := ""
		for _, n := range Names() {
			if strings.HasPrefix(base, n) {
				name = n
			}
		}
		tested[name] = true
		t.Run(base, func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			parts := map[string]string{}
			for _, f := range archive.Files {
				parts[f.Name] = string(f.Data)
			}
			list := listFrom(t, parts["input.yaml"], parts["config.yaml"])
			output, results := run(t, name, list)
			want := parts["output.yaml"]
			if want == "" {
				want = parts["input.yaml"]
			}
			if *update {
				write(t, path, archive, output, results)
				return
			}
			if output != want {
				t.Errorf("output is\n%s\nwant\n%s", output, want)
			}
			if results != parts["results.txt"] {
				t.Errorf("results are\n%s\nwant\n%s", results, parts["results.txt"])
			}
			if strings.Contains(results, "[error]") {
				return
			}
			again, _ := run(t, name, listFrom(t, output, parts["config.yaml"]))
			if again != output {
				t.Errorf("a second run changes\n%s\nto\n%s", output, again)
			}
		})
	}
	for _, n := range Names() {
		if !tested[n] {
			t.Errorf("%s has no case", n)
		}
	}
}

func listFrom(t *testing.T, input, config string) *krm.ResourceList {
	t.Helper()
	docs, err := gaby.ParseAll([]byte(input))
	if err != nil {
		t.Fatal(err)
	}
	list := &krm.ResourceList{}
	for i, doc := range docs {
		list.Items = append(list.Items, &krm.Item{Doc: doc, Path: "resources.yaml", Index: i})
	}
	if config != "" {
		if list.FunctionConfig, err = gaby.ParseYAML([]byte(config)); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// run runs a function and returns the text of the items and the results, one on a line.
func run(t *testing.T, name string, list *krm.ResourceList) (output, results string) {
	t.Helper()
	function, ok := Find(name, "")
	if !ok {
		t.Fatalf("%s is not in the catalogue", name)
	}
	err := function(t.Context(), list)
	failed := fnresult.Worst(list.Results) == fnresult.SeverityError
	if passes := name == "set-namespace" || name == "set-image"; failed != (err != nil) &&
		(err != nil || !passes) {
		t.Errorf("error %v, but results %v", err, list.Results)
	}
	var b strings.Builder
	for i := range list.Results {
		r := &list.Results[i]
		fmt.Fprintln(&b, r)
		if r.File != nil && r.File.Path != "resources.yaml" {
			t.Errorf("file of %s is %v", r, r.File)
		}
	}
	return string(list.Docs().Bytes()), b.String()
}

func write(t *testing.T, path string, archive *txtar.Archive, output, results string) {
	t.Helper()
	archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool {
		return f.Name == "output.yaml" || f.Name == "results.txt"
	})
	for _, f := range archive.Files {
		if f.Name == "input.yaml" && string(f.Data) != output {
			archive.Files = append(archive.Files, txtar.File{
				Name: "output.yaml",
				Data: []byte(output),
			})
		}
	}
	archive.Files = append(archive.Files, txtar.File{Name: "results.txt", Data: []byte(results)})
	if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestFindByVersion(t *testing.T) {
	for name, want := range map[string]bool{
		"set-labels:":         true,
		"set-labels:latest":   true,
		"set-labels:unstable": true,
		"set-labels:v0.2":     true,
		"set-labels:v0.2.3":   true,
		"set-labels:0.2.3":    true,
		"set-labels:v0.20":    false,
		"set-labels:v0.3.0":   false,
		"set-labels:v0.2-rc":  false,
		"set-labels:v0.2.1.1": false,
		"set-label:":          false,
	} {
		t.Run(name, func(t *testing.T) {
			name, version, _ := strings.Cut(name, ":")
			if _, ok := Find(name, version); ok != want {
				t.Errorf("%s:%s is found: %v", name, version, ok)
			}
		})
	}
	for _, name := range Names() {
		if brief, doc := Describe(name); brief == "" || doc == "" || len(Series(name)) == 0 {
			t.Errorf("%s has no description or no series", name)
		}
		if !strings.Contains(Explain(name), "\nequal answers: ") {
			t.Errorf("equality.tsv has no line for %s", name)
		}
	}
}

// TestMissingConfig checks the published text for a call without functionConfig.
func TestMissingConfig(t *testing.T) {
	for name, want := range map[string]string{
		"set-namespace": "[error]: FunctionConfig is missing. Expect `ConfigMap.v1` or " +
			"`SetNamespace.v1alpha1.fn.kpt.dev`\n",
		"create-setters": "[error]: FunctionConfig is missing. Expect `ConfigMap.v1`\n",
	} {
		t.Run(name, func(t *testing.T) {
			if _, results := run(t, name, listFrom(t, "", "")); results != want {
				t.Errorf("%s: %s", name, results)
			}
		})
	}
}

// TestWrongConfig checks that a functionConfig with a value of a wrong type, a repeated or an empty
// key changes nothing: ignoring it would select or set something else.
func TestWrongConfig(t *testing.T) {
	const input = "apiVersion: v1\nkind: Service\nmetadata: {name: a, namespace: old}\n" +
		"spec: {size: 1} # kpt-set: ${n}\n"
	target := func(fields string) string {
		return "replacements: [{source: {kind: Service, name: a, fieldPath: spec.size}, targets: [" +
			fields + "]}]"
	}
	for _, test := range []struct{ function, kind, config, want string }{
		{"apply-setters", "", `data: {"": x}`, "data has an empty key"},
		{"apply-setters", "", "data: {n: 3, n: 4}", "data.n is given twice, first in line 3"},
		{"create-setters", "", `data: {"": x}`, "data has an empty key"},
		{
			"search-replace", "", "data: {by-value: a, put-value: b, put-value: c}",
			"data.put-value is given twice, first in line 3",
		},
		{"set-labels", "", "data: {a: x, a: y}", "data.a is given twice, first in line 3"},
		{"set-labels", "SetLabels", "labels: {a: null}", "labels.a must be a text, not null"},
		{
			"set-labels", "SetLabels", "labels: {a: x}\nadditionalLabelFields: spec/labels",
			`additionalLabelFields must be a list, not "spec/labels"`,
		},
		{
			"set-labels", "SetLabels", "labels: {a: x}\nadditionalLabelFields: [{kind: [Pod], path: x}]",
			"additionalLabelFields.0.kind must be a text, not a list",
		},
		{"set-annotations", "SetAnnotations", `annotations: {"": x}`, "annotations has an empty key"},
		{"set-image", "SetImage", "image: nginx", `image must be a map, not "nginx"`},
		{
			"ensure-name-substring", "EnsureNameSubstring", "substring: x-\neditMode: [append]",
			"editMode must be a text, not a list",
		},
		{
			"apply-replacements", "ApplyReplacements",
			target("{select: {kind: Service}, fieldPaths: spec.a}"),
			`replacements.0.targets.0.fieldPaths must be a list, not "spec.a"`,
		},
		{
			"apply-replacements", "ApplyReplacements",
			target("{select: {kind: Service}, fieldPath: [spec.a]}"),
			`a target has no field "fieldPath"`,
		},
		{
			"apply-replacements", "ApplyReplacements", target("{select: {names: a}, fieldPaths: [spec.a]}"),
			`a selector has no field "names"`,
		},
		{
			"apply-replacements", "ApplyReplacements",
			target("{select: {labelSelector: {a: b}}, fieldPaths: [spec.a]}"),
			"replacements.0.targets.0.select.labelSelector must be a text, not a map",
		},
		{
			"apply-replacements", "ApplyReplacements",
			target("{select: {kind: Service}, reject: {name: b}, fieldPaths: [spec.a]}"),
			"replacements.0.targets.0.reject must be a list, not a map",
		},
		{
			"apply-replacements", "ApplyReplacements",
			target("{select: {kind: Service}, fieldPaths: [spec.a], options: {index: [1]}}"),
			"replacements.0.targets.0.options.index must be a whole number, not a list",
		},
	} {
		t.Run(test.function+" "+test.want, func(t *testing.T) {
			config := "apiVersion: v1\nkind: ConfigMap\n" + test.config
			if test.kind != "" {
				config = "apiVersion: fn.kpt.dev/v1alpha1\nkind: " + test.kind + "\n" + test.config
			}
			output, results := run(t, test.function, listFrom(t, input, config))
			if output != input {
				t.Errorf("output is\n%s", output)
			}
			if want := "[error]: functionConfig: " + test.want + "\n"; results != want {
				t.Errorf("results are\n%s\nwant\n%s", results, want)
			}
		})
	}
}

// TestUnknownFields checks that a field which the published programs ignore is ignored, with a line
// on the standard error.
func TestUnknownFields(t *testing.T) {
	for _, test := range []struct{ function, kind, config string }{
		{"set-labels", "SetLabels", "labels: {a: x}"},
		{"set-annotations", "SetAnnotations", "annotations: {a: x}"},
		{"set-image", "SetImage", "image: {name: web, newTag: x}"},
		{"set-namespace", "SetNamespace", "namespace: new"},
		{"set-namespace", "", "data: {namespace: new, typo: x}"},
		{"ensure-name-substring", "EnsureNameSubstring", "substring: x-"},
		{"starlark", "StarlarkRun", "source: x = 1"},
	} {
		t.Run(test.function+" "+test.kind, func(t *testing.T) {
			config := "apiVersion: v1\nkind: ConfigMap\n" + test.config
			if test.kind != "" {
				config = "apiVersion: fn.kpt.dev/v1alpha1\nkind: " + test.kind + "\n" + test.config +
					"\ntypo: x"
			}
			list := listFrom(t, "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n", config)
			function, _ := Find(test.function, "")
			if err := function(t.Context(), list); err != nil {
				t.Error(err)
			}
			if want := "functionConfig: the field \"typo\" is unknown and ignored\n"; list.Stderr != want {
				t.Errorf("standard error is %q", list.Stderr)
			}
		})
	}
}

// TestOtherBytesStay checks that edits keep comments, quotes, order and layout.
func TestOtherBytesStay(t *testing.T) {
	input := "# head\nkind:   Deployment # odd\napiVersion: \"apps/v1\"\n" +
		"metadata: {name: 'web', namespace: old}\n" +
		"spec:\n    replicas: 0x3\n---\n# only a comment\n"
	list := listFrom(t, input, "{apiVersion: v1, kind: ConfigMap, data: {namespace: new}}")
	output, _ := run(t, "set-namespace", list)
	if want := strings.Replace(input, "old", "new", 1); output != want {
		t.Errorf("output is\n%s", output)
	}
	if !bytes.HasSuffix([]byte(output), []byte("# only a comment\n")) {
		t.Error("the comment at the end is lost")
	}
}
