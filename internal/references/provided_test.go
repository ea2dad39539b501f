package references

import (
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
)

// TestProvided has a row for each line of provided.txt, and names that no line has.
func TestProvided(t *testing.T) {
	used := map[string]bool{}
	for _, c := range []struct {
		kind, namespace, name, line string // line is empty if no line has the name
	}{
		{"v1/ServiceAccount", "shop", "default", "*/default"},
		{"v1/ServiceAccount", "kube-system", "generic-garbage-collector", "kube-system/*"},
		{"v1/ServiceAccount", "shop", "web", ""},
		{"v1/ServiceAccount", "", "web", ""},
		{"v1/ConfigMap", "shop", "kube-root-ca.crt", "*/kube-root-ca.crt"},
		{"v1/Secret", "shop", "default-token-x7k2p", "*/default-token-?????"},
		{"v1/Secret", "shop", "default-token", ""},
		{"v1/Secret", "shop", "web-token-x7k2p", ""},
		{"v1/Service", "", "kubernetes", "default/kubernetes"},
		{"v1/Service", "shop", "kubernetes", ""},
		{"v1/Namespace", "", "default", "*/default"},
		{"v1/Namespace", "", "kube-system", "*/kube-system"},
		{"v1/Namespace", "", "kube-public", "*/kube-public"},
		{"v1/Namespace", "", "kube-node-lease", "*/kube-node-lease"},
		{"scheduling.k8s.io/v1/PriorityClass", "", "system-node-critical", "*/system-*"},
		{"rbac.authorization.k8s.io/v1/ClusterRole", "", "system:node", "*/system:*"},
		{"rbac.authorization.k8s.io/v1/ClusterRole", "", "cluster-admin", "*/cluster-admin"},
		{"rbac.authorization.k8s.io/v1/ClusterRole", "", "admin", "*/admin"},
		{"rbac.authorization.k8s.io/v1/ClusterRole", "", "edit", "*/edit"},
		{"rbac.authorization.k8s.io/v1/ClusterRole", "", "view", "*/view"},
		{"rbac.authorization.k8s.io/v1/ClusterRole", "", "viewer", ""},
		{"rbac.authorization.k8s.io/v1/Role", "kube-system", "system:controller:a", "*/system:*"},
		{
			"rbac.authorization.k8s.io/v1/Role", "kube-system",
			"extension-apiserver-authentication-reader",
			"*/extension-apiserver-authentication-reader",
		},
		{"v1/Service", "kube-system", "kube-dns", "*/kube-dns"},
		{"v1/Secret", "cert-manager", "cert-manager-webhook-ca", "*/cert-manager-webhook-ca"},
		{"v1/Service", "flux-system", "notification-controller", "*/notification-controller"},
		{"v1/Service", "flux-system", "source-controller", "*/source-controller"},
		{"v1/Service", "flux-system", "webhook-receiver", "*/webhook-receiver"},
		{"v1/Service", "shop", "receiver", ""},
		{"v1/ConfigMap", "shop", "istio-ca-root-cert", "*/istio-ca-root-cert"},
		{"v1/Service", "istio-system", "istiod", "*/istiod"},
		{"v1/Service", "istio-system", "istio-ingressgateway", "*/istio-ingressgateway"},
		{"v1/Service", "istio-system", "istio-egressgateway", "*/istio-egressgateway"},
		{"v1/Service", "istio-system", "knative-local-gateway", "*/knative-local-gateway"},
		{"v1/Secret", "metallb-system", "memberlist", "*/memberlist"},
	} {
		if have := isProvided(api.ResourceType(c.kind), c.namespace, c.name); have != (c.line != "") {
			t.Errorf("%s %s/%s: %v", c.kind, c.namespace, c.name, have)
		}
		used[configkit.GroupKind(api.ResourceType(c.kind))+" "+c.line] = true
	}
	for kind, patterns := range provided() {
		for _, pattern := range patterns {
			if !used[kind+" "+pattern] {
				t.Errorf("%s %s has no row", kind, pattern)
			}
		}
	}
}
