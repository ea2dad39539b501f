package functions_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
)

const shop = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  labels: {}
spec:
  replicas: 3 # three
  strategy:
    type: RollingUpdate
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: web
        image: nginx:1
        args: [--verbose=1, --port=80, --verbose=1]
        env:
        - {name: MODE, value: fast}
        - {name: LEVEL, value: "1"}
        resources: {}
      - name: proxy
        image: envoy:1
        ports:
        - containerPort: 53
          protocol: UDP
        - containerPort: 53
---
# what is configured
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: shop
data:
  level: "1"
  text: |
    one
    two
    three
---
apiVersion: traefik.io/v1alpha1
kind: IngressRoute
metadata: {name: public, namespace: shop}
spec:
  routes:
  - match: Host(a)
    services: [{name: web, weight: 1}, {name: proxy, weight: 2}]
  - match: Host(b)
    services: []
---
just: notes
`

// mutate runs a chain and returns the result, with its mutations. Function and arguments are
// separated by blanks.
func mutate(t testing.TB, data string, keep bool, chain ...string) *handler.Result {
	t.Helper()
	var invocations api.FunctionInvocationList
	for _, text := range chain {
		parsed, err := handler.ParseChain(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		invocations = append(invocations, parsed...)
	}
	response, err := standard.Run(context.Background(), &api.FunctionInvocationRequest{
		ConfigData: []byte(data), FunctionInvocations: invocations, RecordMutations: true,
		StopOnError: !keep,
	}, handler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return response
}

var standard = functions.NewStandardExecutor()

// entries formats mutations as lines: resource, path, type, index and value.
func entries(list api.ResourceMutationList) []string {
	var all []string
	for _, m := range list {
		if len(m.PathMutationMap) == 0 {
			all = append(all, fmt.Sprintf(
				"%s %s %d", m.Resource.ResourceNameWithoutScope,
				m.ResourceMutationInfo.MutationType, m.ResourceMutationInfo.Index,
			))
		}
		var paths []string
		for path, info := range m.PathMutationMap {
			paths = append(paths, fmt.Sprintf(
				"%s %s %s %d %s", m.Resource.ResourceNameWithoutScope, path, info.MutationType,
				info.Index, strings.TrimSuffix(info.Value, "\n"),
			))
		}
		slices.Sort(paths)
		all = append(all, paths...)
	}
	return all
}

func TestMutations(t *testing.T) {
	settings, err := json.Marshal(api.ResourceList{{
		ResourceInfo: api.ResourceInfo{ResourceType: "v1/ConfigMap", ResourceName: "shop/settings"},
		ResourceBody: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: " +
			"shop}\ndata:\n  text: \"one\\ntwo\\nthree\\n\"\n  level: \"1\"\n",
	}})
	if err != nil {
		t.Fatal(err)
	}
	const image = "web spec.template.spec.containers.?name=web;@0.image"
	tests := []struct {
		name     string
		chain    []string
		keep     bool
		want     []string
		mutators []int
	}{
		{"nothing", []string{"get-replicas"}, false, nil, nil},
		{"the same value", []string{"set-replicas 3"}, false, nil, nil},
		{
			"one function",
			[]string{"set-replicas 5"},
			false,
			[]string{"web spec.replicas Update 0 5"},
			[]int{0},
		},
		{
			"a comment",
			[]string{"set-path-comment apps/v1/Deployment spec.replicas other"},
			false,
			nil, nil,
		},
		{
			"a chain",
			[]string{"get-replicas", "set-replicas 5", "set-container-image web nginx:2"},
			false,
			[]string{"web spec.replicas Update 1 5", image + " Update 2 nginx:2"},
			[]int{1, 2},
		},
		{
			"the last one counts",
			[]string{"set-replicas 5", "set-replicas 6"},
			false,
			[]string{"web spec.replicas Update 1 6"},
			[]int{0, 1},
		},
		{"changed back", []string{"set-replicas 5", "set-replicas 3"}, false, nil, []int{0, 1}},
		{
			"changed back in between",
			[]string{"set-replicas 5", "set-container-image web nginx:2", "set-replicas 3"},
			false,
			[]string{image + " Update 1 nginx:2"},
			[]int{0, 1, 2},
		},
		{
			"a failed function",
			[]string{
				"set-replicas 5", "set-starlark 'r[\"spec\"][\"replicas\"] = 7\nfail(\"no\")'",
				"set-container-image web nginx:2",
			},
			true,
			[]string{"web spec.replicas Update 0 5", image + " Update 2 nginx:2"},
			[]int{0, 2},
		},
		{"an empty map filled", []string{"set-label tier front"}, false, []string{
			"web metadata.labels Update 0 tier: front", "settings metadata.labels.tier Add 0 front",
			"public metadata.labels.tier Add 0 front",
		}, []int{0}},
		{
			"a map emptied",
			[]string{"delete-path apps/v1/Deployment spec.strategy.type"},
			false,
			[]string{"web spec.strategy Update 0 {}"},
			[]int{0},
		},
		{
			"a new map",
			[]string{"set-path spec.template.metadata.annotations '{a: 1, b: {c: 2}}'"},
			false,
			[]string{
				"web spec.template.metadata.annotations.a Add 0 1",
				"web spec.template.metadata.annotations.b.c Add 0 2",
			},
			[]int{0},
		},
		{
			"a resource gone",
			[]string{"delete-resource v1/ConfigMap settings"},
			false,
			[]string{"settings Delete 0"},
			[]int{0},
		},
		{"gone and back", []string{
			"delete-resource v1/ConfigMap settings",
			"upsert-resource '" + string(settings) + "' v1/ConfigMap settings",
		}, false, nil, []int{0, 1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			response := mutate(t, shop, test.keep, test.chain...)
			if diff := cmp.Diff(test.want, entries(response.Mutations)); diff != "" {
				t.Errorf("%s\n%v", diff, response.ErrorMessages)
			}
			if diff := cmp.Diff(test.mutators, response.Mutators); diff != "" {
				t.Error("mutators", diff)
			}
			reported := slices.ContainsFunc(response.Notes, func(n api.Note) bool {
				return strings.HasPrefix(n.Message, "no value changed")
			})
			if want := test.name == "a comment" || test.name == "gone and back"; reported != want {
				t.Error("the note that no value has changed", reported)
			}
			if response.HasNewMutations != (len(test.want) > 0) {
				t.Error("HasNewMutations", response.HasNewMutations)
			}
		})
	}
}

// TestAppended checks that Appended marks the list orders that need not be shown to people: no
// element moved, and new ones are at the end.
func TestAppended(t *testing.T) {
	const list = "spec.template.spec.containers"
	for chain, want := range map[string]bool{
		"set-path " + list + ".?name=web.name main":     true,
		"delete-path apps/v1/Deployment " + list + ".0": true,
		"set-starlark 'if \"replicas\" in r.get(\"spec\", {}): " +
			"r[\"spec\"][\"template\"][\"spec\"][\"containers\"].append({\"name\": \"last\"})'": true,
		"set-starlark 'if \"replicas\" in r.get(\"spec\", {}): " +
			"r[\"spec\"][\"template\"][\"spec\"][\"containers\"].insert(1, {\"name\": \"mid\"})'": false,
		"set-starlark 'if \"replicas\" in r.get(\"spec\", {}): " +
			"r[\"spec\"][\"template\"][\"spec\"][\"containers\"] = " +
			"reversed(r[\"spec\"][\"template\"][\"spec\"][\"containers\"])'": false,
	} {
		t.Run(chain, func(t *testing.T) {
			m := mutate(t, shop, false, chain).Mutations
			if len(m) != 1 || len(m[0].ArrayOrders[list]) == 0 || m[0].Appended[list] != want {
				t.Errorf("%s: %+v", chain, m)
			}
		})
	}
}

// TestMutationsOfLists checks that elements of lists without merge keys are followed through the
// chain, so that each change names the last function that made it.
func TestMutationsOfLists(t *testing.T) {
	const thing = "apiVersion: v1\nkind: Thing\nmetadata: {name: a}\nspec:\n  list: [a, b, c]\n" +
		"  objects:\n  - {x: 1, y: 1}\n  - {x: 2, y: 2}\n"
	front := "set-starlark 'r[\"spec\"][\"list\"] = [\"front\"] + r[\"spec\"][\"list\"]'"
	tests := []struct {
		name  string
		chain []string
		want  []string // index of the function, segment, type and value
	}{
		{
			"twice",
			[]string{"set-path spec.list.0 other", "set-path spec.list.0 third"},
			[]string{"list ;@0 Update 1 third"},
		},
		{
			"two fields of one",
			[]string{"set-path spec.objects.0.x 5", "set-path spec.objects.0.y 7"},
			[]string{"objects ;@0.x Update 0 5", "objects ;@0.y Update 1 7"},
		},
		{
			"changed, moved, changed",
			[]string{"set-path spec.list.1 q", front, "set-path spec.list.2 z"},
			[]string{"list ;@0 Add 1 front", "list ;@1 Update 2 z"},
		},
		{
			"changed, moved",
			[]string{"set-path spec.list.1 q", front},
			[]string{"list ;@0 Add 1 front", "list ;@1 Update 0 q"},
		},
		{
			"moved, another changed",
			[]string{front, "set-path spec.list.1 z"},
			[]string{"list ;@0 Add 0 front", "list ;@0 Update 1 z"},
		},
		{
			"new, changed",
			[]string{front, "set-path spec.list.0 other"},
			[]string{"list ;@0 Add 1 other"},
		},
		{
			"changed, gone",
			[]string{"set-path spec.list.2 q", "delete-path v1/Thing spec.list.2"},
			[]string{"list ;@2 Delete 1 c"},
		},
		{
			"gone, the next one changed",
			[]string{"delete-path v1/Thing spec.objects.0", "set-path spec.objects.0.y 9"},
			[]string{"objects ;@0 Delete 0 {x: 1, y: 1}", "objects ;@1.y Update 1 9"},
		},
		{
			"one gone after the other",
			[]string{"delete-path v1/Thing spec.list.0", "delete-path v1/Thing spec.list.0"},
			[]string{"list ;@0 Delete 0 a", "list ;@1 Delete 1 b"},
		},
		{
			"all gone",
			[]string{"set-path spec.list.0 x", "set-path spec.list '[]'", "set-path spec.other 1"},
			[]string{
				"list ;@0 Delete 1 a", "list ;@1 Delete 1 b", "list ;@2 Delete 1 c",
				"other Add 2 1",
			},
		},
	}
	digest := regexp.MustCompile(`\.\?~h=[^;]*`)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var have []string
			for _, e := range entries(mutate(t, thing, false, test.chain...).Mutations) {
				have = append(have, strings.TrimPrefix(digest.ReplaceAllString(e, " "), "a spec."))
			}
			slices.Sort(have)
			if diff := cmp.Diff(test.want, have); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestMutationsNameTheLastChange compares the functions named in the mutations with those that
// changed the values. The chains are random, but leave all elements at their indexes.
func TestMutationsNameTheLastChange(t *testing.T) {
	const container = "spec.template.spec.containers.?name=web."
	original := map[string]string{
		"spec.replicas": "3", container + "args.0": "--verbose=1",
		container + "args.2": "--verbose=1", container + "image": "nginx:1",
		"spec.rules.0.match": "x", "spec.rules.0.services.1.weight": "2", "spec.rules.1.match": "x",
	}
	places := slices.Sorted(maps.Keys(original))
	data := shop[:strings.Index(shop, "---\n")] +
		"  rules:\n  - {match: x, services: [{weight: 1}, {weight: 2}]}\n" +
		"  - {match: x, services: []}\n"
	indexes := regexp.MustCompile(`;@\d+`)
	element := regexp.MustCompile(`\?~h=[^;]*;@(\d+)`)
	for seed := range 300 {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		values, last := maps.Clone(original), map[string]int{}
		var chain []string
		for step := range 2 + r.IntN(5) {
			place := places[r.IntN(len(places))]
			value := []string{"two", "nginx:1", "other", "x"}[r.IntN(4)]
			if strings.HasSuffix(place, "replicas") || strings.HasSuffix(place, "weight") {
				value = strconv.Itoa(r.IntN(4))
			}
			chain = append(chain, fmt.Sprintf("set-path %s %s", place, value))
			if values[place] != value {
				values[place], last[place] = value, step
			}
		}
		var want, have []string
		for place, value := range values {
			if value != original[place] {
				want = append(want, fmt.Sprintf("%s %d %s", place, last[place], value))
			}
		}
		for _, m := range mutate(t, data, false, chain...).Mutations {
			for path, info := range m.PathMutationMap {
				place := indexes.ReplaceAllString(element.ReplaceAllString(string(path), "$1"), "")
				have = append(have, fmt.Sprintf(
					"%s %d %s", place, info.Index, strings.TrimSuffix(info.Value, "\n"),
				))
			}
		}
		slices.Sort(want)
		slices.Sort(have)
		if diff := cmp.Diff(want, have); diff != "" {
			t.Fatalf("seed %d: %s\n%s", seed, strings.Join(chain, "\n"), diff)
		}
	}
}

// TestMutationsAreRecordedOnlyWhenAskedFor checks that mutations, which are expensive to record,
// are recorded on request only.
func TestMutationsAreRecordedOnlyWhenAskedFor(t *testing.T) {
	response, err := standard.Run(context.Background(), &api.FunctionInvocationRequest{
		ConfigData: []byte(shop),
		FunctionInvocations: api.FunctionInvocationList{{
			FunctionName: "set-replicas", Arguments: []api.FunctionArgument{{Value: 5}},
		}},
	}, handler.Options{})
	if err != nil || response.Mutations != nil || response.Mutators != nil ||
		!response.HasNewMutations {
		t.Error(err, response.Mutations, response.Mutators, response.HasNewMutations)
	}
}

// TestMutationsOfParts checks that splitting a unit into parts does not change its mutations.
func TestMutationsOfParts(t *testing.T) {
	var b strings.Builder
	for i := range 2000 {
		if i > 0 {
			b.WriteString("---\n")
		}
		b.WriteString(strings.ReplaceAll(
			shop[:strings.Index(shop, "---\n")], "name: web\n  namespace",
			fmt.Sprintf("name: web%d\n  namespace", i),
		))
	}
	chain := []string{"set-replicas 5", "set-container-image web nginx:2", "set-annotation x y"}
	parts := mutate(t, b.String(), false, chain...)
	whole := mutate(t, b.String(), false, append(chain, "get-placeholders")...) // never in parts
	if len(parts.Mutations) != 2000 || len(parts.Mutators) != 3 {
		t.Fatal(len(parts.Mutations), parts.Mutators)
	}
	if diff := cmp.Diff(whole.Mutations, parts.Mutations); diff != "" {
		t.Error(diff)
	}
}

// TestMutationsNextToADeletedResource checks that deleting one resource does not change the
// mutations found in others.
func TestMutationsNextToADeletedResource(t *testing.T) {
	alone := mutate(t, shop, true, "search-replace web front").Mutations
	beside := mutate(
		t, shop, true, "delete-resource v1/ConfigMap settings", "search-replace web front",
	).Mutations
	if len(alone) < 2 || len(beside) != len(alone)+1 {
		t.Fatal(len(alone), len(beside))
	}
	for i := range alone {
		for path, info := range alone[i].PathMutationMap {
			info.Index++
			alone[i].PathMutationMap[path] = info
		}
		alone[i].ResourceMutationInfo.Index++
		if diff := cmp.Diff(alone[i], beside[i]); diff != "" {
			t.Error(diff)
		}
	}
}

// TestConflictsOfTheContext checks that vet-no-merge-conflicts reports the conflicts in the
// function context as well as those in the other data.
func TestConflictsOfTheContext(t *testing.T) {
	conflict := api.MutationConflict{
		Reason:   api.ConflictProtectedPath,
		Resource: api.ResourceInfo{ResourceType: "apps/v1/Deployment", ResourceName: "shop/web"},
		Path:     "spec.template.spec.containers.?name=side~1car;@0.image",
		Source:   api.MutationInfo{MutationType: api.MutationTypeDelete, Value: "old\n"},
	}
	r, err := functions.NewStandardExecutor().Run(t.Context(), &api.FunctionInvocationRequest{
		FunctionContext: api.FunctionContext{Conflicts: api.MutationConflictList{conflict}},
		ConfigData:      []byte(deployment),
		OtherData: map[string]api.Text{
			"Conflicts": api.Text(
				`[{"Reason": "Subtracted", "Resource": {"ResourceType": "v1/Service", ` +
					`"ResourceName": "/gone"}, "Source": {"MutationType": "Update"}}]`,
			),
		},
		FunctionInvocations: api.FunctionInvocationList{{FunctionName: "vet-no-merge-conflicts"}},
	}, handler.Options{})
	if err != nil || !r.ValidationFailed {
		t.Fatalf("got %v, %+v", err, r)
	}
	rows := r.Outputs[0].Value.(api.ValidationResultList)[0].FailedAttributes
	if len(rows) != 2 || rows[0].Position == nil || rows[0].Position.Line != 16 ||
		rows[0].Value != nil || rows[0].ResourceNameWithoutScope != "web" ||
		rows[1].Position != nil || rows[1].ResourceName != "/gone" {
		t.Errorf("got %+v", rows)
	}
}
