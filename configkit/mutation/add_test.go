package mutation_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/configkit/mutation"
)

// TestAddMutations checks that the entries name the last change of every value.
func TestAddMutations(t *testing.T) {
	e := func(text string, pairs ...string) string { return replaced(t, text, pairs...) }
	const spec = "dev/web spec.template.spec."
	labels := e(baseDeployment, "spec:\n", "  labels: {a: b, c: d}\nspec:\n")
	withArgs := baseDeployment + baseArgs
	tests := []struct {
		name   string
		states []string // the first change has index 1
		want   []string
	}{
		{
			"nothing, then something",
			[]string{baseDeployment, baseDeployment, e(baseDeployment, "2 #", "3 #")},
			[]string{"dev/web Update 2", "dev/web spec.replicas Update 2 3"},
		},
		{"something, then nothing", []string{
			baseDeployment, e(baseDeployment, "2 #", "3 #"), e(baseDeployment, "2 #", "3 #"),
		}, []string{"dev/web Update 1", "dev/web spec.replicas Update 1 3"}},
		{
			"twice at one place",
			[]string{
				baseDeployment, e(baseDeployment, "2 #", "3 #"),
				e(baseDeployment, "2 #", "4 #", "1.0", "2.0"),
			},
			[]string{
				"dev/web Update 1", "dev/web spec.replicas Update 2 4",
				spec + "containers.?name=app;@0.image Update 2 web:2.0",
			},
		},
		{
			"added, then changed",
			[]string{"", baseDeployment, e(baseDeployment, "2 #", "3 #")},
			[]string{"dev/web Add 1", "dev/web spec.replicas Update 2 3"},
		},
		{
			"changed, then deleted",
			[]string{baseDeployment, e(baseDeployment, "2 #", "3 #"), ""},
			[]string{"dev/web Delete 2 " + strings.TrimSuffix(
				e(baseDeployment, "2 #", "3 #"), "\n",
			)},
		},
		{
			"deleted, then added",
			[]string{baseDeployment, "", baseDeployment},
			[]string{"dev/web Replace 2"},
		},
		{
			"a key deleted, then added",
			[]string{labels, e(labels, "a: b, ", ""), labels},
			[]string{"dev/web Update 1", "dev/web metadata.labels.a Replace 2 b"},
		},
		{
			"inside, then around",
			[]string{labels, e(labels, "c: d", "c: e"), baseDeployment},
			[]string{"dev/web Update 1", "dev/web metadata.labels Delete 2 {a: b, c: e}"},
		},
		{
			"an element is new in front of one that was changed",
			[]string{
				withArgs, e(withArgs, "--b", "--x"), e(withArgs, "--a, --b", "--new, --a, --x"),
			},
			[]string{
				"dev/web Update 1",
				spec + "containers.?name=app;@0.args.?~h=+" + digestOf(`"--new"`) +
					";@0 Add 2 --new",
				spec + "containers.?name=app;@0.args.?~h=" + digestOf(`"--b"`) + ";@2 Update 1 --x",
			},
		},
		{
			"an element in front of one that was changed is gone",
			[]string{withArgs, e(withArgs, "--b", "--x"), e(withArgs, "--a, --b", "--x")},
			[]string{
				"dev/web Update 1",
				spec + "containers.?name=app;@0.args.?~h=" + digestOf(`"--b"`) + ";@0 Update 1 --x",
			},
		},
		{
			"an element is changed, then gone",
			[]string{withArgs, e(withArgs, "--b", "--x"), e(withArgs, "--b, ", "")},
			[]string{"dev/web Update 1"},
		},
		{
			"an element is changed twice",
			[]string{withArgs, e(withArgs, "--b", "--x"), e(withArgs, "--b", "--y")},
			[]string{
				"dev/web Update 1",
				spec + "containers.?name=app;@0.args.?~h=" + digestOf(`"--x"`) + ";@1 Update 2 --y",
			},
		},
		{
			"an element gets another key, and another one",
			[]string{
				baseDeployment + baseEnv,
				e(baseDeployment, "name: app", "name: main") + e(baseEnv, "value: a", "value: c"),
				e(baseDeployment, "name: app", "name: shop") + e(baseEnv, "value: a", "value: c"),
			},
			[]string{
				"dev/web Update 1",
				spec + "containers.?name=shop;@0.env.?name=A;@0.value Update 1 c",
				spec + "containers order shop", spec + "containers names map[app:shop main:shop]",
			},
		},
		{
			"orders",
			[]string{
				baseDeployment + proxy, e(baseDeployment, "containers:\n", "containers:\n"+proxy),
				e(baseDeployment, "containers:\n", "containers:\n"+proxy) +
					e(proxy, "proxy", "new"),
			},
			[]string{
				"dev/web Update 1",
				spec + "containers.?name=new;@2 Add 2 name: new\nimage: envoy:1",
				spec + "containers order proxy app new",
			},
		},
		{
			"names",
			[]string{
				baseSettings, e(baseSettings, "settings", "limits"),
				e(baseSettings, "settings", "bounds", "dev", "prod"),
			},
			[]string{
				"prod/bounds Update 1", "prod/bounds metadata.name Update 2 bounds",
				"prod/bounds metadata.namespace Update 2 prod",
				"prod/bounds was [dev/limits dev/settings prod/bounds]",
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var all api.ResourceMutationList
			for i := 1; i < len(test.states); i++ {
				all = mutation.Add(
					all, computed(t, test.states[i-1], test.states[i], i),
					k8skit.K8sResourceProvider,
				)
			}
			if diff := cmp.Diff(test.want, entryLines(all)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A path that is protected before anything happened to its resource stays so.
func TestAddKeepsProtectionOfUnchangedResources(t *testing.T) {
	old, n := mutation.Protect(nil, api.AttributeValueList{
		rowOf("apps/v1/Deployment", "dev/web", "spec.replicas"),
	}, true, k8skit.K8sResourceProvider)
	if n != 1 {
		t.Fatal(n)
	}
	next := computed(t, baseDeployment, replaced(t, baseDeployment, "web:1.0", "web:2.0"), 1)
	want := []string{
		"dev/web Update 1", "dev/web spec.replicas None 0 !",
		"dev/web spec.template.spec.containers.?name=app;@0.image Update 1 web:2.0",
	}
	got := entryLines(mutation.Add(old, next, k8skit.K8sResourceProvider))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAddMutationsInheritsProtection(t *testing.T) {
	first := computed(t, baseDeployment, replaced(t, baseDeployment, "2 #", "3 #"), 1)
	old, n := mutation.Protect(first, api.AttributeValueList{
		rowOf("apps/v1/Deployment", "dev/web", "spec.replicas"),
		rowOf("apps/v1/Deployment", "dev/web", "spec.template"),
	}, true, k8skit.K8sResourceProvider)
	if n != 2 {
		t.Error(n)
	}
	second := computed(
		t, baseDeployment,
		replaced(t, baseDeployment, "2 #", "4 #", "web:1.0", "web:2.0", "dev", "prod"), 2,
	)
	want := []string{
		"prod/web Update 1", "prod/web metadata.namespace Update 2 prod",
		"prod/web spec.replicas Update 2 4 !", "prod/web spec.template None 1 !",
		"prod/web spec.template.spec.containers.?name=app;@0.image Update 2 web:2.0 !",
		"prod/web was [dev/web prod/web]",
	}
	if diff := cmp.Diff(
		want, entryLines(mutation.Add(old, second, k8skit.K8sResourceProvider)),
	); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(
		[]string{"dev/web Update 1", "dev/web spec.replicas Update 1 3"}, entryLines(first),
	); diff != "" {
		t.Error("what was given is changed", diff)
	}
}

// A resource that gets the name that another one had before is a new one.
func TestAddKeepsNewResourcesApart(t *testing.T) {
	renamed := replaced(t, baseSettings, "settings", "limits", "dev", "prod")
	first := mutation.Add(
		nil, computed(t, baseSettings, renamed, 1), k8skit.K8sResourceProvider,
	)
	both := mutation.Add(
		first, computed(t, renamed, renamed+"---\n"+baseSettings, 2),
		k8skit.K8sResourceProvider,
	)
	if len(both) != 2 || both[1].ResourceMutationInfo.MutationType != api.MutationTypeAdd {
		t.Error(entryLines(both))
	}
}
