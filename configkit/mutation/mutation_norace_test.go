//go:build !race

package mutation_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/configkit/mutation/mutationtest"
)

// TestPatchMutations applies mutations as other programs write them, with indexes, to units other
// than the ones they were made from.
func TestPatchMutations(t *testing.T) {
	unit := baseDeployment + replaced(t, baseArgs, "--c", "--c, --b") + proxy + separator +
		baseService
	add := func(value string) api.MutationInfo {
		return api.MutationInfo{MutationType: api.MutationTypeAdd, Value: value}
	}
	update := func(value string) api.MutationInfo {
		return api.MutationInfo{MutationType: api.MutationTypeUpdate, Value: value}
	}
	remove := api.MutationInfo{MutationType: api.MutationTypeDelete}
	const containers = "spec.template.spec.containers"
	tests := []struct {
		name       string
		mutation   api.ResourceMutation
		protection api.MutationMap
		want       string
		conflicts  []string
	}{
		{
			"an index",
			api.ResourceMutation{
				PathMutationMap: api.MutationMap{containers + ".1.image": update("envoy:2")},
			},
			nil, replaced(t, unit, "envoy:1", "envoy:2"), nil,
		},
		{
			"an element with another index",
			api.ResourceMutation{PathMutationMap: api.MutationMap{
				containers + ".?name=proxy;@0.image": update("envoy:2"),
			}},
			nil, replaced(t, unit, "envoy:1", "envoy:2"), nil,
		},
		{
			"a missing element",
			api.ResourceMutation{PathMutationMap: api.MutationMap{
				containers + ".?name=logs;@0.image": update("logs:2"),
			}},
			nil, unit,
			[]string{"UnresolvedPath web " + containers + ".?name=logs;@0.image"},
		},
		{
			"an element that is appended",
			api.ResourceMutation{PathMutationMap: api.MutationMap{
				containers + ".?name=logs;@0": add("name: logs\nimage: logs:1 # new"),
			}},
			nil,
			replaced(t, unit, proxy, proxy+"      - name: logs\n        image: logs:1 # new\n"),
			nil,
		},
		{
			"an element that is removed",
			api.ResourceMutation{
				PathMutationMap: api.MutationMap{containers + ".?name=proxy;@0": remove},
			},
			nil, replaced(t, unit, proxy, ""), nil,
		},
		{
			"one of equal elements",
			api.ResourceMutation{PathMutationMap: api.MutationMap{
				containers + ".?name=app;@0.args.?~h=" + api.ResolvedPath(digestOf(`"--b"`)) +
					",~o=1;@9": update("--x"),
			}},
			nil, replaced(t, unit, "--c, --b", "--c, --x"), nil,
		},
		{
			"an element with another digest",
			api.ResourceMutation{PathMutationMap: api.MutationMap{
				containers + ".?name=app;@0.args.?~h=00000000;@1": update("--x"),
			}},
			nil, unit,
			[]string{"UnresolvedPath web " + containers + ".?name=app;@0.args.?~h=00000000;@1"},
		},
		{"elements are added and removed", api.ResourceMutation{PathMutationMap: api.MutationMap{
			containers + ".?name=app;@0.args.?~h=" + api.ResolvedPath(digestOf(`"--a"`)) +
				";@0": remove,
			containers + ".?name=app;@0.args.?~h=+00000000;@1": add("--new"),
		}}, nil, replaced(t, unit, "--a, --b", "--b, --new"), nil},
		{
			"an order",
			api.ResourceMutation{
				ArrayOrders: map[api.ResolvedPath][]string{containers: {"proxy", "nobody", "app"}},
			},
			nil, replaced(t, unit, proxy, "", "containers:\n", "containers:\n"+proxy), nil,
		},
		{"a new key", api.ResourceMutation{
			ArrayElementAliases: map[api.ResolvedPath]map[string]string{
				containers: {"proxy": "mesh"},
			},
			PathMutationMap: api.MutationMap{
				containers + ".?name=proxy;@1.image": update("envoy:2"),
			},
		}, nil, replaced(t, unit, "proxy", "mesh", "envoy:1", "envoy:2"), nil},
		{
			"a new name that another element has",
			api.ResourceMutation{ArrayElementAliases: map[api.ResolvedPath]map[string]string{
				containers: {"proxy": "app"},
			}},
			nil, unit,
			[]string{"UnresolvedPath web " + containers},
		},
		{
			"a key that has changed already",
			api.ResourceMutation{ArrayElementAliases: map[api.ResolvedPath]map[string]string{
				containers: {"old": "proxy"},
			}},
			nil, unit, nil,
		},
		{
			"a map is merged",
			api.ResourceMutation{
				PathMutationMap: api.MutationMap{"metadata": update("labels: {a: b}\nname: web")},
			},
			nil, replaced(t, unit, "namespace: dev\n", "namespace: dev\n  labels:\n    a: b\n"),
			nil,
		},
		{
			"a map is replaced",
			api.ResourceMutation{PathMutationMap: api.MutationMap{"spec.template": {
				MutationType: api.MutationTypeReplace, Value: "spec: {}",
			}}},
			nil, replaced(t, unit, unit[strings.Index(unit, "  template:"):strings.Index(unit,
				"---")], "  template:\n    spec: {}\n"), nil,
		},
		{
			"a path through missing maps",
			api.ResourceMutation{PathMutationMap: api.MutationMap{"metadata.labels.a": add("b")}},
			nil, replaced(t, unit, "namespace: dev\n", "namespace: dev\n  labels:\n    a: b\n"),
			nil,
		},
		{
			"a path through a scalar",
			api.ResourceMutation{
				PathMutationMap: api.MutationMap{"metadata.labels.a": update("b")},
			},
			nil, unit,
			[]string{"UnresolvedPath web metadata.labels.a"},
		},
		{
			"comments of other programs",
			api.ResourceMutation{
				PathMutationMap: api.MutationMap{"spec.$comment$line$replicas": update("x")},
			},
			nil, unit, nil,
		},
		{
			"a protected path and one below it",
			api.ResourceMutation{PathMutationMap: api.MutationMap{
				"spec.replicas": update("9"), "spec.template.x": add("1"), "spec.z": add("1"),
			}},
			api.MutationMap{"spec.replicas": {Protected: true}, "spec.template": {Protected: true}},
			replaced(t, unit, separator, "  z: 1\n"+separator),
			[]string{"ProtectedPath web spec.replicas", "ProtectedPath web spec.template.x"},
		},
		{
			"around a protected path",
			api.ResourceMutation{PathMutationMap: api.MutationMap{
				"metadata": update("namespace: prod\nname: web\nlabels: {a: b}"),
			}},
			api.MutationMap{"metadata.namespace": {Protected: true}},
			replaced(t, unit, "namespace: dev\n", "namespace: dev\n  labels:\n    a: b\n"),
			[]string{"ProtectedPath web metadata.namespace"},
		},
		{
			"an element by another name",
			api.ResourceMutation{PathMutationMap: api.MutationMap{
				containers + ".?name=app;@0.image": update("web:2"),
			}},
			api.MutationMap{containers + ".0.image": {Protected: true}},
			unit,
			[]string{"ProtectedPath web " + containers + ".?name=app;@0.image"},
		},
		{
			"the resource is deleted",
			api.ResourceMutation{ResourceMutationInfo: remove},
			nil,
			separator + baseService, nil,
		},
		{
			"the resource is replaced",
			api.ResourceMutation{ResourceMutationInfo: api.MutationInfo{
				MutationType: api.MutationTypeReplace,
				Value:        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n",
			}},
			nil,
			"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n" + separator +
				baseService,
			nil,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.mutation.Resource = api.ResourceInfo{
				ResourceType: "apps/v1/Deployment", ResourceName: "dev/web",
			}
			if test.mutation.ResourceMutationInfo.MutationType == "" {
				test.mutation.ResourceMutationInfo.MutationType = api.MutationTypeUpdate
			}
			var protection api.ResourceMutationList
			if test.protection != nil {
				protection = api.ResourceMutationList{{
					Resource: test.mutation.Resource, PathMutationMap: test.protection,
				}}
			}
			docs, conflicts, err := mutation.Patch(
				mutationtest.Parse(t, unit), protection, api.ResourceMutationList{test.mutation},
				nil, k8skit.K8sResourceProvider,
			)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, docs.String()); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(test.conflicts, conflictLines(conflicts)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestPatchWithoutOwnChanges checks that recorded changes of the target itself are subtracted from
// the patch.
func TestPatchWithoutOwnChanges(t *testing.T) {
	const containers = "spec.template.spec.containers"
	base := baseDeployment + baseEnv + proxy
	rename := func(name string) string {
		return replaced(t, baseDeployment, "name: app", "name: "+name) + baseEnv + proxy
	}
	tests := []struct {
		name, source, target, want string
		conflicts                  []string
	}{
		{
			"another value", replaced(t, base, "2 #", "3 #"),
			replaced(t, base, "envoy:1", "envoy:2"),
			replaced(t, base, "2 #", "3 #", "envoy:1", "envoy:2"), nil,
		},
		{
			"the same value", replaced(t, base, "2 #", "3 #"), replaced(t, base, "2 #", "4 #"), "",
			[]string{"Subtracted web spec.replicas"},
		},
		{
			"both rename an element", rename("main"), rename("shop"), "",
			[]string{"Subtracted web " + containers},
		},
		{"both give an element the same name", rename("main"), rename("main"), "", nil},
		{
			"a renamed element changes", replaced(t, base, "value: a", "value: c"), rename("shop"),
			replaced(t, rename("shop"), "value: a", "value: c"), nil,
		},
		{
			"a renamed element has moved",
			replaced(t, base, proxy, "", "containers:\n", "containers:\n"+proxy), rename("shop"),
			replaced(t, rename("shop"), proxy, "", "containers:\n", "containers:\n"+proxy), nil,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			docs, conflicts, err := mutation.Patch(
				mutationtest.Parse(t, test.target), nil, computed(t, base, test.source, 0),
				computed(t, base, test.target, 0), k8skit.K8sResourceProvider,
			)
			if err != nil {
				t.Fatal(err)
			}
			want := test.want
			if want == "" {
				want = test.target
			}
			if diff := cmp.Diff(want, docs.String()); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(test.conflicts, conflictLines(conflicts)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
