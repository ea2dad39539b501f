package install_test

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/runner/install"
)

func options() install.Options {
	return install.Options{
		Image: "registry.example.com/fctl-runner:v1", WrapperImage: "registry.example.com/fctl-wrapper:v1", Namespace: "tools", PodNamespace: "tools-pods",
		Replicas: 3, Monitor: true,
	}
}

// TestManifestsAreValid validates the manifests with fctl's own functions.
func TestManifestsAreValid(t *testing.T) {
	for name, porch := range map[string]bool{"own": false, "porch": true} {
		t.Run(name, func(t *testing.T) {
			o := options()
			o.Porch = porch
			text := joined(t, o)
			invocations := api.FunctionInvocationList{}
			for _, function := range []string{
				"vet-schemas", "vet-semantics", "vet-references", "vet-selectors",
			} {
				invocations = append(invocations, api.FunctionInvocation{FunctionName: function})
			}
			response, err := functions.NewStandardExecutor().Invoke(t.Context(), &api.FunctionInvocationRequest{
				FunctionContext: api.FunctionContext{ToolchainType: api.ToolchainKubernetesYAML},
				ConfigData:      []byte(text), FunctionInvocations: invocations,
			})
			if err != nil || !response.Success {
				t.Fatal(err, response.ErrorMessages)
			}
			_, results, err := response.Outputs.First()
			if err != nil || !strings.Contains(string(results), `"Passed":true`) ||
				strings.Contains(string(results), `"Passed":false`) {
				t.Errorf("%v %s", err, results)
			}
		})
	}
}

func joined(t *testing.T, o install.Options) string {
	t.Helper()
	files, err := install.Manifests(o)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, f := range files {
		texts = append(texts, f.Text)
	}
	return strings.Join(texts, "---\n")
}

// TestNames finds the names of the options, and none of the defaults.
func TestNames(t *testing.T) {
	o := options()
	text := joined(t, o)
	for _, left := range []string{"IMAGE", "fctl-system", "fctl-functions", "replicas: 2"} {
		if strings.Contains(text, left) {
			t.Errorf("%q is left", left)
		}
	}
	for _, want := range []string{
		"image: registry.example.com/fctl-runner:v1\n", "--wrapper-image=registry.example.com/fctl-wrapper:v1\n",
		"--function-configs=kube:tools-pods\n", "replicas: 3\n", "kind: ServiceMonitor\n",
		"kind: CustomResourceDefinition\n", "kind: Namespace\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	o.Porch, o.Monitor = true, false
	text = joined(t, o)
	for _, other := range []string{"kind: Namespace\n", "kind: CustomResourceDefinition\n", "kind: ServiceMonitor\n"} {
		if strings.Contains(text, other) {
			t.Errorf("%q with --for porch", other)
		}
	}
	if !strings.Contains(text, "kind: Service\nmetadata:\n  name: function-runner\n") ||
		strings.Count(text, "app: function-runner\n") != 1 {
		t.Error("the Service of Porch does not lead to the runner")
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for want, change := range map[string]func(*install.Options){
		"namespace": func(o *install.Options) { o.Namespace = "a\nb" },
		"image":     func(o *install.Options) { o.Image = "x: y" },
		`"w: y"`:    func(o *install.Options) { o.WrapperImage = "w: y" },
		"replicas":  func(o *install.Options) { o.Replicas = 0 },
	} {
		t.Run(want, func(t *testing.T) {
			o := options()
			change(&o)
			if _, err := install.Manifests(o); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v", err)
			}
		})
	}
}
