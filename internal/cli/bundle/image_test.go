package bundle_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/process/enginetest"
)

const imageBundle = `apiVersion: smith.atlassian.com/v1
kind: Bundle
metadata: {name: b}
spec:
  resources:
  - name: source
    spec: {object: {apiVersion: v1, kind: Secret, metadata: {name: source}}}
  - name: made
    references: [{resource: source, name: title, path: metadata.name, example: x}]
    spec:
      plugin:
        name: names
        objectName: made
        spec: SPEC
`

// madeByProgram is what testdata/plugin makes, however it runs.
const madeByProgram = `apiVersion: v1
kind: ConfigMap # by a function
data: {title: source, call: process, namespace: default, source: Secret}
metadata:
  name: made
  namespace: default
`

// madeByStarlark is what the function starlark of the catalogue makes.
const madeByStarlark = `apiVersion: v1
kind: ConfigMap
metadata:
  name: made
  namespace: default
data:
  title: source
  seen: Secret
`

const starlarkSpec = `
          apiVersion: v1
          kind: ConfigMap
          metadata: {name: run}
          data:
            source: |
              items = ctx.resource_list["items"]
              items.append({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"},
                "data": {"title": items[0]["metadata"]["name"], "seen": items[0]["kind"]}})`

// An image that is a KRM function is a plugin, in a container and as FunctionConfigs say, with the
// same bytes.
func TestImageAsPlugin(t *testing.T) {
	const image = "localhost/fctl-plugin/names:v1"
	dir := t.TempDir()
	enginetest.Program(t, dir, "names", "./testdata/plugin")
	noContainers := enginetest.Build(t, dir, "names", image, "the text is empty")
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	observed := write("observed.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: source}\n")
	byProgram := write("b.yaml", strings.Replace(imageBundle, "SPEC", `{title: "!{title}"}`, 1))
	byStarlark := write("s.yaml", strings.Replace(imageBundle, "SPEC", starlarkSpec, 1))
	config := func(name, executor string) string {
		return write(name, "apiVersion: config.porch.kpt.dev/v1alpha1\nkind: FunctionConfig\n"+
			"metadata: {name: f}\nspec:\n  image: names\n  prefixes: [localhost/fctl-plugin]\n"+
			executor)
	}
	binary := config("binary.yaml", "  binaryExecutor: {tags: [v1], relPath: names}\n")
	inGo := config("go.yaml", "  goExecutor: {tags: [v1], id: starlark}\n")
	for _, c := range []struct {
		name, bundle string
		words        []string
		want         string
		needsEngine  bool
	}{
		{"container", byProgram, []string{"--executor", "container"}, madeByProgram, true},
		{"binary of a FunctionConfig", byProgram, []string{
			"--function-configs", binary, "--functions", dir, "--allow-exec",
		}, madeByProgram, false},
		{"binary that may not run, so a container", byProgram, []string{
			"--function-configs", binary, "--functions", dir,
		}, madeByProgram, true},
		{
			"go of a FunctionConfig", byStarlark,
			[]string{"--function-configs", inGo},
			madeByStarlark, false,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.needsEngine && noContainers != "" {
				t.Skip("not run: " + noContainers)
			}
			words := append([]string{
				"--plugin", "names=image:" + image, "--image-pull-policy", "Never", "-q",
			}, c.words...)
			status, stdout, stderr := run(t, append([]string{
				"bundle", "render", c.bundle, "--observed", observed,
			}, words...)...)
			_, made, _ := strings.Cut(stdout, "---\n")
			if status != 1 || made != c.want {
				t.Errorf("status %d\n%s%s", status, made, stderr)
			}
			_, stdout, _ = run(t, append([]string{"bundle", "plugins", "-o", "json"}, words...)...)
			if described := strings.Contains(stdout, `"title"`); described != (c.want == madeByProgram) {
				t.Errorf("the schema is not that of the plugin:\n%s", stdout)
			}
		})
	}
	// A spec that does not fit the schema of the description is found without observed objects.
	t.Run("validate", func(t *testing.T) {
		wrong := write("wrong.yaml", strings.Replace(imageBundle, "SPEC", "{titel: x}", 1))
		status, _, stderr := run(t, "bundle", "validate", wrong, "--plugin", "names=image:"+image,
			"--function-configs", binary, "--functions", dir, "--allow-exec")
		if want := "title is required"; status != 2 || !strings.Contains(stderr, want) {
			t.Errorf("status %d: %s", status, stderr)
		}
	})
	if noContainers != "" {
		fmt.Println("plugins do not run in containers:", noContainers)
	}
}
