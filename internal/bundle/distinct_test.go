package bundle_test

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/internal/bundle"
	"github.com/fctl-dev/fctl/internal/bundle/ready"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
)

// called returns a Bundle of a name with resources in short: NAME APIVERSION KIND OBJECT.
func called(name string, resources ...string) string {
	var b strings.Builder
	b.WriteString("apiVersion: smith.atlassian.com/v1\nkind: Bundle\nmetadata: {name: " + name +
		"}\nspec:\n  resources:\n")
	for _, r := range resources {
		w := strings.Fields(r)
		b.WriteString("  - name: " + w[0] + "\n    references: [{resource: z, name: n, path: " +
			"metadata.name}]\n    spec: {object: {apiVersion: " + w[1] + ", kind: " + w[2] +
			", metadata: {name: '" + w[3] + "'}}}\n")
	}
	b.WriteString("  - name: z\n    spec: {object: {apiVersion: v1, kind: Secret, metadata: " +
		"{name: z-" + name + "}}}\n")
	return b.String()
}

// TestDistinct has Bundles of one run that are the same or make the same object.
func TestDistinct(t *testing.T) {
	const a = "a v1 ConfigMap x"
	for name, c := range map[string]struct {
		bundles []string
		want    string
	}{
		"one Bundle": {
			[]string{called("p", a, "b v1 ConfigMap x", "c v1 Secret x", "d v2 ConfigMap x")},
			"0.yaml:9:5: b: \"a\" makes the same object, ConfigMap n0/x, at 0.yaml:6:5\n" +
				"0.yaml:15:5: d: \"a\" makes the same object, ConfigMap n0/x, at 0.yaml:6:5\n",
		},
		"two Bundles": {
			[]string{"n", called("p", a), called("q", "b v1 ConfigMap x")},
			"1.yaml:6:5: b: \"a\" of the Bundle n/p makes the same object, ConfigMap n/x, at " +
				"0.yaml:6:5\n",
		},
		"two namespaces": {[]string{called("p", a), called("q", "b v1 ConfigMap x")}, ""},
		"without a namespace": {
			[]string{called("p", "a v1 Namespace x"), called("q", "b v1 Namespace x")},
			"1.yaml:6:5: b: \"a\" of the Bundle n0/p makes the same object, Namespace x, at " +
				"0.yaml:6:5\n",
		},
		"the same Bundle": {
			[]string{"n", called("p", a), called("p", a)},
			"1.yaml:1:1: the Bundle n/p is also at 0.yaml:1:1\n",
		},
		"an unknown name": {[]string{called("p", "a v1 ConfigMap !{n}", "b v1 ConfigMap !{n}")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			bundles := manyBundles(t, c.bundles)
			o := scene{change: knowScopes}.options(t)
			if got := messages(bundle.Distinct(bundles, o)); got != c.want {
				t.Errorf("got %swant %s", got, c.want)
			}
		})
	}
}

// manyBundles reads the files 0.yaml, 1.yaml ... in the namespaces n0, n1 ..., or all in the one
// that is the first text.
func manyBundles(t *testing.T, texts []string) []*bundle.Bundle {
	t.Helper()
	namespace := ""
	if len(texts[0]) < 9 {
		namespace, texts = texts[0], texts[1:]
	}
	var all []*bundle.Bundle
	for i, text := range texts {
		in := namespace
		if in == "" {
			in = "n" + string(rune('0'+i))
		}
		read, _, err := bundle.Read([]byte(text), string(rune('0'+i))+".yaml", in)
		if err != nil {
			t.Fatal(messages(err))
		}
		all = append(all, read...)
	}
	return all
}

// knowScopes adds what is known of the types of Kubernetes.
func knowScopes(o *bundle.Options) { o.Scope = k8skit.New().Scope }

// Objects whose names references make are compared once they are rendered.
func TestClashes(t *testing.T) {
	bundles := manyBundles(t, []string{
		"n", called("p", "a v1 ConfigMap !{n}"),
		strings.ReplaceAll(called("q", "a v1 ConfigMap !{n}"), "z-q", "z-p"),
	})
	o := scene{}.options(t)
	o.AssumeAll = true
	var results []*bundle.Result
	for _, b := range bundles {
		result, err := bundle.Process(t.Context(), b, o)
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, result)
	}
	bundle.Clashes(results)
	want := "1.yaml:9:5: z: \"z\" of the Bundle n/p makes the same object, Secret n/z-p, at " +
		"0.yaml:9:5\n1.yaml:6:5: a: \"a\" of the Bundle n/p makes the same object, " +
		"ConfigMap n/z-p, at 0.yaml:6:5\n"
	if got := messages(results[1].Failures()); got != want || len(results[0].Failures()) > 0 {
		t.Errorf("got %s", got)
	}
}

const world = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: worlds.example.com}
spec: {group: example.com, scope: Cluster, names: {kind: World}, versions: [{name: v1}]}
`

// TestScope has objects that are in no namespace. They get none, and no owner that is in one.
func TestScope(t *testing.T) {
	observed := func(apiVersion, kind string) string {
		return "apiVersion: " + apiVersion + "\nkind: " + kind + "\nmetadata: {name: x, uid: u}\n"
	}
	owner := "apiVersion: smith.atlassian.com/v1\nkind: Bundle\nmetadata: {name: test, " +
		"namespace: default, uid: b}\n"
	for name, c := range map[string]struct {
		apiVersion, kind, more, want string
	}{
		"Kubernetes'": {"rbac.authorization.k8s.io/v1", "ClusterRole", "", "{name: x}"},
		"observed definition": {
			"example.com/v1", "World", world, "{name: x}",
		},
		"nobody knows": {
			"example.com/v1", "World", "",
			"{name: x, namespace: default, ownerReferences: [{apiVersion: smith.atlassian.com/v1, " +
				"kind: Bundle, name: test, uid: b, controller: true, blockOwnerDeletion: true}]}",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := oneOf(c.apiVersion, c.kind, "")
			s.observed = []string{observed(c.apiVersion, c.kind), owner}
			if c.more != "" {
				s.observed = append(s.observed, c.more)
			}
			s.change = func(o *bundle.Options) {
				knowScopes(o)
				o.OwnerRefs, o.AssumeAll = true, true
			}
			result := s.play(t)
			if got := string(result.Resources[0].Bytes()); !strings.HasSuffix(got,
				"metadata: "+c.want+"}\n") {
				t.Errorf("got %s%s", got, summary(result))
			}
			if n := len(result.Resources[0].Notes); (n == 1) != (c.want == "{name: x}") {
				t.Errorf("%d notes", n)
			}
		})
	}
	s := oneOf("v1", "Namespace", observed("v1", "Namespace"))
	s.change = func(o *bundle.Options) { knowScopes(o); o.CheckOwner, o.AssumeAll = true, true }
	if got := summary(s.play(t)); got != "a Ready\n" {
		t.Errorf("with --check-owner: %s", got)
	}
	s.bundle = strings.Replace(s.bundle, "{name: x}", "{name: x, namespace: default}", 1)
	const want = "a Namespace is in no namespace"
	if got := summary(s.play(t)); !strings.HasPrefix(got, "a Error: "+want) {
		t.Errorf("got %s", got)
	}
	b, err := read(t, s.bundle)
	if err != nil {
		t.Fatal(err)
	}
	if got := validate(t, b, s.options(t)); got != "b.yaml:7:85: a: "+want+
		"\nhint: leave metadata.namespace out\n" {
		t.Errorf("got %s", got)
	}
}

// A CustomResourceDefinition in a Bundle counts as well.
func TestDefinitions(t *testing.T) {
	text := strings.ReplaceAll(head+"spec:\n  resources:\n  - name: a\n    spec:\n      object:\n", "\t",
		"") + "        " + strings.ReplaceAll(world, "\n", "\n        ") + "\n"
	b, err := read(t, text)
	if err != nil {
		t.Fatal(messages(err))
	}
	provider := k8skit.New()
	provider.Schemas().AddInputs(func() []schemas.SchemaFile {
		return bundle.Definitions([]*bundle.Bundle{b})
	})
	for of, want := range map[api.ResourceType]configkit.Scope{
		"example.com/v1/World": configkit.ScopeCluster,
		"example.com/v1/Town":  configkit.ScopeUnknown,
		"v1/ConfigMap":         configkit.ScopeNamespaced,
	} {
		if got := provider.Scope(of); got != want {
			t.Errorf("%s: got %q", of, got)
		}
	}
}

// TestResolveReadyRules has the words that --ready takes.
func TestResolveReadyRules(t *testing.T) {
	text := called("p", "a apps/v1 StatefulSet x", "b example.com/v1 Table x")
	for word, want := range map[string]string{
		"StatefulSet":         "a",
		"statefulset":         "a",
		"sts":                 "a",
		"statefulsets.apps":   "a",
		"sts.v1.apps":         "a",
		"apps/v1/StatefulSet": "a",
		"tables":              "b",
		"table.example.com":   "b",
		"deploy":              "note: --ready deploy has no effect: no Bundle makes a Deployment",
		"sts.example.com": "fctl: --ready: no resource type is called \"sts.example.com\"\n" +
			"hint: did you mean sts.apps?\n",
		"statfulset": "fctl: --ready: no resource type is called \"statfulset\"\n" +
			"hint: did you mean statefulset?\n",
		"xyz": "fctl: --ready: no resource type is called \"xyz\"\n",
	} {
		t.Run(word, func(t *testing.T) {
			bundles := manyBundles(t, []string{text})
			rule, err := ready.ParseRule(word)
			if err != nil {
				t.Fatal(err)
			}
			o := scene{observed: []string{
				"apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: x}\n",
				"apiVersion: example.com/v1\nkind: Table\nmetadata: {name: x}\n",
				"apiVersion: v1\nkind: Secret\nmetadata: {name: z-p}\n",
			}}.options(t)
			o.ReadyRules, o.SmithRules = []ready.Rule{rule}, true
			notes, err := o.ResolveReadyRules(bundles)
			got := messages(err)
			for _, n := range notes {
				got += "note: " + n.String()
			}
			if got == "" {
				result, err := bundle.Process(t.Context(), bundles[0], o)
				if err != nil {
					t.Fatal(err)
				}
				for _, res := range result.Resources {
					if res.Status == "Ready" && res.Resource.Name != "z" {
						got += string(res.Resource.Name)
					}
				}
			}
			if got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// TestUnready has the resources of which nobody can say that they are ready.
func TestUnready(t *testing.T) {
	text := strings.Replace(called("p", "a apps/v1 StatefulSet x", "b example.com/v1 World x",
		"c v1 ConfigMap x"), "  - name: z\n", "  - name: last\n    references: [{resource: a}, "+
		"{resource: b}, {resource: c}]\n    spec: {object: {apiVersion: v1, kind: Pod, metadata: "+
		"{name: x}}}\n  - name: z\n", 1)
	b := manyBundles(t, []string{text})[0]
	o := scene{}.options(t)
	if notes := b.Unready(o); len(notes) > 0 {
		t.Errorf("every kind has a rule: %v", notes)
	}
	o.SmithRules = true
	kinds := func() string {
		var list []string
		for _, n := range b.Unready(o) {
			_, rest, _ := strings.Cut(n.Message, "readiness rule for ")
			kind, _, _ := strings.Cut(rest, ",")
			list = append(list, kind)
		}
		return strings.Join(list, " ")
	}
	if got := kinds(); got != "StatefulSet World" {
		t.Errorf("got %s", got)
	}
	rule, err := ready.ParseRule("StatefulSet.apps")
	if err != nil {
		t.Fatal(err)
	}
	o = scene{observed: []string{strings.Replace(world, "worlds.example.com}",
		"worlds.example.com, annotations: {smith.atlassian.com/CrReadyWhenFieldPath: '{$.a}'}}",
		1)}}.options(t)
	o.ReadyRules, o.SmithRules = []ready.Rule{rule}, true
	if got := kinds(); got != "" {
		t.Errorf("got %s", got)
	}
}
