package ready

import (
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/smith/plugin"
)

// HasRule reports whether there is a rule for a type, of Smith or of its status.
func HasRule(gvk plugin.GroupVersionKind) bool {
	return Smith(gvk) != nil || kindRule(gvk) != nil
}

// Status checks an object of a type that Smith does not know by its status, as kstatus, the library
// of kpt and Flux, does: the workloads of Kubernetes by their pods, and other objects by their
// condition Ready. An object that has none is ready.
func Status(gvk plugin.GroupVersionKind, actual gaby.Value) Readiness {
	if isStale(actual) {
		return unseen()
	}
	if c := condition(actual, "Stalled"); isTrue(c) {
		return failed("condition Stalled is true%s", because(c))
	}
	if c := condition(actual, "Reconciling"); isTrue(c) {
		return waiting("condition Reconciling is true%s", because(c))
	}
	if check := kindRule(gvk); check != nil {
		return check(actual)
	}
	r := Readiness{Ready: true}
	if condition(actual, "Ready").Exists() {
		r = allTrue(actual, "Ready")
	}
	r.NoRule = true
	return r
}

func isTrue(c gaby.Value) bool { return c.Get("status").EqualText("True") }

// kindRule returns the rule of a type whose status has more than a condition Ready, nil for none.
func kindRule(gvk plugin.GroupVersionKind) func(actual gaby.Value) Readiness {
	switch gvk.Group + "/" + gvk.Kind {
	case "apps/StatefulSet":
		return statefulSetReady
	case "apps/DaemonSet":
		return daemonSetReady
	case "apps/ReplicaSet", "/ReplicationController":
		return replicasReady
	case "batch/Job":
		return jobReady
	case "/Pod":
		return podReady
	case "/PersistentVolumeClaim":
		return claimReady
	case "apiextensions.k8s.io/CustomResourceDefinition":
		return definitionReady
	case "apiregistration.k8s.io/APIService":
		return func(actual gaby.Value) Readiness { return allTrue(actual, "Available") }
	}
	return nil
}

// statefulSetReady wants all pods ready, and of the new revision, except those below a partition.
func statefulSetReady(actual gaby.Value) Readiness {
	spec, status := actual.Get("spec"), actual.Get("status")
	strategy := spec.Get("updateStrategy")
	wanted := number(spec.Get("replicas"), 1)
	partition := number(strategy.Get("rollingUpdate").Get("partition"), 0)
	if r := replicasReady(actual); !r.Ready {
		return r
	}
	switch updated := number(status.Get("updatedReplicas"), 0); {
	case strategy.Get("type").EqualText("OnDelete"): // whoever deletes the pods updates them
	case updated < wanted-partition:
		return waiting("%d of %d pods are updated", updated, wanted-partition)
	case partition == 0 && status.Get("currentRevision").Text() !=
		status.Get("updateRevision").Text():
		return waiting("pods of the revision before are not gone")
	}
	return Readiness{Ready: true}
}

// replicasReady wants as many pods as the specification asks for, all of them ready.
func replicasReady(actual gaby.Value) Readiness {
	status := actual.Get("status")
	wanted := number(actual.Get("spec").Get("replicas"), 1)
	has, ready := number(status.Get("replicas"), 0), number(status.Get("readyReplicas"), 0)
	switch c := condition(actual, "ReplicaFailure"); {
	case isTrue(c):
		return waiting("condition ReplicaFailure is true%s", because(c))
	case has > wanted:
		return waiting("%d pods are not gone", has-wanted)
	case ready < wanted:
		return waiting("%d of %d pods are ready", ready, wanted)
	}
	return Readiness{Ready: true}
}

// daemonSetReady wants a new pod on every node that is meant, available.
func daemonSetReady(actual gaby.Value) Readiness {
	status := actual.Get("status")
	desired := status.Get("desiredNumberScheduled")
	wanted := number(desired, 0)
	updated := number(status.Get("updatedNumberScheduled"), 0)
	available := number(status.Get("numberAvailable"), 0)
	switch {
	case !desired.Exists():
		return waiting("its status does not say how many pods there are")
	case updated < wanted &&
		!actual.Get("spec").Get("updateStrategy").Get("type").EqualText("OnDelete"):
		return waiting("%d of %d pods are updated", updated, wanted)
	case available < wanted:
		return waiting("%d of %d pods are available", available, wanted)
	}
	return Readiness{Ready: true}
}

// jobReady wants a job to be complete, since what refers to it needs its result.
func jobReady(actual gaby.Value) Readiness {
	if c := condition(actual, "Failed"); isTrue(c) {
		return failed("condition Failed is true%s", because(c))
	}
	if isTrue(condition(actual, "Complete")) {
		return Readiness{Ready: true}
	}
	return waiting("%d of %d pods succeeded", number(actual.Get("status").Get("succeeded"), 0),
		number(actual.Get("spec").Get("completions"), 1))
}

// podReady wants a pod that is ready, or one that has succeeded.
func podReady(actual gaby.Value) Readiness {
	switch phase := actual.Get("status").Get("phase").Text(); phase {
	case "Succeeded":
		return Readiness{Ready: true}
	case "Failed":
		return failed("it failed%s", because(actual.Get("status")))
	default:
		return allTrue(actual, "Ready")
	}
}

// claimReady wants a claim that has a volume.
func claimReady(actual gaby.Value) Readiness {
	switch phase := actual.Get("status").Get("phase").Text(); phase {
	case "Bound":
		return Readiness{Ready: true}
	case "Lost":
		return failed("its volume is lost")
	default:
		return waiting("it has no volume yet")
	}
}

// definitionReady wants a type that the API server serves.
func definitionReady(actual gaby.Value) Readiness {
	if c := condition(actual, "NamesAccepted"); c.Get("status").EqualText("False") {
		return failed("condition NamesAccepted is false%s", because(c))
	}
	return allTrue(actual, "Established")
}
