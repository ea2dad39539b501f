package bundle_test

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/bundle"
	"github.com/fctl-dev/fctl/internal/diag"
)

const head = "apiVersion: smith.atlassian.com/v1\nkind: Bundle\nmetadata: {name: test}\n"

// messages returns the problems and hints of an error, one per line.
func messages(err error) string {
	if err == nil {
		return ""
	}
	var b strings.Builder
	if err := diag.Failures(err, api.FailureUsage).Write(&b, diag.Style{}); err != nil {
		return err.Error()
	}
	return b.String()
}

// one returns a Bundle with one resource, whose fields after name are given.
func one(fields string) string {
	return head + "spec:\n  resources:\n  - name: a\n" + fields
}

const (
	object = "    spec: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: x}}}\n"
	second = "  - name: b\n    spec: {object: {apiVersion: v1, kind: Secret, metadata: {name: " +
		"x}}}\n"
)

// TestStructuralErrors has each rule about the structure of a Bundle.
func TestStructuralErrors(t *testing.T) {
	long := strings.Repeat("a", 254)
	for name, c := range map[string]struct{ text, want string }{
		"no resources":    {head + "spec: {resources: []}\n", ""},
		"no spec":         {head, ""},
		"one object":      {one(object), ""},
		"null references": {one("    references: null\n" + object), ""},
		"empty file": {
			"",
			"b.yaml: the file has no Bundle\nhint: a Bundle has apiVersion: " +
				"smith.atlassian.com/v1 and kind: Bundle\n",
		},
		"only comments": {
			"# nothing\n",
			"b.yaml: the file has no Bundle\nhint: a Bundle has apiVersion: " +
				"smith.atlassian.com/v1 and kind: Bundle\n",
		},
		"not a map": {"- a\n", "b.yaml:1:1: a Bundle must be a map, not a list\n"},
		"another kind": {
			"apiVersion: v1\nkind: Secret\n", "b.yaml:2:7: a Bundle is expected, not \"Secret\"\n",
		},
		"another version": {
			strings.Replace(head, "/v1", "/v2", 1),
			"b.yaml:1:13: apiVersion \"smith.atlassian.com/v2\" is not one of a Bundle\nhint: " +
				"apiVersion: smith.atlassian.com/v1\n",
		},
		"bad namespace": {
			strings.Replace(head, "name: test", "name: test, namespace: a.b", 1),
			"b.yaml:3:35: \"a.b\" is not a name of a namespace\n" +
				"hint: lower case letters, digits and -, at most 63 characters\n",
		},
		"no name": {
			strings.Replace(head, "name: test", "", 1), "b.yaml:3:11: metadata.name is missing\n",
		},
		"bad name": {
			strings.Replace(head, "test", "Test", 1),
			"b.yaml:3:18: \"Test\" is not a name of a Bundle\n" +
				"hint: lower case letters, digits and -, in parts joined by dots, at most 253 " +
				"characters\n",
		},
		"unknown field": {
			head + "sepc: {}\n",
			"b.yaml:4:1: a Bundle has no field \"sepc\"\nhint: did you mean spec?\n",
		},
		"unknown in spec": {
			head + "spec: {resource: []}\n",
			"b.yaml:4:8: a spec has no field \"resource\"\nhint: did you mean resources?\n",
		},
		"resources a map": {
			head + "spec: {resources: {a: 1}}\n", "b.yaml:4:19: spec.resources must be a list, not a map\n",
		},
		"resource scalar": {
			head + "spec: {resources: [a]}\n", "b.yaml:4:20: a resource must be a map, not \"a\"\n",
		},
		"repeated field": {
			one(object + "    spec: {}\n"),
			"b.yaml:8:5: a: spec is given twice, first in line 7\nb.yaml:8:11: a: a resource has an " +
				"object or a plugin, and this has neither\n",
		},
		"repeated label": {
			one("    spec: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: x, " +
				"labels: {a: 1, a: 2}}}}\n"),
			"b.yaml:7:89: a: spec.object.metadata.labels.a is given twice, first in line 7\n",
		},
		"no resource name": {
			head + "spec: {resources: [{spec: {object: {apiVersion: v1, kind: A, metadata: " +
				"{name: x}}}}]}\n",
			"b.yaml:4:20: name is missing\n",
		},
		"duplicate name": {
			one(object + strings.Replace(second, "name: b", "name: a", 1)),
			"b.yaml:8:11: a: another resource has the same name, at b.yaml:6:5\n",
		},
		"upper case": {
			strings.Replace(one(object), "name: a", "name: A", 1),
			"b.yaml:6:11: A: \"A\" is not a name of a resource\n" +
				"hint: lower case letters, digits and -, in parts joined by dots, at most 253 " +
				"characters\n",
		},
		"underscore": {
			strings.Replace(one(object), "name: a", "name: a_b", 1),
			"b.yaml:6:11: a_b: \"a_b\" is not a name of a resource\n" +
				"hint: lower case letters, digits and -, in parts joined by dots, at most 253 " +
				"characters\n",
		},
		"dash at the end": {
			strings.Replace(one(object), "name: a", "name: a-.b", 1),
			"b.yaml:6:11: a-.b: \"a-.b\" is not a name of a resource\n" +
				"hint: lower case letters, digits and -, in parts joined by dots, at most 253 " +
				"characters\n",
		},
		"with dots": {strings.Replace(one(object), "name: a", "name: a-1.b", 1), ""},
		"too long": {
			strings.Replace(one(object), "name: a", "name: "+long, 1),
			"b.yaml:6:11: " + long + ": \"" + long +
				"\" is not a name of a resource\nhint: lower case letters, digits and -, in " +
				"parts joined by dots, at most 253 characters\n",
		},
		"name a number": {
			strings.Replace(one(object), "name: a", "name: 5", 1),
			"b.yaml:6:11: 5: name must be a text, not 5\nhint: quote it: \"5\"\n",
		},
		"no spec of it": {
			one("    references: []\n"),
			"b.yaml:6:5: a: spec is missing: a resource has an object or a plugin\n",
		},
		"neither": {
			one("    spec: {}\n"),
			"b.yaml:7:11: a: a resource has an object or a plugin, and this has neither\n",
		},
		"both": {
			one("    spec: {object: {}, plugin: {}}\n"),
			"b.yaml:7:32: a: a resource has an object or a plugin, not both\n",
		},
		"null and a plugin": {
			one("    spec: {object: null, plugin: {name: p, objectName: x}}\n"),
			"",
		},
		"two nulls": {
			one("    spec: {object: null, plugin: null}\n"),
			"b.yaml:7:11: a: a resource has an object or a plugin, and this has neither\n",
		},
		"object a list": {
			one("    spec: {object: []}\n"), "b.yaml:7:20: a: spec.object must be a map, not a list\n",
		},
		"empty object": {
			one("    spec: {object: {}}\n"),
			"b.yaml:7:20: a: the object has no apiVersion\nb.yaml:7:20: a: the object has no " +
				"kind\n" +
				"b.yaml:7:20: a: the object has no metadata.name\n",
		},
		"name empty": {
			one("    spec: {object: {apiVersion: v1, kind: 5, metadata: {name: ''}}}\n"),
			"b.yaml:7:43: a: kind: a string is expected\nb.yaml:7:63: a: metadata.name is empty\n",
		},
		"other namespace": {
			one("    spec: {object: {apiVersion: v1, kind: A, metadata: {name: x, namespace: " +
				"other}}}\n"),
			"b.yaml:7:77: a: the namespace other is not that of the Bundle, default\nhint: leave " +
				"metadata.namespace out\n",
		},
		"same namespace": {
			one("    spec: {object: {apiVersion: v1, kind: A, metadata: {name: x, namespace: " +
				"default}}}\n"),
			"",
		},
		"deletion": {
			one("    spec: {object: {apiVersion: v1, kind: A, metadata: {name: x, annotations: " +
				"{smith.atlassian.com/deletionTimestamp: now}}}}\n"),
			"b.yaml:7:119: a: the annotation smith.atlassian.com/deletionTimestamp is set by " +
				"Smith only\n",
		},
		"controller": {
			one("    spec: {object: {apiVersion: v1, kind: A, metadata: {name: x, " +
				"ownerReferences: [{controller: false}, {controller: true}]}}}\n"),
			"b.yaml:7:83: a: an owner reference with controller: true is set by Smith only\n",
		},
		"bad names": {
			one("    spec: {object: {apiVersion: v1, kind: Service, metadata: {name: A.b, " +
				"labels: {'a b': c, d: '!{n}'}}}}\n"),
			"b.yaml:7:69: a: metadata.name: \"A.b\" is not a valid name: use lower-case " +
				"letters, digits and '-', with a letter or digit at both ends\n" +
				"b.yaml:7:90: a: metadata.labels.a b: \"a b\" is not a valid key: use letters, " +
				"digits, '-', '_' and '.', with a letter or digit at both ends\n" +
				"b.yaml:7:96: a: metadata.labels.d: reference does not exist in resource references block: n\n",
		},
		"names of roles": {
			one("    spec: {object: {apiVersion: rbac.authorization.k8s.io/v1, kind: Role, " +
				"metadata: {name: system:A}}}\n"),
			"",
		},
		"plugin a list": {
			one("    spec: {plugin: []}\n"), "b.yaml:7:20: a: spec.plugin must be a map, not a list\n",
		},
		"plugin no name": {
			one("    spec: {plugin: {objectName: x}}\n"), "b.yaml:7:20: a: spec.plugin.name is missing\n",
		},
		"plugin bad name": {
			one("    spec: {plugin: {name: A, objectName: x}}\n"),
			"b.yaml:7:27: a: \"A\" is not a name of a plugin\n" +
				"hint: lower case letters, digits and -, in parts joined by dots, at most 253 " +
				"characters\n",
		},
		"plugin unknown": {
			one("    spec: {plugin: {name: p, objectName: x, sepc: {}}}\n"),
			"b.yaml:7:45: a: a plugin has no field \"sepc\"\nhint: did you mean spec?\n",
		},
		"no object name": {
			one("    spec: {plugin: {name: p, spec: {}}}\n"),
			"b.yaml:7:20: a: objectName is missing: the object needs a name\n",
		},
		"name in spec": {one("    spec: {plugin: {name: p, spec: {name: x}}}\n"), ""},
		"name in spec no": {
			one("    spec: {plugin: {name: p, spec: {name: 5}}}\n"),
			"b.yaml:7:43: a: objectName is missing: the object needs a name\n",
		},
		"bad object name": {
			one("    spec: {plugin: {name: p, objectName: X}}\n"),
			"b.yaml:7:42: a: \"X\" is not a name of an object\n" +
				"hint: lower case letters, digits and -, in parts joined by dots, at most 253 " +
				"characters\n",
		},
		"spec a list": {
			one("    spec: {plugin: {name: p, objectName: x, spec: []}}\n"),
			"b.yaml:7:51: a: spec.plugin.spec must be a map, not a list\n",
		},
		"reference scalar": {
			one("    references: [b]\n" + object + second),
			"b.yaml:7:18: a: references.0 must be a map, not \"b\"\n",
		},
		"no target": {
			one("    references: [{name: n, path: a}]\n" + object),
			"b.yaml:7:18: a: references.0.resource is missing\n",
		},
		"missing target": {
			one("    references: [{resource: bb}]\n" + object + second),
			"b.yaml:7:29: a: resource \"bb\", to which \"a\" refers, does not exist\n" +
				"hint: did you mean b?\n",
		},
		"to itself": {
			one("    references: [{resource: a}]\n" + object),
			"b.yaml:7:29: a: the resource refers to itself: a → a\n",
		},
		"nameless": {
			one("    references: [{resource: b}, {resource: b}]\n" + object + second), "",
		},
		"name, no path": {
			one("    references: [{resource: b, name: n}]\n" + object + second),
			"b.yaml:7:18: a: path is missing: a reference with a name needs one\n",
		},
		"empty path": {
			one("    references: [{resource: b, name: n, path: ''}]\n" + object + second),
			"b.yaml:7:18: a: path is missing: a reference with a name needs one\n",
		},
		"bad path": {
			one("    references: [{resource: b, name: n, path: 'a['}]\n" + object + second),
			"b.yaml:7:47: a: path \"a[\": column 3: an index, a quoted key, * or a filter is " +
				"expected\n",
		},
		"duplicate ref": {
			one("    references: [{resource: b, name: n, path: a}, {resource: b, name: n, path: " +
				"c}]\n" + object + second),
			"b.yaml:7:71: a: another reference has the same name, \"n\"\n",
		},
		"reference name": {
			one("    references: [{resource: b, name: a_b, path: a}]\n" + object + second),
			"b.yaml:7:38: a: \"a_b\" is not a name of a reference\n" +
				"hint: letters, digits, - and .\n",
		},
		"reference upper": {
			one("    references: [{resource: b, name: A.b-1, path: a}]\n" + object + second), "",
		},
		"modifier": {
			one("    references: [{resource: b, name: n, path: a, modifier: bind}]\n" + object +
				second),
			"b.yaml:7:60: a: references.0.modifier must be bindsecret, not \"bind\"\n",
		},
		"bindsecret": {
			one(
				"    references: [{resource: b, name: n, path: a, modifier: bindsecret}]\n" +
					object + second,
			),
			"b.yaml:7:60: a: bindsecret is for a ServiceBinding, and \"b\" is a Secret\n",
		},
		"unknown reference": {
			one("    references: [{resource: b, name: name, path: a}]\n" +
				"    spec: {object: {apiVersion: v1, kind: A, metadata: {name: '!{nam}'}}}\n" +
				second),
			"b.yaml:8:63: a: metadata.name: reference does not exist in resource references " +
				"block: nam\n" +
				"hint: did you mean name?\n",
		},
		"two in one": {
			one("    references: [{resource: b, name: a, path: a}]\n" +
				"    spec: {object: {apiVersion: v1, kind: A, metadata: {name: '!{a}!{b}'}}}\n" +
				second),
			"b.yaml:8:63: a: metadata.name: reference does not exist in resource references " +
				"block: a}!{b\n",
		},
		"only direct": {
			one("    references: [{resource: b}]\n    spec: {object: {apiVersion: v1, kind: A, " +
				"metadata: {name: '!{n}'}}}\n" +
				"  - name: b\n    references: [{resource: c, name: n, path: a}]\n" +
				"    spec: {object: {apiVersion: v1, kind: A, metadata: {name: b}}}\n" +
				"  - name: c\n    spec: {object: {apiVersion: v1, kind: A, metadata: {name: " +
				"c}}}\n"),
			"b.yaml:8:63: a: metadata.name: reference does not exist in resource references " +
				"block: n\n",
		},
		"without quotes": {
			one("    spec: {object: {apiVersion: v1, kind: A, metadata: {name: !{n}}}}\n"),
			"b.yaml:7:63: ! begins a tag in YAML, so a reference needs quotes\nhint: quote the " +
				"reference: \"!{n}\"\nb.yaml:7:63: a: metadata.name: reference does not exist in " +
				"resource references block: n\n",
		},
		"several without quotes": {
			one("    references: [{resource: b, name: n, path: a}]\n    spec:\n      object: " +
				"{apiVersion: v1, kind: A, metadata: {name: x}, a: !{n}, b: !!{n}, c: !{m}}\n" +
				"      sp: 1\n" +
				second),
			"b.yaml:9:65: ! begins a tag in YAML, so a reference needs quotes\nhint: quote the " +
				"reference: \"!{n}\"\n" +
				"b.yaml:9:74: ! begins a tag in YAML, so a reference needs quotes\n" +
				"hint: quote the reference: \"!!{n}\"\n" +
				"b.yaml:9:84: ! begins a tag in YAML, so a reference needs quotes\n" +
				"hint: quote the reference: \"!{m}\"\n" +
				"b.yaml:9:84: a: c: reference does not exist in resource references block: m\n" +
				"hint: did you mean n?\n" +
				"b.yaml:10:7: a: a spec has no field \"sp\"\nhint: its fields are object, plugin\n",
		},
		"without quotes and not YAML": {
			one("    spec: !{n}\n---\na: [\n"),
			"b.yaml:7:11: ! begins a tag in YAML, so a reference needs quotes\nhint: quote the " +
				"reference: \"!{n}\"\nb.yaml:7:11: a: spec must be a map, not \"!{n}\"\nb.yaml:9:4: ",
		},
		"not YAML": {"a: [\n", "b.yaml:1:4: "},
		"cycle": {
			one(
				"    references: [{resource: b}]\n" + object + strings.Replace(
					second, "    spec", "    references: [{resource: a}]\n    spec", 1,
				),
			),
			"b.yaml:10:29: b: the resources refer to each other in a cycle: a → b → a\n",
		},
		"all at once": {
			head + "spec:\n  resources:\n  - name: A\n    spec: {}\n  - name: b\n    references: " +
				"[{resource: z}]\n    spec: {object: {}}\n",
			"b.yaml:6:11: A: \"A\" is not a name of a resource\n" +
				"hint: lower case letters, digits and -, in parts joined by dots, at most 253 " +
				"characters\n" +
				"b.yaml:7:11: A: a resource has an object or a plugin, and this has neither\n" +
				"b.yaml:9:29: b: resource \"z\", to which \"b\" refers, does not exist\n" +
				"hint: did you mean A?\n" +
				"b.yaml:10:20: b: the object has no apiVersion\nb.yaml:10:20: b: the object has " +
				"no kind\n" +
				"b.yaml:10:20: b: the object has no metadata.name\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := bundle.Read([]byte(c.text), "b.yaml", "default")
			got := messages(err)
			if strings.HasSuffix(name, "not YAML") {
				got = got[:min(len(got), len(c.want))]
			}
			if got != c.want {
				t.Errorf("%s\ngot:\n%swant:\n%s", c.text, got, c.want)
			}
		})
	}
}

// TestOrder has the examples of the specification.
func TestOrder(t *testing.T) {
	for graph, want := range map[string]string{
		"a->c, a->b, b->c, d":    "c b a d",
		"a->b, a->d, d->c, c->b": "b c d a",
		"a, b, c":                "a b c",
		"c, b->c, a->b":          "c b a",
		"a->b, b->c, c":          "c b a",
	} {
		t.Run(graph, func(t *testing.T) {
			b, err := read(t, fromGraph(graph))
			if err != nil {
				t.Errorf("%v", messages(err))
				return
			}
			var names []string
			for _, r := range b.Order() {
				names = append(names, string(r.Name))
			}
			if got := strings.Join(names, " "); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestCycles(t *testing.T) {
	for graph, want := range map[string]string{
		"a->b, b->a":             "a → b → a",
		"a->a":                   "a → a",
		"a->b, b->c, c->b, d->a": "b → c → b",
		"a->b, b->c, c->a":       "a → b → c → a",
	} {
		t.Run(graph, func(t *testing.T) {
			_, err := read(t, fromGraph(graph))
			got := messages(err)
			if strings.Count(got, "\n") != 1 || !strings.HasSuffix(got, ": "+want+"\n") {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	_, err := read(t, fromGraph("a->b, b->a, c->d, d->c"))
	got := messages(err)
	if !strings.Contains(got, "a → b → a") || !strings.Contains(got, "c → d → c") {
		t.Errorf("got %s", got)
	}
}

// read reads a text with one Bundle.
func read(t *testing.T, text string) (*bundle.Bundle, error) {
	t.Helper()
	bundles, _, err := bundle.Read([]byte(text), "b.yaml", "default")
	if err != nil {
		return nil, err
	}
	if len(bundles) != 1 {
		t.Fatalf("%d Bundles", len(bundles))
	}
	return bundles[0], nil
}

// fromGraph returns a Bundle of ConfigMaps with the edges "a->b"; resources are in the order in
// which their names begin an element.
func fromGraph(graph string) string {
	var order []string
	edges := map[string][]string{}
	add := func(name string) {
		if _, ok := edges[name]; !ok {
			order, edges[name] = append(order, name), nil
		}
	}
	elements := strings.Split(graph, ", ")
	for _, e := range elements {
		from, to, ok := strings.Cut(e, "->")
		add(from)
		if ok {
			edges[from] = append(edges[from], to)
		}
	}
	for _, e := range elements {
		if _, to, ok := strings.Cut(e, "->"); ok {
			add(to)
		}
	}
	var b strings.Builder
	b.WriteString(head + "spec:\n  resources:\n")
	for _, name := range order {
		b.WriteString("  - name: " + name + "\n    references:\n")
		for _, to := range edges[name] {
			b.WriteString("    - resource: " + to + "\n")
		}
		b.WriteString("    spec: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: " +
			name + "}}}\n")
	}
	return b.String()
}
