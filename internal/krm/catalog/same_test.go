package catalog_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/catalog"
	"github.com/fctl-dev/fctl/internal/runtime"
	"github.com/fctl-dev/fctl/internal/runtime/functionconfig"
	"github.com/fctl-dev/fctl/internal/source"
)

// The settings of podman where it may not raise limits, and runc instead of crun.
const podmanSettings = `[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
runtime = "runc"
`

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
	build := exec.Command("go", "build", "-o", filepath.Join(functions, "function"),
		"./testdata/program")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	executors := []string{"go", "binary"}
	const image = "localhost/fctl-same/function:v1"
	if why := container(t, functions, image); why == "" {
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

// container builds the image, and returns why that is not possible.
func container(t *testing.T, dir, image string) string {
	t.Helper()
	e, err := runtime.FindEngine(t.Context(), os.Getenv("FCTL_ENGINE"))
	if err != nil {
		return err.Error()
	}
	if e.Name == "podman" {
		settings := filepath.Join(t.TempDir(), "containers.conf")
		if err := os.WriteFile(settings, []byte(podmanSettings), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := exec.LookPath("runc"); err == nil {
			t.Setenv("CONTAINERS_CONF", settings)
		}
	}
	file := filepath.Join(dir, "Dockerfile")
	text := "FROM scratch\nCOPY function /function\nENTRYPOINT [\"/function\"]\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(e.Path, "build", "-q", "-t", image, dir).CombinedOutput(); err != nil {
		return fmt.Sprintf("%s does not build images: %s", e.Name, out)
	}
	t.Cleanup(func() { _ = exec.Command(e.Path, "rmi", "-f", image).Run() })
	if out, err := exec.Command(e.Path, "run", "--rm", "--network", "none", image).CombinedOutput(); err != nil &&
		!strings.Contains(string(out), "the text is empty") {
		return fmt.Sprintf("%s does not run images: %s", e.Name, out)
	}
	return ""
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
		Root: dir, Catalog: catalog.Find, Configs: set, Only: only, Pull: runtime.PullNever,
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
	if err := p.Write(t.Context(), changes, krm.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
