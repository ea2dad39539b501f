package bundle_test

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/k8skit"
	"github.com/fctl-dev/fctl/internal/bundle"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
	"github.com/fctl-dev/fctl/internal/lang/cel"
)

// validate returns the problems of a Bundle, and the notes about it.
func validate(t *testing.T, b *bundle.Bundle, o *bundle.Options) string {
	t.Helper()
	notes, err := bundle.Validate(t.Context(), b, o, true)
	text := messages(err)
	for _, n := range notes {
		text += "note: " + n.String() + "\n"
	}
	return text
}

// knowTypes gives options what fctl knows about types, and the definitions in a Bundle.
func knowTypes(t *testing.T, o *bundle.Options, b *bundle.Bundle) {
	t.Helper()
	provider := k8skit.New()
	provider.Schemas().AddInputs(func() []schemas.SchemaFile {
		return bundle.Definitions([]*bundle.Bundle{b})
	})
	var err error
	if o.Schemas, err = provider.Schemas().Set("", cel.NewRuleCompiler()); err != nil {
		t.Fatal(err)
	}
	o.Scope, o.Fields = provider.Scope, provider
}

// typedBundle has an object of each kind that TestTyped refers to.
const typedBundle = `apiVersion: smith.atlassian.com/v1
kind: Bundle
metadata: {name: shop, namespace: ns}
spec:
  resources:
  - name: conf
    spec: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: conf}, data: {n: "1", name: Bad Name}}}
  - name: svc
    spec: {object: {apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{name: http, port: 80}]}}}
  - name: sec
    spec: {object: {apiVersion: v1, kind: Secret, metadata: {name: sec}, stringData: {password: a}}}
  - name: app
    references:
    - REFERENCE
    spec:
      object: OBJECT
`

// TestTyped has the mistakes that only a cluster would notice otherwise.
func TestTyped(t *testing.T) {
	const config = "{apiVersion: v1, kind: ConfigMap, metadata: {name: app}, data: {v: \"!{r}\"}}"
	deployment := func(fields string) string {
		return "{apiVersion: apps/v1, kind: Deployment, metadata: {name: app}, spec: {" + fields +
			", selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, " +
			"spec: {containers: [{name: c, image: \"!{r}\"}]}}}}"
	}
	for name, c := range map[string]struct{ reference, object, want string }{
		"nothing wrong": {"{name: r, resource: conf, path: data.n}", config, ""},
		"a metadata field that does not exist": {
			"{name: r, resource: svc, path: metadata.nam}", config,
			`b.yaml:14:38: app: failed to process reference "r": metadata.nam: a Service has no ` +
				"field metadata.nam (did you mean name?)\n",
		},
		"a spec field that does not exist": {
			"{name: r, resource: svc, path: 'spec.ports[0].prot'}", config,
			`b.yaml:14:38: app: failed to process reference "r": spec.ports[0].prot: a Service has ` +
				"no field spec.ports.0.prot (did you mean port?)\n",
		},
		"a status field that does not exist": {
			"{name: r, resource: svc, path: status.ip}", config,
			`b.yaml:14:38: app: failed to process reference "r": status.ip: a Service has no ` +
				"field status.ip\n",
		},
		"data that nothing gives": {
			"{name: r, resource: conf, path: data.m}", config,
			`b.yaml:14:39: app: failed to process reference "r": data.m: the Bundle gives ` +
				"ConfigMap conf no data.m, and nothing else does (did you mean n?)\n",
		},
		"data in capitals": {
			"{name: r, resource: sec, path: Data.password}", config,
			`b.yaml:14:38: app: failed to process reference "r": Data.password: a Secret has no ` +
				"field Data (did you mean data?)\n",
		},
		"the field of a Secret that a cluster does not keep": {
			"{name: r, resource: sec, path: stringData.password}", config,
			`b.yaml:14:38: app: failed to process reference "r": stringData.password: a cluster ` +
				"moves stringData of a Secret to data, in base64, so nothing is ever at this path\n",
		},
		"an item that does not exist": {
			"{name: r, resource: svc, path: 'spec.ports[1].name'}", config,
			`b.yaml:14:38: app: failed to process reference "r": spec.ports[1].name: index 1 is ` +
				"out of range: the list has 1 items\n",
		},
		"an unknown field": {
			"{name: r, resource: conf, path: data.n}", deployment("replcas: 1"),
			"b.yaml:16:85: app: spec: unknown field replcas\nhint: did you mean replicas?\n",
		},
		"a wrong type": {
			"{name: r, resource: conf, path: data.n}", deployment(`replicas: "three"`),
			"b.yaml:16:95: app: spec.replicas: expected integer, got \"three\"\n",
		},
		"a reference of a wrong type": {
			"{name: r, resource: svc, path: metadata.name}", strings.Replace(deployment(
				`replicas: "!{r}"`), `image: "!{r}"`, "image: a", 1),
			"b.yaml:16:95: app: spec.replicas: expected integer, got \"web\" (!{r} is svc: " +
				"metadata.name)\n",
		},
		"a later value of a wrong type": {
			"{name: r, resource: svc, path: spec.clusterIP}", strings.Replace(deployment(
				`replicas: "!{r}"`), `image: "!{r}"`, "image: a", 1),
			"b.yaml:16:95: app: spec.replicas: expected integer, and it has the type string " +
				"(!{r} is svc: spec.clusterIP)\n" +
				"note: b.yaml:14:7: app: !{r} is known only later: svc gets spec.clusterIP in " +
				"a cluster; an example would be checked\n",
		},
		"an example of a wrong type": {
			"{name: r, resource: conf, path: data.n, example: {a: 1}}", config,
			"b.yaml:14:56: app: the example has the type object; data.n of a ConfigMap has " +
				"the type string\n",
		},
		"an example that does not fit": {
			"{name: r, resource: svc, path: spec.clusterIP, example: 'no'}", strings.Replace(
				deployment(`replicas: "!{r}"`), `image: "!{r}"`, "image: a", 1),
			"b.yaml:16:95: app: spec.replicas: expected integer, got \"no\" (!{r} is svc: " +
				"spec.clusterIP)\n",
		},
		"a name of a wrong form": {
			"{name: r, resource: conf, path: data.name}",
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: "!{r}"}}`,
			`b.yaml:16:66: app: metadata.name: "Bad Name" is not a valid name: use lower-case ` +
				"letters, digits, '-' and '.', with a letter or digit at both ends of each part\n",
		},
		"the object of another resource": {
			"{name: r, resource: conf, path: metadata.name}",
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: "!{r}"}}`,
			`b.yaml:12:5: app: "conf" makes the same object, ConfigMap ns/conf, at b.yaml:6:5` + "\n",
		},
		"a namespace where there is none": {
			"{name: r, resource: conf, path: data.n}",
			`{apiVersion: v1, kind: Namespace, metadata: {name: a, namespace: ns, labels: {a: "!{r}"}}}`,
			"b.yaml:16:80: app: a Namespace is in no namespace\nhint: leave metadata.namespace out\n",
		},
		"a reference without effect": {
			"{name: r, resource: conf, path: data.n}",
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: app}}`,
			"note: b.yaml:14:7: app: !{r} is not used; without a name and a path, a reference " +
				"only orders resources\n",
		},
		"a type that does not exist": {
			"{name: r, resource: conf, path: data.n}",
			strings.Replace(config, "ConfigMap", "ConfgMap", 1),
			"b.yaml:16:38: app: Kubernetes " + newest(t) + " has no v1/ConfgMap\n" +
				"hint: did you mean ConfigMap?\n",
		},
		"later": {
			"{name: r, resource: svc, path: spec.clusterIP}", config,
			"note: b.yaml:14:7: app: !{r} is known only later: svc gets spec.clusterIP in " +
				"a cluster; an example would be checked\n",
		},
		"a text of a Secret as data": {
			"{name: r, resource: sec, path: data.password}", config,
			"note: b.yaml:14:7: app: !{r} is known only later: sec gets data.password in " +
				"a cluster; an example would be checked\n",
		},
		"a label, which a cluster may add": {
			"{name: r, resource: svc, path: metadata.labels.a}", config,
			"note: b.yaml:14:7: app: !{r} is known only later: svc gets metadata.labels.a in " +
				"a cluster; an example would be checked\n",
		},
		"a later map": {
			"{name: r, resource: svc, path: metadata.labels}",
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: app, labels: "!{r}"}}`,
			"note: b.yaml:14:7: app: !{r} is known only later: svc gets metadata.labels in " +
				"a cluster; an example would be checked\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.NewReplacer("REFERENCE", c.reference, "OBJECT", c.object).Replace(typedBundle)
			b, err := read(t, text)
			if err != nil {
				t.Fatal(messages(err))
			}
			o := scene{}.options(t)
			knowTypes(t, o, b)
			if got := validate(t, b, o); got != c.want {
				t.Errorf("got:\n%swant:\n%s", got, c.want)
			}
		})
	}
}

// A spec of a plugin is checked as far as its references are known, and so are its references.
func TestTypedPlugin(t *testing.T) {
	for name, c := range map[string]struct{ reference, spec, want string }{
		"a known value":  {"resource: svc, path: metadata.name", `{filterByPrefix: "!{r}"}`, ""},
		"a later string": {"resource: svc, path: spec.clusterIP", `{filterByPrefix: "!{r}"}`, ""},
		"a later number": {
			"resource: svc, path: 'spec.ports[0].nodePort'", `{filterByPrefix: "!{r}"}`,
			"b.yaml:20:32: app: spec failed validation against schema: spec.filterByPrefix: expected " +
				"string, and it has the type integer (!{r} is svc: spec.ports[0].nodePort)\n",
		},
		"a path that does not exist, and what is wrong without it": {
			"resource: svc, path: metadata.nam", `{other: "!{r}", filterByPrefix: 5}`,
			`b.yaml:14:38: app: failed to process reference "r": metadata.nam: a Service has no ` +
				"field metadata.nam (did you mean name?)\n" +
				"b.yaml:20:47: app: spec failed validation against schema: spec.filterByPrefix: " +
				"expected string, got 5\nhint: put it in quotes: \"5\"\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(typedBundle, "      object: OBJECT\n", "      plugin:\n"+
				"        name: filter\n        objectName: app\n\n        spec: "+c.spec+"\n", 1)
			b, err := read(t, strings.Replace(text, "REFERENCE", "{name: r, "+c.reference+"}", 1))
			if err != nil {
				t.Fatal(messages(err))
			}
			o := scene{}.options(t)
			knowTypes(t, o, b)
			if _, err := bundle.Validate(t.Context(), b, o, false); messages(err) != c.want {
				t.Errorf("got:\n%swant:\n%s", messages(err), c.want)
			}
		})
	}
}

// A CustomResourceDefinition whose schema is wrong is one problem, at its position: resources of its
// type are not checked.
func TestTypedDefinition(t *testing.T) {
	const text = head + `spec:
  resources:
  - name: crd
    spec:
      object:
        apiVersion: apiextensions.k8s.io/v1
        kind: CustomResourceDefinition
        metadata: {name: towns.example.com}
        spec:
          group: example.com
          scope: Namespaced
          names: {kind: Town, plural: towns}
          versions:
          - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: objekt}}}
  - name: first
    references: [{resource: crd}]
    spec: {object: {apiVersion: example.com/v1, kind: Town, metadata: {name: a}, spec: {mayor: lower}}}
`
	b, err := read(t, text)
	if err != nil {
		t.Fatal(messages(err))
	}
	o := scene{}.options(t)
	knowTypes(t, o, b)
	const want = `b.yaml:17:86: crd: type: "objekt" is not one of string, number, integer, boolean, object, ` +
		"array and null\n"
	if _, err = bundle.Validate(t.Context(), b, o, false); messages(err) != want {
		t.Errorf("got:\n%s", messages(err))
	}
}

// A value that is not known yet stays unknown in references to its owner, and the fields of
// a CustomResourceDefinition in the Bundle count.
func TestTypedChain(t *testing.T) {
	const text = head + `spec:
  resources:
  - name: crd
    spec:
      object:
        apiVersion: apiextensions.k8s.io/v1
        kind: CustomResourceDefinition
        metadata: {name: towns.example.com}
        spec:
          group: example.com
          scope: Namespaced
          names: {kind: Town, plural: towns}
          versions:
          - name: v1
            served: true
            storage: true
            schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {mayor: {type: string, pattern: "^[A-Z]"}, size: {type: integer}}}, status: {type: object, properties: {roads: {type: integer}, chief: {type: string}}}}}}
  - name: first
    references: [{resource: crd}]
    spec: {object: {apiVersion: example.com/v1, kind: Town, metadata: {name: a}, spec: {mayor: lower}}}
  - name: second
    references:
    - {name: roads, resource: first, path: status.roads}
    - {name: chief, resource: first, path: status.chief}
    spec: {object: {apiVersion: example.com/v1, kind: Town, metadata: {name: b}, spec: {size: "!{roads}", mayor: "!{chief}"}}}
  - name: third
    references:
    - {name: size, resource: second, path: spec.size}
    - {name: mayor, resource: second, path: spec.mayor}
    spec: {object: {apiVersion: example.com/v1, kind: Town, metadata: {name: c}, spec: {mayor: "!{size}", size: "!{mayor}"}}}
  - name: whole
    references: [{name: all, resource: second, path: spec}]
    spec: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: e, annotations: "!{all}"}}}
  - name: fourth
    references: [{name: x, resource: third, path: status.road}]
    spec: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: d}, data: {x: "!{x}"}}}
`
	b, err := read(t, text)
	if err != nil {
		t.Fatal(messages(err))
	}
	o := scene{}.options(t)
	knowTypes(t, o, b)
	_, err = bundle.Validate(t.Context(), b, o, false)
	const want = `b.yaml:23:96: first: spec.mayor: "lower" does not match ^[A-Z]
b.yaml:33:96: third: spec.mayor: expected string, and it has the type integer (!{size} is second: ` +
		`spec.size)
b.yaml:33:113: third: spec.size: expected integer, and it has the type string (!{mayor} is second: ` +
		`spec.mayor)
b.yaml:38:51: fourth: failed to process reference "x": status.road: a Town has no field ` +
		`status.road (did you mean roads?)
`
	if got := messages(err); got != want {
		t.Errorf("got:\n%s", got)
	}
}

// newest returns the newest release of Kubernetes whose schemas fctl has.
func newest(t *testing.T) string {
	t.Helper()
	release, err := k8skit.New().Schemas().Release("")
	if err != nil {
		t.Fatal(err)
	}
	return release.Name
}
