package schemas_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
)

func TestResourceIndex(t *testing.T) {
	input := func(of, namespace, name string) schemas.InputResource {
		return schemas.InputResource{ResourceInfo: api.ResourceInfo{
			ResourceType: api.ResourceType(of), ResourceName: api.ResourceName(namespace + "/" + name),
			ResourceNameWithoutScope: api.ResourceName(name),
		}}
	}
	all := []schemas.InputResource{
		input("v1/Secret", "shop", "keys"), input("v1/Secret", "", "loose"),
		input("apps/v1/Deployment", "shop", "web"), input("apps/v1beta1/Deployment", "test", "web"),
		input("batch/v1/Job", "jobs", ""),
	}
	for i := range 200 {
		all = append(all, input("v1/ConfigMap", "many", fmt.Sprintf("map-%03d", i)))
	}
	x := schemas.IndexResources(all)
	for _, c := range []struct {
		kind, namespace, name string
		want                  bool
	}{
		{"Secret", "shop", "keys", true},
		{"Secret", "test", "keys", false},
		{"Secret", "", "keys", true},      // the namespace is not known
		{"Secret", "test", "loose", true}, // that of the resource is not
		{"apps/Deployment", "test", "web", true},
		{"Deployment", "test", "web", false},
		{"batch/Job", "jobs", "", false},
	} {
		if x.Has(c.kind, c.namespace, c.name) != c.want {
			t.Errorf("%+v: %v", c, !c.want)
		}
	}
	if n := len(x.In("apps/Deployment", schemas.Anywhere, "web")); n != 2 {
		t.Errorf("%d Deployments are called web, want 2", n)
	}
	if !x.HasKind("batch/Job") || x.HasKind("Job") || !x.HasNamespace("jobs") {
		t.Error("a resource without a name has a kind and a namespace")
	}
	near := x.NamesNear("ConfigMap", "many", "map-1100")
	if len(near) > 100 || !slices.Contains(near, "map-110") || slices.Contains(near, "map-000") {
		t.Errorf("near are %v", near)
	}
}
