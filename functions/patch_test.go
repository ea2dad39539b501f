package functions_test

import (
	"bytes"
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/filters/patchjson6902"
	"sigs.k8s.io/kustomize/api/filters/patchstrategicmerge"
	"sigs.k8s.io/kustomize/kyaml/kio"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
)

const patched = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web # main
  labels: {app: web}
spec:
  replicas: 2
  strategy:
    type: RollingUpdate
    rollingUpdate: {maxSurge: 1}
  template:
    spec:
      containers:
        - name: web
          image: nginx:1 # pinned
          args: ["-a", "-b"]
          env:
            - {name: A, value: "1"}
            - {name: B, value: "2"}
          ports:
            - containerPort: 80
        - name: log
          image: log:1
      tolerations:
        - key: a
`

// TestPatchLikeKustomize compares patch by value with the filters of kustomize, which adds elements
// of lists before the others. Run again, patch changes nothing.
func TestPatchLikeKustomize(t *testing.T) {
	for name, patch := range map[string]string{
		"scalar":            `spec: {replicas: 5}`,
		"new key":           `spec: {paused: true, template: {spec: {nodeSelector: {zone: eu}}}}`,
		"removed":           `{metadata: {labels: {app: null, none: null}}, spec: {none: null}}`,
		"element":           `spec: {template: {spec: {containers: [{name: web, image: "web:2"}]}}}`,
		"two lists":         `spec: {template: {spec: {containers: [{name: log, env: [{name: A, value: x}]}, {name: web, env: [{name: B, value: y}, {name: C, value: z}]}]}}}`,
		"new element":       `spec: {template: {spec: {containers: [{name: new, image: "new:1", none: null}]}}}`,
		"primitive list":    `spec: {template: {spec: {containers: [{name: web, args: [x]}]}}}`,
		"list without keys": `spec: {template: {spec: {tolerations: [{key: b}]}}}`,
		"delete an element": `spec: {template: {spec: {containers: [{name: log, $patch: delete}, {name: none, $patch: delete}]}}}`,
		"delete a map":      `spec: {strategy: {$patch: delete}}`,
		"replace a map":     `spec: {strategy: {$patch: replace, type: Recreate}}`,
		"replace a list":    `spec: {template: {spec: {containers: [{$patch: replace}, {name: one, image: "one:1"}]}}}`,
		"replace by nothing": `spec: {strategy: {type: null, rollingUpdate: null}, template: {spec: {containers: ` +
			`[{name: web, env: [{name: A, $patch: delete}, {name: B, $patch: delete}]}]}}}`,
		"nulls in new maps": `spec: {new: {a: null, b: {c: null}}}`,
		"operations":        `[{op: replace, path: /spec/replicas, value: 5}, {op: add, path: /metadata/annotations, value: {a~b/c: x}}]`,
		"insert":            `[{op: add, path: /spec/template/spec/containers/0/args/1, value: x}]`,
		"append":            `[{op: add, path: /spec/template/spec/containers/0/args/-, value: {a: [1]}}]`,
		"add to a map":      `[{op: add, path: /spec/strategy/type, value: Recreate}, {op: remove, path: /spec/strategy/rollingUpdate}]`,
		"escaped":           `[{op: add, path: /metadata/labels/a.b~1c~0d, value: x}]`,
		"test":              `[{op: test, path: /spec/replicas, value: 2}, {op: remove, path: /spec/template/spec/containers/1}]`,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := patchedBy(patch)
			if err != nil {
				t.Fatal(err)
			}
			if want := kustomized(t, patch); !reflect.DeepEqual(sortedLists(got), sortedLists(want)) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if again, err := patchedText(got, patch); !strings.HasPrefix(patch, "[") &&
				(err != nil || again != got) {
				t.Errorf("again: %v\n%s\nafter\n%s", err, again, got)
			}
			if !strings.Contains(got, "name: web # main") {
				t.Errorf("a comment is lost:\n%s", got)
			}
		})
	}
}

// TestPatchMovesAndCopies runs operations that kustomize has, too, whose second run is another one.
func TestPatchMovesAndCopies(t *testing.T) {
	got, err := patchedBy(`[{op: move, from: /spec/strategy/type, path: /metadata/labels/kind},
		{op: copy, from: /spec/template/spec/containers/1, path: /spec/template/spec/containers/0}]`)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"labels: {app: web, kind: RollingUpdate}", "      containers:\n        - name: log\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// TestPatchWithOneElementTwice merges the parts of a new element, as of one that is there.
func TestPatchWithOneElementTwice(t *testing.T) {
	got, err := patchedBy(`spec: {template: {spec: {containers: [{name: new, image: a}, {name: new, tty: true}]}}}`)
	if want := "        - name: new\n          image: a\n          tty: true\n"; err != nil ||
		!strings.Contains(got, want) {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestPatchErrors(t *testing.T) {
	for patch, want := range map[string]string{
		`[{op: replace, path: /spec/none, value: 1}]`:                    "replace /spec/none: resource has no /spec/none",
		`[{op: add, path: /a/b, value: 1}]`:                              "resource has no /a",
		`[{op: add, path: /spec/template/spec/containers/7, value: 1}]`:  "element 7 cannot be added",
		`[{op: add, path: /spec/replicas/a, value: 1}]`:                  "/spec/replicas is neither a map nor a list",
		`[{op: move, from: /spec, path: /spec/template}]`:                "/spec cannot move into itself",
		`[{op: test, path: /spec/strategy, value: 1}]`:                   `value is "type: RollingUpdate\n`,
		`[{op: test, path: /spec/none, value: 1}]`:                       "resource has no /spec/none",
		`[{op: add, path: /a}]`:                                          "op add needs a value",
		`[{op: add, value: 1}]`:                                          "op add needs a path",
		`[{op: add, path: a, value: 1}]`:                                 `path is "a", but begins with a slash`,
		`[{op: copy, path: /a}]`:                                         "op copy needs a from",
		`[{op: set, path: /a}]`:                                          `line 1, column 2: op is "set"`,
		`patch.yaml`:                                                     `"patch.yaml" is not a patch: file:patch.yaml`,
		`a text`:                                                         "a patch is a map",
		`# nothing`:                                                      "it has no patch",
		`[{a: b}]`:                                                       "op is missing, and so is patch",
		`patches: [{path: p.yaml}]`:                                      "run patch file:p.yaml",
		`patches: [{patch: "a: b", target: {name: "("}}]`:                "line 1, column 42: error parsing regexp: missing closing ): `(`",
		`patches: [{patch: "a: b", target: {labelSelector: "a in"}}]`:    "target in line 1",
		`{apiVersion: apps/v1, kind: Deployment, metadata: {name: wab}}`: "apps/v1/Deployment wab is not in the input; did you mean web?",
		`[{op: test, path: /spec/replicas, value: 9}, {op: replace, path: /spec/replicas, value: 2}]`: "value is 2",
		`[{op: remove, path: /spec/replicaz}]`:                                                        "resource has no /spec/replicaz",
		`[{op: replace, path: "", value: 1}]`:                                                         "a map is expected in place of the resource",
		`{$patch: replace, spec: {}}`:                                                                 "at the top needs apiVersion",
		`patches: [{target: {kind: Deployment}, patch: "$patch: replace"}]`:                           "at the top needs apiVersion",
		`{apiVersion: apps/v1beta1, kind: Deployment, metadata: {name: web}}`:                         "did you mean apps/v1/Deployment web?",
		`{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: x}}`:                "did you mean apps/v1/Deployment web?",
		`spec: {template: {spec: {containers: [{image: "web:2"}]}}}`:                                  "element spec.template.spec.containers.0 of the patch needs name",
	} {
		if got, err := patchedBy(patch); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s\n%s", patch, err, want, got)
		}
	}
}

func patchedBy(patch string) (string, error) { return patchedText(patched, patch) }

func patchedText(text, patch string) (string, error) { return changedBy(text, "patch", patch) }

// changedBy runs one function on resources of Kubernetes.
func changedBy(text, function string, args ...string) (string, error) {
	invocation := api.FunctionInvocation{FunctionName: function}
	for _, arg := range args {
		invocation.Arguments = append(invocation.Arguments, api.FunctionArgument{Value: arg})
	}
	response, err := functions.NewStandardExecutor().Run(context.Background(), &api.FunctionInvocationRequest{
		FunctionContext:     api.FunctionContext{ToolchainType: api.ToolchainKubernetesYAML},
		ConfigData:          []byte(text),
		FunctionInvocations: api.FunctionInvocationList{invocation},
	}, handler.Options{})
	if err != nil {
		return "", err
	}
	for _, f := range response.Failures {
		return "", f
	}
	return string(response.Data()), nil
}

// kustomized returns the resource with a patch applied by kustomize.
func kustomized(t *testing.T, patch string) string {
	t.Helper()
	var filter kio.Filter
	if strings.HasPrefix(patch, "[") {
		operations, err := kyaml.MustParse(patch).MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		filter = patchjson6902.Filter{Patch: string(operations)}
	} else {
		filter = patchstrategicmerge.Filter{Patch: kyaml.MustParse(patch)}
	}
	var out bytes.Buffer
	if err := (kio.Pipeline{
		Inputs:  []kio.Reader{&kio.ByteReader{Reader: strings.NewReader(patched), OmitReaderAnnotations: true}},
		Filters: []kio.Filter{filter},
		Outputs: []kio.Writer{kio.ByteWriter{Writer: &out}},
	}).Execute(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// sortedLists returns the values of a document, with the elements of lists of maps in the order of
// their texts.
func sortedLists(text string) any {
	doc, err := gaby.ParseYAML([]byte(text))
	if err != nil {
		return err
	}
	var sorted func(v any) any
	sorted = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for key, value := range v {
				v[key] = sorted(value)
			}
		case []any:
			for i := range v {
				v[i] = sorted(v[i])
			}
			if len(v) > 0 && reflect.TypeOf(v[0]).Kind() == reflect.Map {
				slices.SortFunc(v, func(a, b any) int {
					x, _ := a.(map[string]any)
					y, _ := b.(map[string]any)
					m, _ := x["name"].(string)
					n, _ := y["name"].(string)
					return strings.Compare(m, n)
				})
			}
		}
		return v
	}
	return sorted(doc.Data())
}
