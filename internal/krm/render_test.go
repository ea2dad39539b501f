package krm_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/catalog"
	"github.com/fctl-dev/fctl/internal/source"
)

const pipeline = `apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: app
pipeline:
  mutators:
  - image: set-namespace:v0.4
    configMap: {namespace: prod}
  - image: set-labels:v0.2
    configMap: {tier: back}
  - image: set-annotations:v0.1
    configMap: {a: b}
`

// resources returns the text of n resources.
func resources(n int) []byte {
	var text bytes.Buffer
	for i := range n {
		fmt.Fprintf(&text, "---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n"+
			"  name: app-%d\n"+
			"  labels:\n    app: app-%d # the label\nspec:\n  replicas: 3\n  selector:\n"+
			"    matchLabels:\n      app: app-%d\n  template:\n    metadata:\n      labels:\n"+
			"        app: app-%d\n    spec:\n      containers:\n      - name: main\n"+
			"        image: nginx:%d\n        ports:\n        - containerPort: 8080\n", i, i, i, i,
			i)
	}
	return text.Bytes()
}

// render renders the package at dir and returns the changes.
func render(tb testing.TB, dir string) []*krm.ChangedFile {
	tb.Helper()
	p, err := krm.ReadPackage(tb.Context(), dir, krm.ReadOptions{
		Reader: &source.Reader{RegularOnly: true}, Kptfile: true,
	})
	if err != nil {
		tb.Fatal(err)
	}
	r := &krm.Render{
		Pipeline:  &krm.Pipeline{Provider: k8skit.New()},
		Executors: &krm.Executors{Root: dir, Catalog: catalog.Find}, Meta: true,
	}
	rendered, err := r.Run(tb.Context(), p.Items())
	if err != nil {
		tb.Fatal(err)
	}
	changes, err := p.Changes(rendered.Items)
	if err != nil {
		tb.Fatal(err)
	}
	return changes
}

// write writes files to a new directory.
func write(tb testing.TB, files map[string]string) string {
	tb.Helper()
	dir := tb.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

// K4: packages next to each other are rendered in parallel, always with the same result.
func TestManyPackages(t *testing.T) {
	files := map[string]string{"Kptfile": pipeline}
	for i := range 200 {
		named := strings.NewReplacer(": app", fmt.Sprintf(": p%d-app", i))
		files[fmt.Sprintf("p%d/Kptfile", i)] = named.Replace(pipeline)
		files[fmt.Sprintf("p%d/a.yaml", i)] = named.Replace(string(resources(3)))
	}
	dir := write(t, files)
	want := render(t, dir)
	if len(want) != 401 { // with the Kptfiles, which set-annotations changes too
		t.Fatalf("%d files changed", len(want))
	}
	for i, c := range render(t, dir) {
		if c.Path != want[i].Path ||
			!bytes.Equal(bytes.Join(c.After, nil), bytes.Join(want[i].After, nil)) {
			t.Fatalf("%s differs the second time", c.Path)
		}
	}
}

// Three functions of the catalogue on 10,000 resources, from the file to the new text. The second
// benchmark is the same chain by fctl do, of which the first may take twice the time.
func BenchmarkRender(b *testing.B) {
	dir := write(b, map[string]string{"Kptfile": pipeline, "all.yaml": string(resources(10_000))})
	b.ResetTimer()
	for b.Loop() {
		if changes := render(b, dir); len(changes) != 1 {
			b.Fatal(len(changes))
		}
	}
}

func BenchmarkDo(b *testing.B) {
	text := resources(10_000)
	executor := functions.NewStandardExecutor()
	argument := func(name string, value any) api.FunctionArgument {
		return api.FunctionArgument{ParameterName: name, Value: value}
	}
	request := &api.FunctionInvocationRequest{
		ConfigData: text,
		FunctionInvocations: api.FunctionInvocationList{
			{
				FunctionName: "set-namespace",
				Arguments:    []api.FunctionArgument{argument("namespace-name", "prod")},
			},
			{FunctionName: "set-label", Arguments: []api.FunctionArgument{argument("label-key",
				"tier"), argument("label-value", "back")}},
			{
				FunctionName: "set-annotation",
				Arguments: []api.FunctionArgument{
					argument("annotation-key", "a"),
					argument("annotation-value", "b"),
				},
			},
		},
	}
	for b.Loop() {
		result, err := executor.Run(b.Context(), request, handler.Options{InParts: true})
		if err != nil || !result.Changed {
			b.Fatal(err, result.ErrorMessages)
		}
	}
}
