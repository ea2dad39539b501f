package functionconfig

import (
	"fmt"
	"strings"
	"testing"
)

// catalogue returns the FunctionConfigs of a catalogue in the form in which Porch deploys one: an
// object per image, ranges of versions for pods and programs, one version for Go.
func catalogue() string {
	var b strings.Builder
	for _, c := range []struct{ image, pod, binary, gone string }{
		{"apply-replacements", "~0.1", "", "v0.1.5"},
		{"apply-setters", "~0.2", "~0.3", ""},
		{"create-setters", "~0.1", "", ""},
		{"enable-gcp-services", "~0.1", "", ""},
		{"ensure-name-substring", "~0.2", "~0.3", ""},
		{"export-terraform", "~0.1", "", ""},
		{"gatekeeper", "~0.2", "", ""},
		{"generate-folders", "~0.1", "", ""},
		{"kubeconform", "~0.1", "", ""},
		{"kubeval", "~0.3", "", ""},
		{"remove-local-config-resources", "~0.1", "", ""},
		{"search-replace", "", "~0.2", ""},
		{"set-annotations", "~0.1", "~0.1 != v0.1.4", ""},
		{"set-enforcement-action", "~0.1", "", ""},
		{"set-image", "~0.1", "~0.2", ""},
		{"set-labels", "~0.1", "~0.2", ""},
		{"set-namespace", "", "~0.4", "v0.4.5"},
		{"starlark", "~0.4", "~0.5", "v0.5.5"},
		{"upsert-resource", "", "~0.2", ""},
	} {
		fmt.Fprintf(&b, "---\napiVersion: %s\nkind: %s\nmetadata:\n  name: %s\n  namespace: "+
			"porch-fn-system\nspec:\n  image: %s\n  prefixes:\n    - \"\"\n"+
			"    - ghcr.io/kptdev/krm-functions-catalog\n", APIVersion, Kind, c.image, c.image)
		if c.pod != "" {
			fmt.Fprintf(&b, "  podExecutor:\n    tags:\n      - %q\n    timeToLive: 30m\n", c.pod)
		}
		if c.binary != "" {
			fmt.Fprintf(&b, "  binaryExecutor:\n    tags:\n      - %q\n    path: %s\n", c.binary,
				c.image)
		}
		if c.gone != "" {
			fmt.Fprintf(&b, "  goExecutor:\n    id: %s\n    tags:\n      - %q # as in go.mod\n",
				c.image,
				c.gone)
		}
	}
	return b.String()
}

// TestCatalogue looks up images in the objects of a whole catalogue.
func TestCatalogue(t *testing.T) {
	configs, problems := Parse([]byte(catalogue()), "catalogue.yaml")
	if len(configs) != 19 || len(problems) > 0 {
		t.Fatalf("%d objects\n%s", len(configs), lines(problems))
	}
	set, problems := NewSet(configs, "")
	if len(problems) > 0 {
		t.Fatal(lines(problems))
	}
	for _, c := range []struct{ image, want string }{
		{"apply-setters:v0.2.3", "pod(~0.2)"},
		{"apply-setters:v0.3.0", "binary(~0.3) pod:default"},
		{"set-annotations:v0.1.3", "binary(~0.1 != v0.1.4) pod(~0.1)"},
		{"set-annotations:v0.1.4", "pod(~0.1)"},
		{"set-namespace:v0.4.5", "go binary(~0.4) pod:default"},
		{"set-namespace:v0.4.4", "binary(~0.4) pod:default"},
		{"starlark:v0.5.5", "go binary(~0.5) pod:default"},
		{"starlark:v0.4.9", "pod(~0.4)"},
		{"starlark:v0.6.0", "pod:default"},
		{"ghcr.io/kptdev/krm-functions-catalog/kubeconform:v0.1.0", "pod(~0.1)"},
		{"ghcr.io/kptdev/krm-functions-catalog/contrib/kubeconform:v0.1.0", "pod:default"},
		{"gatekeeper:v0.2", "pod(~0.2)"},
		{"gatekeeper", "pod:default"},
	} {
		t.Run(c.image, func(t *testing.T) {
			m, err := set.Find(Lookup{Image: c.image})
			if err != nil || describe(&m) != c.want {
				t.Errorf("%s, %v", describe(&m), err)
			}
		})
	}
}
