package k8skit_test

import (
	"archive/zip"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/k8skit"
)

// TestOperatorsAgree checks that the entries of types do not contradict the
// CustomResourceDefinitions of operators: the merge keys of a list are those of its definition,
// which may also say that it has none, and the scope is the same.
func TestOperatorsAgree(t *testing.T) {
	z, err := zip.OpenReader("../../internal/knowledge/schemas/operators.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = z.Close() }()
	provider := k8skit.New()
	for _, f := range z.File {
		kind := strings.TrimSuffix(f.Name, ".json")
		group, name, ok := strings.Cut(kind, "/")
		if !ok {
			continue // not a definition
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		var definition struct {
			Scope    configkit.Scope
			Versions map[string]any
		}
		err = json.NewDecoder(r).Decode(&definition)
		_ = r.Close()
		if err != nil {
			t.Fatal(err)
		}
		for version, schema := range definition.Versions {
			if same, ok := schema.(string); ok {
				schema = definition.Versions[same]
			}
			of := api.ResourceType(group + "/" + version + "/" + name)
			// The types of kustomize have no scope: no cluster has them.
			if scope := provider.Scope(of); scope != definition.Scope && definition.Scope != "" {
				t.Errorf("%s is %s, not %s", of, definition.Scope, scope)
			}
			agree(t, provider.Registry.MergeKeys(of), schema, string(of)+" ")
		}
	}
}

// agree compares merge keys with those in a schema.
func agree(t *testing.T, keys *configkit.MergeKeyTree, schema any, path string) {
	t.Helper()
	of, ok := schema.(map[string]any)
	if !ok || keys == nil {
		return
	}
	if len(keys.Keys) > 0 {
		var want []string
		all, _ := of["x-kubernetes-list-map-keys"].([]any)
		for _, key := range all {
			want = append(want, key.(string))
		}
		// The entry of pods has keys for these lists, although Kubernetes replaces them as a whole.
		known := regexp.MustCompile(`\.(resizePolicy|readinessGates|sysctls)$`).MatchString(path) ||
			// Tekton's webhook refuses lists with a name twice, which servers replace as a whole.
			strings.HasPrefix(path, "tekton.dev/") && slices.Equal(keys.Keys, []string{"name"})
		if of["x-kubernetes-list-type"] != nil && !slices.Equal(want, keys.Keys) && !known {
			t.Errorf("%s has the merge keys %q, but its definition %v %q", path, keys.Keys,
				of["x-kubernetes-list-type"], want)
		}
	}
	fields, _ := of["properties"].(map[string]any)
	for name, schema := range fields {
		agree(t, keys.Child(name), schema, path+"."+name)
	}
	agree(t, keys.Child("*"), of["items"], path+".*")
	agree(t, keys.Child("*"), of["additionalProperties"], path+".*")
}
