//go:build !race

package jsonschema_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
)

// nested returns a schema with a chain of 60 definitions, each of which refers to the next one in
// the way twice says, and the last of which is last.
func nested(twice, last string) string {
	var b strings.Builder
	b.WriteString(`{"$ref": "#/$defs/d0", "$defs": {`)
	for i := range 60 {
		fmt.Fprintf(&b, `"d%d": %s, `, i,
			strings.ReplaceAll(twice, "NEXT", fmt.Sprintf(`{"$ref": "#/$defs/d%d"}`, i+1)))
	}
	return b.String() + `"d60": ` + last + "}}"
}

// TestTooCostly checks that schemas with cycles or too many combinations are rejected.
func TestTooCostly(t *testing.T) {
	const all = `{"allOf": [NEXT, NEXT]}`
	names := `"v0"`
	for i := range 5000 {
		names += fmt.Sprintf(`, "v%d"`, i)
	}
	for name, schema := range map[string]string{
		"itself": `{$ref: "#"}`,
		"itself inside": `{allOf: [{$ref: "#/$defs/a"}], $defs: {a: {anyOf: [{$ref: ` +
			`"#/$defs/b"}]}, b: {$ref: "#/$defs/a"}}}`,
		"valid":        nested(all, `{"type": "object"}`),
		"invalid":      nested(all, `{"type": "string"}`),
		"alternatives": nested(`{"anyOf": [NEXT, NEXT]}`, `{"type": "string"}`),
		"exactly one": nested(`{"oneOf": [{"not": NEXT}, {"not": {"not": NEXT}}]}`,
			`{"type": "string"}`),
		"conditions": nested(`{"if": NEXT, "then": NEXT, "else": NEXT}`, `{"type": "string"}`),
		"dependencies": nested(`{"dependentSchemas": {"a": NEXT, "b": NEXT}}`,
			`{"type": "string"}`),
		"names": nested(all, `{"propertyNames": {"pattern": "^x"}}`),
		"unevaluated": nested(`{"unevaluatedProperties": false, "anyOf": [NEXT, NEXT]}`,
			`{"properties": {"a": {}}}`),
		"values":   nested(all, `{"properties": {"a": {"enum": [`+names+`]}}}`),
		"constant": nested(all, `{"const": {"a": [`+names+`]}}`),
		"required": nested(all, `{"required": [`+names+`]}`),
		"unknown": nested(all, `{"additionalProperties": false, "required": [`+names+
			`]}`),
		"regular expressions": nested(all, `{"properties": {"a": {"pattern": "^(x?){900}y$"}}}`),
		"wide": `{"anyOf": [` + strings.Repeat(`{"$ref": "#/$defs/a"}, `, 300) +
			`false], "$defs": {"a": {"anyOf": [` + strings.Repeat(`{"$ref": "#/$defs/b"}, `, 300) +
			`false]}, "b": {"anyOf": [` + strings.Repeat(`{"type": "string"}, `, 300) + `false]}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			s, err := jsonschema.Compile("", parse(t, schema), jsonschema.CompilerOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if problems, err := s.Check(t.Context(), parse(t,
				`{a: xxx, b: 1, c: [2]}`)); !errors.Is(err, jsonschema.ErrTooCostly) ||
				len(problems) > 0 {
				t.Errorf("%d problems, %v", len(problems), err)
			}
		})
	}
}

// What a check does costs as much as the time it takes, in large values too: each of these would
// take from half a minute to hours if only the number of checks counted. The longest of them run
// with LONG=1 (make long) only, which measures the time, too: with the race detector it says
// little.
func TestCostOfLargeValues(t *testing.T) {
	text := `"` + strings.Repeat(`\u00fc\n`, 100_000) + `"`
	list := func(n int, item string) string { return "[" + strings.Repeat(item+", ", n) + "]" }
	wide := "{"
	for i := range 20_000 {
		wide += fmt.Sprintf("k%d: 1, ", i)
	}
	wide += "}"
	const all = `{"allOf": [NEXT, NEXT]}`
	for name, c := range map[string]struct {
		schema, value string
		ends          bool // it is checked to the end
		long          bool // it takes seconds
	}{
		"length": {schema: nested(all, `{"minLength": 2000, "maxLength": 1000000}`), value: text},
		"format": {schema: nested(all, `{"format": "iri"}`), value: text},
		"type":   {schema: nested(all, `{"type": "integer"}`), value: text},
		"one of long": {
			schema: nested(all, `{"enum": [`+text+`, "x"]}`),
			value:  text[:len(text)-1] + `x"`,
		},
		"digits": {schema: nested(all, `{"minimum": 0.5}`), value: "1." + strings.Repeat("5", 990)},
		"multiple": {schema: nested(all, `{"multipleOf": 0.5}`), value: "1." +
			strings.Repeat("5", 990)},
		"required":   {schema: nested(all, `{"required": ["k1", "k2"]}`), value: wide, long: true},
		"properties": {schema: nested(all, `{"minProperties": 100000}`), value: wide, long: true},
		"elements": {
			schema: nested(all, `{"minItems": 1000000}`), value: list(50_000, "1"),
			long: true,
		},
		"unique": {schema: nested(all, `{"uniqueItems": true}`), value: list(100, list(100, "1"))},
		"dependent": {schema: `{"items": {"dependentRequired": {"a": ` +
			list(100_000, `"a"`) + `}}}`, value: list(5_000, "{a: 1}")},
		"schemas, values": {
			schema: `{"allOf": ` + list(1_000, `{"uniqueItems": true}`) + `}`,
			value:  list(5_000, "{a: [1, 2, 3]}"), long: true,
		},
		"one of many": {
			schema: `{"items": {"enum": ` + numbers(100_000) + `}}`,
			value:  list(50_000, "99999"), ends: true,
		},
		"expressions": {
			schema: `{"items": {"format": "regex"}}`,
			value:  list(20_000, `"(((a{9}){9}){12})"`), ends: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			long := os.Getenv("LONG") != ""
			if c.long && !long {
				t.Skip("only with LONG=1")
			}
			s, err := jsonschema.Compile("", parse(t, c.schema), jsonschema.CompilerOptions{Formats: true})
			if err != nil {
				t.Fatal(err)
			}
			value, begin := parse(t, c.value), time.Now()
			if _, err := s.Check(t.Context(), value); errors.Is(err, jsonschema.ErrTooCostly) == c.ends {
				t.Error(err)
			}
			if took := time.Since(begin); long && took > time.Minute {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// numbers returns a list of the numbers from 0 to n-1.
func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d, ", i)
	}
	return "[" + b.String() + "]"
}

// TestCostlyDefaults checks the limit for defaults that contain defaults, level by level.
func TestCostlyDefaults(t *testing.T) {
	schema := `{"type": "string", "default": "x"}`
	for range 8 {
		schema = `{"type": "object", "default": {` + strings.Repeat("K: {}, ", 20) +
			`"k": {}}, "additionalProperties": {"type": "object", "properties": {"x": ` + schema +
			`}}}`
	}
	for i := range 160 {
		schema = strings.Replace(schema, "K:", fmt.Sprintf(`"k%d":`, i), 1)
	}
	s, err := jsonschema.Compile("",
		parse(t, `{"type": "object", "properties": {"x": `+schema+`}}`),
		jsonschema.CompilerOptions{Dialect: jsonschema.Structural})
	if err != nil {
		t.Fatal(err)
	}
	v := parse(t, "{}")
	if _, err := s.Check(t.Context(), v); !errors.Is(err, jsonschema.ErrTooCostly) {
		t.Error(err)
	}
	if v.Doc().Changed() {
		t.Error("the defaults stay")
	}
}

func TestCostlyRegularExpressions(t *testing.T) {
	for name, pattern := range map[string]string{
		"states": "^(a?b?){400}x", "classes of Unicode": strings.Repeat(`(?i:\\pL)`, 100),
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for i := range 2000 {
				fmt.Fprintf(&b, `"%s%d": {}, `, pattern, i)
			}
			_, err := jsonschema.Compile("",
				parse(t, `{"patternProperties": {`+b.String()+`"x": {}}}`), jsonschema.CompilerOptions{})
			if err == nil || !strings.HasSuffix(err.Error(),
				"patternProperties: there are too many large regular expressions") {
				t.Error(err)
			}
		})
	}
}

// TestCostOfOrdinarySchemas checks that large schemas and values are within the limits if
// they are reasonable.
func TestCostOfOrdinarySchemas(t *testing.T) {
	if problems := check(t, honestSchema(4000), honestValue(4000, 10)); len(problems) != 1 ||
		problems[0].Pos.Line != 4001 {
		t.Errorf("a schema with 4000 properties: %d problems", len(problems))
	}
	var alternatives []string
	for i := range 800 {
		alternatives = append(alternatives,
			fmt.Sprintf(`{type: object, required: [kind], properties: {kind: {const: k%d}, size: `+
				`{type: integer}}}`,
				i))
	}
	var steps strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&steps, "- {kind: k%d, size: %d}\n", i%800, i)
	}
	if problems := check(t, `{type: array, items: {oneOf: [`+strings.Join(alternatives, ", ")+`]}}`,
		steps.String()); len(problems) > 0 {
		t.Errorf("800 alternatives for each of 3000 items: %v", problems[0])
	}
	if problems := check(t, `{type: array, items: {type: integer, maximum: 5}}`,
		strings.Repeat("- 7\n", 200_000)); len(problems) != 200_000 {
		t.Errorf("a list of wrong items: %d problems", len(problems))
	}
	// The schema of schemas is recursive everywhere.
	if problems := check(t, metaSchema, honestSchema(4000)); len(problems) > 0 {
		t.Errorf("a schema of schemas: %v", problems[0])
	}
}

// honestSchema returns a schema with many properties that are typical of CustomResourceDefinitions.
func honestSchema(properties int) string {
	var b strings.Builder
	b.WriteString("type: object\nadditionalProperties: false\nproperties:\n")
	for i := range properties {
		fmt.Fprintf(&b,
			`  field%d: {type: array, maxItems: 100, items: {type: object, required: [name], `+
				`properties: {name: {type: string, minLength: 1, maxLength: 253, `+
				`pattern: "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"}, mode: {enum: [A, B, C]}, `+
				`port: {anyOf: [{type: integer, minimum: 1, maximum: 65535}, {type: string}]}}, `+
				`oneOf: [{required: [mode]}, {required: [port]}]}}`+"\n", i)
	}
	return b.String()
}

func honestValue(properties, items int) string {
	var b strings.Builder
	for i := range properties {
		fmt.Fprintf(&b, "field%d: [%s{name: last, port: http}]\n", i,
			strings.Repeat("{name: some-name-of-usual-length, mode: B}, ", items))
	}
	return b.String() + "field: []\n"
}

// metaSchema is structured like the schema of JSON Schema since 2019: several parts, each of which
// applies to every schema inside.
const metaSchema = `
$schema: https://json-schema.org/draft/2020-12/schema
$id: https://example.com/schema
$dynamicAnchor: meta
allOf: [{$ref: "#/$defs/core"}, {$ref: "#/$defs/applicator"}, {$ref: "#/$defs/validation"}]
$defs:
  core: {$dynamicAnchor: meta1, type: [object, boolean], properties: {$id: {type: string}, $ref: {type: string}}}
  applicator:
    properties:
      properties: {additionalProperties: {$dynamicRef: "#meta"}}
      items: {$dynamicRef: "#meta"}
      additionalProperties: {$dynamicRef: "#meta"}
      anyOf: {items: {$dynamicRef: "#meta"}}
      oneOf: {items: {$dynamicRef: "#meta"}}
  validation:
    properties:
      type: {anyOf: [{enum: [array, boolean, integer, "null", number, object, string]}, {type: array, items: {type: string}}]}
      required: {type: array, items: {type: string}, uniqueItems: true}
      enum: {type: array, items: true}
      pattern: {type: string, format: regex}
      maxLength: {type: integer, minimum: 0}
`
