package bundle_test

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/internal/bundle"
	"github.com/fctl-dev/fctl/internal/bundle/ready"
)

// oneOf returns a Bundle with one object, and the object as it was observed with more fields.
func oneOf(apiVersion, kind, observed string) scene {
	object := "{apiVersion: " + apiVersion + ", kind: " + kind + ", metadata: {name: x}}"
	return scene{
		bundle: head + "spec:\n  resources:\n  - name: a\n    spec: {object: " + object + "}\n",
		observed: []string{
			"apiVersion: " + apiVersion + "\nkind: " + kind + "\n" + observed,
		},
	}
}

const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: databases.example.com
  annotations:
    smith.atlassian.com/CrReadyWhenFieldPath: "{$.status.phase}"
    smith.atlassian.com/CrReadyWhenFieldValue: Running
spec: {group: example.com, names: {kind: Database}}
`

// badAnnotation is how the error of an annotation begins.
const badAnnotation = "Error: CustomResourceDefinition databases.example.com: the annotation " +
	"smith.atlassian.com/CrReadyWhenFieldPath: "

// TestReadiness has the rules for each kind.
func TestReadiness(t *testing.T) {
	meta := "metadata: {name: x, namespace: default, generation: 3}\n"
	deployment := func(status string) string {
		return meta + "spec: {replicas: 2}\nstatus: {" + status + "}\n"
	}
	const deadline = "conditions: [{type: Progressing, status: 'False', reason: " +
		"ProgressDeadlineExceeded, message: slow}]"
	condition := func(list string) string { return meta + "status: {conditions: [" + list + "]}\n" }
	for name, c := range map[string]struct {
		apiVersion, kind, observed, want string
		more                             string
		ready                            []string
	}{
		"a failure of the generation before": {
			apiVersion: "servicecatalog.k8s.io/v1beta1", kind: "ServiceInstance",
			observed: meta + "status: {observedGeneration: 2, conditions: [{type: Failed, " +
				"status: 'True'}]}\n",
			want: "InProgress: controller has not seen the latest change",
		},
		"ready in the generation before": {
			apiVersion: "servicecatalog.k8s.io/v1beta1", kind: "ServiceInstance",
			observed: meta + "status: {observedGeneration: 2, conditions: [{type: Ready, " +
				"status: 'True'}]}\n",
			want: "InProgress: controller has not seen the latest change",
		},
		"ready in this generation": {
			apiVersion: "servicecatalog.k8s.io/v1beta1", kind: "ServiceInstance",
			observed: meta + "status: {observedGeneration: 3, conditions: [{type: Ready, " +
				"status: 'True'}]}\n",
			want: "Ready",
		},
		"scaled in the generation before": {
			apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler",
			observed: meta + "status: {observedGeneration: 2, conditions: [{type: AbleToScale, " +
				"status: 'True'}, {type: ScalingActive, status: 'True'}]}\n",
			want: "InProgress: controller has not seen the latest change",
		},
		"ConfigMap":      {apiVersion: "v1", kind: "ConfigMap", observed: meta, want: "Ready"},
		"Secret":         {apiVersion: "v1", kind: "Secret", observed: meta, want: "Ready"},
		"Service":        {apiVersion: "v1", kind: "Service", observed: meta, want: "Ready"},
		"ServiceAccount": {apiVersion: "v1", kind: "ServiceAccount", observed: meta, want: "Ready"},
		"Ingress": {
			apiVersion: "networking.k8s.io/v1beta1", kind: "Ingress", observed: meta, want: "Ready",
		},
		"Ingress v1": {
			apiVersion: "networking.k8s.io/v1", kind: "Ingress", observed: meta, want: "Ready",
		},
		"disruption budget": {
			apiVersion: "policy/v1", kind: "PodDisruptionBudget", observed: meta, want: "Ready",
		},
		"Role": {
			apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", observed: meta, want: "Ready",
		},
		"RoleBinding": {
			apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", observed: meta,
			want: "Ready",
		},
		"other ConfigMap": {
			apiVersion: "example.com/v1", kind: "ConfigMap", observed: meta,
			want: "InProgress: no readiness rule for ConfigMap; use --ready ConfigMap.example.com",
		},
		"Pod": {
			apiVersion: "v1", kind: "Pod", observed: meta,
			want: "InProgress: no readiness rule for Pod; use --ready Pod",
		},

		"deployment": {
			apiVersion: "apps/v1", kind: "Deployment",
			observed: deployment("observedGeneration: 3, replicas: 2, updatedReplicas: 2, " +
				"availableReplicas: 2"),
			want: "Ready",
		},
		"deployment, of none": {
			apiVersion: "apps/v1", kind: "Deployment",
			observed: meta + "spec: {replicas: 0}\nstatus: {observedGeneration: 3}\n",
			want:     "Ready",
		},
		"deployment, default": {
			apiVersion: "apps/v1", kind: "Deployment",
			observed: meta + "status: {observedGeneration: 3, replicas: 1, updatedReplicas: 1, " +
				"availableReplicas: 1}\n",
			want: "Ready",
		},
		"deployment, unseen": {
			apiVersion: "apps/v1", kind: "Deployment",
			observed: deployment("observedGeneration: 2, replicas: 2, updatedReplicas: 2, " +
				"availableReplicas: 2"),
			want: "InProgress: controller has not seen the latest change",
		},
		"deployment, updating": {
			apiVersion: "apps/v1", kind: "Deployment",
			observed: deployment("observedGeneration: 3, replicas: 2, updatedReplicas: 1, " +
				"availableReplicas: 2"),
			want: "InProgress: 1 of 2 replicas are updated",
		},
		"deployment, old ones": {
			apiVersion: "apps/v1", kind: "Deployment",
			observed: deployment("observedGeneration: 3, replicas: 3, updatedReplicas: 2, " +
				"availableReplicas: 2"),
			want: "InProgress: 1 old replicas are not gone",
		},
		"deployment, starting": {
			apiVersion: "apps/v1", kind: "Deployment",
			observed: deployment("observedGeneration: 3, replicas: 2, updatedReplicas: 2, " +
				"availableReplicas: 1"),
			want: "InProgress: 1 of 2 replicas are available",
		},
		"deployment, too late": {
			apiVersion: "apps/v1", kind: "Deployment",
			observed: deployment("observedGeneration: 3, " + deadline),
			want: "Error: it exceeded its progress deadline: " +
				"ProgressDeadlineExceeded: slow (retriable false, external true)",
		},
		"deployment, too late before the latest change": {
			apiVersion: "apps/v1", kind: "Deployment",
			observed: deployment("observedGeneration: 2, " + deadline),
			want:     "InProgress: controller has not seen the latest change",
		},

		"autoscaler": {
			apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler",
			observed: condition("{type: AbleToScale, status: 'True'}, {type: ScalingActive, " +
				"status: 'True'}"),
			want: "Ready",
		},
		"autoscaler, inactive": {
			apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler",
			observed: condition("{type: AbleToScale, status: 'True'}, {type: ScalingActive, " +
				"status: 'False', reason: NoMetrics}"),
			want: "InProgress: condition ScalingActive is False: NoMetrics",
		},
		"autoscaler, new": {
			apiVersion: "autoscaling/v1", kind: "HorizontalPodAutoscaler", observed: meta,
			want: "InProgress: condition AbleToScale is missing",
		},

		"instance": {
			apiVersion: "servicecatalog.k8s.io/v1beta1", kind: "ServiceInstance",
			observed: condition("{type: Ready, status: 'True'}"), want: "Ready",
		},
		"instance, failed": {
			apiVersion: "servicecatalog.k8s.io/v1beta1", kind: "ServiceInstance",
			observed: condition("{type: Ready, status: 'False'}, {type: Failed, status: 'True', " +
				"message: quota}"),
			want: "Error: condition Failed is true: quota (retriable false, external true)",
		},
		"instance, new": {
			apiVersion: "servicecatalog.k8s.io/v1beta1", kind: "ServiceInstance",
			observed: condition("{type: Ready, status: 'False', reason: Provisioning}"),
			want:     "InProgress: condition Ready is False: Provisioning",
		},
		"binding, failed": {
			apiVersion: "servicecatalog.k8s.io/v1beta1", kind: "ServiceBinding",
			observed: condition("{type: Failed, status: 'True'}"),
			want:     "Error: condition Failed is true (retriable false, external true)",
		},
		"binding, no name": {
			apiVersion: "servicecatalog.k8s.io/v1beta1", kind: "ServiceBinding",
			observed: condition("{type: Ready, status: 'True'}"),
			want: "Error: cannot find output Secret: spec is not found (retriable false, " +
				"external true)",
		},

		"custom, ready": {
			apiVersion: "example.com/v1", kind: "Database", observed: meta +
				"status: {phase: Running}\n",
			more: crd, want: "Ready",
		},
		"custom, ready in the generation before": {
			apiVersion: "example.com/v1", kind: "Database", observed: meta +
				"status: {observedGeneration: 2, phase: Running}\n",
			more: crd, want: "InProgress: controller has not seen the latest change",
		},
		"custom, not yet": {
			apiVersion: "example.com/v1", kind: "Database", observed: meta +
				"status: {phase: Starting}\n",
			more: crd,
			want: `InProgress: $.status.phase is "Starting"; the object is ready when it is ` +
				`"Running"`,
		},
		"custom, missing": {
			apiVersion: "example.com/v1", kind: "Database", observed: meta, more: crd,
			want: `InProgress: $.status.phase is missing; the object is ready when it is "Running"`,
		},
		"custom, bad path": {
			apiVersion: "example.com/v1", kind: "Database", observed: meta,
			more: strings.Replace(crd, "{$.status.phase}", "{$.status[}", 1),
			want: badAnnotation + `path "$.status[": column 10: an index, a quoted key, * ` +
				`or a filter is expected (retriable false, external true)`,
		},
		"custom, no braces": {
			apiVersion: "example.com/v1", kind: "Database", observed: meta,
			more: strings.Replace(crd, "{$.status.phase}", "status.phase", 1),
			want: badAnnotation + `path "status.phase": column 1: a path in braces is expected, ` +
				`such as {$.status.phase} (retriable false, external true)`,
		},
		"custom, no value": {
			apiVersion: "example.com/v1", kind: "Database", observed: meta +
				"status: {phase: ''}\n",
			more: strings.Replace(crd, "    smith.atlassian.com/CrReadyWhenFieldValue: Running\n",
				"", 1),
			want: "InProgress: CustomResourceDefinition databases.example.com has no annotation " +
				"smith.atlassian.com/CrReadyWhenFieldValue",
		},
		"custom, several matches": {
			apiVersion: "example.com/v1", kind: "Database",
			observed: meta + "status: {parts: [{phase: Running}, {phase: Failed}]}\n",
			more:     strings.Replace(crd, "$.status.phase", "$.status.parts[*].phase", 1),
			want: "Error: $.status.parts[*].phase: the path matches several values, and one is " +
				"expected (retriable false, external true)",
		},
		"custom, one match": {
			apiVersion: "example.com/v1", kind: "Database",
			observed: meta + "status: {parts: [{phase: Running}]}\n",
			more:     strings.Replace(crd, "$.status.phase", "$.status.parts[*].phase", 1),
			want:     "Ready",
		},
		"custom, no rule": {
			apiVersion: "example.com/v1", kind: "Table", observed: meta, more: crd,
			want: "InProgress: no readiness rule for Table; use --ready Table.example.com",
		},

		"--ready over built in": {
			apiVersion: "v1", kind: "ConfigMap", observed: meta + "data: {up: 'no'}\n",
			ready: []string{"ConfigMap=data.up=yes"},
			want:  `InProgress: data.up is "no"; the object is ready when it is "yes"`,
		},
		"--ready KIND": {
			apiVersion: "example.com/v1", kind: "Table", observed: meta, ready: []string{"Table"},
			want: "Ready",
		},
		"--ready KIND.GROUP": {
			apiVersion: "example.com/v1", kind: "Table", observed: meta,
			ready: []string{"Table.example.com"}, want: "Ready",
		},
		"--ready other group": {
			apiVersion: "example.com/v1", kind: "Table", observed: meta,
			ready: []string{"Table.example.org"},
			want:  "InProgress: no readiness rule for Table; use --ready Table.example.com",
		},
		"--ready path": {
			apiVersion: "example.com/v1", kind: "Table", observed: meta + "status: {ok: true}\n",
			ready: []string{"Table=status.ok=true"}, want: "Ready",
		},
		"--ready path, braces": {
			apiVersion: "example.com/v1", kind: "Table",
			observed: condition("{type: Up, status: 'True'}"),
			ready:    []string{"Table={$.status.conditions[?(@.type==\"Up\")].status}=True"},
			want:     "Ready",
		},
		"--ready path, the generation before": {
			apiVersion: "example.com/v1", kind: "Table",
			observed: meta + "status: {observedGeneration: 2, ok: true}\n",
			ready:    []string{"Table=status.ok=true"},
			want:     "InProgress: controller has not seen the latest change",
		},
		"--ready path to no status, the generation before": {
			apiVersion: "example.com/v1", kind: "Table",
			observed: meta + "spec: {ok: true}\nstatus: {observedGeneration: 2}\n",
			ready:    []string{"Table=spec.ok=true"}, want: "Ready",
		},
		"--ready path to a map": {
			apiVersion: "example.com/v1", kind: "Table", observed: meta + "status: {ok: {}}\n",
			ready: []string{"Table=status.ok=true"},
			want:  `InProgress: status.ok is a map; the object is ready when it is "true"`,
		},
		"--ready expression": {
			apiVersion: "example.com/v1", kind: "Table", observed: meta + "status: {rows: 3}\n",
			ready: []string{"Table.example.com=cel:object.status.rows >= 3"}, want: "Ready",
		},
		"--ready expression, no": {
			apiVersion: "example.com/v1", kind: "Table", observed: meta + "status: {rows: 2}\n",
			ready: []string{"Table=cel:object.status.rows >= 3"},
			want:  "InProgress: --ready is false: object.status.rows >= 3",
		},
		"--ready expression, no status": {
			apiVersion: "example.com/v1", kind: "Table", observed: meta,
			ready: []string{"Table=cel:object.status.rows >= 3"},
			want:  "InProgress: --ready is false: object.status.rows >= 3",
		},
		"--ready expression, the generation before": {
			apiVersion: "example.com/v1", kind: "Table",
			observed: meta + "status: {observedGeneration: 2, rows: 3}\n",
			ready:    []string{"Table=cel:object.status.rows >= 3"},
			want:     "InProgress: controller has not seen the latest change",
		},
		"--ready expression, a wrong type": {
			apiVersion: "example.com/v1", kind: "Table", observed: meta + "status: {rows: [1]}\n",
			ready: []string{"Table=cel:object.status.rows >= 3"},
			want: "Error: --ready: CEL: column 20: no such overload: >= is not defined for a list " +
				"(object.status.rows) and the number 3 (retriable false, external true)",
		},
		"--ready path, no": {
			apiVersion: "example.com/v1", kind: "Table", observed: meta + "status: {ok: false}\n",
			ready: []string{"Table=status.ok=true"},
			want:  `InProgress: status.ok is "false"; the object is ready when it is "true"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := oneOf(c.apiVersion, c.kind, c.observed)
			if c.more != "" {
				s.observed = append(s.observed, c.more)
			}
			s.change = func(o *bundle.Options) {
				o.SmithRules = true
				for _, text := range c.ready {
					rule, err := ready.ParseRule(text)
					if err != nil {
						t.Errorf("%s: %v", text, err)
					}
					o.ReadyRules = append(o.ReadyRules, rule)
				}
			}
			if got := summary(s.play(t)); got != "a "+c.want+"\n" {
				t.Errorf("got %swant a %s", got, c.want)
			}
		})
	}
}

func TestReadyRuleErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":              `"" has no kind`,
		"=a=b":          `"=a=b" has no kind`,
		".group":        `".group" has no kind`,
		"A=path":        `"A=path" has a path and no value`,
		"A=a[=b":        `path "a[": column 3: an index, a quoted key, * or a filter is expected`,
		"A==b":          `the path is empty`,
		"A=cel:object.": "CEL: column 8: unexpected '.'",
		"A=cel:1":       "CEL: column 1: expression returns an int, not true or false",
		"A={$.a=b=c": `path "{$.a=b": column 1: a path in braces is expected, such as ` +
			`{$.status.phase}`,
	} {
		t.Run(text, func(t *testing.T) {
			if _, err := ready.ParseRule(text); err == nil || err.Error() != want {
				t.Errorf("got %v; want %s", err, want)
			}
		})
	}
}
