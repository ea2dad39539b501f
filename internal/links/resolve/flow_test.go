package resolve_test

import (
	"testing"

	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/resolve"
)

// chain returns a world in which prod is a clone of staging, a clone of dev, each with a namespace of
// its own from a link.
func chain(t *testing.T) *world {
	w := newWorld(t)
	w.unit("dev", apiDeployment)
	for i, env := range []string{"dev", "staging", "prod"} {
		if i > 0 {
			w.clone(env, []string{"dev", "staging"}[i-1])
		}
		w.unit("ns-"+env, "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop-"+env+"}\n")
		w.link("ns-of-"+env, env, "ns-"+env, entity.UpdateNeedsProvides)
	}
	for _, env := range []string{"dev", "staging", "prod"} {
		w.resolve(env)
	}
	return w
}

// TestMergeLeavesValuesOfLinks checks that a value that a link wrote upstream does not flow into a
// clone, neither into what the clone has nor into what the merge adds.
func TestMergeLeavesValuesOfLinks(t *testing.T) {
	w := chain(t)
	in := func(env, replicas string) string {
		return replaceOnce(apiDeployment, "confighubplaceholder", "shop-"+env, "replicas: 1",
			"replicas: "+replicas)
	}
	w.has("dev", in("dev", "1"))
	w.has("prod", in("prod", "1"))
	w.replace("ns-dev", "shop-dev", "shop-new")
	w.replace("dev", "replicas: 1", "replicas: 2")
	w.edit("dev", string(w.units["dev"].Data)+"---\napiVersion: v1\nkind: Service\n"+
		"metadata: {name: api, namespace: confighubplaceholder}\n")
	service := func(env string) string {
		return "---\napiVersion: v1\nkind: Service\nmetadata: {name: api, namespace: shop-" + env + "}\n"
	}
	for _, env := range []string{"dev", "staging", "prod"} {
		w.resolve(env)
	}
	w.has("dev", in("new", "2")+service("new"))
	w.has("staging", in("staging", "2")+service("staging"))
	w.has("prod", in("prod", "2")+service("prod"))
	if n := len(w.units["prod"].Conflicts) + len(w.units["staging"].Conflicts); n > 0 {
		t.Error(n, "conflicts")
	}
}

// TestCloneHasPlaceholders checks that a clone begins without the values that links wrote.
func TestCloneHasPlaceholders(t *testing.T) {
	w := chain(t)
	data, err := resolve.CloneOf(w.executor, w.units["dev"].ToolchainType, w.units["dev"].Data,
		[]*entity.Link{w.links["ns-of-dev"]})
	if err != nil || string(data) != apiDeployment {
		t.Errorf("%v\n%s", err, data)
	}
}

// TestOriginOnly checks that with OriginOnly only changes that came from the origin of the upstream
// pass.
func TestOriginOnly(t *testing.T) {
	for _, only := range []bool{false, true} {
		w := chain(t)
		w.links["upgrade-prod"].OriginOnly = only
		w.replace("staging", "replicas: 1", "replicas: 7", "app: api}", "app: api, own: yes1}")
		w.replace("dev", "api:1.4", "api:1.5")
		w.resolve("staging")
		w.edit("staging", string(w.units["staging"].Data)+"---\n"+oneConfigMap)
		w.resolve("prod")
		want := replaceOnce(apiDeployment, "confighubplaceholder", "shop-prod", "api:1.4", "api:1.5")
		if !only {
			want = replaceOnce(want, "replicas: 1", "replicas: 7", "app: api}",
				"app: api, own: yes1}") + "---\n" +
				replaceOnce(oneConfigMap, "name: web", "name: web, namespace: shop-prod")
		}
		w.has("prod", want)
	}
}
