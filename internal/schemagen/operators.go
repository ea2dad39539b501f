package main

// operator is a project whose CustomResourceDefinitions are built in.
type operator struct {
	name            string // for people
	module, version string
	// files is a pattern of the files in the module that have the definitions. A module without such
	// files has the Go types from which controller-gen makes them.
	files string
}

// operators returns the projects, in the order of the table in docs/guide/schemas.md.
func operators() []operator {
	const (
		flux = "github.com/fluxcd/"
		argo = "github.com/argoproj/"
	)
	return []operator{
		{"Argo CD", argo + "argo-cd/v3", "v3.6.1", "manifests/crds/*-crd.yaml"},
		{"Argo Rollouts", argo + "argo-rollouts", "v1.10.2", "manifests/crds/*-crd.yaml"},
		{
			"Argo Workflows", argo + "argo-workflows/v4", "v4.0.5",
			"manifests/base/crds/full/argoproj.io_*.yaml",
		},
		{"cert-manager", "github.com/cert-manager/cert-manager", "v1.21.2", "deploy/crds/*.yaml"},
		{
			"Cilium", "github.com/cilium/cilium", "v1.20.2",
			"pkg/k8s/apis/cilium.io/client/crds/*/*.yaml",
		},
		{"Crossplane", "github.com/crossplane/crossplane/v2", "v2.2.0", "cluster/crds/*.yaml"},
		{
			"external-secrets", "github.com/external-secrets/external-secrets", "v1.3.2",
			"config/crds/bases/*external-secrets.io_*.yaml",
		},
		{"Flux helm-controller", flux + "helm-controller/api", "v1.7.1", ""},
		{"Flux image-automation-controller", flux + "image-automation-controller/api", "v1.3.0", ""},
		{"Flux image-reflector-controller", flux + "image-reflector-controller/api", "v1.3.0", ""},
		{
			"Flux kustomize-controller", flux + "kustomize-controller", "v1.10.1",
			"config/crd/bases/*.yaml",
		},
		{"Flux notification-controller", flux + "notification-controller/api", "v1.10.0", ""},
		{"Flux source-controller", flux + "source-controller", "v1.10.1", "config/crd/bases/*.yaml"},
		{"Flux source-watcher", flux + "source-watcher/api/v2", "v2.3.1", ""},
		{
			"Gateway API", "sigs.k8s.io/gateway-api", "v1.6.3",
			"config/crd/experimental/gateway.networking.*k8s.io_*.yaml",
		},
		{"Istio", "istio.io/api", "v1.32.0", "kubernetes/customresourcedefinitions.gen.yaml"},
		{"KEDA", "github.com/kedacore/keda/v2", "v2.21.0", "config/crd/bases/*.yaml"},
		{"Knative Eventing", "knative.dev/eventing", "v0.50.0", "config/core/resources/*.yaml"},
		{"Knative Serving", "knative.dev/serving", "v0.51.0", "config/core/300-resources/*.yaml"},
		{"kustomize API", "sigs.k8s.io/kustomize/api", "v0.21.2", "types/*.go"},
		{
			"prometheus-operator", "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring", "v0.95.2",
			"",
		},
		{"Tekton Pipelines", "github.com/tektoncd/pipeline", "v1.9.0", "config/300-crds/*.yaml"},
	}
}

// relaxed returns the properties, each after the one around it, of an operator that servers accept with
// other values than the schema lists, or without one although the schema requires it.
func relaxed(operator string) []string {
	return map[string][]string{
		// Installations add the kinds of other controllers.
		"Flux notification-controller": {"eventSources.kind", "resources.kind"},
		// Its webhook adds an empty one.
		"Tekton Pipelines": {"stepTemplate.name"},
	}[operator]
}
