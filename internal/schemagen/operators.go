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
		{
			name: "Argo CD", module: argo + "argo-cd/v3", version: "v3.6.1",
			files: "manifests/crds/*-crd.yaml",
		},
		{
			name: "Argo Rollouts", module: argo + "argo-rollouts", version: "v1.10.2",
			files: "manifests/crds/*-crd.yaml",
		},
		{
			name: "Argo Workflows", module: argo + "argo-workflows/v4", version: "v4.0.5",
			files: "manifests/base/crds/full/argoproj.io_*.yaml",
		},
		{
			name: "cert-manager", module: "github.com/cert-manager/cert-manager", version: "v1.21.2",
			files: "deploy/crds/*.yaml",
		},
		{
			name: "Cilium", module: "github.com/cilium/cilium", version: "v1.20.2",
			files: "pkg/k8s/apis/cilium.io/client/crds/*/*.yaml",
		},
		{
			name:    "external-secrets",
			module:  "github.com/external-secrets/external-secrets",
			version: "v1.3.2",
			files:   "config/crds/bases/*external-secrets.io_*.yaml",
		},
		{
			name: "Flux helm-controller", module: flux + "helm-controller/api", version: "v1.7.1",
		},
		{
			name:    "Flux image-automation-controller",
			module:  flux + "image-automation-controller/api",
			version: "v1.3.0",
		},
		{
			name:    "Flux image-reflector-controller",
			module:  flux + "image-reflector-controller/api",
			version: "v1.3.0",
		},
		{
			name:    "Flux kustomize-controller",
			module:  flux + "kustomize-controller",
			version: "v1.10.1",
			files:   "config/crd/bases/*.yaml",
		},
		{
			name:    "Flux notification-controller",
			module:  flux + "notification-controller/api",
			version: "v1.10.0",
		},
		{
			name: "Flux source-controller", module: flux + "source-controller", version: "v1.10.1",
			files: "config/crd/bases/*.yaml",
		},
		{
			name: "Flux source-watcher", module: flux + "source-watcher/api/v2", version: "v2.3.1",
		},
		{
			name: "Gateway API", module: "sigs.k8s.io/gateway-api", version: "v1.6.3",
			files: "config/crd/experimental/gateway.networking.*k8s.io_*.yaml",
		},
		{
			name: "Istio", module: "istio.io/api", version: "v1.32.0",
			files: "kubernetes/customresourcedefinitions.gen.yaml",
		},
		{
			name: "KEDA", module: "github.com/kedacore/keda/v2", version: "v2.21.0",
			files: "config/crd/bases/*.yaml",
		},
		{
			name: "Knative Serving", module: "knative.dev/serving", version: "v0.51.0",
			files: "config/core/300-resources/*.yaml",
		},
		{
			name: "kustomize API", module: "sigs.k8s.io/kustomize/api", version: "v0.21.2",
			files: "types/*.go",
		},
		{
			name:    "prometheus-operator",
			module:  "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring",
			version: "v0.95.2",
		},
	}
}
