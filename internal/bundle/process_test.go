package bundle_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/bundle"
	"github.com/fctl-dev/fctl/internal/bundle/ready"
	"github.com/fctl-dev/fctl/smith/plugin"
	"github.com/fctl-dev/fctl/smith/plugin/filter"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// The same input gives the same bytes, however often.
func TestProcessIsDeterministic(t *testing.T) {
	s := scene{bundle: filterBundle, observed: []string{observedA, observedBinding, observedSecret}}
	first := ""
	for i := range 100 {
		result := s.play(t)
		status, err := result.WithStatus(strings.TrimSpace)
		if err != nil {
			t.Fatal(err)
		}
		got := rendered(result) + summary(result) + result.Text() + string(status) +
			fmt.Sprint(result.Report())
		if i == 0 {
			first = got
		}
		if got != first {
			t.Fatalf("run %d differs:\n%s", i, got)
		}
	}
}

// Entries of two bindings are in the order of the names of the resources.
func TestFilterOfTwoBindings(t *testing.T) {
	const before = "  - name: b\n    references:\n    - resource: a-binding\n"
	text := strings.Replace(filterBundle, before, `  - name: z-binding
    spec:
      object:
        apiVersion: servicecatalog.k8s.io/v1beta1
        kind: ServiceBinding
        metadata: {name: z}
  - name: b
    references:
    - resource: z-binding
    - resource: a-binding
`, 1)
	result := scene{bundle: text, observed: []string{
		observedA, observedBinding, observedSecret,
		strings.NewReplacer("name: a-binding,", "name: z,", "secretName: a-binding-secret",
			"secretName: z-secret").Replace(observedBinding),
		strings.NewReplacer("a-binding-secret", "z-secret", "FOO_BAR2", "FOO_Z", "FOO_BAR1",
			"BAR").Replace(observedSecret),
	}}.play(t)
	got := rendered(result)
	var keys []string
	for line := range strings.Lines(got) {
		if key, ok := strings.CutPrefix(strings.TrimSpace(line), "key: "); ok {
			keys = append(keys, key)
		}
	}
	if strings.Join(keys, " ") != "FOO_BAR1 FOO_BAR2 FOO_Z" {
		t.Errorf("got %v\n%s%s", keys, got, summary(result))
	}
}

// An error in a dependency blocks; blockers are sorted.
func TestBlocked(t *testing.T) {
	text := head + `spec:
  resources:
  - name: a
    references: [{resource: c}, {resource: b}, {resource: c, name: n, path: metadata.name}]
    spec: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}}
  - name: b
    spec: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}}
  - name: c
    spec: {plugin: {name: none, objectName: c}}
`
	got := summary(scene{bundle: text}.play(t))
	want := `c Error: no such plugin "none" (retriable false, external true)
b InProgress: not observed
a Blocked: not ready: b, c
`
	if got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
}

func TestObservedObjectsThatCannotBeUsed(t *testing.T) {
	owner := func(fields string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: default" + fields +
			"}\n"
	}
	check := func(o *bundle.Options) { o.CheckOwner = true }
	for name, c := range map[string]struct {
		observed string
		change   func(*bundle.Options)
		want     string
	}{
		"marked for deletion": {
			owner(", deletionTimestamp: x"), nil,
			"Error: the object is marked for deletion (retriable true, external true)",
		},
		"not checked": {owner(""), nil, "Ready"},
		"controlled by none": {
			owner(""), check,
			"Error: the object exists and is controlled by nothing, not by the Bundle test " +
				"(retriable false, external true)",
		},
		"controlled by another": {
			owner(", ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, " +
				"controller: true}]"), check,
			"Error: the object exists and is controlled by Deployment web, not by the Bundle " +
				"test (retriable false, external true)",
		},
		"another Bundle": {
			owner(", ownerReferences: [{apiVersion: smith.atlassian.com/v1, kind: Bundle, " +
				"name: y, controller: true}]"), check,
			"Error: the object exists and is controlled by Bundle y, not by the Bundle test " +
				"(retriable false, external true)",
		},
		"controlled": {
			owner(", ownerReferences: [{apiVersion: smith.atlassian.com/v1, kind: Bundle, name: " +
				"test, controller: true}]"), check,
			"Ready",
		},
		"not the controller": {
			owner(", ownerReferences: [{apiVersion: smith.atlassian.com/v1, kind: Bundle, name: " +
				"test}]"), check,
			"Error: the object exists and is controlled by nothing, not by the Bundle test " +
				"(retriable false, external true)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := oneOf("v1", "ConfigMap", "metadata: {name: x}\n")
			s.observed, s.change = []string{c.observed}, c.change
			if got := summary(s.play(t)); got != "a "+c.want+"\n" {
				t.Errorf("got %swant a %s", got, c.want)
			}
		})
	}
}

const observedBundle = `apiVersion: smith.atlassian.com/v1
kind: Bundle
metadata: {name: ab, namespace: ns, uid: bundle-uid}
`

func TestOwnerReferences(t *testing.T) {
	s := scene{
		bundle: strings.Replace(filterBundle, "          name: a # the provider",
			"          name: a "+
				"# the provider\n"+
				"          ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: c, uid: "+
				"c-uid}]",
			1),
		observed: []string{strings.Replace(observedA, "metadata: {name: a, namespace: ns}",
			`metadata:
  name: a
  namespace: ns
  uid: a-uid
  ownerReferences:
  - {apiVersion: v1, kind: ConfigMap, name: c, uid: c-uid, blockOwnerDeletion: true}
  - {name: ab, uid: bundle-uid, controller: true, blockOwnerDeletion: true, kind: Bundle,
    apiVersion: smith.atlassian.com/v1}
spec: {clusterServiceClassExternalName: db}`, 1), observedBundle},
		change: func(o *bundle.Options) { o.OwnerRefs = true },
	}
	got := rendered(s.play(t))
	for _, want := range []string{
		`  ownerReferences:
  - apiVersion: smith.atlassian.com/v1
    kind: Bundle
    name: ab
    uid: bundle-uid
    controller: true
    blockOwnerDeletion: true
  - apiVersion: servicecatalog.k8s.io/v1beta1
    kind: ServiceInstance
    name: a
    uid: a-uid
    blockOwnerDeletion: true
`, "name: c, uid: c-uid, blockOwnerDeletion: true}",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no\n%s in\n%s", want, got)
		}
	}
	s.observed = s.observed[:1]
	b, err := read(t, s.bundle)
	if err != nil {
		t.Fatal(err)
	}
	_, err = bundle.Process(context.Background(), b, s.options(t))
	if got := messages(err); !strings.HasPrefix(got, "b.yaml:1:1: owner references need the "+
		"uid of the Bundle, which was not observed\nhint: ") {
		t.Errorf("got %s", got)
	}
}

func TestAssumeReady(t *testing.T) {
	for name, c := range map[string]struct {
		assume   []smithv1.ResourceName
		path     string
		observed []string
		want     string
	}{
		"metadata": {
			[]smithv1.ResourceName{"a"},
			"metadata.name", nil,
			"a Ready: assumed\na-binding InProgress: not observed\n" +
				"b Blocked: not ready: a-binding\n",
		},
		"spec": {
			[]smithv1.ResourceName{"a"},
			"spec.clusterServiceClassExternalName", nil,
			"a Ready: assumed\na-binding InProgress: not observed\n" +
				"b Blocked: not ready: a-binding\n",
		},
		"status": {
			[]smithv1.ResourceName{"a"},
			"status.url", nil,
			"a Ready: assumed\na-binding Error: failed to process reference \"a-metadata-name\": " +
				"status.url is not available until a is created (retriable true, external true)\n" +
				"b Blocked: not ready: a-binding\n",
		},
		"observed": {
			[]smithv1.ResourceName{"a"},
			"metadata.uid",
			[]string{strings.Replace(strings.Replace(observedA, "name: a,", "name: a, uid: u,", 1),
				`"True"`, `"False"`, 1)},
			"a Ready: assumed\na-binding InProgress: not observed\n" +
				"b Blocked: not ready: a-binding\n",
		},
		"without a key": {
			[]smithv1.ResourceName{"a", "a-binding"},
			"metadata.name", nil,
			"a Ready: assumed\na-binding Ready: assumed\nb Error: the ServiceBindings have no " +
				"output Secret yet (retriable true, external true)\n",
		},
		"Secret": {
			[]smithv1.ResourceName{"a", "a-binding"},
			"metadata.name",
			[]string{observedSecret},
			"a Ready: assumed\na-binding Ready: assumed\nb InProgress: not observed\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := scene{
				bundle:   strings.Replace(filterBundle, "path: metadata.name", "path: "+c.path, 1),
				observed: c.observed,
				change: func(o *bundle.Options) {
					o.AssumeReady = map[smithv1.ResourceName]bool{}
					for _, n := range c.assume {
						o.AssumeReady[n] = true
					}
				},
			}
			if got := summary(s.play(t)); got != c.want {
				t.Errorf("got:\n%swant:\n%s", got, c.want)
			}
		})
	}
}

// TestExamples has the rules of early validation.
func TestExamples(t *testing.T) {
	with := func(example string) string {
		return strings.NewReplacer("    - resource: a-binding\n",
			"    - {resource: a-binding, name: "+
				"prefix, path: spec.secretName"+example+"}\n",
			"filterByPrefix: FOO_", `filterByPrefix: "!{prefix}"`).Replace(filterBundle)
	}
	for name, c := range map[string]struct{ text, want string }{
		"fits": {with(", example: x"), ""},
		"does not": {
			with(", example: 5"),
			"b.yaml:40:27: b: with the examples of the references: spec failed validation " +
				"against schema: spec.filterByPrefix: expected string, got 5\n" +
				"hint: put it in quotes: \"5\"\n",
		},
		"the value in the Bundle":                 {with(""), ""},
		"the value in the Bundle, and no example": {with(", example: null"), ""},
		"no references, wrong": {
			strings.NewReplacer("FOO_", "5").Replace(filterBundle),
			"b.yaml:40:27: b: spec failed validation against schema: spec.filterByPrefix: " +
				"expected string, got 5\nhint: put it in quotes: \"5\"\n",
		},
		"no such plugin": {
			strings.Replace(filterBundle, "name: filter\n", "name: fliter\n", 1),
			"b.yaml:37:15: b: no such plugin \"fliter\" (did you mean filter?)\n" +
				"hint: 'fctl bundle plugins' lists them\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := read(t, c.text)
			if err != nil {
				t.Fatal(messages(err))
			}
			if got := validate(t, b, scene{}.options(t)); got != c.want {
				t.Errorf("got %swant %s", got, c.want)
			}
		})
	}
	// a wrong example is an error before anything else
	got := summary(scene{bundle: with(", example: 5")}.play(t))
	if !strings.Contains(got, "\nb Error: with the examples of the references: spec failed") {
		t.Errorf("got %s", got)
	}
}

// bindsecret on what a plugin makes is checked once plugins are known.
func TestBindSecretOfPlugin(t *testing.T) {
	text := filterBundle + `  - name: c
    references: [{resource: b, name: n, path: data.x, modifier: bindsecret}]
    spec: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: c}}}
`
	b, err := read(t, text)
	if err != nil {
		t.Fatal(messages(err))
	}
	if got := validate(t, b, scene{}.options(t)); got != "b.yaml:42:65: c: bindsecret is for a ServiceBinding, and "+
		"\"b\" is a ServiceInstance\nnote: b.yaml:42:18: c: !{n} is not used; without a name and a path, "+
		"a reference only orders resources\n" {
		t.Errorf("got %s", got)
	}
	ready := strings.ReplaceAll(observedA, "name: a,", "name: b,")
	got := summary(scene{bundle: text, observed: []string{
		observedA, observedBinding, observedSecret, ready,
	}}.play(t))
	if !strings.Contains(got, "c Error: failed to process reference \"n\": bindsecret is for a "+
		"ServiceBinding, and \"b\" is a ServiceInstance (retriable false, external true)\n") {
		t.Errorf("got %s", got)
	}
}

func TestToDelete(t *testing.T) {
	owned := func(kind, name, namespace, bundle string) string {
		return "apiVersion: v1\nkind: " + kind + "\nmetadata: {name: " + name + ", namespace: " +
			namespace + ", ownerReferences: [{apiVersion: smith.atlassian.com/v1, kind: Bundle, " +
			"name: " +
			bundle + ", controller: true}]}\n"
	}
	s := scene{bundle: filterBundle, observed: []string{
		owned("ConfigMap", "old", "ns", "ab"), owned("Secret", "older", "ns", "ab"),
		owned("ConfigMap", "other", "ns", "other"), owned("ConfigMap", "elsewhere", "x", "ab"),
		strings.Replace(owned("ServiceInstance", "b", "ns", "ab"), "v1",
			"servicecatalog.k8s.io/v1beta1", 1),
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: free, namespace: ns}\n",
	}}
	var got []string
	for _, o := range s.play(t).ToDelete {
		got = append(got, o.String())
	}
	if strings.Join(got, ", ") != "ConfigMap ns/old, Secret ns/older" {
		t.Errorf("got %v", got)
	}
	// nothing is deleted while an object has no name yet
	text := strings.Replace(filterBundle, "          name: a-binding\n", "          name: "+
		"\"!{a-metadata-name}\"\n", 1)
	binding := strings.Replace(owned("ServiceBinding", "x", "ns", "ab"), "v1", catalogVersion, 1)
	s = scene{bundle: text, observed: []string{binding}}
	if got := s.play(t).ToDelete; len(got) > 0 {
		t.Errorf("got %v", got)
	}
}

func TestPoolErrors(t *testing.T) {
	pool := &bundle.Pool{}
	if _, err := pool.Add([]byte(observedA), "a.yaml"); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		text, want string
		skipped    int
	}{
		"again": {
			"\n" + observedA, "b.yaml:2:1: ServiceInstance ns/a was observed already, at " +
				"a.yaml:1:1\n", 0,
		},
		"not YAML":    {"a: [\n", "b.yaml:1:4: ", 0},
		"no objects":  {"a: 1\n---\nb: 2\n", "", 2},
		"empty":       {"", "", 0},
		"empty list":  {"apiVersion: v1\nkind: List\nitems: []\n", "", 0},
		"comments":    {"# none\n", "", 0},
		"other space": {strings.Replace(observedA, "ns", "other", 1), "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			skipped, err := pool.Add([]byte(c.text), "b.yaml")
			got := messages(err)
			if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" ||
				skipped != c.skipped {
				t.Errorf("got %d, %swant %s", skipped, got, c.want)
			}
		})
	}
}

// A List, a ResourceList and documents are read alike; clusters have objects without a namespace.
func TestPoolForms(t *testing.T) {
	item := "- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: x%s}\n"
	for name, text := range map[string]string{
		"List": "apiVersion: v1\nkind: List\nitems:\n" + fmt.Sprintf(item, ", namespace: "+
			"default"),
		"ResourceList": "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n" +
			fmt.Sprintf(item, ", namespace: default"),
		"no namespace": "apiVersion: v1\nkind: List\nitems:\n" + fmt.Sprintf(item, ""),
		"JSON": `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x",` +
			`"namespace":"default"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := oneOf("v1", "ConfigMap", "")
			s.observed = []string{text}
			if got := summary(s.play(t)); got != "a Ready\n" {
				t.Errorf("got %s", got)
			}
		})
	}
}

// A team's own plugin takes the name of one of fctl.
func TestPluginOfATeamReplacesFctls(t *testing.T) {
	plugins, err := bundle.NewPlugins(t.Context(), 0, []plugin.NewFunc{filter.New}, filter.New)
	if err != nil {
		t.Fatal(err)
	}
	if list := plugins.List(); len(list) != 1 || list[0].Origin != "of this program" {
		t.Errorf("got %v", list)
	}
}

// TestContractViolations has what a plugin may do wrong when it is made and when it is called.
func TestContractViolations(t *testing.T) {
	gvk := plugin.NewGroupVersionKind("v1", "ConfigMap")
	described := func(d *plugin.Description) plugin.NewFunc {
		return func() (plugin.Plugin, error) { return custom{d, nil}, nil }
	}
	for name, c := range map[string]struct {
		make plugin.NewFunc
		want string
	}{
		"factory fails": {
			func() (plugin.Plugin, error) { return nil, errors.New("no key") },
			"a plugin cannot be made: no key",
		},
		"factory panics": {
			func() (plugin.Plugin, error) { panic("x") }, "a plugin cannot be made: the plugin panicked: x",
		},
		"factory nil": {
			func() (plugin.Plugin, error) { return nil, nil },
			"a plugin cannot be made: its factory returned nil",
		},
		"no description": {described(nil), "a plugin has no description"},
		"bad name": {
			described(&plugin.Description{Name: "A", GVK: gvk}),
			`plugin "A" (of this program): the name is not one of a plugin: lower case letters, ` +
				`digits and -, in parts joined by dots, at most 253 characters`,
		},
		"no kind": {
			described(&plugin.Description{Name: "a"}),
			`plugin "a" (of this program): its description has no version or kind`,
		},
		"schema no YAML": {
			described(&plugin.Description{Name: "a", GVK: gvk, SpecSchema: []byte("{")}),
			`plugin "a" (of this program): its schema: `,
		},
		"schema invalid": {
			described(&plugin.Description{
				Name: "a", GVK: gvk,
				SpecSchema: []byte(`{"type": "strin"}`),
			}),
			`plugin "a" (of this program): its schema: `,
		},
		"taken": {
			filter.New,
			`plugin "filter" (of this program): another plugin has the same name (of this program)`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := bundle.NewPlugins(t.Context(), 0, []plugin.NewFunc{filter.New, c.make})
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
	text := head + "spec:\n  resources:\n  - name: a\n    spec: {plugin: {name: custom, " +
		"objectName: x, spec: {k: {v: [1]}}}}\n"
	d := &plugin.Description{Name: "custom", GVK: gvk}
	for name, c := range map[string]struct {
		process func(map[string]any, *plugin.Context) plugin.ProcessResult
		want    string
	}{
		"panic": {
			func(map[string]any, *plugin.Context) plugin.ProcessResult { panic("oh") },
			"Error: the plugin panicked: oh (retriable false, external false)",
		},
		"nil": {
			func(map[string]any, *plugin.Context) plugin.ProcessResult { return nil },
			"Error: plugin custom: the plugin succeeded and returned no object (retriable false, " +
				"external false)",
		},
		"no object": {
			func(map[string]any, *plugin.Context) plugin.ProcessResult {
				return &plugin.ProcessResultSuccess{}
			},
			"Error: plugin custom: the plugin succeeded and returned no object (retriable false, " +
				"external false)",
		},
		"nil map": {func(map[string]any, *plugin.Context) plugin.ProcessResult {
			return &plugin.ProcessResultSuccess{Object: &plugin.Object{}}
		}, "Error: plugin custom: the plugin succeeded and returned no object (retriable false, " +
			"external false)"},
		"nil success": {func(map[string]any, *plugin.Context) plugin.ProcessResult {
			return (*plugin.ProcessResultSuccess)(nil)
		}, "Error: plugin custom: the plugin succeeded and returned no object (retriable false, " +
			"external false)"},
		"no error": {
			func(map[string]any, *plugin.Context) plugin.ProcessResult {
				return &plugin.ProcessResultFailure{}
			},
			"Error: the plugin failed without saying why (retriable false, external false)",
		},
		"an error that panics": {
			func(map[string]any, *plugin.Context) plugin.ProcessResult {
				return &plugin.ProcessResultFailure{Error: (*brokenText)(nil)}
			},
			"Error: the plugin panicked: runtime error: invalid memory address or nil pointer " +
				"dereference (retriable false, external false)",
		},
		"a map in itself": {
			func(map[string]any, *plugin.Context) plugin.ProcessResult {
				m := map[string]any{"b": "c"}
				m["a"] = []any{m}
				return &plugin.ProcessResultSuccess{Object: &plugin.Object{Object: m}}
			},
			"Error: plugin custom: the object of the plugin nests deeper than 1000 levels, or " +
				"contains itself, at a.0.a.0... (retriable false, external false)",
		},
		"a map that is everywhere": {
			func(map[string]any, *plugin.Context) plugin.ProcessResult {
				m := map[string]any{}
				for range 64 {
					m = map[string]any{"a": m, "b": m}
				}
				return &plugin.ProcessResultSuccess{Object: &plugin.Object{Object: m}}
			},
			"Error: plugin custom: the object of the plugin has more than 1048576 values " +
				"(retriable false, external false)",
		},
		"retriable": {func(map[string]any, *plugin.Context) plugin.ProcessResult {
			return &plugin.ProcessResultFailure{Error: errors.New("wait"), IsRetriableError: true}
		}, "Error: wait (retriable true, external false)"},
		"external": {func(map[string]any, *plugin.Context) plugin.ProcessResult {
			return &plugin.ProcessResultFailure{
				Error:           errors.New("two\nlines"),
				IsExternalError: true,
			}
		}, "Error: two; lines (retriable false, external true)"},
		"controller": {func(map[string]any, *plugin.Context) plugin.ProcessResult {
			return &plugin.ProcessResultSuccess{Object: &plugin.Object{Object: map[string]any{
				"apiVersion": "v1", "kind": "ConfigMap",
				"metadata": map[string]any{"ownerReferences": []any{map[string]any{"controller": true}}},
			}}}
		}, "Error: an owner reference with controller: true is set by Smith only (retriable " +
			"false, external false)"},
		"not data": {func(map[string]any, *plugin.Context) plugin.ProcessResult {
			return &plugin.ProcessResultSuccess{Object: &plugin.Object{Object: map[string]any{
				"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"f": func() {}},
			}}}
		}, "Error: plugin custom: "},
		"changes its inputs": {func(spec map[string]any, ctx *plugin.Context) plugin.ProcessResult {
			spec["k"].(map[string]any)["v"] = nil //nolint:forcetypeassert // made above
			clear(spec)
			clear(ctx.Dependencies)
			return &plugin.ProcessResultSuccess{Object: &plugin.Object{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}}
		}, "InProgress: not observed"},
	} {
		t.Run(name, func(t *testing.T) {
			got := summary(scene{
				bundle: text,
				plugins: []plugin.NewFunc{func() (plugin.Plugin, error) {
					return custom{d, c.process}, nil
				}},
			}.play(t))
			if !strings.HasPrefix(got, "a "+c.want) {
				t.Errorf("got %swant a %s", got, c.want)
			}
		})
	}
}

// custom is a plugin made of its parts.
type custom struct {
	description *plugin.Description
	process     func(map[string]any, *plugin.Context) plugin.ProcessResult
}

func (c custom) Describe() *plugin.Description { return c.description }

func (c custom) Process(spec map[string]any, ctx *plugin.Context) plugin.ProcessResult {
	return c.process(spec, ctx)
}

// A plugin sees the resources that its own one refers to, with what they produce and need.
func TestPluginContext(t *testing.T) {
	var seen *plugin.Context
	var seenSpec map[string]any
	gvk := plugin.NewGroupVersionKind("servicecatalog.k8s.io/v1beta1", "ServiceInstance")
	looks := func() (plugin.Plugin, error) {
		d := &plugin.Description{Name: "other", GVK: gvk}
		return custom{d, func(spec map[string]any, ctx *plugin.Context) plugin.ProcessResult {
			seen, seenSpec = ctx, spec
			return &plugin.ProcessResultFailure{Error: errors.New("enough")}
		}}, nil
	}
	text := strings.NewReplacer("name: filter\n", "name: other\n", "filterByPrefix: FOO_",
		"n: 5\n          s: \"!{s}\"",
		"    - resource: a-binding\n", "    - {resource: a-binding, name: s, path: "+
			"spec.secretName}\n").Replace(filterBundle)
	scene{bundle: text, plugins: []plugin.NewFunc{looks}, observed: []string{
		observedA, observedBinding, observedSecret, strings.ReplaceAll(observedA, "name: a,",
			"name: b,"),
	}}.play(t)
	if seen == nil {
		t.Fatal("the plugin was not called")
	}
	d := seen.Dependencies["a-binding"]
	if seen.Namespace != "ns" || seen.Actual.Name() != "b" || len(seen.Dependencies) != 1 ||
		d.Spec.Name != "a-binding" || d.Spec.References[0].Path != "metadata.name" ||
		d.Spec.Spec.Object["kind"] != "ServiceBinding" || d.Actual.Name() != "a-binding" ||
		len(d.Outputs) != 1 || d.Outputs[0].Name() != "a-binding-secret" ||
		len(d.Auxiliary) != 1 || d.Auxiliary[0].Name() != "a" {
		t.Errorf("got %+v, %+v", seen, d)
	}
	if seenSpec["n"] != int64(5) || seenSpec["s"] != "a-binding-secret" {
		t.Errorf("got %v", seenSpec)
	}
}

// Another table adds outputs of other kinds, which have to exist.
func TestOutputTable(t *testing.T) {
	table, err := bundle.ReadOutputs([]byte(`- group: example.com
  kind: Database
  outputs: [{apiVersion: v1, kind: ConfigMap, path: status.config}]
`), "outputs.yaml")
	if err != nil {
		t.Fatal(messages(err))
	}
	text := head + `spec:
  resources:
  - name: db
    spec: {object: {apiVersion: example.com/v1, kind: Database, metadata: {name: db}}}
  - name: x
    references: [{resource: db}]
    spec: {plugin: {name: custom, objectName: x}}
`
	count := func() (plugin.Plugin, error) {
		d := &plugin.Description{Name: "custom", GVK: plugin.NewGroupVersionKind("v1", "ConfigMap")}
		return custom{d, func(_ map[string]any, ctx *plugin.Context) plugin.ProcessResult {
			return &plugin.ProcessResultFailure{
				Error: fmt.Errorf("%d outputs", len(ctx.Dependencies["db"].Outputs)),
			}
		}}, nil
	}
	database := "apiVersion: example.com/v1\nkind: Database\nmetadata: {name: db}\nstatus: " +
		"{config: made}\n"
	s := scene{bundle: text, plugins: []plugin.NewFunc{count}, observed: []string{database}}
	s.change = func(o *bundle.Options) {
		o.Outputs = table
		o.ReadyRules = []ready.Rule{{Kind: "Database", Group: "example.com"}}
	}
	if got := summary(s.play(t)); !strings.Contains(got, "x Error: db: cannot find output "+
		"ConfigMap made (retriable true, external true)") {
		t.Errorf("got %s", got)
	}
	s.observed = append(s.observed, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: made}\n")
	if got := summary(s.play(t)); !strings.Contains(got, "x Error: 1 outputs") {
		t.Errorf("got %s", got)
	}
	_, err = bundle.ReadOutputs([]byte("- kin: x\n  outputs: [{kind: a, path: 'a['}]\n"), "o.yaml")
	want := "o.yaml:1:3: a row has no field \"kin\"\nhint: did you mean kind?\n" +
		"o.yaml:2:13: outputs.0.apiVersion is missing\no.yaml:2:29: path \"a[\": column 3: an index, a " +
		"quoted key, * or a filter is expected\n"
	if got := messages(err); got != want {
		t.Errorf("got %swant %s", got, want)
	}
}

func TestSimulate(t *testing.T) {
	for name, c := range map[string]struct {
		scene
		want string
	}{
		"nothing observed": {scene{bundle: filterBundle}, "a\na-binding\nb\n"},
		"a is ready": {
			scene{bundle: filterBundle, observed: []string{observedA}}, "a-binding\nb\n",
		},
		"without edges": {scene{bundle: fromGraph("a->c, b, d->c")}, "c b\na d\n"},
		"an error": {
			scene{bundle: strings.Replace(filterBundle, "FOO_", "5", 1)},
			"a\na-binding\nnever: b\n",
		},
		"example": {
			scene{bundle: strings.Replace(filterBundle, "path: metadata.name",
				"path: status.url\n      "+
					"example: x", 1)},
			"a\na-binding\nb\n",
		},
		"no example": {
			scene{bundle: strings.Replace(filterBundle, "path: metadata.name", "path: status.url",
				1)},
			"a\na-binding\nb\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := read(t, c.bundle)
			if err != nil {
				t.Fatal(messages(err))
			}
			steps, last, err := bundle.Simulate(context.Background(), b, c.options(t))
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, step := range steps {
				var names []string
				for _, res := range step.Resources {
					names = append(names, string(res.Resource.Name))
				}
				got += strings.Join(names, " ") + "\n"
			}
			for _, res := range last.Resources {
				if res.Status != smithv1.Ready {
					got += "never: " + string(res.Resource.Name) + "\n"
				}
			}
			if got != c.want {
				t.Errorf("got:\n%swant:\n%s", got, c.want)
			}
		})
	}
}

// The name of a plugin's object comes from objectName, or from its spec.
func TestExplainNameOfPlugin(t *testing.T) {
	inSpec := strings.Replace(with("        objectName: b\n", ""), "filterByPrefix",
		"name: b\n          filterByPrefix", 1)
	for name, c := range map[string]struct{ text, want string }{
		"objectName": {filterBundle, "objectName at b.yaml:38:21"},
		"spec":       {inSpec, "name at b.yaml:39:17"},
	} {
		t.Run(name, func(t *testing.T) {
			result := scene{
				bundle: c.text, observed: []string{observedA, observedBinding, observedSecret},
			}.play(t)
			for _, e := range result.Explain(result.Resources[2], false) {
				if e.Path == "metadata.name" && e.From != c.want {
					t.Errorf("got %s, want %s", e.From, c.want)
				}
			}
		})
	}
}
