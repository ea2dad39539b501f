// Package semantics checks Kubernetes resources for what an API server refuses although their
// schema allows it: numbers out of range, bad names, selectors that do not match, mounts without a
// volume.
//
// # Invariants
//
//   - A check looks at one resource, except that Identities compares their names. It reads only
//     the values it checks and never changes them.
//   - A value of the wrong type, a missing required field and an unknown field are the schema's
//     business: a check skips them.
//   - What only a cluster can know (other resources, admission, quotas) is not checked.
//   - Problems come in the order of the checks: of the keys in fields.txt, each with all that is
//     below it.
//
// The rules are those of k8s.io/kubernetes/pkg/apis/*/validation and
// k8s.io/apimachinery/pkg/util/validation of Kubernetes 1.36, described in the API reference. Older
// servers differ in the names of Services only, as far as these rules go.
//
// Layer: knowledge.
package semantics

import (
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
)

// Check returns the problems of a resource of a type, such as apps/v1/Deployment. Of types without
// rules of their own it checks the metadata. The keyword of a problem is the rule that is violated:
// range, enum, name, duplicate, selector, reference, exclusive, required or format. The release is
// that of the server, such as 1.35; empty means 1.36 or newer.
func Check(resourceType string, resource gaby.Value, release string) []jsonschema.Violation {
	c := &resourceChecker{above: len(resource.Segments())}
	name := configkit.GroupKind(api.ResourceType(resourceType))
	c.metadata(name, resource)
	if minor, ok := strings.CutPrefix(release, "1."); ok {
		// It adds to what is checked for every release.
		if n, err := strconv.Atoi(minor); err == nil && n < relaxedServiceNames {
			c.table(resource, "older "+name)
		}
	}
	t := tables()[name]
	if t == nil {
		return c.problems
	}
	c.name(resource)
	c.fields(resource, &t.fields)
	if t.pod != "" {
		for pod := range each(resource, t.pod) {
			c.pod(pod)
		}
	}
	if t.template != "" {
		var claims []string
		for _, name := range texts(resource, "spec.volumeClaimTemplates.*.metadata.name") {
			claims = append(claims, name)
		}
		for template := range each(resource, t.template) {
			c.template(template, t.restart, claims)
		}
	}
	c.together(name, resource)
	return c.problems
}

// CheckPodFields returns the problems of a map with some fields of a PodSpec, without its
// containers and volumes.
func CheckPodFields(v gaby.Value) []jsonschema.Violation {
	c := &resourceChecker{}
	c.podFields(v)
	return c.problems
}

// CheckContainer returns the problems of a map with some fields of a container.
func CheckContainer(v gaby.Value) []jsonschema.Violation {
	c := &resourceChecker{}
	c.container(v)
	return c.problems
}

// resourceChecker collects problems.
type resourceChecker struct {
	problems []jsonschema.Violation
	above    int // segments of paths that lead to the resource, in a list
}

// path returns the path of a value in the resource.
func (c *resourceChecker) path(v gaby.Value) []string { return v.Segments()[c.above:] }

// line returns where a value is, "" in a list, whose text need not be that of the file.
func (c *resourceChecker) line(format string, v gaby.Value) string {
	if c.above > 0 {
		return ""
	}
	return fmt.Sprintf(format, v.Position().Line)
}

// add records a problem of a value.
func (c *resourceChecker) add(v gaby.Value, rule, format string, args ...any) {
	c.problems = append(c.problems, jsonschema.Violation{
		Path: c.path(v), Pos: v.Position(), Keyword: rule, Message: fmt.Sprintf(format, args...),
	})
}

// missing records that a map lacks a key that it needs.
func (c *resourceChecker) missing(parent gaby.Value, key, why string) {
	c.problems = append(c.problems, jsonschema.Violation{
		Path: c.path(parent), Property: key, Pos: parent.Position(), Keyword: "required",
		Message: key + " is missing: " + why,
	})
}

// together checks what the fields of a resource must have in common.
func (c *resourceChecker) together(name string, resource gaby.Value) {
	switch name {
	case "apps/Deployment":
		c.deployment(resource)
	case "apps/ReplicaSet":
		c.selected(resource)
	case "ReplicationController":
		c.selectedByMap(resource)
	case "apps/StatefulSet":
		c.statefulSet(resource)
	case "apps/DaemonSet":
		c.daemonSet(resource)
	case "batch/Job":
		c.job(resource)
	case "batch/CronJob":
		c.cronJob(resource)
	case "autoscaling/HorizontalPodAutoscaler":
		c.autoscaler(resource)
	case "policy/PodDisruptionBudget":
		c.disruption(resource)
	case "Service":
		c.service(resource)
	case "networking.k8s.io/Ingress":
		c.ingress(resource)
	case "networking.k8s.io/NetworkPolicy":
		c.networkPolicy(resource)
	case "ConfigMap":
		c.configMap(resource)
	case "Secret":
		c.secret(resource)
	case "PersistentVolumeClaim":
		c.claim(resource)
	case "LimitRange":
		c.limitRange(resource)
	case "rbac.authorization.k8s.io/Role", "rbac.authorization.k8s.io/ClusterRole":
		c.role(resource)
	case "rbac.authorization.k8s.io/RoleBinding", "rbac.authorization.k8s.io/ClusterRoleBinding":
		c.binding(resource)
	case "apiextensions.k8s.io/CustomResourceDefinition":
		c.definition(resource)
	}
}

// table checks the fields of a table, if there is one of the name.
func (c *resourceChecker) table(v gaby.Value, name string) {
	if t := tables()[name]; t != nil {
		c.fields(v, &t.fields)
	}
}

// check checks a value.
func (c *resourceChecker) check(v gaby.Value, check valueCheck) {
	if rule, message := check(v); message != "" {
		c.add(v, rule, "%s", message)
	}
}

// fields checks a value and the values below it.
func (c *resourceChecker) fields(v gaby.Value, fields *fieldChecks) {
	if !isSet(v) {
		return
	}
	for _, check := range fields.checks {
		c.check(v, check)
	}
	for _, below := range fields.below {
		if below.key != "*" {
			c.fields(v.Get(below.key), below)
			continue
		}
		for e := v.First(); e.Exists(); e = e.Next() {
			c.fields(e, below)
		}
	}
}

// each iterates over the values at a path that exist and are not null.
func each(v gaby.Value, path string) iter.Seq[gaby.Value] {
	return func(yield func(gaby.Value) bool) { visit(v, path, yield) }
}

func visit(v gaby.Value, path string, yield func(gaby.Value) bool) bool {
	if !isSet(v) {
		return true
	}
	if path == "" {
		return yield(v)
	}
	key, rest, _ := strings.Cut(path, ".")
	if key != "*" {
		return visit(v.Get(key), rest, yield)
	}
	for e := v.First(); e.Exists(); e = e.Next() {
		if !visit(e, rest, yield) {
			return false
		}
	}
	return true
}

// isSet reports whether a value exists and is not null.
func isSet(v gaby.Value) bool { return v.Exists() && !v.IsNull() }

// text returns the text of a string, and whether the value is one.
func text(v gaby.Value) (string, bool) {
	if v.Kind() != gaby.Scalar || v.Tag() != "!!str" {
		return "", false
	}
	return v.Text(), true
}

// number returns an integer, and whether the value is one.
func number(v gaby.Value) (int64, bool) {
	switch n := v.Data().(type) {
	case int:
		return int64(n), true
	case int64:
		return n, true
	}
	return 0, false
}

// isTrue reports whether a value is the boolean true.
func isTrue(v gaby.Value) bool { return v.Data() == true }

// unique reports values that repeat a preceding one. keys yields each value with its key; values
// with an empty key are skipped.
func (c *resourceChecker) unique(keys iter.Seq2[gaby.Value, string], what string) {
	first := map[string]gaby.Value{}
	for v, key := range keys {
		switch other, ok := first[key]; {
		case key == "":
		case ok:
			c.add(v, "duplicate", "%s %q is already used%s", what, key, c.line(" at line %d", other))
		default:
			first[key] = v
		}
	}
}

// texts yields the strings at a path, each as a value and its text.
func texts(v gaby.Value, path string) iter.Seq2[gaby.Value, string] {
	return func(yield func(gaby.Value, string) bool) {
		for at := range each(v, path) {
			if s, ok := text(at); ok && !yield(at, s) {
				return
			}
		}
	}
}

// only reports a map that does not have exactly one of some keys.
func (c *resourceChecker) only(v gaby.Value, what string, keys ...string) {
	var present []string
	for _, key := range keys {
		if e := v.Get(key); isSet(e) {
			present = append(present, key)
		}
	}
	switch {
	case len(present) == 0:
		c.add(v, "required", "%s needs one of %s", what, strings.Join(keys, ", "))
	case len(present) > 1:
		c.add(v, "exclusive", "%s has %s; only one is allowed", what,
			strings.Join(present, " and "))
	}
}
