package mutation_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/configkit/mutation/mutationtest"
)

const (
	baseDeployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: dev
spec:
  replicas: 2 # of three
  template:
    spec:
      containers:
      - name: app
        image: web:1.0
`
	baseService = `apiVersion: v1
kind: Service
metadata: {name: web, namespace: dev}
spec:
  ports:
  - port: 53
    protocol: UDP
  - port: 53
`
	baseSettings = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: dev}
data:
  text: |
    one
    two
    three
    four
`
	baseRoute = `apiVersion: traefik.io/v1alpha1
kind: IngressRoute
metadata: {name: public, namespace: dev}
spec:
  routes:
  - match: a
    weight: 100
  - match: b
    weight: 50
`
	baseArgs   = "        args: [--a, --b, --c]\n"
	baseEnv    = "        env:\n        - {name: A, value: a}\n        - {name: B, value: b}\n"
	proxy      = "      - name: proxy\n        image: envoy:1\n"
	baseVolume = "      volumes:\n      - name: cache\n        emptyDir: {}\n"
	separator  = "---\n"
)

// replaced returns text with parts replaced. pairs alternates old and new parts; the old ones must
// occur.
func replaced(t testing.TB, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("%q is not in\n%s", pairs[i], text)
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

// conflictLines returns each conflict as reason, name and path.
func conflictLines(list api.MutationConflictList) []string {
	var lines []string
	for _, c := range list {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf(
			"%s %s %s", c.Reason, c.Resource.ResourceNameWithoutScope, c.Path,
		)))
	}
	slices.Sort(lines)
	return lines
}

// addedMap begins a resource that both sides add.
const addedMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"

func TestMergeUnits(t *testing.T) {
	const container = "spec.template.spec.containers.?name="
	e := func(text string, pairs ...string) string { return replaced(t, text, pairs...) }
	protected := api.ResourceMutationList{{
		Resource: api.ResourceInfo{
			ResourceType: "apps/v1/Deployment", ResourceName: "dev/web",
		},
		ResourceMutationInfo: api.MutationInfo{MutationType: api.MutationTypeAdd},
		PathMutationMap: api.MutationMap{"spec.replicas": {
			MutationType: api.MutationTypeUpdate, Index: 7, Value: "2\n", Protected: true,
		}},
	}}
	byIndex := api.ResourceMutationList{protected[0]}
	byIndex[0].PathMutationMap = api.MutationMap{"spec.replicas": {
		MutationType: api.MutationTypeUpdate, Index: 7, Value: "2\n",
	}}
	ownImage := api.ResourceMutationList{byIndex[0]}
	ownImage[0].PathMutationMap = api.MutationMap{container + "proxy.image": {
		MutationType: api.MutationTypeUpdate, Index: 7, Value: "envoy:2\n",
	}}
	tests := []struct {
		name                 string
		base, source, target string
		want                 string // "" means the target
		conflicts            []string
		options              mutation.Options
	}{
		{
			name: "both change different values", base: baseDeployment,
			source: e(baseDeployment, "web:1.0", "web:1.1") + proxy,
			target: e(baseDeployment, "dev", "prod", "2 #", "5 #"),
			want:   e(baseDeployment, "dev", "prod", "2 #", "5 #", "web:1.0", "web:1.1") + proxy,
		},
		{
			name: "both change the same", base: baseDeployment,
			source: e(baseDeployment, "2 #", "3 #", "web:1.0", "web:1.1"),
			target: e(baseDeployment, "2 #", "5 #", "web:1.0", "web:1.0-hotfix"),
			conflicts: []string{
				"Subtracted web spec.replicas", "Subtracted web " + container + "app;@0.image",
			},
		},
		{
			name: "both make the same change", base: baseDeployment,
			source: e(baseDeployment, "2 #", "3 #", "web:1.0", "web:1.1"),
			target: e(baseDeployment, "2 #", "3 #"),
			want:   e(baseDeployment, "2 #", "3 #", "web:1.0", "web:1.1"),
		},
		{
			name: "the source wins", base: baseDeployment,
			source:  e(baseDeployment, "2 #", "3 #", "web:1.0", "web:1.1"),
			target:  e(baseDeployment, "2 #", "5 #", "web:1.0", "web:1.0-hotfix"),
			want:    e(baseDeployment, "2 #", "3 #", "web:1.0", "web:1.1"),
			options: mutation.Options{NoSubtraction: true},
		},
		{
			name: "a list without merge key grows on both sides", base: baseDeployment + baseArgs,
			source: baseDeployment + e(baseArgs, "--a, --b", "--new, --a"),
			target: baseDeployment + e(baseArgs, "--c", "--c, --mine"),
			want:   baseDeployment + e(baseArgs, "--a, --b, --c", "--new, --a, --c, --mine"),
		},
		{
			name:   "an element of a list without merge key",
			base:   baseDeployment + e(baseArgs, "--a, --b, --c", "--a=1, --b=1"),
			source: baseDeployment + e(baseArgs, "--a, --b, --c", "--a=1, --b=2"),
			target: baseDeployment + e(baseArgs, "--a, --b, --c", "--mine, --a=1, --b=1"),
			want:   baseDeployment + e(baseArgs, "--a, --b, --c", "--mine, --a=1, --b=2"),
		},
		{
			name: "keys are added on both sides", base: baseDeployment,
			source: e(
				baseDeployment, "spec:\n", "  annotations:\n    team: core\n    tier: web\nspec:\n",
			),
			target: e(
				baseDeployment, "spec:\n", "  annotations:\n    owner: me\n    tier: gold\nspec:\n",
			),
			want: e(
				baseDeployment, "spec:\n",
				"  annotations:\n    owner: me\n    tier: gold\n    team: core\nspec:\n",
			),
			conflicts: []string{"Subtracted web metadata.annotations.tier"},
		},
		{
			name: "an element that the target has changed is removed", base: baseDeployment + proxy,
			source: baseDeployment, target: baseDeployment + e(proxy, "envoy:1", "envoy:2"),
			want:      baseDeployment,
			conflicts: []string{"DeleteShadowed web " + container + "proxy;@1.image"},
		},
		{
			name: "null removes what the target has changed", base: baseDeployment,
			source: e(
				baseDeployment, "template:\n    spec:\n      containers:\n      - name: app\n"+
					"        image: web:1.0\n", "template: null\n",
			),
			target: baseDeployment + proxy,
			want: e(
				baseDeployment, "template:\n    spec:\n      containers:\n      - name: app\n"+
					"        image: web:1.0\n", "template: null\n",
			),
			conflicts: []string{"DeleteShadowed web " + container + "proxy;@1"},
		},
		{
			name: "elements are appended on both sides", base: baseDeployment,
			source: baseDeployment + proxy, target: baseDeployment + e(proxy, "proxy", "mine"),
			want: baseDeployment + proxy + e(proxy, "proxy", "mine"),
		},
		{
			name:      "a resource changes that the target has deleted",
			base:      baseDeployment + separator + baseService,
			source:    baseDeployment + separator + e(baseService, "port: 53", "port: 54"),
			target:    baseDeployment,
			conflicts: []string{"Subtracted web"},
		},
		{
			name:   "a resource is deleted that the target has moved",
			base:   baseDeployment + separator + baseService,
			source: baseDeployment,
			target: baseDeployment + separator + e(baseService, "dev", "prod"),
			want:   baseDeployment,
		},
		{
			name: "a protected path", base: baseDeployment,
			source:    e(baseDeployment, "2 #", "4 #", "web:1.0", "web:1.1"),
			target:    e(baseDeployment, "dev", "prod"),
			want:      e(baseDeployment, "dev", "prod", "web:1.0", "web:1.1"),
			conflicts: []string{"ProtectedPath web spec.replicas"},
			options:   mutation.Options{Protection: protected},
		},
		{
			name: "a path whose origin may not be overwritten", base: baseDeployment,
			source: e(baseDeployment, "2 #", "4 #"), target: baseDeployment,
			conflicts: []string{"ProtectedPath web spec.replicas"},
			options: mutation.Options{
				Protection:   byIndex,
				MayOverwrite: func(m api.MutationInfo) bool { return m.Index != 7 },
			},
		},
		{
			name:   "an element is deleted that has a protected value",
			base:   e(baseDeployment, "containers:\n", "containers:\n"+proxy),
			source: baseDeployment,
			target: e(
				baseDeployment, "containers:\n", "containers:\n"+e(proxy, "envoy:1", "envoy:2"),
			),
			conflicts: []string{"ProtectedPath web " + container + "proxy;@0"},
			options: mutation.Options{
				Protection:   ownImage,
				MayOverwrite: func(m api.MutationInfo) bool { return m.Index != 7 },
			},
		},
		{
			name: "both have added a resource", base: "",
			source: baseDeployment + separator + baseService,
			target: e(
				baseDeployment, "dev", "prod", "2 #", "5 #", "        image: web:1.0\n", "",
			),
			want:      e(baseDeployment, "dev", "prod", "2 #", "5 #") + separator + baseService,
			conflicts: []string{"BothAdded web metadata.namespace", "BothAdded web spec.replicas"},
		},
		{
			name: "both have added a resource with other values", base: "",
			source:    addedMap + "data:\n  a: \"1\"\n  b: \"2\"\n",
			target:    addedMap + "data:\n  a: \"9\"\n  z: \"0\"\n",
			want:      addedMap + "data:\n  a: \"9\"\n  z: \"0\"\n  b: \"2\"\n",
			conflicts: []string{"BothAdded settings data.a"},
		},
		{
			name: "both have deleted a resource", base: baseDeployment + separator + baseService,
			source: baseDeployment, target: baseDeployment,
		},
		{
			name:   "a resource is deleted that the target has changed",
			base:   baseDeployment + separator + baseService,
			source: baseDeployment,
			target: baseDeployment + separator + e(baseService, "port: 53", "port: 54"),
			want:   baseDeployment,
			conflicts: []string{
				"DeleteShadowed web spec.ports.?port=53,protocol=UDP;@0",
				"DeleteShadowed web spec.ports.?port=54,protocol=UDP;@0",
			},
		},
		{
			name: "lists without merge key of maps", base: baseRoute,
			source: e(baseRoute, "  - match: a\n    weight: 100\n", "", "50", "55"),
			target: e(baseRoute, "match: a", "match: down-a", "match: b", "match: down-b"),
			want: e(
				baseRoute, "  - match: a\n    weight: 100\n", "", "match: b", "match: down-b", "50",
				"55",
			),
			conflicts: []string{
				"DeleteShadowed public spec.routes.?~h=" + digestOf(`{"match":"a","weight":100}`) +
					";@0.match",
			},
		},
		{
			name: "merge keys of several fields", base: baseService,
			source: e(baseService, "UDP\n", "UDP\n    name: dns\n"),
			target: baseService + "    targetPort: 5353\n",
			want:   e(baseService, "UDP\n", "UDP\n    name: dns\n") + "    targetPort: 5353\n",
		},
		{
			name: "the lines of a text", base: baseSettings,
			source: e(baseSettings, "one", "1"), target: e(baseSettings, "four", "4"),
			want: e(baseSettings, "one", "1", "four", "4"),
		},
		{
			name: "the same lines of a text", base: baseSettings,
			source: e(baseSettings, "two", "2"), target: e(baseSettings, "two", "second"),
			conflicts: []string{"Subtracted settings data.text"},
		},
		{
			name: "a resource that the source has renamed", base: baseSettings,
			source: e(baseSettings, "settings", "limits", "one", "1"),
			target: e(baseSettings, "four", "4"),
			want:   e(baseSettings, "settings", "limits", "one", "1", "four", "4"),
		},
		{
			name: "an element that the source has renamed",
			base: e(baseDeployment, "web:1.0\n", "web:1.0\n"+baseEnv),
			source: e(
				baseDeployment, "name: app", "name: main", "web:1.0\n",
				"web:1.0\n"+e(baseEnv, "value: a", "value: b"),
			),
			target: e(baseDeployment, "web:1.0\n", "web:2.0\n"+baseEnv),
			want: e(
				baseDeployment, "name: app", "name: main", "web:1.0\n",
				"web:2.0\n"+e(baseEnv, "value: a", "value: b"),
			),
		},
		{
			name: "both have renamed an element",
			base: e(
				baseDeployment, "web:1.0\n",
				"web:1.0\n        env:\n        - {name: A, value: a}\n",
			),
			source: e(
				baseDeployment, "name: app", "name: main", "web:1.0\n",
				"web:1.0\n        env:\n        - {name: A, value: a}\n",
			),
			target: e(
				baseDeployment, "name: app", "name: shop", "web:1.0\n",
				"web:1.0\n        env:\n        - {name: A, value: a}\n",
			),
			conflicts: []string{"Subtracted web spec.template.spec.containers"},
		},
		{
			name: "orders of elements", base: baseDeployment + proxy + e(proxy, "proxy", "logs"),
			source: e(baseDeployment, "- name: app\n        image: web:1.0\n", "") +
				e(proxy, "      -", "-", "proxy", "logs") +
				e(proxy, "proxy", "app", "envoy:1", "web:1.0") + proxy,
			target: baseDeployment + e(proxy, "proxy", "mine") + proxy + e(proxy, "proxy", "logs"),
			want: e(baseDeployment, "- name: app\n        image: web:1.0\n", "") +
				e(proxy, "      -", "-", "proxy", "logs") +
				e(proxy, "proxy", "app", "envoy:1", "web:1.0") +
				e(proxy, "proxy", "mine") + proxy,
		},
		{
			name: "a path that the target has removed", base: baseDeployment + baseVolume,
			source: baseDeployment + e(baseVolume, "emptyDir: {}", "emptyDir: {medium: Memory}"),
			target: baseDeployment,
			conflicts: []string{
				"Subtracted web spec.template.spec.volumes.?name=cache;@0.emptyDir.medium",
			},
		},
		{
			name: "fields that exclude each other",
			base: baseDeployment + e(baseVolume, "emptyDir: {}", "readOnly: true"),
			source: baseDeployment +
				e(baseVolume, "emptyDir: {}", "readOnly: true\n        configMap: {name: a}"),
			target: baseDeployment +
				e(baseVolume, "emptyDir: {}", "readOnly: true\n        secret: {secretName: b}"),
			conflicts: []string{
				"ExclusiveWithheld web spec.template.spec.volumes.?name=cache;@0.configMap.name",
			},
		},
		{
			name: "a field that excludes one nobody has changed", base: baseDeployment + baseVolume,
			source: baseDeployment +
				e(baseVolume, "emptyDir: {}", "emptyDir: {}\n        configMap: {name: a}"),
			target: baseDeployment + baseVolume,
			want: baseDeployment +
				e(baseVolume, "emptyDir: {}", "configMap:\n          name: a"),
			conflicts: []string{
				"ExclusiveCleared web spec.template.spec.volumes.?name=cache;@0.emptyDir",
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			merged, err := mutation.Merge(
				mutationtest.Parse(t, test.base), mutationtest.Parse(t, test.source),
				mutationtest.Parse(t, test.target), k8skit.K8sResourceProvider, test.options,
			)
			if err != nil {
				t.Fatal(err)
			}
			want := test.want
			if want == "" {
				want = test.target
			}
			if diff := cmp.Diff(want, merged.Docs.String()); diff != "" {
				t.Error(diff)
			}
			slices.Sort(test.conflicts)
			if diff := cmp.Diff(test.conflicts, conflictLines(merged.Conflicts)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestArrayReordered checks that a list without merge keys keeps the target's value if both sides
// changed it and repeating the merge would change it again.
func TestArrayReordered(t *testing.T) {
	found := 0
	for seed := range 150 {
		m := mutationtest.NewMaker(uint64(seed))
		base := m.Unit()
		b, u, d := mutationtest.Text(t, base), mutationtest.Text(t, m.Variant(base, 6)),
			mutationtest.Text(t, m.Variant(base, 6))
		result, err := mutation.Merge(
			mutationtest.Parse(t, b), mutationtest.Parse(t, u), mutationtest.Parse(t, d),
			k8skit.K8sResourceProvider, mutation.Options{},
		)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range result.Conflicts {
			if c.Reason != api.ConflictArrayReordered {
				continue
			}
			found++
			if once := result.Docs.String(); merged(t, b, u, once) != once {
				t.Fatalf("seed %d: merging again changes it\n%s", seed, once)
			}
		}
	}
	if found == 0 {
		t.Error("no case has such a list")
	}
}

// digestOf returns the digest of a list element given as canonical JSON.
func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}

// TestMergeFindsEqualMovedValues checks that two equal values that the target moved are both found.
func TestMergeFindsEqualMovedValues(t *testing.T) {
	const head = "apiVersion: v1\nkind: A\nmetadata: {name: a}\nspec:\n"
	base := head + "  one: {x: 1, y: 2}\n  two: {x: 1, y: 2}\n"
	target := head + "  three: {x: 1, y: 2}\n  four: {x: 1, y: 2}\n"
	merged, err := mutation.Merge(
		mutationtest.Parse(t, base), mutationtest.Parse(t, head+"  other: 1\n"),
		mutationtest.Parse(t, target), k8skit.K8sResourceProvider,
		mutation.Options{KeepChanged: true, FindRenames: true},
	)
	if err != nil {
		t.Fatal(err)
	}
	moved := 0
	for _, c := range merged.Conflicts {
		if c.Target != nil && c.Target.MutationType == api.MutationTypeAdd {
			moved++
		}
	}
	if moved != 2 {
		t.Errorf("%d conflicts about moved values, want 2: %+v", moved, merged.Conflicts)
	}
}

// A resource that the target has renamed is found by its former names.
func TestMergeFollowsRecordedNames(t *testing.T) {
	renamed := replaced(t, baseDeployment, "name: web", "name: shop")
	sources := mutation.Add(nil, computed(t, "", baseDeployment, 1), k8skit.K8sResourceProvider)
	sources = mutation.Add(
		sources, computed(t, baseDeployment, renamed, 2), k8skit.K8sResourceProvider,
	)
	var units [3]gaby.Container
	for i, text := range []string{
		baseDeployment, replaced(t, baseDeployment, "web:1.0", "web:2.0"), renamed,
	} {
		t.Run(text, func(t *testing.T) {
			docs, err := gaby.ParseAll([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			units[i] = docs
		})
	}
	merged, err := mutation.Merge(
		units[0], units[1], units[2], k8skit.K8sResourceProvider,
		mutation.Options{Protection: sources},
	)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(
		replaced(t, renamed, "web:1.0", "web:2.0"), merged.Docs.String(),
	); diff != "" || len(merged.Conflicts) > 0 {
		t.Error(diff, merged.Conflicts)
	}
}
