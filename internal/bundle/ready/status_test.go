package ready_test

import (
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/bundle/ready"
	"github.com/fctl-dev/fctl/smith/plugin"
)

// TestStatus has the rules of kinds that Smith does not know.
func TestStatus(t *testing.T) {
	const (
		statefulSet = "apps/v1 StatefulSet"
		daemonSet   = "apps/v1 DaemonSet"
		job         = "batch/v1 Job"
		definition  = "apiextensions.k8s.io/v1 CustomResourceDefinition"
		custom      = "example.com/v1 Town"
	)
	on := func(name, status string) string {
		return "conditions: [{type: " + name + ", status: '" + status + "', reason: Why}]"
	}
	for name, c := range map[string]struct{ of, spec, status, want string }{
		"the generation before": {
			custom, "", "observedGeneration: 1, " + on("Ready", "True"),
			"controller has not seen the latest change",
		},
		"stalled":     {custom, "", on("Stalled", "True"), "error: condition Stalled is true: Why"},
		"reconciling": {custom, "", on("Reconciling", "True"), "condition Reconciling is true: Why"},
		"ready":       {custom, "", on("Ready", "True"), "ready, by no rule"},
		"not ready":   {custom, "", on("Ready", "False"), "condition Ready is False: Why, by no rule"},
		"unknown":     {custom, "", on("Ready", "Unknown"), "condition Ready is Unknown: Why, by no rule"},
		"no status":   {custom, "", "", "ready, by no rule"},

		"pods": {statefulSet, "replicas: 2", "replicas: 2, readyReplicas: 2, updatedReplicas: 2, " +
			"currentRevision: a, updateRevision: a", "ready"},
		"no pods wanted":  {statefulSet, "replicas: 0", "replicas: 0", "ready"},
		"no status yet":   {statefulSet, "", "", "0 of 1 pods are ready"},
		"too many pods":   {statefulSet, "replicas: 1", "replicas: 3, readyReplicas: 3", "2 pods are not gone"},
		"pods not ready":  {statefulSet, "replicas: 2", "replicas: 2, readyReplicas: 1", "1 of 2 pods are ready"},
		"old pods":        {statefulSet, "replicas: 2", "replicas: 2, readyReplicas: 2, updatedReplicas: 1", "1 of 2 pods are updated"},
		"a revision left": {statefulSet, "", "replicas: 1, readyReplicas: 1, updatedReplicas: 1, currentRevision: a, updateRevision: b", "pods of the revision before are not gone"},
		"a partition": {
			statefulSet, "replicas: 2, updateStrategy: {rollingUpdate: {partition: 1}}",
			"replicas: 2, readyReplicas: 2, updatedReplicas: 1, currentRevision: a, updateRevision: b", "ready",
		},
		"updated by hand": {
			statefulSet, "updateStrategy: {type: OnDelete}",
			"replicas: 1, readyReplicas: 1, updateRevision: b", "ready",
		},

		"daemons":         {daemonSet, "", "desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 2", "ready"},
		"daemons unknown": {daemonSet, "", "", "its status does not say how many pods there are"},
		"old daemons":     {daemonSet, "", "desiredNumberScheduled: 2, updatedNumberScheduled: 1, numberAvailable: 2", "1 of 2 pods are updated"},
		"daemons by hand": {daemonSet, "updateStrategy: {type: OnDelete}", "desiredNumberScheduled: 2, numberAvailable: 2", "ready"},
		"daemons away":    {daemonSet, "", "desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 1", "1 of 2 pods are available"},

		"replicas":     {"apps/v1 ReplicaSet", "", "replicas: 1, readyReplicas: 1", "ready"},
		"not replicas": {"v1 ReplicationController", "", on("ReplicaFailure", "True"), "condition ReplicaFailure is true: Why"},

		"complete":   {job, "", on("Complete", "True"), "ready"},
		"running":    {job, "completions: 3", "succeeded: 1", "1 of 3 pods succeeded"},
		"job failed": {job, "", on("Failed", "True"), "error: condition Failed is true: Why"},

		"pod":           {"v1 Pod", "", "phase: Running, " + on("Ready", "True"), "ready"},
		"pod not ready": {"v1 Pod", "", "phase: Running, " + on("Ready", "False"), "condition Ready is False: Why"},
		"pod done":      {"v1 Pod", "", "phase: Succeeded, " + on("Ready", "False"), "ready"},
		"pod failed":    {"v1 Pod", "", "phase: Failed, reason: Evicted", "error: it failed: Evicted"},

		"bound":     {"v1 PersistentVolumeClaim", "", "phase: Bound", "ready"},
		"not bound": {"v1 PersistentVolumeClaim", "", "phase: Pending", "it has no volume yet"},
		"lost":      {"v1 PersistentVolumeClaim", "", "phase: Lost", "error: its volume is lost"},

		"served":      {definition, "", on("Established", "True"), "ready"},
		"not served":  {definition, "", "", "condition Established is missing"},
		"a conflict":  {definition, "", on("NamesAccepted", "False"), "error: condition NamesAccepted is false: Why"},
		"api service": {"apiregistration.k8s.io/v1 APIService", "", on("Available", "False"), "condition Available is False: Why"},
	} {
		t.Run(name, func(t *testing.T) {
			apiVersion, kind, _ := strings.Cut(c.of, " ")
			doc, err := gaby.ParseYAML([]byte("metadata: {generation: 2}\nspec: {" + c.spec +
				"}\nstatus: {" + c.status + "}\n"))
			if err != nil {
				t.Fatal(err)
			}
			gvk := plugin.NewGroupVersionKind(apiVersion, kind)
			r := ready.Status(gvk, doc.Value())
			got := r.Message
			switch {
			case r.Ready:
				got = "ready"
			case r.Err != nil:
				got = "error: " + r.Err.Error()
			}
			if r.NoRule {
				got += ", by no rule"
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if isCustom := c.of == custom; ready.HasRule(gvk) == isCustom {
				t.Errorf("HasRule is %t", !isCustom)
			}
		})
	}
}
