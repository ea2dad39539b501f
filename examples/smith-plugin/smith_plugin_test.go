package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/examples/internal/exampletest"
	"github.com/fctl-dev/fctl/smith/plugin"
	"github.com/fctl-dev/fctl/smith/plugin/filter"
	"github.com/fctl-dev/fctl/smith/plugin/plugintest"
)

// TestMain runs the program if a test started it.
func TestMain(m *testing.M) {
	if os.Getenv("EXAMPLE_MAIN") != "" {
		main()
	}
	os.Exit(m.Run())
}

// run runs the team's program.
func run(t *testing.T, words ...string) (stdout, stderr string, status int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, words...)
	cmd.Env = append(os.Environ(), "EXAMPLE_MAIN=1")
	return exampletest.Run(t, cmd)
}

// The team's plugin is the one that Bundles use.
func TestProgramHasThePlugin(t *testing.T) {
	stdout, stderr, status := run(t, "bundle", "plugins")
	want := "NAME    MAKES                                          FROM\n" +
		"filter  servicecatalog.k8s.io/v1beta1 ServiceInstance  of this program\n"
	if status != 0 || stdout != want {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	stdout, stderr, status = run(t, "bundle", "render", "../smith/bundle.yaml",
		"--observed", "../smith/observed")
	if status != 0 || !strings.Contains(stdout, "    key: DB_HOST\n") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
}

// The plugin keeps its contract, in 100 runs of each case.
func TestPlugin(t *testing.T) {
	object := func(apiVersion, kind string, data map[string]any) *plugin.Object {
		return &plugin.Object{Object: map[string]any{
			"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"name": "s"},
			"data": data,
		}}
	}
	const catalog = "servicecatalog.k8s.io/v1beta1"
	dependencies := map[plugin.ResourceName]plugin.Dependency{"binding": {
		Actual: object(catalog, "ServiceBinding", nil),
		Outputs: []*plugin.Object{
			object("v1", "Secret", map[string]any{"FOO_2": "", "OTHER": "", "FOO_1": ""}),
		},
	}}
	entry := func(key string) any {
		return map[string]any{"secretKeyRef": map[string]any{"name": "s", "key": key}}
	}
	yes, no := true, false
	plugintest.Run(t, filter.New,
		plugintest.Case{
			Name: "two keys", Dependencies: dependencies,
			Spec: map[string]any{"filterByPrefix": "FOO_"},
			Want: &plugin.Object{Object: map[string]any{
				"apiVersion": catalog, "kind": "ServiceInstance",
				"spec": map[string]any{"parametersFrom": []any{entry("FOO_1"), entry("FOO_2")}},
			}},
		},
		plugintest.Case{
			Name: "no such key", Dependencies: dependencies,
			Spec:      map[string]any{"filterByPrefix": "X_"},
			WantError: "no key of s starts with X_", External: &yes, Retriable: &yes,
		},
		plugintest.Case{
			Name: "no binding", Spec: map[string]any{"filterByPrefix": "X_"},
			WantError: "filter needs a dependency on a ServiceBinding", External: &yes,
			Retriable: &no,
		},
		plugintest.Case{
			Name: "empty prefix", Spec: map[string]any{"filterByPrefix": ""},
			WantError: "at least 1 is required",
		},
		plugintest.Case{Name: "no spec", WantError: "filterByPrefix is required"},
	)
}
