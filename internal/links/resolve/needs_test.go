package resolve_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/resolve"
)

const (
	openWeb = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: confighubplaceholder} # bound
---
apiVersion: v1
kind: Service
metadata:
  name: web
  namespace: confighubplaceholder
`
	shopNamespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"
)

// Example NP-1 of the specification.
func TestNeedsProvides(t *testing.T) {
	w := newWorld(t)
	w.unit("ns", shopNamespace)
	w.unit("web", openWeb)
	w.link("web-ns", "web", "ns", "")
	out := w.resolve("web")
	bound := strings.ReplaceAll(openWeb, "confighubplaceholder", "shop")
	w.has("web", bound)
	if w.pointers("web-ns") != "1/2" || len(out.Mutations) != 2 {
		t.Error(w.pointers("web-ns"), out.Mutations)
	}
	for _, m := range out.Mutations {
		if m.LinkID != "id-web-ns" || m.ProvidedResource.ResourceName != "/shop" ||
			m.ProvidedPath != "metadata.name" {
			t.Errorf("%+v", m)
		}
	}
	info := func(t api.ResourceType, name, short api.ResourceName) *api.ResourceInfo {
		return &api.ResourceInfo{
			ResourceType: t, ResourceName: name, ResourceNameWithoutScope: short,
			ResourceCategory: api.ResourceCategoryResource,
		}
	}
	binding := func(t api.ResourceType) entity.Binding {
		return entity.Binding{
			AttributeName: "resource-name", DataType: api.DataTypeString,
			ProvidedResource: info("v1/Namespace", "/shop", "shop"), ProvidedPath: "metadata.name",
			NeededResource: info(t, "shop/web", "web"), NeededPath: "metadata.namespace",
			AutoUpdate: true, OriginalValue: "confighubplaceholder", LastValue: "shop",
		}
	}
	if diff := cmp.Diff([]entity.Binding{
		binding("apps/v1/Deployment"), binding("v1/Service"),
	}, w.links["web-ns"].Bindings); diff != "" {
		t.Error(diff)
	}
	for i, m := range w.units["web"].Sources {
		if index := m.PathMutationMap["metadata.namespace"].Index; index != 2+i {
			t.Errorf("%s comes from mutation %d", m.Resource, index)
		}
	}
	// The namespace gets another name: that is an edit of the same resource.
	w.replace("ns", "shop", "shop2")
	w.resolve("web")
	w.has("web", strings.ReplaceAll(bound, "shop", "shop2"))
}

// Example NP-2: bindings that the user states.
func TestManualBindings(t *testing.T) {
	w := newWorld(t)
	w.unit("db", `apiVersion: v1
kind: Service
metadata: {name: db, namespace: shop}
spec:
  ports:
  - port: 5432
`)
	w.unit("web", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, namespace: shop}\n"+
		"data: {A: b}\n")
	l := w.link("web-db", "web", "db", entity.UpdateNeedsProvides)
	l.Bindings = []entity.Binding{{
		ProvidedResource: &api.ResourceInfo{ResourceType: "v1/Service", ResourceName: "shop/db"},
		ProvidedPath:     "spec.ports.0.port",
		NeededResource:   &api.ResourceInfo{ResourceType: "v1/ConfigMap", ResourceName: "shop/web"},
		NeededPath:       "data.DB_PORT",
	}}
	w.resolve("web")
	w.has("web", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, namespace: shop}\n"+
		"data: {A: b, DB_PORT: \"5432\"}\n")
	// It is written on every resolve, whatever is there.
	w.replace("web", "5432", "1")
	w.resolve("web")
	if !strings.Contains(string(w.units["web"].Data), `DB_PORT: "5432"`) {
		t.Error(string(w.units["web"].Data))
	}
	w.links["web-db"].Bindings[0].ProvidedPath = "spec.ports.1.port"
	w.fails(entity.CodeNoValue, "web")
	w.links["web-db"].Bindings[0].ProvidedPath = "metadata.name"
	w.links["web-db"].Bindings[0].DataType = api.DataTypeInt
	w.fails(entity.CodeCoerce, "web")
	w.links["web-db"].Bindings[0].ProvidedResource.ResourceName = "shop/other"
	w.fails(entity.CodeResourceNotFound, "web")
}

// Example NP-3: a placeholder in a longer text keeps its pattern.
func TestPartialPlaceholders(t *testing.T) {
	w := newWorld(t)
	w.unit("svc", oneService)
	w.unit("ing", `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec: {defaultBackend: {service: {name: confighubplaceholder-http, port: {number: 80}}}}
`)
	w.link("ing-svc", "ing", "svc", "")
	w.resolve("ing")
	if !strings.Contains(string(w.units["ing"].Data), "name: web-http,") {
		t.Error(string(w.units["ing"].Data))
	}
	w.replace("svc", "name: web", "name: api")
	w.resolve("ing")
	if !strings.Contains(string(w.units["ing"].Data), "name: api-http,") {
		t.Error(string(w.units["ing"].Data))
	}
}

// The table of 5.5: what happens to a binding on the next resolve.
func TestRebinding(t *testing.T) {
	const web = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: " +
		"confighubplaceholder}\n"
	in := func(ns string) string { return strings.ReplaceAll(web, "confighubplaceholder", ns) }
	start := func() *world {
		w := newWorld(t)
		w.unit("ns", shopNamespace)
		w.unit("web", web)
		w.link("web-ns", "web", "ns", "")
		w.resolve("web")
		w.has("web", in("shop"))
		return w
	}
	t.Run("an edited value is kept", func(t *testing.T) {
		w := start()
		w.edit("web", in("mine"))
		out := w.resolve("web")
		w.has("web", in("mine"))
		if b := w.links["web-ns"].Bindings[0]; !b.Overridden || b.LastValue != "shop" {
			t.Errorf("%+v", b)
		}
		if diff := cmp.Diff(
			[]entity.Code{entity.WarnOverridden}, warningCodes(out.Result.Warnings),
		); diff != "" {
			t.Error(diff)
		}
		w.replace("ns", "shop", "shop2")
		w.resolve("web")
		w.has("web", in("mine"))
		if _, err := w.try("web", resolve.Options{Force: true}); err != nil {
			t.Fatal(err)
		}
		w.has("web", in("shop2"))
		if w.links["web-ns"].Bindings[0].Overridden {
			t.Error("it is still overridden")
		}
	})
	t.Run("a placeholder again", func(t *testing.T) {
		w := start()
		w.edit("web", in("mine"))
		w.resolve("web")
		w.edit("web", web)
		w.resolve("web")
		w.has("web", in("shop"))
	})
	t.Run("the provider is gone", func(t *testing.T) {
		w := start()
		w.edit("ns", oneConfigMap)
		out := w.resolve("web")
		w.has("web", in("shop"))
		if len(w.links["web-ns"].Bindings) > 0 {
			t.Error(w.links["web-ns"].Bindings)
		}
		if diff := cmp.Diff(
			[]entity.Code{entity.WarnDangling}, warningCodes(out.Result.Warnings),
		); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("another provider", func(t *testing.T) {
		w := start()
		w.unit("ns2", strings.ReplaceAll(shopNamespace, "shop", "store"))
		w.link("zz", "web", "ns2", "")
		w.edit("ns", oneConfigMap)
		w.resolve("web")
		w.has("web", in("store"))
		if len(w.links["web-ns"].Bindings) != 0 || len(w.links["zz"].Bindings) != 1 {
			t.Error(w.links["web-ns"].Bindings, w.links["zz"].Bindings)
		}
	})
	t.Run("what needed it is gone", func(t *testing.T) {
		w := start()
		w.edit("web", oneConfigMap)
		w.resolve("web")
		if len(w.links["web-ns"].Bindings) > 0 {
			t.Error(w.links["web-ns"].Bindings)
		}
	})
}

func TestAmbiguousNeeds(t *testing.T) {
	const web = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: " +
		"confighubplaceholder}\n"
	w := newWorld(t)
	w.unit("a", shopNamespace)
	w.unit("b", strings.ReplaceAll(shopNamespace, "shop", "store"))
	w.unit("web", web)
	w.link("web-b", "web", "b", "")
	w.link("web-a", "web", "a", "")
	out := w.resolve("web")
	w.has("web", web)
	if diff := cmp.Diff(
		[]entity.Code{entity.WarnAmbiguous}, warningCodes(out.Result.Warnings),
	); diff != "" {
		t.Error(diff)
	}
	if _, err := w.try("web", resolve.Options{AmbiguousFirst: true}); err != nil {
		t.Fatal(err)
	}
	w.has("web", strings.ReplaceAll(web, "confighubplaceholder", "shop"))
	// Equal values are not ambiguous.
	w.edit("web", web)
	w.edit("b", shopNamespace)
	w.resolve("web")
	w.has("web", strings.ReplaceAll(web, "confighubplaceholder", "shop"))
	// What nothing provides is a warning.
	w.edit("web", strings.ReplaceAll(apiDeployment, "spec:\n      containers",
		"spec:\n      serviceAccountName: confighubplaceholder\n      containers"))
	out = w.resolve("web")
	if !slices.Contains(warningCodes(out.Result.Warnings), entity.WarnUnmatched) {
		t.Error(out.Result.Warnings)
	}
}

// Preferred properties decide between providers, and a better one takes over a binding.
func TestPreferredProviders(t *testing.T) {
	config := func(name string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + "}\n"
	}
	const web = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      volumes:
      - name: settings
        configMap: {name: confighubplaceholder}
`
	w := newWorld(t)
	w.unit("a", config("other"))
	w.unit("b", config("settings"))
	w.unit("web", web)
	w.link("web-a", "web", "a", "")
	w.resolve("web")
	w.has("web", strings.ReplaceAll(web, "confighubplaceholder", "other"))
	w.link("web-b", "web", "b", "")
	out := w.resolve("web", "web-b")
	w.has("web", strings.ReplaceAll(web, "confighubplaceholder", "settings"))
	if len(w.links["web-a"].Bindings) != 0 || len(w.links["web-b"].Bindings) != 1 ||
		len(out.Links) != 2 {
		t.Error(w.links["web-a"].Bindings, w.links["web-b"].Bindings)
	}
	if b := w.links["web-b"].Bindings[0]; b.OriginalValue != "confighubplaceholder" {
		t.Errorf("%+v", b)
	}
	// Both links together leave it there.
	w.resolve("web")
	w.has("web", strings.ReplaceAll(web, "confighubplaceholder", "settings"))
}

// A namespace that a resource is in, and kinds next to a reference, restrict providers.
func TestRequiredProperties(t *testing.T) {
	w := newWorld(t)
	w.unit("up", `apiVersion: v1
kind: Secret
metadata: {name: wrong, namespace: other}
---
apiVersion: v1
kind: Secret
metadata: {name: right, namespace: shop}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: set, namespace: shop}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: dep, namespace: shop}
`)
	w.unit("web", `apiVersion: v1
kind: ServiceAccount
metadata: {name: web, namespace: shop}
imagePullSecrets: [{name: confighubplaceholder}]
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: shop}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: StatefulSet, name: confighubplaceholderdb}}
`)
	w.link("l", "web", "up", "")
	w.resolve("web")
	got := string(w.units["web"].Data)
	if !strings.Contains(got, "[{name: right}]") || !strings.Contains(got, "name: set}") {
		t.Error(got)
	}
}

// 5.4: the unit itself comes first, and no resource provides for itself.
func TestSelfBindings(t *testing.T) {
	w := newWorld(t)
	const web = `apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: web, namespace: confighubplaceholder}
`
	w.unit("other", strings.ReplaceAll(shopNamespace, "shop", "other"))
	w.unit("web", web)
	w.link("l", "web", "other", "")
	if out, err := w.try("web", resolve.Options{NoSelf: true}); err != nil ||
		!strings.Contains(string(out.Data), "namespace: other") {
		t.Error(out, err)
	}
	w = newWorld(t)
	w.unit("web", web)
	out, err := w.try("web", resolve.Options{SelfOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	w.has("web", strings.ReplaceAll(web, "confighubplaceholder", "shop"))
	if len(out.SelfBindings) != 1 || len(out.Mutations) != 1 || out.Mutations[0].LinkID != "" ||
		out.Mutations[0].ProvidedResource.ResourceName != "/shop" {
		t.Errorf("%+v %+v", out.SelfBindings, out.Mutations)
	}
	w.replace("web", "name: shop", "name: store")
	if _, err := w.try("web", resolve.Options{SelfOnly: true}); err != nil {
		t.Fatal(err)
	}
	w.has("web", strings.ReplaceAll(strings.ReplaceAll(
		web, "confighubplaceholder", "store"), "name: shop", "name: store"))
}

// Links of NeedsOnly run only if something is open.
func TestNeedsOnly(t *testing.T) {
	w := newWorld(t)
	w.unit("ns", shopNamespace)
	w.unit("web", oneService)
	w.link("web-ns", "web", "ns", "")
	out, err := w.try("web", resolve.Options{NeedsOnly: map[string]bool{"id-web-ns": true}})
	if err != nil || len(out.Links) > 0 || len(out.Result.Links) > 0 {
		t.Errorf("%+v %v", out, err)
	}
	w.edit("web", openWeb)
	if out, err = w.try("web", resolve.Options{
		NeedsOnly: map[string]bool{"id-web-ns": true},
	}); err != nil || len(out.Links) != 1 || !out.Changed {
		t.Errorf("%+v %v", out, err)
	}
}

// The later phase wins, with a warning.
func TestDoubleWrites(t *testing.T) {
	w := profileWorld(t)
	w.replace("web", "namespace: shop", "namespace: confighubplaceholder")
	w.unit("ns", shopNamespace)
	w.link("web-ns", "web", "ns", "")
	l := w.links["web-profile"]
	l.DownstreamPaths = l.DownstreamPaths[:1]
	l.DownstreamPaths[0].Path = "metadata.namespace"
	l.DownstreamPaths[0].Expression, l.DownstreamPaths[0].Parameters = "mine", nil
	out, err := w.try("web", resolve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(w.units["web"].Data), "namespace: mine") ||
		!slices.Contains(warningCodes(out.Result.Warnings), entity.WarnDoubleWrite) {
		t.Error(string(w.units["web"].Data), out.Result.Warnings)
	}
}
