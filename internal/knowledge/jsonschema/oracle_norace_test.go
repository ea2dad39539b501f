//go:build !race

package jsonschema_test

import (
	"bytes"
	"encoding/json"
	"testing"

	oracle "github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
)

// values generates values for schemas and data. There are few different ones, so
// that they often match.
func values() *rapid.Generator[any] {
	return rapid.Deferred(func() *rapid.Generator[any] {
		return rapid.OneOf(
			rapid.SampledFrom([]any{
				nil, true, false, 0, 1, 2, 1.5, -1, 1.0, 3, "", "a", "b", "ab",
				"1", "2026-01-31",
			}),
			rapid.Custom(func(t *rapid.T) any {
				return rapid.SliceOfN(values(), 0, 3).Draw(t, "list")
			}),
			rapid.Custom(func(t *rapid.T) any {
				return rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c", "ab"}), values(), 0,
					3).Draw(t, "map")
			}),
		)
	})
}

// schemas generates schemas with the keywords that every draft has or, if newest is set,
// with newer ones too.
func schemas(newest bool) *rapid.Generator[any] {
	return rapid.Deferred(func() *rapid.Generator[any] {
		small := rapid.IntRange(0, 3)
		keys := rapid.SampledFrom([]string{"a", "b", "c", "ab"})
		list := func(t *rapid.T) any {
			return rapid.SliceOfN(schemas(newest), 1, 3).Draw(t, "schemas")
		}
		one := func(t *rapid.T) any { return schemas(newest).Draw(t, "schema") }
		byName := func(t *rapid.T) any {
			return rapid.MapOfN(keys, schemas(newest), 1, 3).Draw(t, "schemas")
		}
		names := func(t *rapid.T) any {
			return rapid.SliceOfNDistinct(keys, 1, 2, rapid.ID).Draw(t, "names")
		}
		makers := []struct {
			keyword string
			value   func(*rapid.T) any
		}{
			{"type", func(t *rapid.T) any {
				return rapid.SampledFrom([]string{
					"string", "number", "integer", "boolean", "null",
					"array", "object",
				}).Draw(t, "type")
			}},
			{"enum", func(t *rapid.T) any {
				return rapid.SliceOfN(values(), 1, 3).Draw(t, "enum")
			}},
			{"minimum", func(t *rapid.T) any { return small.Draw(t, "n") }},
			{"maximum", func(t *rapid.T) any { return small.Draw(t, "n") }},
			{"multipleOf", func(t *rapid.T) any {
				return rapid.SampledFrom([]float64{1, 0.5, 2}).Draw(t, "n")
			}},
			{"minLength", func(t *rapid.T) any { return small.Draw(t, "n") }},
			{"maxLength", func(t *rapid.T) any { return small.Draw(t, "n") }},
			{"pattern", func(t *rapid.T) any {
				return rapid.SampledFrom([]string{"^a", "b$", "[0-9]"}).Draw(t, "pattern")
			}},
			{"minItems", func(t *rapid.T) any { return small.Draw(t, "n") }},
			{"maxItems", func(t *rapid.T) any { return small.Draw(t, "n") }},
			{"uniqueItems", func(t *rapid.T) any { return rapid.Bool().Draw(t, "unique") }},
			{"minProperties", func(t *rapid.T) any { return small.Draw(t, "n") }},
			{"maxProperties", func(t *rapid.T) any { return small.Draw(t, "n") }},
			{"required", names},
			{"items", one},
			{"properties", byName},
			{"patternProperties", func(t *rapid.T) any { return map[string]any{"^a": one(t)} }},
			{"additionalProperties", one},
			{"allOf", list},
			{"anyOf", list},
			{"oneOf", list},
			{"not", one},
		}
		if newest {
			more := []struct {
				keyword string
				value   func(*rapid.T) any
			}{
				{"const", func(t *rapid.T) any { return values().Draw(t, "const") }},
				{"exclusiveMinimum", func(t *rapid.T) any { return small.Draw(t, "n") }},
				{"if", one},
				{"then", one},
				{"else", one},
				{"contains", one},
				{"propertyNames", one},
				{"minContains", func(t *rapid.T) any { return small.Draw(t, "n") }},
				{"prefixItems", list},
				{"unevaluatedItems", one},
				{"unevaluatedProperties", one},
				{"dependentSchemas", byName},
				{"dependentRequired", func(t *rapid.T) any {
					return map[string]any{keys.Draw(t, "key"): names(t)}
				}},
			}
			makers = append(makers, more...)
		}
		return rapid.Custom(func(t *rapid.T) any {
			s := map[string]any{}
			for range rapid.IntRange(0, 3).Draw(t, "keywords") {
				m := rapid.SampledFrom(makers).Draw(t, "keyword")
				s[m.keyword] = m.value(t)
			}
			return s
		})
	})
}

// TestOracle compares the verdicts about random schemas and values with those of another validator.
func TestOracle(t *testing.T) {
	for _, c := range []struct {
		name    string
		dialect jsonschema.Dialect
		draft   *oracle.Draft
		newest  bool
	}{
		{"draft 7", jsonschema.Draft7, oracle.Draft7, false},
		{"draft 2019", jsonschema.Draft2019, oracle.Draft2019, false},
		{"draft 2020", jsonschema.Draft2020, oracle.Draft2020, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				text := func(v any) []byte {
					b, err := json.Marshal(v)
					if err != nil {
						t.Fatal(err)
					}
					return b
				}
				schemaText, dataText := text(schemas(c.newest).Draw(t, "schema")),
					text(values().Draw(t, "value"))
				read := func(b []byte) any {
					v, err := oracle.UnmarshalJSON(bytes.NewReader(b))
					if err != nil {
						t.Fatal(err)
					}
					return v
				}
				compiler := oracle.NewCompiler()
				compiler.DefaultDraft(c.draft)
				if err := compiler.AddResource("schema.json", read(schemaText)); err != nil {
					t.Fatal(err)
				}
				theirs, err := compiler.Compile("schema.json")
				if err != nil {
					t.Skip(err)
				}
				ours, err := jsonschema.Compile("", value(t, schemaText),
					jsonschema.CompilerOptions{Dialect: c.dialect})
				if err != nil {
					t.Fatalf("%s: %v", schemaText, err)
				}
				problems, err := ours.Check(t.Context(), value(t, dataText))
				if err != nil {
					t.Fatal(err)
				}
				if want := theirs.Validate(read(dataText)); (want == nil) != (len(problems) == 0) {
					t.Fatalf("%v: %s of %s: %v, want %v", c.draft, dataText, schemaText, problems,
						want)
				}
			})
		})
	}
}
