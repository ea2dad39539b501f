package jsonschema_test

import (
	"testing"

	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
)

func TestCheckStructural(t *testing.T) {
	const head, tail = "{type: object, properties: {a: ", "}}"
	for schema, want := range map[string]string{
		`{type: string}`: "",
		`{type: object, additionalProperties: {type: string}}`:                         "",
		`{type: object, additionalProperties: false}`:                                  "",
		`{type: object, properties: {b: {type: string}}, additionalProperties: true}`:  "",
		`{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}`: "",
		`{x-kubernetes-int-or-string: true, allOf: [{anyOf: [{type: integer}, {type: string}]}, ` +
			`{pattern: a}]}`: "",
		`{x-kubernetes-preserve-unknown-fields: true}`: "",
		`{type: object, properties: {b: {type: string}}, oneOf: [{required: [b]}, {properties: ` +
			`{b: {pattern: a}}}]}`: "",
		`{}`: "1:32: type is required, or " +
			"x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields",
		`{type: array}`: "1:32: items is required of a list",
		`{type: object, properties: {b: {}}}`: "1:63: type is required, or " +
			"x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields",
		`{type: object, additionalProperties: {}}`: "1:69: type is required, or " +
			"x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields",
		`{type: array, items: {}}`: "1:53: type is required, or " +
			"x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields",
		`{type: object, properties: {b: {type: string}}, additionalProperties: {type: string}}`: "1:102: properties and additionalProperties exclude each other",
		`{type: string, $ref: x}`:                                                        "1:53: $ref is not allowed in a CustomResourceDefinition",
		`{type: array, uniqueItems: true, items: {type: string}}`:                        "1:59: uniqueItems is not allowed in a CustomResourceDefinition, x-kubernetes-list-type: set is",
		`{type: string, x-kubernetes-embedded-resource: true}`:                           "1:32: type is object of a schema with x-kubernetes-embedded-resource",
		`{x-kubernetes-int-or-string: true, x-kubernetes-preserve-unknown-fields: true}`: "1:32: x-kubernetes-int-or-string and x-kubernetes-preserve-unknown-fields exclude each other",
		`{type: string, anyOf: [{type: string}], not: {nullable: true}}`:                 "1:88: nullable is not allowed inside not\n1:62: type is not allowed inside anyOf",
		`{type: object, allOf: [{properties: {b: {description: x}}}]}`:                   "1:86: description is not allowed inside allOf",
		`{type: string, x-kubernetes-list-type: set}`:                                    "1:71: x-kubernetes-list-type is for lists, whose type is array",
		`{type: object, x-kubernetes-map-type: bag}`:                                     `1:70: x-kubernetes-map-type: "bag" is not one of atomic and granular`,
		`{type: array, items: {type: string}, x-kubernetes-list-type: bag}`:              `1:93: x-kubernetes-list-type: "bag" is not one of atomic, set and map`,
		`{type: array, items: {type: string}, x-kubernetes-list-type: map}`:              "1:93: x-kubernetes-list-map-keys is required of x-kubernetes-list-type: map",
		`{type: array, items: {type: string}, x-kubernetes-list-map-keys: [b]}`:          "1:97: x-kubernetes-list-map-keys is for x-kubernetes-list-type: map",
		`{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [b, c], items: ` +
			`{type: object, properties: {b: {type: string}}}}`: "1:104: b, a key of the list, is " +
			"to be required or to have a default\n1:107: c, a key of the list, is not a property " +
			"of its items",
	} {
		t.Run(schema, func(t *testing.T) {
			checkStructure(t, head+schema+tail, want)
		})
	}
	checkStructure(t, `{type: string}`, "1:1: type is object at the root")
	checkStructure(t, `{type: object, additionalProperties: {type: string}}`,
		"1:38: additionalProperties is not allowed at the root")
	checkStructure(t,
		`{type: object, properties: {metadata: {type: object, properties: {name: {type: string}, `+
			`labels: {type: object}}}}}`,
		"1:97: of metadata only name and generateName can be described, not labels")
}

func checkStructure(t *testing.T, schema, want string) {
	t.Helper()
	have := ""
	if err := jsonschema.CheckStructural(parse(t, schema)); err != nil {
		have = err.Error()
	}
	if have != want {
		t.Errorf("%s:\n%s\nwant\n%s", schema, have, want)
	}
}

func TestWrongDefaults(t *testing.T) {
	for schema, want := range map[string]string{
		`{type: integer, default: a}`:                                                             `1:26: default: expected integer, got "a"`,
		`{type: string, enum: [a], default: b}`:                                                   `1:36: default: "b" is not a`,
		`{type: object, default: {b: 1}, properties: {a: {type: string}}}`:                        `1:26: default: unknown field b`,
		`{type: object, default: {}, required: [a], properties: {a: {type: string, default: x}}}`: `1:25: default: a is required`,
	} {
		t.Run(schema, func(t *testing.T) {
			_, err := jsonschema.Compile("", parse(t, schema),
				jsonschema.CompilerOptions{Dialect: jsonschema.Structural})
			if err == nil || err.Error() != want {
				t.Errorf("%s: %v, want %s", schema, err, want)
			}
		})
	}
}
