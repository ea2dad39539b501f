package mutation_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/configkit/mutation/mutationtest"
)

// computed returns what happened between two units.
func computed(t testing.TB, before, after string, index int) api.ResourceMutationList {
	t.Helper()
	list, err := mutation.Compute(
		mutationtest.Parse(t, before), mutationtest.Parse(t, after), index,
		k8skit.K8sResourceProvider,
	)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// entryLines returns each entry as a line: name, path, type, index, value, and ! if it is
// protected.
func entryLines(list api.ResourceMutationList) []string {
	var lines []string
	line := func(name string, info api.MutationInfo) {
		protected := ""
		if info.Protected {
			protected = " !"
		}
		if info.Value != "" {
			info.Value = " " + strings.TrimSuffix(info.Value, "\n")
		}
		lines = append(
			lines,
			fmt.Sprintf("%s %s %d%s%s", name, info.MutationType, info.Index, info.Value, protected),
		)
	}
	for _, m := range list {
		name := string(m.Resource.ResourceName)
		info := m.ResourceMutationInfo
		if info.MutationType != api.MutationTypeDelete {
			info.Value = ""
		}
		line(name, info)
		for _, path := range slices.Sorted(maps.Keys(m.PathMutationMap)) {
			line(name+" "+string(path), m.PathMutationMap[path])
		}
		for _, path := range slices.Sorted(maps.Keys(m.ArrayOrders)) {
			lines = append(
				lines,
				fmt.Sprintf("%s %s order %s", name, path, strings.Join(m.ArrayOrders[path], " ")),
			)
		}
		for _, path := range slices.Sorted(maps.Keys(m.ArrayElementAliases)) {
			lines = append(
				lines, fmt.Sprintf("%s %s names %v", name, path, m.ArrayElementAliases[path]),
			)
		}
		if len(m.Names()) > 1 {
			lines = append(
				lines, fmt.Sprintf("%s was %v", name, slices.Sorted(maps.Keys(m.Names()))),
			)
		}
	}
	return lines
}

func TestComputeMutations(t *testing.T) {
	e := func(text string, pairs ...string) string { return replaced(t, text, pairs...) }
	const spec = "dev/web spec.template.spec."
	tests := []struct {
		name          string
		before, after string
		want          []string
	}{
		{"nothing", baseDeployment, baseDeployment, []string{"dev/web None 3"}},
		{"comments, order of keys, quotes", baseDeployment, e(
			baseDeployment, " # of three", "", "  replicas: 2\n", "", "web:1.0\n",
			"'web:1.0'\n  replicas: 2\n",
		), []string{"dev/web None 3"}},
		{
			"a map is added", baseDeployment,
			e(baseDeployment, "spec:\n", "  labels: {a: b, c.d: {}}\nspec:\n"),
			[]string{
				"dev/web Update 3", "dev/web metadata.labels.a Add 3 b",
				"dev/web metadata.labels.c~1d Add 3 {}",
			},
		},
		{
			"a map is emptied, a map is filled",
			e(baseDeployment, "spec:\n", "  labels: {a: b}\n  annotations: {}\nspec:\n"),
			e(baseDeployment, "spec:\n", "  labels: {}\n  annotations: {a: b}\nspec:\n"),
			[]string{
				"dev/web Update 3", "dev/web metadata.annotations Update 3 {a: b}",
				"dev/web metadata.labels Update 3 {}",
			},
		},
		{
			"another kind of value", baseDeployment,
			e(baseDeployment, "2 #", `"2" #`, "namespace: dev", "namespace: [dev]"),
			[]string{
				"/web Update 3", "/web metadata.namespace Update 3 [dev]",
				`/web spec.replicas Update 3 "2"`, "/web was [/web dev/web]",
			},
		},
		{
			"an element with a merge key", baseDeployment + proxy,
			baseDeployment + e(proxy, "envoy:1", "envoy:2"),
			[]string{
				"dev/web Update 3", spec + "containers.?name=proxy;@1.image Update 3 envoy:2",
			},
		},
		{
			"elements are added, deleted and moved", baseDeployment + e(proxy, "proxy", "old") +
				proxy,
			e(baseDeployment, "containers:\n", "containers:\n"+proxy) +
				e(proxy, "proxy", "new", "envoy:1", "quite:another"),
			[]string{
				"dev/web Update 3",
				spec + "containers.?name=new;@2 Add 3 name: new\nimage: quite:another",
				spec + "containers.?name=old;@1 Delete 3 name: old\nimage: envoy:1",
				spec + "containers order proxy app new",
			},
		},
		{"merge keys of several fields, one of them with a default", baseService, e(
			baseService, "UDP\n", "UDP\n    name: dns\n", "port: 53\n",
			"protocol: TCP\n    port: 53\n",
		), nil},
		{
			"elements without merge key", baseRoute,
			e(baseRoute, "  - match: a\n    weight: 100\n", "", "50", "55") + "  - match: c\n",
			[]string{
				"dev/public Update 3",
				"dev/public spec.routes.?~h=+" + digestOf(`{"match":"c"}`) + ";@1 Add 3 match: c",
				"dev/public spec.routes.?~h=" + digestOf(`{"match":"a","weight":100}`) +
					";@0 Delete 3 match: a\nweight: 100",
				"dev/public spec.routes.?~h=" + digestOf(`{"match":"b","weight":50}`) +
					";@1.weight Update 3 55",
			},
		},
		{
			"equal elements", baseDeployment + e(baseArgs, "--c", "--a"),
			baseDeployment + e(baseArgs, "--c", "--d"),
			[]string{
				"dev/web Update 3",
				spec + "containers.?name=app;@0.args.?~h=" + digestOf(`"--a"`) +
					",~o=1;@2 Update 3 --d",
			},
		},
		{
			"a renamed element", baseDeployment + baseEnv,
			e(baseDeployment, "name: app", "name: main") + e(baseEnv, "value: a", "value: c"),
			[]string{
				"dev/web Update 3",
				spec + "containers.?name=app;@0.env.?name=A;@0.value Update 3 c",
				spec + "containers order main", spec + "containers names map[app:main]",
			},
		},
		{"a renamed resource", baseSettings, e(baseSettings, "settings", "limits"), []string{
			"dev/limits Update 3", "dev/limits metadata.name Update 3 limits",
			"dev/limits was [dev/limits dev/settings]",
		}},
		{"another namespace", baseSettings, e(baseSettings, "dev", "prod"), []string{
			"prod/settings Update 3", "prod/settings metadata.namespace Update 3 prod",
			"prod/settings was [dev/settings prod/settings]",
		}},
		{
			"another kind of workload", baseDeployment,
			e(baseDeployment, "Deployment", "StatefulSet"),
			[]string{"dev/web Update 3", "dev/web kind Update 3 StatefulSet"},
		},
		{
			"another kind, and namespaces",
			baseDeployment + separator + e(baseDeployment, "dev", "prod"),
			e(baseDeployment, "Deployment", "StatefulSet", "dev", "prod") + separator +
				e(baseDeployment, "Deployment", "StatefulSet"),
			[]string{
				"prod/web Update 3", "prod/web kind Update 3 StatefulSet", "dev/web Update 3",
				"dev/web kind Update 3 StatefulSet",
			},
		},
		{
			"resources are added and deleted", baseSettings + separator + baseDeployment,
			baseDeployment + separator + baseRoute,
			[]string{
				"dev/web None 3", "dev/public Add 3",
				"dev/settings Delete 3 " + strings.TrimSuffix(baseSettings, "\n"),
			},
		},
		{
			"known by an ID", e(
				baseSettings, "namespace: dev",
				"namespace: dev, annotations: {confighub.com/ResourceMergeID: x}",
			), e(
				baseRoute, "namespace: dev",
				"namespace: dev, annotations: {confighub.com/ResourceMergeID: y}",
			) + separator +
				"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: all, namespace: other, " +
				"annotations: {confighub.com/ResourceMergeID: x}}\n" +
				"data: {a: a, b: b, c: c, d: d, e: e, f: f, g: g}\n",
			nil,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			list := computed(t, test.before, test.after, 3)
			switch test.name {
			case "known by an ID":
				if len(list) != 2 ||
					list[1].ResourceMutationInfo.MutationType != api.MutationTypeUpdate ||
					list[1].Aliases["dev/settings"] != struct{}{} {
					t.Errorf("%+v", list)
				}
				return
			case "merge keys of several fields, one of them with a default":
				test.want = []string{
					"dev/web Update 3",
					"dev/web spec.ports.?port=53,protocol=TCP;@1.protocol Add 3 TCP",
					"dev/web spec.ports.?port=53,protocol=UDP;@0.name Add 3 dns",
				}
				list = computed(
					t, baseService,
					e(baseService, "UDP\n", "UDP\n    name: dns\n")+"    protocol: TCP\n", 3,
				)
			}
			if diff := cmp.Diff(test.want, entryLines(list)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// rowOf returns a row that names a path of a resource.
func rowOf(
	resourceType api.ResourceType, name api.ResourceName, path api.ResolvedPath,
) (row api.AttributeValue) {
	row.ResourceType, row.ResourceName, row.Path = resourceType, name, path
	return row
}

func TestProtectMutations(t *testing.T) {
	list := append(
		computed(t, baseDeployment, replaced(t, baseDeployment, "2 #", "3 #"), 1),
		computed(t, "", baseService, 2)...,
	)
	tests := []struct {
		name  string
		row   api.AttributeValue
		want  string // the line that is different, or new
		count int
	}{
		{
			"a path", rowOf("apps/v1/Deployment", "dev/web", "spec.replicas"),
			"dev/web spec.replicas Update 1 3 !", 1,
		},
		{
			"a path without entry", rowOf("apps/v1/Deployment", "dev/web", "spec.template"),
			"dev/web spec.template None 1 !", 1,
		},
		{"a resource", rowOf("v1/Service", "web", ""), "dev/web Add 2 !", 1},
		{"a type", rowOf("v1/Service", "", "spec.ports"), "dev/web spec.ports None 2 !", 1},
		{"any type", rowOf("*", "dev/web", "spec.x"), "dev/web spec.x None 1 !", 2},
		{
			"a missing resource", rowOf("v1/Secret", "dev/x", "data"),
			"dev/x data None 0 !", 1,
		},
		{"nothing", rowOf("v1/Secret", "", "data"), "", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			was := entryLines(list)
			now, n := mutation.Protect(
				list, api.AttributeValueList{test.row}, true, k8skit.K8sResourceProvider,
			)
			if lines := entryLines(now); n != test.count || test.want != "" &&
				!slices.Contains(lines, test.want) || test.want == "" && !slices.Equal(lines, was) {
				t.Errorf("%d %q", n, lines)
			}
			again, _ := mutation.Protect(
				now, api.AttributeValueList{test.row}, false, k8skit.K8sResourceProvider,
			)
			for _, line := range entryLines(again) {
				if strings.HasSuffix(line, "!") {
					t.Error("still protected:", line)
				}
			}
			if !slices.Equal(entryLines(list), was) {
				t.Error("what was given is changed")
			}
		})
	}
}

func TestLimitMutations(t *testing.T) {
	after := replaced(t, baseDeployment, "dev", "prod", "2 #", "3 #", "web:1.0", "web:2.0") +
		replaced(t, baseArgs, "--b", "--x")
	list := append(
		computed(t, baseDeployment+baseArgs, after, 1),
		computed(t, baseService, replaced(t, baseService, "UDP", "SCTP"), 1)...,
	)
	tests := []struct {
		resource api.ResourceName
		path     api.UnresolvedPath
		want     int // paths left
	}{
		{"", "", len(list[0].PathMutationMap) + len(list[1].PathMutationMap)},
		{"prod/web", "", 4},
		{"web", "spec.replicas", 1},
		{"web", "spec", 3 + len(list[1].PathMutationMap)},
		{"", "spec.rep", 0},
		{"prod/web", "spec.template.spec.containers.?name=app", 2},
		{"prod/web", "spec.template.spec.containers.*.image", 1},
		{"prod/web", "spec.template.spec.containers.0.args", 1},
		{"prod/web", "spec.template.spec.containers.0.args.1", 1},
		{"prod/web", "spec.template.spec.containers.1", 0},
		{"nobody", "", 0},
		{"dev/web", "metadata", 1},
	}
	for _, test := range tests {
		t.Run(string(test.resource), func(t *testing.T) {
			n := 0
			for _, m := range mutation.Limit(
				list, test.resource, test.path, k8skit.K8sResourceProvider,
			) {
				n += len(m.PathMutationMap)
			}
			if n != test.want {
				t.Errorf("%s %s: %d paths, want %d", test.resource, test.path, n, test.want)
			}
		})
	}
}

func TestReset(t *testing.T) {
	unit := replaced(
		t, baseDeployment, "spec:\n", "  labels: {app: app, n: 7, on: true}\nspec:\n",
	) +
		baseArgs
	info := api.MutationInfo{MutationType: api.MutationTypeUpdate, Value: "x\n"}
	protected := info
	protected.Protected = true
	updates := func(resource api.MutationInfo, paths api.MutationMap) api.ResourceMutationList {
		return api.ResourceMutationList{{
			Resource: api.ResourceInfo{
				ResourceType: "apps/v1/Deployment", ResourceName: "dev/web",
			},
			ResourceMutationInfo: resource, PathMutationMap: paths,
		}}
	}
	update := api.MutationInfo{MutationType: api.MutationTypeUpdate}
	const container = "spec.template.spec.containers.?name=app;@0."
	list := updates(update, api.MutationMap{
		"spec.replicas": info, "metadata.labels.app": info, "metadata.labels.n": info,
		"metadata.labels.on": info, "metadata.labels.none": info, "metadata.labels": info,
		container + "name": info, container + "image": info, container + "args.1": info,
		container + "args.?~h=" + api.ResolvedPath(digestOf(`"--c"`)) + ";@7": info,
		"metadata.name": protected,
	})
	docs := mutationtest.Parse(t, unit)
	n, err := mutation.Reset(docs, list, k8skit.K8sResourceProvider)
	want := replaced(
		t, unit, "2 #", "999999999 #", "app: app", "app: confighubplaceholder", "n: 7",
		"n: 999999999", "name: app", "name: confighubplaceholder",
		"web:1.0", "confighubplaceholder", "--b", "confighubplaceholder", "--c",
		"confighubplaceholder")
	if diff := cmp.Diff(want, docs.String()); diff != "" || err != nil || n != 7 {
		t.Error(n, err, diff)
	}
	both := append(
		updates(update, api.MutationMap{"metadata.name": info}),
		updates(update, api.MutationMap{"spec.replicas": info})...,
	)
	if n, err = mutation.Reset(
		mutationtest.Parse(t, unit), both, k8skit.K8sResourceProvider,
	); n != 2 ||
		err != nil {
		t.Error("a resource with two entries, of which the first resets its name", n, err)
	}
	update.Protected = true
	if n, err = mutation.Reset(
		mutationtest.Parse(t, unit), updates(update, api.MutationMap{"spec.replicas": info}),
		k8skit.K8sResourceProvider,
	); n != 0 ||
		err != nil {
		t.Error("a protected resource", n, err)
	}
}

func TestCheckMutations(t *testing.T) {
	resource := api.ResourceInfo{ResourceType: "v1/Service", ResourceName: "a/b"}
	list := api.ResourceMutationList{
		{Resource: api.ResourceInfo{ResourceType: "v1/Service"}},
		{
			Resource: resource,
			ResourceMutationInfo: api.MutationInfo{
				MutationType: api.MutationTypeAdd, Value: "a: b: c",
			},
			PathMutationMap: api.MutationMap{
				"x":   {MutationType: "Move"},
				"y.z": {MutationType: api.MutationTypeUpdate, Value: "[1"},
				"ok":  {MutationType: api.MutationTypeDelete, Value: "[1"},
			},
		},
	}
	err := mutation.Check(list, k8skit.K8sResourceProvider)
	for _, want := range []string{
		"mutation 1: Resource has no", "the value of the mutation: 1:4",
		`path x: unknown mutation type "Move"`, "path y.z: the value of the mutation",
	} {
		t.Run(want, func(t *testing.T) {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q is not in %v", want, err)
			}
		})
	}
	if err := mutation.Check(
		computed(t, baseDeployment, baseService, 0), k8skit.K8sResourceProvider,
	); err != nil {
		t.Error(err)
	}
}

// TestAddedTextWithoutLineEnd checks that a block text at the end of a file without a final newline
// stays without one, wherever its document ends up.
func TestAddedTextWithoutLineEnd(t *testing.T) {
	const before, added = "kind: A\nmetadata: {name: a}\n",
		"---\n# why\nkind: B\nmetadata: {name: b}\ntext: |\n  one\n  two"
	patch, err := mutation.Compute(
		mutationtest.Parse(t, before), mutationtest.Parse(t, before+added), 0,
		k8skit.K8sResourceProvider,
	)
	if err != nil {
		t.Fatal(err)
	}
	docs, _, err := mutation.Patch(
		mutationtest.Parse(t, before), nil, patch, nil, k8skit.K8sResourceProvider,
	)
	if want := before +
		"---\n# why\nkind: B\nmetadata: {name: b}\ntext: |-\n  one\n  two\n"; err != nil ||
		docs.String() != want {
		t.Errorf("have %q, %v, want %q", docs.String(), err, want)
	}
}

// TestDiffOfAnElementWithADefaultKey checks that an element whose key has its default value is new
// if there was none before.
func TestDiffOfAnElementWithADefaultKey(t *testing.T) {
	doc, err := gaby.ParseYAML([]byte("l:\n- name: a\n"))
	if err == nil {
		_, err = doc.SetP(map[string]any{"v": 1}, "l.-")
	}
	if err != nil {
		t.Fatal(err)
	}
	keys := &configkit.MergeKeyTree{Children: map[string]*configkit.MergeKeyTree{"l": {
		Keys: []string{"name"}, Defaults: map[string]string{"name": "x"},
	}}}
	all := mutation.DiffValues(
		gaby.Container{doc}.At([]gaby.Mark{0})[0].Value(), doc.Value(), keys,
	)
	if diff := cmp.Diff([]string{`l.?name=x;@1 Add {"v":1}`}, all); diff != "" {
		t.Error(diff)
	}
}
