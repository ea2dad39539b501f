package k8skit_test

import (
	"archive/zip"
	"encoding/json"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
)

const scopeKnowledge = `resourceTypes:
  example.com/v1/Region: {scope: Cluster}
  example.com/v1beta1/Region: {sameAs: example.com/v1/Region}
  example.com/v1/Shop: {sameAs: v1/ConfigMap}
  example.com/v1/Land: {sameAs: v1/ConfigMap, scope: Cluster}
---
resourceTypes:
  cert-manager.io/v1/Issuer: {scope: Cluster}
`

func TestScope(t *testing.T) {
	p := k8skit.New(resourcetypes.TypesFile{Name: "scopes.yaml", Text: []byte(scopeKnowledge)})
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	for of, want := range map[api.ResourceType]configkit.Scope{
		"v1/ConfigMap":                     configkit.ScopeNamespaced,
		"v1/Namespace":                     configkit.ScopeCluster,
		"policy/v1beta1/PodSecurityPolicy": configkit.ScopeCluster,
		// Only v1 has an entry.
		"policy/v1beta1/PodDisruptionBudget":     configkit.ScopeNamespaced,
		"rbac.authorization.k8s.io/v1beta1/Role": configkit.ScopeNamespaced,
		// Although it is sameAs SecretStore.
		"external-secrets.io/v1/ClusterSecretStore": configkit.ScopeCluster,
		"storage.k8s.io/v1/CSIStorageCapacity":      configkit.ScopeNamespaced,
		"example.com/v1/Region":                     configkit.ScopeCluster,
		"example.com/v1beta1/Region":                configkit.ScopeCluster,
		"example.com/v2/Region":                     configkit.ScopeCluster,
		"example.com/v1/Shop":                       configkit.ScopeNamespaced,
		"example.com/v1/Land":                       configkit.ScopeCluster,
		// Users' files take precedence.
		"cert-manager.io/v1/Issuer": configkit.ScopeCluster,
		"example.org/v1/Region":     configkit.ScopeUnknown,
		"example.com/v1/Regions":    configkit.ScopeUnknown,
		"v1/Region":                 configkit.ScopeUnknown,
		"Region":                    configkit.ScopeUnknown,
	} {
		t.Run(string(of), func(t *testing.T) {
			if got := p.Scope(of); got != want {
				t.Errorf("%s: %q, want %q", of, got, want)
			}
		})
	}
	before := k8skit.New()
	if before.Scope("example.com/v1/Region") != configkit.ScopeUnknown {
		t.Error("a scope that nobody stated")
	}
	if err := before.AddFiles(resourcetypes.TypesFile{
		Name: "scopes.yaml", Text: []byte(scopeKnowledge),
	}); err != nil ||
		before.Scope("example.com/v1/Region") != configkit.ScopeCluster {
		t.Error("the scope of a file that was added is not known", err)
	}
}

// TestScopesOfKubernetes finds Kubernetes types without a scope.
func TestScopesOfKubernetes(t *testing.T) {
	r, err := zip.OpenReader("../../internal/knowledge/schemas/schemas.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	f, err := r.Open("kinds.json")
	if err != nil {
		t.Fatal(err)
	}
	var kinds map[api.ResourceType]any
	if err := json.NewDecoder(f).Decode(&kinds); err != nil {
		t.Fatal(err)
	}
	p, known := k8skit.New(), 0
	for of := range kinds {
		kind := string(of[strings.LastIndexByte(string(of), '/')+1:])
		switch {
		case strings.HasSuffix(kind, "List"), strings.HasSuffix(kind, "Options"),
			!strings.Contains(string(of), "/"):
		// Not resources.
		case strings.HasPrefix(kind, "API"), kind == "Status", kind == "WatchEvent",
			kind == "Scale", kind == "Eviction", kind == "TokenRequest":
		case p.Scope(of) == configkit.ScopeUnknown:
			t.Errorf("%s has no scope", of)
		default:
			known++
		}
	}
	if known < 50 {
		t.Errorf("only %d types of Kubernetes were looked at", known)
	}
}
