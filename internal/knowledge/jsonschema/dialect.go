package jsonschema

import "strings"

// Dialect is the meaning that a schema gives to its keywords.
type Dialect uint8

// The dialects. A $schema keyword takes precedence over the dialect of the options.
const (
	// Draft2020 is draft 2020-12. Lists in "items" and "dependencies" are read as in older drafts.
	Draft2020 Dialect = iota
	Draft2019
	Draft7
	// OpenAPI is the dialect of the types built into Kubernetes. Fields that are not described are
	// errors, and null means that a field is absent.
	OpenAPI
	// Structural is the dialect of CustomResourceDefinitions, see
	//
	// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions.
	Structural
)

// draft is a dialect with its URI in $schema, without scheme and trailing #.
type draft struct {
	uri     string
	dialect Dialect
}

// drafts returns the drafts, newest first. Drafts 4 and 6 are read as draft 7, which has all their
// keywords but id.
func drafts() []draft {
	return []draft{
		{"json-schema.org/draft/2020-12/schema", Draft2020},
		{"json-schema.org/draft/2019-09/schema", Draft2019},
		{"json-schema.org/draft-07/schema", Draft7},
		{"json-schema.org/draft-06/schema", Draft7},
		{"json-schema.org/draft-04/schema", Draft7},
		{"json-schema.org/schema", Draft2020},
	}
}

func dialectNamed(uri string) (Dialect, bool) {
	uri = strings.TrimSuffix(
		strings.TrimPrefix(strings.TrimPrefix(uri, "https://"), "http://"), "#")
	for _, d := range drafts() {
		if d.uri == uri {
			return d.dialect, true
		}
	}
	return 0, false
}

// isKubernetes reports whether the dialect is one of the two of Kubernetes.
func (d Dialect) isKubernetes() bool { return d >= OpenAPI }

// atLeast reports whether the dialect is the draft other or a newer one.
func (d Dialect) atLeast(other Dialect) bool { return d <= other }

// refAlone reports whether keywords next to $ref are ignored.
func (d Dialect) refAlone() bool { return d == Draft7 }

// subschemas returns the keywords whose values are schemas, lists of schemas and maps of schemas.
func (d Dialect) subschemas() (one, list, byName []string) {
	one = []string{"not", "additionalProperties", "items"}
	list = []string{"allOf", "anyOf", "oneOf", "items"}
	byName = []string{"properties"}
	if d.isKubernetes() {
		return one, list, byName
	}
	one = append(one, "additionalItems", "contains", "propertyNames", "if", "then", "else")
	byName = append(byName, "patternProperties", "definitions", "dependencies")
	if d.atLeast(Draft2019) {
		one, byName = append(one, "unevaluatedItems", "unevaluatedProperties", "contentSchema"),
			append(byName, "dependentSchemas", "$defs")
	}
	if d.atLeast(Draft2020) {
		list = append(list, "prefixItems")
	}
	return one, list, byName
}

// names returns the supported drafts as text, newest first.
func names() string {
	var all []string
	for _, d := range drafts() {
		all = append(all, "https://"+d.uri)
	}
	return strings.Join(all, ", ")
}
