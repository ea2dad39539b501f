package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/smith/plugin"
	"github.com/fctl-dev/fctl/smith/plugin/plugintest"
)

// TestMain runs the program if a test started it.
func TestMain(m *testing.M) {
	if os.Getenv("EXAMPLE_MAIN") != "" {
		main()
	}
	os.Exit(m.Run())
}

func TestParameters(t *testing.T) {
	secret := &plugin.Object{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "s"},
		"data": map[string]any{"SHOP_URL": "", "OTHER": ""},
	}}
	dependencies := map[plugin.ResourceName]plugin.Dependency{"binding": {
		Actual: &plugin.Object{Object: map[string]any{
			"apiVersion": "servicecatalog.k8s.io/v1beta1", "kind": "ServiceBinding",
		}},
		Outputs: []*plugin.Object{secret},
	}}
	plugintest.Run(t, newParameters,
		plugintest.Case{
			Name: "default prefix", Dependencies: dependencies,
			Want: &plugin.Object{Object: map[string]any{
				"apiVersion": "servicecatalog.k8s.io/v1beta1", "kind": "ServiceInstance",
				"spec": map[string]any{"parametersFrom": []any{
					map[string]any{"secretKeyRef": map[string]any{"name": "s", "key": "SHOP_URL"}},
				}},
			}},
		},
		plugintest.Case{
			Name: "no such key", Dependencies: dependencies,
			Spec: map[string]any{"prefix": "X_"}, WantError: "no key of s starts with X_",
		},
		plugintest.Case{
			Name: "empty prefix", Spec: map[string]any{"prefix": ""}, WantError: "at least 1 is required",
		},
	)
}

// The team's fctl has the plugin beside those of fctl.
func TestProgram(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "bundle", "plugins")
	cmd.Env = append(os.Environ(), "EXAMPLE_MAIN=1")
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), "\nfilter  ") ||
		!strings.Contains(string(out), "\nparameters  servicecatalog.k8s.io/v1beta1 ServiceInstance") {
		t.Errorf("%v\n%s", err, out)
	}
}
