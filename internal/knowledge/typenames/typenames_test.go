package typenames_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/typenames"
)

func TestFind(t *testing.T) {
	table := typenames.BuiltIn()
	table.Add("argoproj.io/v1alpha1/Rollout", "gateway.networking.k8s.io/v1beta1/Gateway",
		"gateway.networking.k8s.io/v1/Gateway", "serving.knative.dev/v1/Service")
	doc, err := gaby.ParseYAML([]byte(`spec:
  group: example.com
  names: {kind: Mouse, plural: mice, shortNames: [mm]}
  versions: [{name: v1}, {name: v2, storage: true}]
`))
	if err != nil {
		t.Fatal(err)
	}
	table.AddDefinition(doc.Value())
	for word, want := range map[string]api.ResourceType{
		"deploy": "apps/v1/Deployment", "Deployment": "apps/v1/Deployment",
		"deployments.apps": "apps/v1/Deployment", "deployments.v1.apps": "apps/v1/Deployment",
		"NetPol":   "networking.k8s.io/v1/NetworkPolicy",
		"hpa":      "autoscaling/v2/HorizontalPodAutoscaler",
		"services": "v1/Service", "services.serving.knative.dev": "serving.knative.dev/v1/Service",
		"rollouts": "argoproj.io/v1alpha1/Rollout",
		"gateways": "gateway.networking.k8s.io/v1/Gateway",
		"mice":     "example.com/v2/Mouse", "mm.v1.example.com": "example.com/v1/Mouse",
		"x/v1/Y": "x/v1/Y", "deployments.extensions": "", "nothing": "", "": "",
	} {
		t.Run(word, func(t *testing.T) {
			if got, ok := table.Find(word); got != want || ok != (want != "") {
				t.Errorf("%q: %q, %v", word, got, ok)
			}
		})
	}
	for word, want := range map[string][]string{
		"deplo": {"deploy"}, "statefullset": {"statefulset"},
		"deployments.extensions": {"deployments.apps"}, "qqqqqqqq": nil,
	} {
		t.Run(word, func(t *testing.T) {
			if got := table.Suggest(word); !slices.Equal(got, want) {
				t.Errorf("%q: %q", word, got)
			}
		})
	}
	for typed, want := range map[api.ResourceType][]string{
		"apps/v1/Deploymnt": {"apps/v1/Deployment"}, "apps/v1/Deployment": nil,
		"apps/v1beta1/Deployment": nil, "example.com/v1/Deploymnt": nil, "v1/Pods": {"v1/Pod"},
	} {
		t.Run(fmt.Sprint(typed), func(t *testing.T) {
			if got := table.SuggestType(typed); !slices.Equal(got, want) {
				t.Errorf("%s: %q", typed, got)
			}
		})
	}
}
