package catalog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/catalog"
	"github.com/fctl-dev/fctl/internal/krm/functionconfig"
	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/process/enginetest"
	"github.com/fctl-dev/fctl/internal/source"
)

// resources has what makes bytes differ: comments, quotes, odd indentation, several documents.
const resources = `# The header of the file.
apiVersion: apps/v1
kind: Deployment
metadata:
    name: "web"   # quoted
    labels: {app: web}
spec:
    replicas: 0x10
    template:
        spec:
            containers:
            - name: main # the main one
              image: 'nginx:1.25'
              args: [ "a",  b ]
---
# only a comment
---
apiVersion: v1
kind: Service
metadata: {name: web, annotations: {team: "1"}}
`

// TestSameBytes runs functions in this process, as a program and in a container, as FunctionConfigs
// say, and compares the files that they leave.
func TestSameBytes(t *testing.T) {
	functions := t.TempDir()
	enginetest.Program(t, functions, "function", "./testdata/program")
	executors := []string{"go", "binary"}
	const image = "localhost/fctl-same/function:v1"
	why := enginetest.Build(t, functions, "function", image, "the text is empty")
	if why == "" {
		executors = append(executors, "container")
	} else {
		fmt.Println("containers are not compared:", why)
	}
	for name, config := range map[string]string{
		"set-labels":      "data: {team: shop, \"on\": \"yes\"}",
		"set-annotations": "data: {note: \"a: b\"}",
		"set-namespace":   "data: {namespace: shop}",
		"set-image":       "data: {name: nginx, newTag: \"1.27\"}",
		"search-replace":  "data: {by-value: web, put-value: shop}",
		"starlark": "data:\n  source: |\n    for r in ctx.resource_list[\"items\"]:\n" +
			"      r[\"metadata\"][\"name\"] = r[\"metadata\"][\"name\"] + \"-x\"",
	} {
		t.Run(name, func(t *testing.T) {
			first := ""
			for _, only := range executors {
				got := files(t, name, config, only, functions, image)
				if first == "" {
					first = got
				}
				if got != first {
					t.Errorf("%s leaves\n%s\ngo leaves\n%s", only, got, first)
				}
			}
			if first == resources {
				t.Error("the function changes nothing")
			}
		})
	}
}

// files runs a function on the resources with one kind of executor and returns the file.
func files(t *testing.T, name, config, only, functions, image string) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "resources.yaml")
	if err := os.WriteFile(file, []byte(resources), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := krm.ReadPackage(t.Context(), dir, krm.ReadOptions{Reader: &source.Reader{}})
	if err != nil {
		t.Fatal(err)
	}
	configs, problems := functionconfig.Parse([]byte("apiVersion: "+functionconfig.APIVersion+
		"\nkind: FunctionConfig\nmetadata: {name: f}\nspec:\n  image: function\n"+
		"  prefixes: [localhost/fctl-same]\n  goExecutor: {tags: [v1], id: "+name+"}\n"+
		"  binaryExecutor: {tags: [v1], relPath: function}\n"), "f")
	if len(problems) > 0 {
		t.Fatal(problems[0].Error())
	}
	set, _ := functionconfig.NewSet(configs, "")
	e := &krm.Executors{
		Root: dir, Catalog: catalog.Find, Configs: set, Pull: process.PullNever,
		Only:     []functionconfig.ExecutorKind{functionconfig.ExecutorKind(only)},
		Programs: functionconfig.Programs{Dirs: []string{functions}, Allow: true},
		Env:      []string{"FUNCTION=" + name}, Engine: os.Getenv("FCTL_ENGINE"),
	}
	step, trace, err := e.Resolve(t.Context(), &krm.Declared{Image: image, Direct: true}, "")
	if err != nil {
		t.Fatalf("%v\n%s", err, trace)
	}
	if last := trace[len(trace)-1]; string(last.Kind) != only {
		t.Fatalf("%s runs it", last)
	}
	doc, err := gaby.ParseYAML([]byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n" +
		config + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	step.Config = doc
	pipeline := &krm.Pipeline{Provider: k8skit.K8sResourceProvider}
	items, _, err := pipeline.Run(t.Context(), p.Items(), []*krm.Step{step})
	if err != nil {
		t.Fatalf("%s: %v", only, err)
	}
	changes, err := p.Changes(items)
	if err != nil {
		t.Fatal(err)
	}
	options := krm.WriteOptions{
		One:    func(write func() error) error { return write() },
		Secret: func([]byte) bool { return false },
	}
	if err := p.Write(t.Context(), changes, options); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
