package bundle

import (
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/bundle/jsonpath"
	"github.com/fctl-dev/fctl/smith/plugin"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// readiness says whether an observed object is ready.
type readiness struct {
	ready   bool
	message string // why it is not ready yet
	err     error  // why it never will be
	noRule  bool   // nobody knows
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

// readiness applies the first rule for a type: of --ready, built in, or of the annotations of its
// CustomResourceDefinition.
func (p *run) readiness(gvk plugin.GroupVersionKind, actual gaby.Value) readiness {
	for _, rule := range p.ReadyRules {
		if rule.matches(gvk) {
			return rule.apply(actual)
		}
	}
	if alwaysReady(gvk) {
		return readiness{ready: true}
	}
	if check := builtInRule(gvk); check != nil {
		return check(actual)
	}
	if r, ok := p.crdReady(gvk, actual); ok {
		return r
	}
	return readiness{
		message: fmt.Sprintf("no readiness rule for %s; use --ready %s", gvk.Kind,
			KindAndGroup(gvk)),
		noRule: true,
	}
}

// KindAndGroup returns a type as --ready has it, such as StatefulSet.apps.
func KindAndGroup(gvk plugin.GroupVersionKind) string {
	if gvk.Group == "" {
		return gvk.Kind
	}
	return gvk.Kind + "." + gvk.Group
}

// HasReadyRule reports whether a type has a rule that is built in.
func HasReadyRule(gvk plugin.GroupVersionKind) bool {
	return alwaysReady(gvk) || builtInRule(gvk) != nil
}

// builtInRule returns the rule of a type that reads the status, nil for none.
func builtInRule(gvk plugin.GroupVersionKind) func(actual gaby.Value) readiness {
	switch gvk.Group + "/" + gvk.Kind {
	case "apps/Deployment", "extensions/Deployment":
		return deploymentReady
	case "autoscaling/HorizontalPodAutoscaler":
		return func(actual gaby.Value) readiness {
			if isStale(actual) {
				return unseen()
			}
			return allTrue(actual, "AbleToScale", "ScalingActive")
		}
	case "servicecatalog.k8s.io/ServiceInstance", "servicecatalog.k8s.io/ServiceBinding":
		return func(actual gaby.Value) readiness {
			if isStale(actual) {
				return unseen()
			}
			if c := condition(actual, "Failed"); c.Get("status").Text() == "True" {
				return readiness{err: fmt.Errorf("the condition Failed is true%s", because(c))}
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

func unseen() readiness { return readiness{message: "controller has not seen the latest change"} }

// crdReady applies the annotations of the CustomResourceDefinition of a type, if it was observed.
func (p *run) crdReady(gvk plugin.GroupVersionKind, actual gaby.Value) (readiness, bool) {
	o, crd, err := p.definition(gvk)
	if err != nil {
		return readiness{err: err}, true
	}
	if o == nil {
		return readiness{}, false
	}
	annotations := crd.Get("metadata").Get("annotations")
	path := annotations.Get(smithv1.ReadyFieldPath)
	if !path.Exists() {
		return readiness{}, false
	}
	parsed, err := jsonpath.ParseTemplate(path.Text())
	if err != nil {
		return readiness{err: fmt.Errorf("%s: the annotation %s: %w", o.Key,
			smithv1.ReadyFieldPath, err)}, true
	}
	value := annotations.Get(smithv1.ReadyFieldValue)
	if !value.Exists() { // Smith needs both
		return readiness{message: fmt.Sprintf("%s has no annotation %s", o.Key,
			smithv1.ReadyFieldValue), noRule: true}, true
	}
	return ReadyRule{path: parsed, value: value.Text()}.apply(actual), true
}

// condition returns a condition of a status by its type, a missing value without one.
func condition(actual gaby.Value, name string) gaby.Value {
	for _, c := range actual.Get("status").Get("conditions").All() {
		if c.Get("type").Text() == name {
			return c
		}
	}
	return gaby.Value{}
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
func allTrue(actual gaby.Value, names ...string) readiness {
	for _, name := range names {
		switch c := condition(actual, name); {
		case !c.Exists():
			return readiness{message: "the condition " + name + " is missing"}
		case c.Get("status").Text() != "True":
			return readiness{message: fmt.Sprintf("the condition %s is %s%s", name,
				c.Get("status").Text(), because(c))}
		}
	}
	return readiness{ready: true}
}

// deploymentReady follows kubectl rollout status. Until the controller has seen the latest change,
// the status is about the one before.
func deploymentReady(actual gaby.Value) readiness {
	status := actual.Get("status")
	number := func(v gaby.Value, otherwise int) int {
		if n, ok := v.Data().(int); ok {
			return n
		}
		return otherwise
	}
	wanted := number(actual.Get("spec").Get("replicas"), 1)
	observed := number(status.Get("observedGeneration"), 0)
	updated := number(status.Get("updatedReplicas"), 0)
	available := number(status.Get("availableReplicas"), 0)
	progress := condition(actual, "Progressing")
	switch {
	case observed < number(actual.Get("metadata").Get("generation"), 0):
		return unseen()
	case progress.Get("reason").Text() == "ProgressDeadlineExceeded":
		return readiness{err: fmt.Errorf("the deployment exceeded its progress deadline%s",
			because(progress))}
	case updated < wanted:
		return readiness{message: fmt.Sprintf("%d of %d replicas are updated", updated, wanted)}
	case number(status.Get("replicas"), 0) > updated:
		return readiness{message: fmt.Sprintf("%d old replicas are not gone",
			number(status.Get("replicas"), 0)-updated)}
	case available < updated:
		return readiness{message: fmt.Sprintf("%d of %d replicas are available", available,
			updated)}
	}
	return readiness{ready: true}
}
