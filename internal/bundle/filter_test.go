package bundle_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/bundle"
	"github.com/fctl-dev/fctl/smith/plugin"
	"github.com/fctl-dev/fctl/smith/plugin/filter"
)

const filterBundle = `apiVersion: smith.atlassian.com/v1
kind: Bundle
metadata:
  name: ab
  namespace: ns
spec:
  resources:
  - name: a
    spec:
      object:
        apiVersion: servicecatalog.k8s.io/v1beta1
        kind: ServiceInstance
        metadata:
          name: a # the provider
        spec:
          clusterServiceClassExternalName: "db"
  - name: a-binding
    references:
    - resource: a
      name: a-metadata-name
      path: metadata.name
    spec:
      object:
        apiVersion: servicecatalog.k8s.io/v1beta1
        kind: ServiceBinding
        metadata:
          name: a-binding
        spec:
          instanceRef:
            name: "!{a-metadata-name}"
          secretName: a-binding-secret
  - name: b
    references:
    - resource: a-binding
    spec:
      plugin:
        name: filter
        objectName: b
        spec:
          filterByPrefix: FOO_
`

const (
	observedA = `apiVersion: servicecatalog.k8s.io/v1beta1
kind: ServiceInstance
metadata: {name: a, namespace: ns}
status: {conditions: [{type: Ready, status: "True"}]}
`
	observedBinding = `apiVersion: servicecatalog.k8s.io/v1beta1
kind: ServiceBinding
metadata: {name: a-binding, namespace: ns}
spec: {instanceRef: {name: a}, secretName: a-binding-secret}
status: {conditions: [{type: Ready, status: "True"}]}
`
	observedSecret = `apiVersion: v1
kind: Secret
metadata: {name: a-binding-secret, namespace: ns}
data: {FOO_BAR2: Mg==, OTHER: eA==, FOO_BAR1: MQ==}
`
)

const (
	renderedA = `apiVersion: servicecatalog.k8s.io/v1beta1
kind: ServiceInstance
metadata:
  name: a # the provider
  namespace: ns
spec:
  clusterServiceClassExternalName: "db"
`
	renderedBinding = `apiVersion: servicecatalog.k8s.io/v1beta1
kind: ServiceBinding
metadata:
  name: a-binding
  namespace: ns
spec:
  instanceRef:
    name: "a"
  secretName: a-binding-secret
`
	renderedB = `apiVersion: servicecatalog.k8s.io/v1beta1
kind: ServiceInstance
metadata:
  name: b
  namespace: ns
spec:
  parametersFrom:
  - secretKeyRef:
      name: a-binding-secret
      key: FOO_BAR1
  - secretKeyRef:
      name: a-binding-secret
      key: FOO_BAR2
`
)

const (
	twoRendered   = renderedA + "---\n" + renderedBinding
	threeRendered = twoRendered + "---\n" + renderedB
)

// scene is a Bundle with what was observed.
type scene struct {
	bundle   string
	observed []string
	plugins  []plugin.NewFunc
	change   func(*bundle.Options)
}

// play processes a scene.
func (s scene) play(t *testing.T) *bundle.Result {
	t.Helper()
	b, err := read(t, s.bundle)
	if err != nil {
		t.Fatal(messages(err))
	}
	result, err := bundle.Process(context.Background(), b, s.options(t))
	if err != nil {
		t.Fatal(messages(err))
	}
	return result
}

func (s scene) options(t *testing.T) *bundle.Options {
	t.Helper()
	pool := &bundle.Pool{}
	for i, text := range s.observed {
		if _, err := pool.Add([]byte(text), fmt.Sprintf("observed%d.yaml", i)); err != nil {
			t.Fatal(messages(err))
		}
	}
	plugins, err := bundle.NewPlugins(t.Context(), 0, append([]plugin.NewFunc{filter.New}, s.plugins...))
	if err != nil {
		t.Fatal(err)
	}
	o := &bundle.Options{Pool: pool, Plugins: plugins, Outputs: bundle.DefaultOutputs()}
	if s.change != nil {
		s.change(o)
	}
	return o
}

// rendered returns the rendered objects as one text.
func rendered(r *bundle.Result) string {
	var texts []string
	for _, res := range r.Resources {
		if res.Rendered() {
			texts = append(texts, string(res.Bytes()))
		}
	}
	return strings.Join(texts, "---\n")
}

// summary returns the status of each resource with what it says.
func summary(r *bundle.Result) string {
	var b strings.Builder
	for _, res := range r.Resources {
		fmt.Fprintf(&b, "%s %s", res.Resource.Name, res.Status)
		if res.Message != "" {
			fmt.Fprintf(&b, ": %s", res.Message)
		}
		for _, f := range res.Errors {
			fmt.Fprintf(&b, ": %s", f.Message)
			if f.Hint != "" {
				fmt.Fprintf(&b, " [%s]", f.Hint)
			}
		}
		if len(res.Errors) > 0 {
			fmt.Fprintf(&b, " (retriable %v, external %v)", res.Retriable, res.External)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func with(old, replacement string) string {
	if !strings.Contains(filterBundle, old) {
		panic("no " + old)
	}
	return strings.Replace(filterBundle, old, replacement, 1)
}

// made returns the factory of a plugin called other that returns a result.
func made(result plugin.ProcessResult) plugin.NewFunc {
	return func() (plugin.Plugin, error) { return other{result}, nil }
}

type other struct{ result plugin.ProcessResult }

func (other) Describe() *plugin.Description {
	return &plugin.Description{
		Name: "other", GVK: plugin.NewGroupVersionKind(catalogVersion, "ServiceInstance"),
	}
}

func (o other) Process(map[string]any, *plugin.Context) plugin.ProcessResult { return o.result }

// success returns the factory of a plugin that makes an object.
func success(apiVersion, kind string, metadata map[string]any) plugin.NewFunc {
	return made(&plugin.ProcessResultSuccess{Object: &plugin.Object{Object: map[string]any{
		"apiVersion": apiVersion, "kind": kind, "metadata": metadata,
	}}})
}

// instance is success for a ServiceInstance.
func instance(metadata map[string]any) plugin.NewFunc {
	return success(catalogVersion, "ServiceInstance", metadata)
}

// changed returns what was observed, with a change of the Secret.
func changed(old, replacement string) []string {
	return []string{
		observedA, observedBinding, strings.Replace(observedSecret, old, replacement, 1),
	}
}

const catalogVersion = "servicecatalog.k8s.io/v1beta1"

// TestFilter has the worked example and its variations.
func TestFilter(t *testing.T) {
	all := []string{observedA, observedBinding, observedSecret}
	const ready = "a Ready\na-binding Ready\nb "
	useOther := with("name: filter\n", "name: other\n")
	for name, c := range map[string]struct {
		scene
		summary, rendered string // rendered is not compared if it is empty
	}{
		"everything observed": {
			scene{bundle: filterBundle, observed: all},
			ready + "InProgress: not observed\n", threeRendered,
		},
		"ready": {
			scene{
				bundle:   filterBundle,
				observed: append(all, strings.ReplaceAll(observedA, "name: a,", "name: b,")),
			},
			ready + "Ready\n", threeRendered,
		},
		"nothing observed": {
			scene{bundle: filterBundle},
			"a InProgress: not observed\na-binding Blocked: not ready: a\nb Blocked: not ready: " +
				"a-binding\n", renderedA,
		},
		"binding absent": {
			scene{bundle: filterBundle, observed: []string{observedA}},
			"a Ready\na-binding InProgress: not observed\nb Blocked: not ready: a-binding\n",
			twoRendered,
		},
		"Secret missing": {
			scene{bundle: filterBundle, observed: all[:2]},
			"a Ready\na-binding Error: cannot find output Secret a-binding-secret (retriable " +
				"true, external true)\nb Blocked: not ready: a-binding\n", renderedA,
		},
		"no such key": {
			scene{
				bundle: filterBundle,
				observed: append(slices.Clone(all[:2]), strings.ReplaceAll(observedSecret, "FOO_",
					"BAR_")),
			},
			ready + "Error: no key of a-binding-secret starts with FOO_ (retriable true, " +
				"external true)\n", twoRendered,
		},
		"prefix a number": {
			scene{bundle: with("FOO_\n", "5\n"), observed: all},
			ready + "Error: spec failed validation against schema: spec.filterByPrefix: expected " +
				"string, got 5 [put it in quotes: \"5\"] (retriable false, external true)\n", "",
		},
		"prefix absent": {
			scene{bundle: with("filterByPrefix: FOO_", "name: x"), observed: all},
			ready + "Error: spec failed validation against schema: spec: filterByPrefix is " +
				"required (retriable false, external true)\n", "",
		},
		"extra key": {
			scene{
				bundle:   with("filterByPrefix: FOO_", "filterByPrefix: FOO_\n          other: 1"),
				observed: all,
			},
			ready + "Error: spec failed validation against schema: spec: unknown property other " +
				"(retriable false, external true)\n", "",
		},
		"several errors": {
			scene{
				bundle:   with("filterByPrefix: FOO_", "filterByPrefix: ''\n          name: 5"),
				observed: all,
			},
			ready + "Error: spec failed validation against schema: spec.filterByPrefix: \"\" " +
				"has 0 characters, at least 1 is required: spec failed validation against " +
				"schema: spec.name: expected string, got 5 [put it in quotes: \"5\"] (retriable " +
				"false, external true)\n", "",
		},
		"no binding": {
			scene{
				bundle:   with("    - resource: a-binding\n", "    - resource: a\n"),
				observed: all,
			},
			ready + "Error: filter needs a dependency on a ServiceBinding (retriable false, " +
				"external true)\n", "",
		},
		"no references": {
			scene{bundle: with("    references:\n    - resource: a-binding\n", ""), observed: all},
			ready + "Error: filter needs a dependency on a ServiceBinding (retriable false, " +
				"external true)\n", "",
		},
		"unknown plugin": {
			scene{bundle: with("name: filter\n", "name: filtr\n"), observed: all},
			ready + "Error: no such plugin \"filtr\" (did you mean filter?) (retriable false, " +
				"external true)\n", twoRendered,
		},
		"other type": {
			scene{
				bundle: useOther, observed: all,
				plugins: []plugin.NewFunc{success("apps/v1", "Deployment", nil)},
			},
			ready + "Error: plugin other: unexpected GVK from plugin: wanted " +
				"servicecatalog.k8s.io/v1beta1, Kind=ServiceInstance, got apps/v1, " +
				"Kind=Deployment (retriable false, external false)\n", "",
		},
		"other name": {
			scene{
				bundle: useOther, observed: all,
				plugins: []plugin.NewFunc{instance(map[string]any{
					"name": "x", "labels": map[string]any{"a": "b"},
				})},
			},
			ready + "InProgress: not observed\n", twoRendered + "---\napiVersion: " +
				catalogVersion + "\nkind: ServiceInstance\n" +
				"metadata:\n  name: b\n  labels:\n    a: b\n  namespace: ns\n",
		},
		"other namespace": {
			scene{
				bundle: useOther, observed: all,
				plugins: []plugin.NewFunc{instance(map[string]any{
					"namespace": "x",
				})},
			},
			ready + "Error: the namespace x is not that of the Bundle, ns [leave " +
				"metadata.namespace out] (retriable false, external false)\n", "",
		},
		"key order": {
			scene{bundle: filterBundle, observed: changed(
				"{FOO_BAR2: Mg==, OTHER: eA==, FOO_BAR1: MQ==}", "{FOO_BAR1: MQ==, FOO_BAR2: Mg==}",
			)},
			ready + "InProgress: not observed\n", threeRendered,
		},
		"not UTF-8": {
			scene{bundle: filterBundle, observed: changed("Mg==", "/w==")},
			ready + "InProgress: not observed\n", threeRendered,
		},
		"stringData": {
			scene{bundle: filterBundle, observed: changed(
				"data: {FOO_BAR2: Mg==, ", "stringData: {FOO_BAR2: b, ",
			)},
			ready + "InProgress: not observed\n", threeRendered,
		},
		"name in spec": {
			scene{
				bundle: strings.Replace(
					with("        objectName: b\n", ""), "filterByPrefix",
					"name: b\n          filterByPrefix", 1,
				),
				observed: all,
			},
			ready + "InProgress: not observed\n", threeRendered,
		},
	} {
		t.Run(name, func(t *testing.T) {
			result := c.play(t)
			if got := summary(result); got != c.summary {
				t.Errorf("got:\n%swant:\n%s", got, c.summary)
			}
			if got := rendered(result); c.rendered != "" && got != c.rendered {
				t.Errorf("got:\n%swant:\n%s", got, c.rendered)
			}
		})
	}
}
