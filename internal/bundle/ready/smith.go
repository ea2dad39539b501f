// Package ready says whether observed objects are ready: by the rules of the Smith controller, by
// what the status of other objects says, and by rules of the user.
//
// Invariants: a status of an earlier generation says nothing about the object; values of Secrets
// are in no message.
//
// Layer: systems.
package ready

import (
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/smith/plugin"
)

// Readiness says whether an observed object is ready.
type Readiness struct {
	Ready   bool
	Message string // why it is not ready yet
	Err     error  // why it never will be
	// NoRule says that no rule is about the type: an annotation of its CustomResourceDefinition
	// may have one.
	NoRule bool
}

func waiting(format string, args ...any) Readiness {
	return Readiness{Message: fmt.Sprintf(format, args...)}
}

func failed(format string, args ...any) Readiness {
	return Readiness{Err: fmt.Errorf(format, args...)}
}

// Smith returns the rule of the Smith controller for a type, nil for none.
func Smith(gvk plugin.GroupVersionKind) func(actual gaby.Value) Readiness {
	if alwaysReady(gvk) {
		return func(gaby.Value) Readiness { return Readiness{Ready: true} }
	}
	return statusRule(gvk)
}

// alwaysReady reports whether objects of a type are ready as soon as they exist. The version does
// not matter.
func alwaysReady(gvk plugin.GroupVersionKind) bool {
	switch gvk.Group + "/" + gvk.Kind {
	case "/ConfigMap", "/Secret", "/Service", "/ServiceAccount", "networking.k8s.io/Ingress",
		"policy/PodDisruptionBudget":
		return true
	case "rbac.authorization.k8s.io/Role", "rbac.authorization.k8s.io/RoleBinding",
		"rbac.authorization.k8s.io/ClusterRole", "rbac.authorization.k8s.io/ClusterRoleBinding":
		return true // not in Smith, where nothing that depends on them would ever be made
	}
	return false
}

// statusRule returns the rule of a type that reads the status, nil for none.
func statusRule(gvk plugin.GroupVersionKind) func(actual gaby.Value) Readiness {
	switch gvk.Group + "/" + gvk.Kind {
	case "apps/Deployment", "extensions/Deployment":
		return deploymentReady
	case "autoscaling/HorizontalPodAutoscaler":
		return func(actual gaby.Value) Readiness {
			if isStale(actual) {
				return unseen()
			}
			return allTrue(actual, "AbleToScale", "ScalingActive")
		}
	case "servicecatalog.k8s.io/ServiceInstance", "servicecatalog.k8s.io/ServiceBinding":
		return func(actual gaby.Value) Readiness {
			if isStale(actual) {
				return unseen()
			}
			if c := condition(actual, "Failed"); c.Get("status").Text() == "True" {
				return failed("condition Failed is true%s", because(c))
			}
			return allTrue(actual, "Ready")
		}
	}
	return nil
}

// isStale reports whether a status is about an earlier generation of the object. Some controllers
// do not say which one.
func isStale(actual gaby.Value) bool {
	observed, known := actual.Get("status").Get("observedGeneration").Data().(int)
	generation, _ := actual.Get("metadata").Get("generation").Data().(int)
	return known && observed < generation
}

func unseen() Readiness { return waiting("controller has not seen the latest change") }

// condition returns a condition of a status by its type, a missing value without one.
func condition(actual gaby.Value, name string) gaby.Value {
	for _, c := range actual.Get("status").Get("conditions").All() {
		if c.Get("type").Text() == name {
			return c
		}
	}
	return gaby.Value{}
}

// number returns a whole number, or another one in place of any other value.
func number(v gaby.Value, otherwise int) int {
	if n, ok := v.Data().(int); ok {
		return n
	}
	return otherwise
}

// because returns the reason and message of a condition.
func because(c gaby.Value) string {
	var text strings.Builder
	for _, key := range []string{"reason", "message"} {
		if s := c.Get(key).Text(); s != "" {
			text.WriteString(": " + s)
		}
	}
	return text.String()
}

// allTrue is ready when all of the conditions are true.
func allTrue(actual gaby.Value, names ...string) Readiness {
	for _, name := range names {
		switch c := condition(actual, name); {
		case !c.Exists():
			return waiting("condition %s is missing", name)
		case c.Get("status").Text() != "True":
			return waiting("condition %s is %s%s", name,
				c.Get("status").Text(), because(c))
		}
	}
	return Readiness{Ready: true}
}

// deploymentReady follows kubectl rollout status. Until the controller has seen the latest change,
// the status is about the one before.
func deploymentReady(actual gaby.Value) Readiness {
	status := actual.Get("status")
	wanted := number(actual.Get("spec").Get("replicas"), 1)
	observed := number(status.Get("observedGeneration"), 0)
	updated := number(status.Get("updatedReplicas"), 0)
	available := number(status.Get("availableReplicas"), 0)
	progress := condition(actual, "Progressing")
	switch {
	case observed < number(actual.Get("metadata").Get("generation"), 0):
		return unseen()
	case progress.Get("reason").Text() == "ProgressDeadlineExceeded":
		return failed("it exceeded its progress deadline%s", because(progress))
	case updated < wanted:
		return waiting("%d of %d replicas are updated", updated, wanted)
	case number(status.Get("replicas"), 0) > updated:
		return waiting("%d old replicas are not gone",
			number(status.Get("replicas"), 0)-updated)
	case available < updated:
		return waiting("%d of %d replicas are available", available,
			updated)
	}
	return Readiness{Ready: true}
}
