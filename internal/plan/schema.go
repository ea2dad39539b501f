package plan

import (
	"regexp"
	"slices"

	"github.com/fctl-dev/fctl/api"
)

// schema is a part of a JSON Schema.
type schema = map[string]any

// Schema returns the JSON Schema of a chain of these functions, in draft 7, which editors support.
// It accepts what Invocations accepts. It does not check where-expressions, evaluated values, and
// rules that functions have beyond their signatures.
func Schema(signatures []api.FunctionSignature) any {
	var names []any
	var rules []any
	definitions := schema{
		"expression": schema{
			"type": "string", "pattern": "^(file|template|cel|text):",
			"description": "file:PATH is the content of a file, template: and cel: are evaluated, text: is literal",
		},
		"value": schema{"type": []string{"string", "number", "boolean"}},
		"argument": schema{
			"type":        "object",
			"description": "An argument as programs write it",
			"properties": schema{
				"ParameterName": schema{"type": "string"},
				"Value":         schema{},
				"Evaluator": schema{"enum": []string{
					"", api.EvaluatorTemplate,
					api.EvaluatorCEL,
				}},
				"DataType": schema{"type": "string"},
			},
			"required": []string{"Value"}, "additionalProperties": false,
		},
	}
	for _, s := range signatures {
		description := s.Description
		if s.Deprecated {
			description = "Deprecated. " + description
		}
		names = append(names, schema{"const": s.FunctionName, "description": description})
		definitions["arguments-of-"+s.FunctionName] = argumentsSchema(s)
		then := schema{"properties": schema{"arguments": schema{"$ref": "#/definitions/arguments-of-" +
			s.FunctionName}}}
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
	definitions["invocation"] = schema{
		"type": "object",
		"properties": schema{
			"name": schema{
				"type":        []string{"string", "number", "boolean"},
				"description": "The name of this step in messages and reports; names are unique",
			},
			"message": schema{
				"type":        "string",
				"description": "The message of the findings of this validation",
			},
			"severity": schema{
				"enum":        []string{"critical", "high", "medium", "low"},
				"description": "The severity of the findings of this validation",
			},
			"function": schema{
				"$ref":        "#/definitions/function",
				"description": "The function to run: 'fctl list' shows them",
			},
			"arguments": schema{"description": "Arguments by name, or a list of them in order"},
			"where": schema{
				"type":        "string",
				"description": "Only resources for which this expression is true: 'fctl help where'",
			},
			"FunctionName": schema{
				"$ref":        "#/definitions/function",
				"description": "The function, as programs write it",
			},
			"Arguments": schema{
				"type":        "array",
				"items":       schema{"$ref": "#/definitions/argument"},
				"description": "Arguments, as programs write them",
			},
			"WhereResource": schema{
				"type":        "string",
				"description": "The where-expression, as programs write it",
			},
			"Params": schema{"type": "object"},
		},
		"additionalProperties": false,
		"oneOf": []any{
			schema{"required": []string{"function"}},
			schema{"required": []string{"FunctionName"}},
		},
		"allOf": rules,
	}
	return schema{
		"$schema":     "http://json-schema.org/draft-07/schema#",
		"$comment":    "Made by 'fctl explain --schema'.",
		"title":       "A chain of functions for fctl do --functions",
		"description": "The functions run in this order on the same configuration: 'fctl help chains'",
		"type":        "array", "minItems": 1, "maxItems": api.MaxInvocations,
		"items":       schema{"$ref": "#/definitions/invocation"},
		"definitions": definitions,
	}
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
