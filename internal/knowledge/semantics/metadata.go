package semantics

import (
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
)

// nameForm returns the form of the names of a type; most types have names of DNS.
func nameForm(name string) textForm {
	switch name {
	case "Namespace", "Service":
		return dnsLabel
	case "rbac.authorization.k8s.io/Role", "rbac.authorization.k8s.io/ClusterRole",
		"rbac.authorization.k8s.io/RoleBinding", "rbac.authorization.k8s.io/ClusterRoleBinding",
		"apiregistration.k8s.io/APIService":
		return pathSegment
	}
	return dnsSubdomain
}

// Metadata returns the problems of the names, labels and annotations of a resource of a type. It is
// the part of Check that needs no other fields.
func Metadata(resourceType string, resource gaby.Value) []jsonschema.Violation {
	c := &resourceChecker{above: len(resource.Segments())}
	c.metadata(configkit.GroupKind(api.ResourceType(resourceType)), resource)
	return c.problems
}

// Name returns the problems with the name of a resource of a type, none for a valid one.
func Name(resourceType, name string) string {
	return nameForm(configkit.GroupKind(api.ResourceType(resourceType)))(name)
}

// metadata checks the metadata of a resource.
func (c *resourceChecker) metadata(name string, resource gaby.Value) {
	is := nameForm(name)
	metadata := resource.Get("metadata")
	for _, field := range []struct {
		key  string
		form textForm
	}{
		{"name", func(s string) string {
			// kustomize's namespace also gives a Namespace its name, which people write as _ then
			if name == "Namespace" && s == "_" {
				return ""
			}
			return is(s)
		}},
		{"generateName", func(s string) string { return is(strings.TrimSuffix(s, "-")) }},
		{"namespace", dnsLabel},
	} {
		if v := metadata.Get(field.key); isSet(v) {
			c.check(v, inForm("name", optional(field.form)))
		}
	}
	c.table(metadata, "part metadata")
}

// name checks that a resource has a name.
func (c *resourceChecker) name(resource gaby.Value) {
	metadata := resource.Get("metadata")
	for _, key := range []string{"name", "generateName"} {
		if v := metadata.Get(key); isSet(v) && !v.EqualText("") {
			return
		}
	}
	if metadata.Kind() == gaby.Map {
		c.missing(metadata, "name", "a resource has a name or a generateName")
		return
	}
	c.missing(resource, "metadata", "a resource has a name or a generateName in it")
}

// selector checks a label selector.
func (c *resourceChecker) selector(v gaby.Value) {
	c.table(v, "part selector")
	for e := range each(v, "matchExpressions.*") {
		switch values := e.Get("values"); e.Get("operator").Text() {
		case "In", "NotIn":
			if values.Len() == 0 {
				c.missing(e, "values", "In and NotIn compare with at least one")
			}
		case "Exists", "DoesNotExist":
			if values.Len() > 0 {
				c.add(values, "exclusive", "%s takes no values", e.Get("operator").Text())
			}
		}
	}
}

// matches reports whether labels satisfy an element of matchExpressions. An unknown operator is
// satisfied: it is reported as one.
func matches(expression, labels gaby.Value) bool {
	got := labels.Get(expression.Get("key").Text())
	in := false
	for _, value := range texts(expression, "values.*") {
		in = in || got.Exists() && got.Text() == value
	}
	switch expression.Get("operator").Text() {
	case "In":
		return in
	case "NotIn":
		return !in
	case "Exists":
		return got.Exists()
	case "DoesNotExist":
		return !got.Exists()
	}
	return true
}

// relaxedServiceNames is the minor version of Kubernetes whose servers, as they are configured by
// default, are the first to accept a digit at the beginning of the name of a Service (feature gate
// RelaxedServiceNameValidation, KEP 5311).
const relaxedServiceNames = 36

// beginsWithLetter is the form of the names of Services before relaxedServiceNames.
func beginsWithLetter(s string) string {
	if s == "" || !isDigit(rune(s[0])) {
		return ""
	}
	return fmt.Sprintf("%q is not a valid name of a Service before Kubernetes 1.%d: it begins "+
		"with a digit",
		s, relaxedServiceNames)
}
