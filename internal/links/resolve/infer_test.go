package resolve_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/links/entity"
)

// shop returns units between which links are missing.
func shop(t *testing.T) *world {
	w := newWorld(t)
	w.unit("ns", shopNamespace)
	w.unit("crds", `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec: {group: example.com, names: {kind: Widget}}
`)
	w.unit("config", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n")
	w.unit("web", `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: confighubplaceholder}
spec:
  template:
    metadata: {labels: {app: web, tier: front}}
    spec:
      serviceAccountName: nobody
      volumes:
      - name: v
        configMap: {name: settings}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: w}
`)
	w.unit("svc", `apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {selector: {app: web}}
`)
	return w
}

func TestInfer(t *testing.T) {
	w := shop(t)
	found, err := w.graph().Infer()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range found.Proposals {
		got = append(got, p.From+" -> "+p.To+" "+string(p.UpdateType))
		got = append(got, p.Reasons...)
	}
	if diff := cmp.Diff([]string{
		"prod/svc -> prod/ns NeedsProvides",
		"metadata.namespace of v1/Service shop/web refers to shop",
		"prod/svc -> prod/web None",
		"v1/Service shop/web selects the pods of apps/v1/Deployment confighubplaceholder/web",
		"prod/web -> prod/config NeedsProvides",
		"spec.template.spec.volumes.?name=v.configMap.name of apps/v1/Deployment " +
			"confighubplaceholder/web refers to settings",
		"prod/web -> prod/crds None",
		"example.com/v1/Widget /w is defined by apiextensions.k8s.io/v1/CustomResourceDefinition " +
			"/widgets.example.com",
		"prod/web -> prod/ns NeedsProvides",
		"metadata.namespace of apps/v1/Deployment confighubplaceholder/web is a placeholder for " +
			"a v1/Namespace",
	}, got); diff != "" {
		t.Error(diff)
	}
	if len(found.Unmatched) != 1 || found.Unmatched[0].Value != "nobody" {
		t.Errorf("%+v", found.Unmatched)
	}
	// Links that exist, and those that would close a cycle, are not proposed.
	w.link("a", "web", "ns", "")
	w.link("b", "config", "web", entity.UpdateNone)
	if found, err = w.graph().Infer(); err != nil || len(found.Proposals) != 3 {
		t.Errorf("%+v %v", found.Proposals, err)
	}
}

func TestDoctor(t *testing.T) {
	w := shop(t)
	w.edit("svc", `apiVersion: v1
kind: Service
metadata:
  name: web
  namespace: shop
  labels: {app: {kubernetes: {io/name: web}}}
---
apiVersion: v1
kind: Service
metadata: {name: api, namespace: other}
`)
	l := w.link("a", "web", "ns", entity.UpdateTransformPaths)
	l.WhereResource, l.AutoUpdate = "metadata.name = 'nothing'", true
	to := entity.ResourceReference{ResourceType: "apps/v1/Deployment", ResourceName: "web"}
	l.DownstreamPaths = []entity.PathExpression{{
		Resource: to, Path: "spec.replicas", Expression: "{{.RevisionNum}}",
	}}
	l = w.link("b", "web", "config", entity.UpdateTransformPaths)
	l.DownstreamPaths = []entity.PathExpression{{Resource: to, Path: "spec.replicas"}}
	l.ResolvedHash = "x"
	l = w.link("c", "web", "config", entity.UpdateMergeUnits)
	l.WhereMutation, l.UpstreamLastMergedRevisionNum = "MergeSource = 'prod/gone'", 9
	l = w.link("d", "web", "config", entity.UpdateNeedsProvides)
	l.Bindings = []entity.Binding{{
		AutoUpdate:       true,
		ProvidedResource: &api.ResourceInfo{ResourceType: "v1/ConfigMap", ResourceName: "/gone"},
		ProvidedPath:     "metadata.name",
		NeededResource: &api.ResourceInfo{
			ResourceType: "apps/v1/Deployment",
			ResourceName: "web",
		},
		NeededPath: "spec.template.spec.volumes.?name=v.configMap.name",
	}}
	found, err := w.graph().Doctor(context.Background(), w.graph().Units)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range found {
		got = append(got, s.ID+" "+s.Unit+" "+s.Link+" "+s.Path)
	}
	if diff := cmp.Diff([]string{
		"dotted-key prod/svc  metadata.labels.app",
		"mixed-namespaces prod/svc  metadata.namespace",
		"left-placeholder prod/web  metadata.namespace",
		"two-writers prod/web prod/b spec.replicas",
		"empty-filter prod/web prod/a ",
		"unstable-context prod/web prod/a ",
		"never-changed prod/web prod/b ",
		"unknown-unit prod/web prod/c ",
		"missing-merge-base prod/web prod/c ",
		"dangling-binding prod/web prod/d metadata.name",
	}, got); diff != "" {
		t.Error(diff)
	}
}
