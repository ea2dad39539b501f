package bundle_test

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/bundle"
)

// TestUpToDate compares objects of a Bundle with observed ones.
func TestUpToDate(t *testing.T) {
	const uid = "metadata: {name: x, namespace: default, uid: u}\n"
	const sketch = "metadata: {name: x, namespace: default}\n"
	const containers = "spec: {template: {spec: {containers: "
	for name, c := range map[string]struct{ kind, fields, observed, want string }{
		"equal":         {"v1/ConfigMap", "data: {a: b}", uid + "data: {a: b}", ""},
		"another value": {"v1/ConfigMap", "data: {a: b}", uid + "data: {a: c}", "data.a"},
		"a dot in a key": {
			"v1/ConfigMap", "data: {a.b: b}", uid + "data: {a.b: c}", `data.a\.b`,
		},
		"four": {"v1/ConfigMap", "data: {a: 1, b: 1, c: 1, d: 1}", uid, "data"},
		"many": {
			"v1/ConfigMap", "data: {a: x, b: x, c: x, d: x}", uid + "data: {a: y}",
			"data.a, data.b, data.c and 1 more",
		},
		"a new key": {"v1/ConfigMap", "data: {a: b}", uid + "data: {}", "data.a"},
		"a removed key": {
			"v1/ConfigMap", "data: {a: b}", uid + "data: {a: b, c: d}", "data.c",
		},
		"no data in the Bundle": {"v1/ConfigMap", "data: ", uid + "data: {a: b}", ""},
		"sketch, missing":       {"v1/ConfigMap", "data: {a: b}", sketch, ""},
		"sketch, more": {
			"v1/ConfigMap", "data: {a: b}", sketch + "data: {a: b, c: d}",
			"",
		},
		"sketch, another value": {
			"v1/ConfigMap", "data: {a: b}", sketch + "data: {a: c}",
			"data.a",
		},
		"label": {
			"v1/Service", "METADATA labels: {a: b}",
			"metadata: {name: x, uid: u, labels: {a: c, more: x}}",
			"metadata.labels.a",
		},
		"label of others": {
			"v1/Service", "METADATA labels: {a: b}",
			"metadata: {name: x, uid: u, labels: {a: b, more: x}}",
			"",
		},
		"finalizers": {"v1/Service", "METADATA finalizers: [a]", uid, ""},
		"status":     {"v1/Service", "status: {a: b}", uid, ""},
		"a default": {
			"v1/Service", "spec: {ports: [{port: 80}]}",
			uid + "spec: {type: ClusterIP, ports: [{port: 80, protocol: TCP}]}", "",
		},
		"null and zero": {
			"v1/Service", "spec: {a: null, b: {}, c: [], d: '', e: false, f: 0, g: {h: []}}",
			uid + "spec: {}", "",
		},
		"a number":     {"v1/Service", "spec: {a: 1.0}", uid + "spec: {a: 1}", ""},
		"another type": {"v1/Service", "spec: {a: 1}", uid + "spec: {a: '1'}", "spec.a"},
		"another kind of value": {
			"v1/Service", "spec: {a: {b: c}}", uid + "spec: {a: b}",
			"spec.a",
		},
		"another length": {"v1/Service", "spec: {a: [x]}", uid + "spec: {a: [x, y]}", "spec.a"},
		"another order": {
			"v1/Service", "spec: {a: [x, y]}", uid + "spec: {a: [y, x]}", "spec.a.0, spec.a.1",
		},
		"order of names": {
			"apps/v1/Deployment", containers + "[{name: a, image: i}, {name: b}]}}}",
			uid + containers + "[{name: b, image: j}, {name: a, image: i}]}}}", "",
		},
		"image": {
			"apps/v1/Deployment", containers + "[{name: a, image: i}]}}}",
			uid + containers + "[{name: a, image: j}]}}}", "spec.template.spec.containers.0.image",
		},
		"quantities": {
			"apps/v1/Deployment",
			containers + "[{resources: {limits: {cpu: 1000m, memory: 1024Mi}, requests: {cpu: " +
				"2}}}]}}}",
			uid + containers + "[{resources: {limits: {cpu: '1', memory: 1Gi}, requests: {cpu: " +
				"'2'}}}]}}}",
			"",
		},
		"text like a quantity": {
			"v1/ConfigMap", "data: {version: '1.10'}", uid + "data: {version: '1.1'}",
			"data.version",
		},
		"stringData": {"v1/Secret", "stringData: {a: b}", uid + "data: {a: Yg==}", ""},
		"stringData changed": {
			"v1/Secret", "stringData: {a: b}", uid + "data: {a: Yw==}", "stringData.a",
		},
		"stringData new": {"v1/Secret", "stringData: {a: b}", uid + "data: {}", "stringData.a"},
		"stringData as a sketch": {
			"v1/Secret", "stringData: {a: b}", sketch + "stringData: {a: b}", "",
		},
		"data": {"v1/Secret", "data: {a: Yg==}", uid + "data: {a: Yg==}", ""},
		"data as a sketch": {
			"v1/Secret", "data: {a: Yg==}", sketch + "stringData: {a: c}", "data.a",
		},
		"data and stringData": {
			"v1/Secret", "data: {a: eA==}\nstringData: {a: b}", uid + "data: {a: Yg==}", "",
		},
		"data removed": {
			"v1/Secret", "stringData: {a: b}", uid + "data: {a: Yg==, c: Yg==}", "data.c",
		},
		"data removed, of two": {
			"v1/Secret", "data: {a: Yg==}\nstringData: {b: b}", uid +
				"data: {a: Yg==, b: Yg==, c: Yg==}",
			"data.c",
		},
		"secret values are hidden": {
			"v1/Secret", "stringData: {a: hunter2}", uid + "data: {a: eA==}", "stringData.a",
		},
	} {
		t.Run(name, func(t *testing.T) {
			i := strings.LastIndex(c.kind, "/")
			apiVersion, kind := c.kind[:i], c.kind[i+1:]
			metadata, fields := "{name: x}", c.fields
			if more, ok := strings.CutPrefix(fields, "METADATA "); ok {
				metadata, fields = "{name: x, "+more+"}", ""
			}
			object := "apiVersion: " + apiVersion + "\nkind: " + kind +
				"\nmetadata: " + metadata + "\n" + fields
			s := scene{
				bundle: head + "spec:\n  resources:\n  - name: a\n    spec:\n      object:\n" +
					"        " +
					strings.ReplaceAll(object, "\n", "\n        ") + "\n",
				observed: []string{"apiVersion: " + apiVersion + "\nkind: " + kind + "\n" +
					c.observed + "\n"},
				change: func(o *bundle.Options) {
					rule, err := bundle.ParseReadyRule("Deployment.example.com")
					if err != nil {
						t.Fatal(err)
					}
					o.ReadyRules = append(o.ReadyRules, rule)
				},
			}
			res := s.play(t).Resources[0]
			want := ""
			if c.want != "" {
				want = "not up to date: " + c.want
			}
			got := res.Message
			if kind == "Deployment" && !strings.HasPrefix(got, "not up to date") {
				got = "" // it has no status
			}
			if got != want {
				t.Errorf("got %s %q, want %q", res.Status, got, want)
			}
		})
	}
}

// What is not up to date is written before anything that depends on it is processed.
func TestOutdatedBlocks(t *testing.T) {
	s := scene{bundle: filterBundle, observed: []string{
		strings.Replace(observedA, "namespace: ns}", "namespace: ns}\nspec: "+
			"{clusterServiceClassExternalName: old}", 1),
		observedBinding, observedSecret,
	}}
	want := "a InProgress: not up to date: spec.clusterServiceClassExternalName\n" +
		"a-binding Blocked: not ready: a\nb Blocked: not ready: a-binding\n"
	result := s.play(t)
	if got := summary(result); got != want {
		t.Errorf("got %s", got)
	}
	if got := rendered(result); got != renderedA {
		t.Errorf("got %s", got)
	}
	if got := result.Report().Resources[0].Outdated; len(got) != 1 {
		t.Errorf("got %v", got)
	}
	s.change = func(o *bundle.Options) { o.AssumeAll = true }
	if got := summary(s.play(t)); !strings.HasPrefix(got, "a Ready: assumed\na-binding Ready\n") {
		t.Errorf("got %s", got)
	}
}
