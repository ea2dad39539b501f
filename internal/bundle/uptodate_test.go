package bundle_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/bundle"
	"github.com/fctl-dev/fctl/internal/bundle/ready"
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
		"an empty value": {
			"v1/ConfigMap", "data: {a: '', b: x}", uid + "data: {b: x}", "data.a",
		},
		"an empty label": {
			"v1/Service", "METADATA labels: {a.b/c: ''}", uid, "metadata.labels",
		},
		"an empty selector": {
			"v1/Service", "spec: {selector: {app: ''}}", uid + "spec: {selector: {}}",
			"spec.selector.app",
		},
		"an empty part of a selector": {
			"apps/v1/Deployment", "spec: {selector: {matchLabels: {a: b}, matchExpressions: []}}",
			uid + "spec: {selector: {matchLabels: {a: b}}}", "",
		},
		"null for a value": {
			"v1/ConfigMap", "data: {a: null, b: x}", uid + "data: {a: old, b: x}", "data.a",
		},
		"null as data":         {"v1/ConfigMap", "data: ", uid + "data: {a: b}", "data.a"},
		"all data removed":     {"v1/ConfigMap", "", uid + "data: {a: b}", "data.a"},
		"binary data removed":  {"v1/ConfigMap", "", uid + "binaryData: {a: Yg==}", "binaryData.a"},
		"sketch, data removed": {"v1/ConfigMap", "", sketch + "data: {a: b}", ""},
		"sketch, missing":      {"v1/ConfigMap", "data: {a: b}", sketch, ""},
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
		"all data of a Secret removed": {
			"v1/Secret", "type: Opaque", uid + "type: Opaque\ndata: {a: Yg==}", "data.a",
		},
		"data of a controller": {
			"v1/Secret", "type: kubernetes.io/service-account-token",
			uid + "type: kubernetes.io/service-account-token\ndata: {a: Yg==}", "",
		},
		"a port as text": {
			"v1/Service", "spec: {ports: [{port: 80, targetPort: '8080'}]}",
			uid + "spec: {ports: [{port: 80, targetPort: 8080}]}", "",
		},
		"another port as text": {
			"v1/Service", "spec: {ports: [{port: 80, targetPort: '8081'}]}",
			uid + "spec: {ports: [{port: 80, targetPort: 8080}]}", "spec.ports.0.targetPort",
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
					rule, err := ready.ParseRule("Deployment.example.com")
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

// TestRemovedSinceApplied has what the observed object says was applied, in the way of kubectl
// apply and in that of kubectl apply --server-side, against what the Bundle still has.
func TestRemovedSinceApplied(t *testing.T) {
	const now = "metadata: {name: x, labels: {app: x}}\nspec: {template: {spec: {containers: [" +
		"{name: b, image: i}, {name: a, image: i, env: [{name: E, value: v}], ports: [" +
		"{containerPort: 80}]}]}}}"
	const live = "labels: {app: x, others: x}"
	const liveSpec = "spec: {replicas: 1, template: {spec: {nodeSelector: {disk: ssd}, " +
		"containers: [{name: a, image: i, resources: {limits: {cpu: 1}, requests: {cpu: 1}}, " +
		"command: [c], terminationMessagePath: /x, env: [{name: E, value: v, more: w}], " +
		"ports: [{containerPort: 80, protocol: UDP}]}, {name: b, image: i, tty: true}]}}}"
	const at = "spec.template.spec.containers."
	for name, c := range map[string]struct{ applied, managed, observed, want string }{
		"nothing": {applied: "metadata: {labels: {app: x}}\nspec: {}"},
		"a label": {
			applied: "metadata: {labels: {app: x, others: x}}", want: "metadata.labels.others",
		},
		"a label that is gone": {applied: "metadata: {labels: {app: x, gone: x}}"},
		"a map": {
			applied: "spec: {template: {spec: {nodeSelector: {disk: ssd}}}}",
			want:    "spec.template.spec.nodeSelector",
		},
		"in the items of lists": {
			applied: "spec: {template: {spec: {containers: [{name: a, command: [c], resources: " +
				"{limits: {cpu: 1}}, env: [{name: E, more: w}], ports: [{protocol: UDP}]}, " +
				"{name: b, tty: true}]}}}",
			want: at + "0.tty, " + at + "1.command, " + at + "1.resources.limits and 2 more",
		},
		"identity and status": {
			applied: "apiVersion: v1\nkind: X\nmetadata: {finalizers: [a]}\nstatus: {a: b}",
		},
		"not YAML": {applied: "{"},
		"by a server": {
			managed: "{f:metadata: {f:labels: {f:app: {}, f:others: {}}}, f:spec: {f:template: " +
				"{f:spec: {f:nodeSelector: {}, f:containers: {'k:{\"name\":\"a\"}': {.: {}, " +
				"f:name: {}, f:image: {}, f:command: {}, f:resources: {f:limits: {f:cpu: {}}}, " +
				"f:env: {'k:{\"name\":\"E\"}': {.: {}, f:more: {}}}, f:ports: " +
				"{'k:{\"containerPort\":80,\"protocol\":\"UDP\"}': {.: {}, " +
				"f:containerPort: {}}}}, " +
				"'k:{\"name\":\"b\"}': {.: {}, f:tty: {}}}}}}}",
			want: "metadata.labels.others, " + at + "0.tty, " + at + "1.command and 3 more",
		},
		"by a server, nothing": {
			managed: "{f:metadata: {f:labels: {f:app: {}, f:gone: {}}}, f:spec: {f:template: " +
				"{f:spec: {f:containers: {'k:{\"name\":\"c\"}': {.: {}}, 'v:1': {}}}}}}",
		},
	} {
		t.Run(name, func(t *testing.T) {
			metadata := "{name: x, namespace: default, uid: u, " + live
			if c.applied != "" {
				metadata += ", annotations: {kubectl.kubernetes.io/last-applied-configuration: " +
					strconv.Quote(c.applied) + "}"
			}
			if c.managed != "" {
				metadata += ", managedFields: [{manager: other, operation: Apply, fieldsV1: " +
					"{f:spec: {}}}, {manager: kubectl, operation: Update, fieldsV1: {f:spec: " +
					"{}}}, {manager: kubectl, operation: Apply, subresource: status, fieldsV1: " +
					"{f:spec: {}}}, {manager: kubectl, operation: Apply}, {manager: kubectl, " +
					"operation: Apply, fieldsV1: " + c.managed + "}]"
			}
			s := oneOf("apps/v1", "Deployment", "metadata: "+metadata+"}\n"+liveSpec+"\n")
			s.bundle = strings.Replace(s.bundle, "metadata: {name: x}}",
				strings.Replace(now, "\n", ", ", 1)+"}", 1)
			res := s.play(t).Resources[0]
			if got := strings.TrimPrefix(res.Message, "not up to date: "); got != c.want &&
				(c.want != "" || strings.HasPrefix(res.Message, "not up to date")) {
				t.Errorf("got %q, want %q", res.Message, c.want)
			}
		})
	}
}

// TestScaled has who decides the replicas of a Deployment that runs with 7.
func TestScaled(t *testing.T) {
	const target = "apiVersion: apps/v1, kind: Deployment"
	scaler := func(rest string) string {
		return "  - name: s\n    references: [{resource: a, name: n, path: metadata.name}]\n" +
			"    spec: {object: {apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, " +
			"metadata: {name: x}, spec: {scaleTargetRef: {" + rest + "}}}}\n"
	}
	for name, c := range map[string]struct {
		replicas, last, applied, more string
		outdated, rendered            string
	}{
		"the Bundle": {
			replicas: "replicas: 3", outdated: "spec.replicas", rendered: "replicas: 3",
		},
		"somebody since Smith": {replicas: "replicas: 3", last: "3", rendered: "replicas: 7"},
		"the Bundle since Smith": {
			replicas: "replicas: 4", last: "3", rendered: "replicas: 4",
			outdated: "metadata.annotations.smith\\.atlassian\\.com/LastAppliedReplicas, " +
				"spec.replicas",
		},
		"somebody, of the default": {last: "1", rendered: "replicas: 7"},
		"not a number": {
			replicas: "replicas: 7", last: "x", rendered: "replicas: 7",
			outdated: "metadata.annotations.smith\\.atlassian\\.com/LastAppliedReplicas",
		},
		"an autoscaler": {
			replicas: "replicas: 3", more: scaler(target + ", name: x"), rendered: "replicas: 7",
		},
		"an autoscaler by reference": {
			replicas: "replicas: 3", more: scaler(target + `, name: "!{n}"`),
			rendered: "replicas: 7",
		},
		"an autoscaler of another": {
			replicas: "replicas: 3", more: scaler(target + ", name: y"),
			outdated: "spec.replicas", rendered: "replicas: 3",
		},
		"an autoscaler, none applied": {applied: "3", more: scaler(target + ", name: x")},
		"removed":                     {applied: "3", outdated: "spec.replicas"},
	} {
		t.Run(name, func(t *testing.T) {
			annotations := ""
			if c.last != "" {
				annotations = ", annotations: {smith.atlassian.com/LastAppliedReplicas: '" +
					c.last + "'}"
			}
			if c.applied != "" {
				annotations = ", annotations: {" + "kubectl.kubernetes.io/" +
					"last-applied-configuration: '{spec: {replicas: 3}}'}"
			}
			s := oneOf("apps/v1", "Deployment", "metadata: {name: x, namespace: default, uid: u"+
				annotations+"}\nspec: {replicas: 7}\n")
			s.bundle = strings.Replace(s.bundle, "metadata: {name: x}}",
				"metadata: {name: x}, spec: {"+c.replicas+"}}", 1) + c.more
			res := s.play(t).Resources[0]
			if got := strings.Join(res.Outdated, ", "); got != c.outdated {
				t.Errorf("not up to date: %q, want %q", got, c.outdated)
			}
			if got := string(res.Bytes()); !strings.Contains(got, "spec: {"+c.rendered+"}") {
				t.Errorf("got %s", got)
			}
		})
	}
}
