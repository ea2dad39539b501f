package jsonschema

import (
	"slices"
	"strings"
)

// Dialect tells what the keywords of a schema mean.
type Dialect uint8

// The dialects. That of a schema with $schema is what that says.
const (
	// Draft2020 is the newest, which also reads lists in "items" and "dependencies" as older ones do.
	Draft2020 Dialect = iota
	Draft2019
	Draft7
	Draft6
	Draft4
	// OpenAPI is that of the types built into Kubernetes: objects have no other fields than those described, and null stands for
	// a field that is not there.
	OpenAPI
	// Structural is that of CustomResourceDefinitions, see
	// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions.
	Structural
)

// drafts are the names of dialects in $schema, without scheme and trailing #.
func drafts() map[string]Dialect {
	return map[string]Dialect{
		"json-schema.org/draft/2020-12/schema": Draft2020,
		"json-schema.org/draft/2019-09/schema": Draft2019,
		"json-schema.org/draft-07/schema":      Draft7,
		"json-schema.org/draft-06/schema":      Draft6,
		"json-schema.org/draft-04/schema":      Draft4,
		"json-schema.org/schema":               Draft2020,
	}
}

func dialectNamed(uri string) (Dialect, bool) {
	uri = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(uri, "https://"), "http://"), "#")
	d, ok := drafts()[uri]
	return d, ok
}

// isKubernetes reports whether the dialect is one of the two of Kubernetes.
func (d Dialect) isKubernetes() bool { return d >= OpenAPI }

// atLeast reports whether the dialect is a draft as new as another, or newer.
func (d Dialect) atLeast(other Dialect) bool { return d <= other }

// idKeyword is the keyword that names a schema, "" when there is none.
func (d Dialect) idKeyword() string {
	switch {
	case d.isKubernetes():
		return ""
	case d == Draft4:
		return "id"
	}
	return "$id"
}

// refAlone reports whether what stands beside $ref is ignored.
func (d Dialect) refAlone() bool { return d == Draft7 || d == Draft6 || d == Draft4 }

// booleanLimits reports whether exclusiveMinimum says how minimum is meant.
func (d Dialect) booleanLimits() bool { return d == Draft4 || d.isKubernetes() }

// subschemas are the keywords whose values are schemas, lists of schemas and maps of schemas.
func (d Dialect) subschemas() (one, list, byName []string) {
	one = []string{"not", "additionalProperties", "items"}
	list = []string{"allOf", "anyOf", "oneOf", "items"}
	byName = []string{"properties"}
	if d.isKubernetes() {
		return one, list, byName
	}
	one, byName = append(one, "additionalItems"), append(byName, "patternProperties", "definitions", "dependencies")
	if d.atLeast(Draft6) {
		one = append(one, "contains", "propertyNames")
	}
	if d.atLeast(Draft7) {
		one = append(one, "if", "then", "else")
	}
	if d.atLeast(Draft2019) {
		one, byName = append(one, "unevaluatedItems", "unevaluatedProperties", "contentSchema"), append(byName, "dependentSchemas", "$defs")
	}
	if d.atLeast(Draft2020) {
		list = append(list, "prefixItems")
	}
	return one, list, byName
}

// names lists the drafts that can be read, newest first.
func names() string {
	all := make([]string, 0, 6)
	for name := range drafts() {
		all = append(all, "https://"+name)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
