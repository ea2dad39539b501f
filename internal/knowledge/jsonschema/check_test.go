package jsonschema_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
)

func parse(t testing.TB, text string) gaby.Value {
	t.Helper()
	doc, err := gaby.ParseYAML([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return doc.Value()
}

// found returns the problems of a value, one per line.
func found(t testing.TB, schema, text string, options jsonschema.CompilerOptions) string {
	t.Helper()
	s, err := jsonschema.Compile("", parse(t, schema), options)
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	problems, err := s.Check(t.Context(), parse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, p := range problems {
		lines = append(lines, fmt.Sprintf("%s %s: %s", p.Pos, strings.Join(p.FullPath(), "."),
			p.String()))
	}
	return strings.Join(lines, "\n")
}

func TestProblems(t *testing.T) {
	for _, c := range []struct{ schema, value, want string }{
		{`{type: integer}`, `"3"`, `1:1 : expected integer, got "3"; remove the quotes`},
		{`{type: string}`, `3`, `1:1 : expected string, got 3; put it in quotes: "3"`},
		{`{type: [string, number, "null"]}`, `{}`, `1:1 : expected string, number or null, got ` +
			`an object`},
		{`{type: string}`, `{{ .Values.name }}`, `1:1 : expected string, got an object; it looks ` +
			`like a template, which is to be rendered first`},
		{`{type: object}`, `null`, `1:1 : expected object, got null; give it a value or remove it`},
		{
			`{properties: {a: {items: {type: string}}}}`, "a: [x, 1,\n  y, {}]",
			"1:8 a.1: expected string, got 1; put it in quotes: \"1\"\n" +
				"2:6 a.3: expected string, got an object",
		},
		{`{required: [a, b]}`, `{a: 1}`, `1:1 b: b is required`},
		{
			`{properties: {name: {}}, additionalProperties: false}`, `{nam: 1, zzzzzz: 2}`,
			"1:2 nam: unknown property nam; did you mean name?\n" +
				"1:10 zzzzzz: unknown property zzzzzz",
		},
		{`{enum: [a, 1, null, {b: 2}]}`, `ab`, `1:1 : "ab" is not one of a, 1, null, {"b": 2}; ` +
			`did you mean a?`},
		{`{const: 1}`, `2`, `1:1 : 2 is not 1`},
		{
			`{minimum: 1, exclusiveMaximum: 3, multipleOf: 0.5}`, `0.3`,
			"1:1 : 0.3 is less than the minimum 1\n1:1 : 0.3 is not a multiple of 0.5",
		},
		{`{exclusiveMaximum: 3}`, `3`, `1:1 : 3 is not less than 3`},
		{`{minLength: 2, maxLength: 3, pattern: "^a"}`, `éééé`, "1:1 : \"éééé\" has 4 " +
			"characters, at most 3 are allowed\n1:1 : \"éééé\" does not match ^a"},
		{`{minItems: 2, uniqueItems: true}`, `[a]`, `1:1 : 1 element, at least 2 are required`},
		{
			`{maxItems: 1, uniqueItems: true}`, `[{a: 1, b: 1.0}, {b: 1, a: 1}]`,
			"1:1 : 2 elements, at most 1 is allowed\n1:18 1: the same as element 0",
		},
		{
			`{contains: {type: string}, minContains: 2}`, `[a, 1]`,
			`1:1 : 1 element is as "contains" says, at least 2 are required`,
		},
		{
			`{contains: {type: string}, maxContains: 1}`, `[a, b]`,
			`1:1 : 2 elements are as "contains" says, at most 1 is allowed`,
		},
		{`{minProperties: 1}`, `{}`, `1:1 : 0 properties, at least 1 is required`},
		{`{propertyNames: {pattern: ^a}}`, `{b: 1}`, `1:2 b: the name is not allowed: "b" does ` +
			`not match ^a`},
		{`{dependentRequired: {a: [b]}}`, `{a: 1}`, `1:1 b: b is required when a is present`},
		{`{not: {required: [a, b]}}`, `{a: 1, b: 2}`, `1:1 : a and b must not be there together`},
		{`{not: {type: string}}`, `a`, `1:1 : not allowed: it is what "not" excludes`},
		{`{properties: {a: false}}`, `{a: 1}`, `1:5 a: nothing is allowed here`},
		{
			`{unevaluatedProperties: false, allOf: [{properties: {a: {}}}]}`, `{a: 1, b: 2}`,
			`1:8 b: unknown property b`,
		},
		{
			`{if: {required: [a]}, then: {required: [b]}, else: {required: [c]}}`, `{a: 1}`,
			`1:1 b: b is required`,
		},
		// alternatives: the problems of the one that was meant, or of all if that is not clear
		{`{anyOf: [{type: string}, {required: [a]}]}`, `{}`, `1:1 a: a is required`},
		{`{oneOf: [{required: [a]}, {required: [b]}]}`, `{}`, `1:1 : one of a, b is required`},
		{
			`{oneOf: [{required: [a]}, {required: [b]}]}`, `{a: 1, b: 1}`,
			`1:1 : it is valid under alternatives 1 and 2, exactly one is allowed`,
		},
		{`{oneOf: [{properties: {kind: {const: a}, x: {type: integer}}}, {properties: {kind: ` +
			`{const: b}}}]}`, `{kind: a, x: y}`, `1:14 x: expected integer, got "y"`},
		{`{anyOf: [{type: string}, {type: integer}]}`, `true`, `1:1 : it matches none of 2 ` +
			`alternatives: expected string, got true; put it in quotes: "true"; or: expected ` +
			`integer, got true`},
		// keys that JSON cannot have
		{
			`{properties: {"null": {}}}`, "{~: 1, null: 2}",
			`1:2 ~: expected a name as key, got null; put it in quotes: "~"`,
		},
		{`{}`, "1: 1\ntrue: 2\nnull: 3\n", ``},
		{
			`{additionalProperties: {}}`, "1: 1\ntrue: 2\n? [a, b]\n: 3\n? {a: b}\n: 4\n",
			"3:3 [a, b]: expected a name as key, got a list\n5:3 {a: b}: expected a name as key, " +
				"got an object",
		},
		// an unknown field may be valid elsewhere in the schema
		{
			`{properties: {spec: {properties: {template: {properties: {containers: {}}}}, ` +
				`additionalProperties: false}}}`, `{spec: {containers: 1}}`,
			`1:9 spec.containers: unknown property containers; did you mean template.containers?`,
		},
		{
			`{properties: {replicas: {}, a: {properties: {x: {}}, additionalProperties: false}}}`,
			`{a: {replicas: 1}}`, `1:6 a.replicas: unknown property replicas; it belongs to the ` +
				`top level`,
		},
		{`{format: ipv4}`, `10.0.0.300`, `1:1 : "10.0.0.300" is not a valid ipv4, such as ` +
			`10.0.0.1`},
	} {
		t.Run(c.schema, func(t *testing.T) {
			if have := found(t, c.schema, c.value,
				jsonschema.CompilerOptions{Formats: true}); have != c.want {
				t.Errorf("%s of %s:\n%s\nwant\n%s", c.value, c.schema, have, c.want)
			}
		})
	}
}

func TestKubernetesDialects(t *testing.T) {
	const object = `{type: object, required: [a], properties: {a: {type: string}, n: {type: ` +
		`integer, format: int32}, b: {type: boolean}, m: {type: object, additionalProperties: ` +
		`{type: string}}, o: {type: object}, q: {type: [string, number], format: quantity}, i: ` +
		`{x-kubernetes-int-or-string: true}}}`
	for _, c := range []struct {
		dialect       jsonschema.Dialect
		schema, value string
		want          string
	}{
		{
			jsonschema.OpenAPI, object,
			`{a: x, n: null, b: yes, m: {k: null}, o: {any: 1}, q: 0.5, i: 80}`, "",
		},
		{jsonschema.OpenAPI, object, `{a: null}`, "1:1 a: a is required"},
		{
			jsonschema.OpenAPI, object, `{a: on}`,
			`1:5 a: expected string, got on, which is read as true; put it in quotes: "on"`,
		},
		{jsonschema.OpenAPI, object, `{a: b, q: 0x10, n: 0o17}`, ""},
		{
			jsonschema.OpenAPI, object, `{a: "on", q: 1GB, i: 1.5}`,
			"1:14 q: \"1GB\" is not a valid quantity, such as 500m or 1.5Gi\n" +
				"1:22 i: expected string or integer, got 1.5; put it in quotes: \"1.5\"",
		},
		{
			jsonschema.OpenAPI, object, `{a: x, n: 3000000000, A: x}`,
			"1:11 n: 3000000000 does not fit int32\n1:23 A: unknown field A; did you mean a?",
		},
		{
			jsonschema.Structural, object, `{a: x, n: null, o: {any: 1}}`,
			"1:21 o.any: unknown field any",
		},
		{
			jsonschema.Structural,
			`{type: object, properties: {n: {type: string, nullable: true}}, ` +
				`x-kubernetes-preserve-unknown-fields: true}`,
			`{n: null, x: 1}`, "",
		},
		{
			jsonschema.Structural,
			`{type: object, properties: {a: {type: object, properties: null, required: null, ` +
				`nullable: null}}}`,
			`{a: {b: 1}}`, "1:6 a.b: unknown field b",
		},
		{
			jsonschema.Structural,
			`{type: object, properties: {a: {type: integer}}, anyOf: [{properties: {a: {minimum: ` +
				`3}}}, {required: [b]}]}`,
			`{a: 4}`, "",
		},
		{
			jsonschema.Structural,
			`{type: object, properties: {d: {type: string, format: duration}, x: {type: number, ` +
				`minimum: 1, exclusiveMinimum: true}}}`,
			`{d: 1h30m, x: 1}`, "1:15 x: 1 is not greater than 1",
		},
		{
			jsonschema.Structural,
			`{type: object, properties: {l: {type: array, x-kubernetes-list-type: map, ` +
				`x-kubernetes-list-map-keys: [a, b], items: {type: object, ` +
				`x-kubernetes-preserve-unknown-fields: true}}}}`,
			`{l: [{a: 1, b: 1}, {a: 1, b: 2}, {b: 1, a: 1}]}`,
			"1:34 l.2: element 0 has the same a and b",
		},
	} {
		t.Run(c.value, func(t *testing.T) {
			if have := found(t, c.schema, c.value,
				jsonschema.CompilerOptions{Dialect: c.dialect}); have != c.want {
				t.Errorf("%s of %s:\n%s\nwant\n%s", c.value, c.schema, have, c.want)
			}
		})
	}
}

// TestDefaults checks that defaults are set and nulls are dropped before a value is checked, as in
// the API server.
func TestDefaults(t *testing.T) {
	const schema = `
type: object
required: [kind, size, spec]
properties:
  kind: {type: string, default: Big, enum: [Big, Small]}
  size: {type: integer, default: 3}
  note: {type: string, nullable: true, default: none}
  plain: {type: string}
  spec:
    type: object
    default: {ports: [{port: 80, protocol: TCP}]}
    required: [ports]
    properties:
      ports:
        type: array
        default: [{port: 80, protocol: TCP}]
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [port, protocol]
        items:
          type: object
          required: [port, protocol]
          properties: {port: {type: integer, maximum: 100}, protocol: {type: string, default: TCP}}
  byName: {type: object, additionalProperties: {type: object, required: [on], properties: {on: {type: boolean, default: true}}}}
oneOf:
- {properties: {kind: {enum: [Big]}, size: {minimum: 3}}}
- {properties: {kind: {enum: [Small]}, size: {maximum: 2}}}
`
	for value, want := range map[string]string{
		`{}`: "",
		`{kind: null, spec: null, size: null, note: null, plain: null, byName: {a: {}, b: null}}`: "",
		`{kind: Small}`:          "1:1 size: 3 is more than the maximum 2",
		`{kind: Small, size: 1}`: "",
		`{size: 2}`:              "1:8 size: 2 is less than the minimum 3",
		`{plain: null, byName: {a: {on: null, of: 1}}}`: "1:38 byName.a.of: unknown field of; " +
			"did you mean on?",
		`{spec: {ports: [{port: 1}, {port: 1, protocol: TCP}, {port: 1, protocol: UDP}, ` +
			`{protocol: SCTP}]}}`: "1:28 spec.ports.1: element 0 has the same port and protocol\n" +
			"1:80 spec.ports.3.port: port is required",
		"{spec: {ports: [&p {port: 1}, {<<: *p, port: 2}, {<<: *p, port: x}]}}":   `1:65 spec.ports.2.port: expected integer, got "x"`,
		"{plain: &a a, spec: {ports: &p [{port: 3}]}, byName: {a: &b {}, b: *b}}": "",
		`{spec: {ports: [null]}}`: "1:17 spec.ports.0: expected object, got null; give it a " +
			"value or remove it",
	} {
		t.Run(value, func(t *testing.T) {
			if have := found(t, schema, value,
				jsonschema.CompilerOptions{Dialect: jsonschema.Structural}); have != want {
				t.Errorf("%s:\n%s\nwant\n%s", value, have, want)
			}
		})
	}
	s, err := jsonschema.Compile("", parse(t, schema),
		jsonschema.CompilerOptions{Dialect: jsonschema.Structural})
	if err != nil {
		t.Fatal(err)
	}
	doc, err := gaby.ParseYAML([]byte("plain: null # nothing\nspec: {}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Check(t.Context(), doc.Value()); err != nil || doc.Changed() ||
		doc.String() != "plain: null # nothing\nspec: {}\n" {
		t.Errorf("a check changes the document: %v\n%s", err, doc)
	}
}

// TestOlderDrafts checks that drafts 4 and 6 are read as draft 7, and that the exclusive limits of
// draft 4 hold.
func TestOlderDrafts(t *testing.T) {
	for _, draft := range []string{"04", "06", "07"} {
		schema := "{$schema: 'http://json-schema.org/draft-" + draft + "/schema#', minimum: 3, " +
			"exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false}"
		for value, want := range map[string]string{
			"3": "1:1 : 3 is not greater than 3", "4": "", "5": "",
			"6": "1:1 : 6 is more than the maximum 5",
		} {
			if got := found(t, schema, value, jsonschema.CompilerOptions{}); got != want {
				t.Errorf("draft %s: %s: %q, want %q", draft, value, got, want)
			}
		}
	}
}

func TestSchemaErrors(t *testing.T) {
	for schema, want := range map[string]string{
		`1`: `1:1: a schema is an object or a boolean, not 1`,
		`{type: strin, minimum: a, required: [1], items: 5}`: "1:8: type: \"strin\" is not one " +
			"of string, number, integer, boolean, object, array and null\n" +
			"1:24: minimum is a number, not \"a\"\n1:49: a schema is an object or a boolean, not " +
			"5\n1:38: required is a list of strings, 1 is not",
		`{$ref: "#/a"}`:      "1:8: it refers to #/a, which is not there",
		`{$ref: other.json}`: "1:8: it refers to other.json, which is not there",
		`{pattern: "a(?!b)"}`: `1:11: pattern: (?! is not supported in regular ` +
			`expressions: "a(?!b)"`,
		`{$schema: http://example.com}`: `1:11: $schema: "http://example.com" is not a supported ` +
			`draft; supported are https://json-schema.org/draft/2020-12/schema, ` +
			`https://json-schema.org/draft/2019-09/schema, ` +
			`https://json-schema.org/draft-07/schema, https://json-schema.org/draft-06/schema, ` +
			`https://json-schema.org/draft-04/schema, https://json-schema.org/schema`,
		`{allOf: []}`: "1:9: allOf has no schema",
		`{multipleOf: 0, maxItems: -1}`: "1:14: multipleOf is greater than 0\n" +
			"1:27: maxItems is a whole number of at least 0, not -1",
	} {
		t.Run(schema, func(t *testing.T) {
			_, err := jsonschema.Compile("", parse(t, schema), jsonschema.CompilerOptions{})
			if err == nil || err.Error() != want {
				t.Errorf("%s:\n%v\nwant\n%s", schema, err, want)
			}
			for _, e := range configkit.Unjoin(err) {
				if _, ok := errors.AsType[*jsonschema.SchemaError](e); !ok {
					t.Errorf("%s: %T", schema, e)
				}
			}
		})
	}
}

// TestReferencesToOtherSchemas checks the hints for references to schemas that are not loaded, as
// nothing is fetched.
func TestReferencesToOtherSchemas(t *testing.T) {
	for schema, wants := range map[string][2]string{
		`{$ref: other.json}`: {"no other schema is read: put it below $defs of this one", ""},
		`{$ref: "https://example.com/other.json#/a"}`: {"no other schema is read: put it " +
			"below $defs of this one", "nothing is fetched: put a file with this $id beside the " +
			"others"},
		`{$ref: "#/a"}`: {"", ""},
		`{$id: "https://example.com/this.json", $ref: "#/a"}`: {"", ""},
	} {
		t.Run(schema, func(t *testing.T) {
			for i, load := range []func(string) (gaby.Value, error){
				nil,
				func(string) (gaby.Value, error) { return gaby.Value{}, nil },
			} {
				_, err := jsonschema.Compile("", parse(t, schema), jsonschema.CompilerOptions{Load: load})
				if e, ok := errors.AsType[*jsonschema.SchemaError](err); !ok || e.Hint != wants[i] {
					t.Errorf("%s: %v with the hint %q, want %q", schema, err, e.Hint, wants[i])
				}
			}
		})
	}
}

func TestWithoutRequired(t *testing.T) {
	s, err := jsonschema.Compile("", parse(t, `{required: [a], properties: {b: {required: [c]}}}`),
		jsonschema.CompilerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	problems, err := s.WithoutRequired().Check(t.Context(), parse(t, `{b: {}}`))
	if err != nil || len(problems) != 1 || problems[0].Property != "c" {
		t.Errorf("%v %v", problems, err)
	}
}

func FuzzCheck(f *testing.F) {
	for _, c := range [][2]string{
		{
			`{type: object, properties: {a: {$ref: "#"}}, additionalProperties: false}`,
			`{a: {a: {b: 1}}}`,
		},
		{`{anyOf: [{minimum: 1.5}, {pattern: "^a"}], not: {const: {a: [1]}}}`, `1e3`},
		{
			`{$id: "http://a/b", $defs: {c: {$anchor: d}}, $ref: "#d", unevaluatedItems: false}`,
			`[1, "x"]`,
		},
		{
			`{items: [{}, {format: date-time}], uniqueItems: true, contains: {multipleOf: 0.1}}`,
			`[1, 2.3, ~]`,
		},
		{`{x-kubernetes-list-type: set, items: {type: integer, format: int32}, ` +
			`x-kubernetes-int-or-string: true}`, `yes`},
		{
			`{type: object, properties: {a: {type: object, default: {b: [1]}, properties: {b: ` +
				`{type: array, items: {type: integer}}}}, c: {type: string}}}`,
			`{x: &x {c: null}, <<: *x}`,
		},
	} {
		f.Add(c[0], c[1])
	}
	f.Fuzz(func(t *testing.T, schema, text string) {
		s, err := gaby.ParseYAML([]byte(schema))
		if err != nil || len(schema) > 1000 || len(text) > 1000 {
			return
		}
		v, err := gaby.ParseYAML([]byte(text))
		if err != nil {
			return
		}
		before := v.String()
		_ = jsonschema.CheckStructural(s.Value())
		for _, dialect := range []jsonschema.Dialect{
			jsonschema.Draft2020, jsonschema.Draft7,
			jsonschema.OpenAPI, jsonschema.Structural,
		} {
			compiled, err := jsonschema.Compile("", s.Value(),
				jsonschema.CompilerOptions{Dialect: dialect, Formats: true})
			if err != nil {
				continue
			}
			first, err := compiled.Check(t.Context(), v.Value())
			if err != nil {
				continue
			}
			second, _ := compiled.Check(t.Context(), v.Value())
			if fmt.Sprint(first) != fmt.Sprint(second) {
				t.Errorf("%v and then %v", first, second)
			}
			if v.Changed() || v.String() != before {
				t.Errorf("a check makes\n%s\nof\n%s", v, before)
			}
			for _, p := range first {
				if p.Message == "" || p.Pos.Line == 0 {
					t.Errorf("%+v", p)
				}
			}
		}
	})
}
