package plan

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"github.com/fctl-dev/fctl/api"
)

// schema is a part of a JSON Schema.
type schema = map[string]any

// chainSchema is what the schema of a chain has for all functions, in draft 7, which editors
// support. Schema adds definitions.function, the rules of the invocation, and maxItems.
//
//go:embed chain.schema.json
var chainSchema []byte

// Schema returns the JSON Schema of a chain of these functions. It accepts what Invocations
// accepts. It does not check where-expressions, evaluated values, and rules that functions have
// beyond their signatures.
func Schema(signatures []api.FunctionSignature) (any, error) {
	chain := schema{}
	if err := json.Unmarshal(chainSchema, &chain); err != nil {
		return nil, fmt.Errorf("chain.schema.json: %w", err)
	}
	definitions, _ := chain["definitions"].(schema)
	invocation, _ := definitions["invocation"].(schema)
	var names, rules []any
	for _, s := range signatures {
		description := s.Description
		if s.Deprecated {
			description = "Deprecated. " + description
		}
		names = append(names, schema{"const": s.FunctionName, "description": description})
		arguments := "arguments-of-" + s.FunctionName
		definitions[arguments] = argumentsSchema(s)
		then := schema{"properties": schema{
			"arguments": schema{"$ref": "#/definitions/" + arguments},
		}}
		if s.RequiredParameters > 0 {
			then["required"] = []string{"arguments"}
		}
		rules = append(rules, schema{
			"if": schema{
				"properties": schema{"function": schema{"const": s.FunctionName}},
				"required":   []string{"function"},
			},
			"then": then,
		})
	}
	definitions["function"] = schema{"anyOf": names}
	invocation["allOf"] = rules
	list, _ := definitions["functions"].(schema)
	list["maxItems"] = api.MaxInvocations
	return chain, nil
}

// argumentsSchema returns the schema of the arguments of a function: {parameter: value} or a list.
func argumentsSchema(s api.FunctionSignature) any {
	named, required := schema{}, []string{}
	ordered := []any{}
	for i, p := range s.Parameters {
		ways := []any{valueSchema(p), schema{"$ref": "#/definitions/expression"}}
		ordered = append(ordered, schema{"anyOf": append(slices.Clone(ways),
			schema{"$ref": "#/definitions/argument"})})
		if s.VarArgs && i == len(s.Parameters)-1 {
			ways = append(ways, schema{
				"type":  "array",
				"items": schema{"anyOf": slices.Clone(ways)},
			})
		}
		described := schema{"anyOf": ways, "description": p.Description}
		if p.Example != "" {
			described["examples"] = []string{p.Example}
		}
		named[p.ParameterName] = described
		if p.Required {
			required = append(required, p.ParameterName)
		}
	}
	list := schema{"type": "array", "minItems": s.RequiredParameters}
	switch {
	case len(ordered) == 0:
		list["maxItems"] = 0
	case s.VarArgs:
		list["items"], list["additionalItems"] = ordered, ordered[len(ordered)-1]
	default:
		list["items"], list["maxItems"] = ordered, len(ordered)
	}
	byName := schema{"type": "object", "properties": named, "additionalProperties": false}
	ways := []any{byName, list}
	if len(required) > 0 {
		byName["required"] = required
	} else {
		ways = append(ways, schema{"type": "null"})
	}
	return schema{"description": s.Description, "anyOf": ways}
}

// valueSchema returns the schema of a value of a parameter. A value is its source text, whatever
// its type in YAML: 1.27 is a valid tag of an image.
func valueSchema(p api.FunctionParameter) any {
	value := schema{"$ref": "#/definitions/value"}
	switch p.DataType {
	case api.DataTypeInt:
		number := schema{"type": "integer"}
		if p.Min != nil {
			number["minimum"] = *p.Min
		}
		if p.Max != nil {
			number["maximum"] = *p.Max
		}
		return schema{"anyOf": []any{number, schema{"type": "string", "pattern": "^[-+]?[0-9]+$"}}}
	case api.DataTypeBool:
		return schema{"anyOf": []any{
			schema{"type": "boolean"},
			schema{"enum": []any{"true", "false"}},
		}}
	case api.DataTypeEnum:
		return schema{"enum": p.EnumValues}
	}
	if takesConfiguration(p) {
		return schema{"type": []string{"string", "number", "boolean", "array", "object"}}
	}
	if pattern, ok := ecmaPattern(p.Regexp); ok {
		return schema{"allOf": []any{value, schema{"pattern": pattern}}}
	}
	return value
}

// ecmaPattern returns a regular expression of Go in the dialect of JSON Schema, and whether it
// means the same there.
func ecmaPattern(pattern string) (string, bool) {
	if pattern == "" || regexp.MustCompile(`\\[AzZpPQ]|\[\[:|\(\?[^:]`).MatchString(pattern) {
		return "", false
	}
	return pattern, true
}
