package jsonschema

import (
	"errors"
	"fmt"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// CheckStructural checks whether the schema of a CustomResourceDefinition is structural, without
// which the API server rejects it even if every keyword is correct by itself. See
//
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema.
// The error is a *SchemaError or several joined.
func CheckStructural(schema gaby.Value) error {
	c := structureCheck{root: schema}
	c.structure(schema)
	return errors.Join(c.problems...)
}

type structureCheck struct {
	root     gaby.Value
	problems []error
}

func (c *structureCheck) fail(v gaby.Value, format string, args ...any) {
	c.problems = append(c.problems,
		&SchemaError{Pos: v.Position(), Msg: fmt.Sprintf(format, args...)})
}

// isSet reports whether a keyword is present and has an effect.
func isSet(schema gaby.Value, keyword string) bool {
	v := schema.Get(keyword)
	return v.Exists() && v.Data() != false && typeOf(v) != nullType
}

// structure checks a schema that defines which fields exist, and the schemas inside it.
func (c *structureCheck) structure(s gaby.Value) {
	if s.Kind() != gaby.Map {
		return // reported when the schema is compiled
	}
	for _, keyword := range []string{
		"$ref", "definitions", "dependencies", "patternProperties",
		"additionalItems", "id",
	} {
		if isSet(s, keyword) {
			c.fail(s.Get(keyword), "%s is not allowed in a CustomResourceDefinition", keyword)
		}
	}
	if isSet(s, "uniqueItems") {
		c.fail(s.Get("uniqueItems"),
			"uniqueItems is not allowed in a CustomResourceDefinition, x-kubernetes-list-type: "+
				"set is")
	}
	c.types(s)
	c.lists(s)
	more := s.Get("additionalProperties")
	switch {
	case !more.Exists():
	case s.Get("properties").First().Exists() && more.Data() != true:
		c.fail(more, "properties and additionalProperties exclude each other")
	case s == c.root:
		c.fail(more, "additionalProperties is not allowed at the root")
	default:
		c.structure(more)
	}
	c.structure(s.Get("items"))
	for _, e := range s.Get("properties").All() {
		c.structure(e)
	}
	c.combined(s)
}

// types checks the keywords that determine types, and those about the metadata of the root.
func (c *structureCheck) types(s gaby.Value) {
	t := s.Get("type")
	intOrString, preserved := isSet(s, "x-kubernetes-int-or-string"),
		isSet(s, "x-kubernetes-preserve-unknown-fields")
	switch {
	case s == c.root && !t.EqualText("object"):
		c.fail(s, "type is object at the root")
	case isSet(s, "x-kubernetes-embedded-resource") && !t.EqualText("object"):
		c.fail(s, "type is object of a schema with x-kubernetes-embedded-resource")
	case !isSet(s, "type") && !intOrString && !preserved:
		c.fail(s,
			"type is required, or x-kubernetes-int-or-string or "+
				"x-kubernetes-preserve-unknown-fields")
	case t.EqualText("array") && !isSet(s, "items"):
		c.fail(s, "items is required of a list")
	case intOrString && preserved:
		c.fail(s,
			"x-kubernetes-int-or-string and x-kubernetes-preserve-unknown-fields exclude each "+
				"other")
	}
	if kind := s.Get("x-kubernetes-map-type"); isSet(s, "x-kubernetes-map-type") &&
		!kind.EqualText("atomic") && !kind.EqualText("granular") {
		c.fail(kind, "x-kubernetes-map-type: %s is not one of atomic and granular", describe(kind))
	}
	if s != c.root {
		return
	}
	for _, e := range s.Get("properties").Get("metadata").Get("properties").All() {
		if name := e.Key(); name != "name" && name != "generateName" {
			c.fail(e, "of metadata only name and generateName can be described, not %s", name)
		}
	}
}

// lists checks the keywords that identify the elements of lists.
func (c *structureCheck) lists(s gaby.Value) {
	kind, keys := s.Get("x-kubernetes-list-type"), s.Get("x-kubernetes-list-map-keys")
	if isSet(s, "x-kubernetes-list-type") && !s.Get("type").EqualText("array") {
		c.fail(kind, "x-kubernetes-list-type is for lists, whose type is array")
	}
	if isSet(s, "x-kubernetes-list-type") && !kind.EqualText("atomic") && !kind.EqualText("set") &&
		!kind.EqualText("map") {
		c.fail(kind, "x-kubernetes-list-type: %s is not one of atomic, set and map", describe(kind))
	}
	if !kind.EqualText("map") {
		if isSet(s, "x-kubernetes-list-map-keys") {
			c.fail(keys, "x-kubernetes-list-map-keys is for x-kubernetes-list-type: map")
		}
		return
	}
	if !keys.First().Exists() {
		c.fail(kind, "x-kubernetes-list-map-keys is required of x-kubernetes-list-type: map")
	}
	items := s.Get("items")
	for _, key := range keys.All() {
		property := items.Get("properties").Get(key.Text())
		required := property.Get("default").Exists()
		for _, e := range items.Get("required").All() {
			required = required || e.Text() == key.Text()
		}
		switch {
		case !property.Exists():
			c.fail(key, "%s, a key of the list, is not a property of its items", key.Text())
		case !required:
			c.fail(key, "%s, a key of the list, is to be required or to have a default", key.Text())
		}
	}
}

// combined checks the schemas that only restrict values.
func (c *structureCheck) combined(s gaby.Value) {
	c.values(s.Get("not"), "not")
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		if keyword == "anyOf" && isIntOrString(s.Get(keyword)) {
			continue
		}
		for _, e := range s.Get(keyword).All() {
			c.values(e, keyword)
		}
	}
}

// isIntOrString reports whether alternatives are [{type: integer}, {type: string}], the only ones
// that may have a type.
func isIntOrString(alternatives gaby.Value) bool {
	first, second := alternatives.Index(0), alternatives.Index(1)
	return alternatives.Kind() == gaby.List && alternatives.Len() == 2 && first.Len() == 1 &&
		second.Len() == 1 &&
		first.Get("type").EqualText("integer") && second.Get("type").EqualText("string")
}

// values checks a schema that only restricts values. The keyword around it is inside.
func (c *structureCheck) values(s gaby.Value, inside string) {
	if s.Kind() != gaby.Map {
		return
	}
	for _, keyword := range []string{
		"type", "default", "title", "description", "nullable", "additionalProperties",
		"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource",
		"x-kubernetes-int-or-string", "x-kubernetes-list-type", "x-kubernetes-list-map-keys",
		"x-kubernetes-map-type", "x-kubernetes-validations",
	} {
		if v := s.Get(keyword); isSet(s, keyword) && v.Data() != "" {
			c.fail(v, "%s is not allowed inside %s", keyword, inside)
		}
	}
	c.values(s.Get("items"), inside)
	for _, e := range s.Get("properties").All() {
		c.values(e, inside)
	}
	c.combined(s)
}
