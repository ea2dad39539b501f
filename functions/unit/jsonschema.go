package unit

import (
	"errors"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
)

const (
	parameterSchemaMap      = "schema-map"
	parameterIgnoreRequired = "ignore-required"
)

// vetJSONSchemaFunction returns vet-jsonschema.
func vetJSONSchemaFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Checking(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "vet-jsonschema",
			Parameters: []api.FunctionParameter{
				handler.Required(parameterSchemaMap, api.DataTypeJSON,
					`{"v1/ConfigMap": {"properties": {"data": {"required": ["LOG_LEVEL"]}}}}`,
					"JSON map of resource types, or * for all others, to JSON Schemas (draft 4, "+
						"6, 7, 2019-09 or 2020-12)"),
				handler.Optional(parameterIgnoreRequired, api.DataTypeBool, "true",
					"ignore what the schemas require at their top level"),
			},
			Description: "Check resources with the JSON Schema of their type; resources whose " +
				"type has none are skipped",
			Examples: []string{
				`vet-jsonschema '{"v1/ConfigMap": {"properties": {"data": {"required": ` +
					`["LOG_LEVEL"]}}}}'`,
				`vet-jsonschema '{"*": {"properties": {"metadata": {"required": ["namespace"]}}}}'`,
			},
		},
		ValueParameter: parameterSchemaMap, // too long for messages
		CheckArguments: handler.Parses(schemaMapOf),
	}, "whether the resources are valid, and the problems found",
		func(c *handler.Call) (api.ValidationResult, error) {
			result, checked := api.ValidationResult{Passed: true}, 0
			byType, err := schemaMapOf(c.Args)
			if err != nil {
				return result, err
			}
			failed := map[*jsonschema.Schema]bool{}
			err = yamlkit.EachDocument(c.Docs, provider,
				func(doc *gaby.YamlDoc, info *api.ResourceInfo) error {
					schema := byType[info.ResourceType]
					if schema == nil {
						schema = byType[api.ResourceTypeAny]
					}
					if schema == nil {
						return nil
					}
					checked++
					if failed[schema] {
						return nil // checking another resource would be as expensive
					}
					problems, err := schema.Check(c.Context(), doc.Value())
					failed[schema] = err != nil
					schemas.AddProblems(&result, provider, doc, info, problems)
					return err
				})
			c.Matched(checked)
			return result, err
		})
}

// schemaMapOf compiles the schemas in a function's arguments, by resource type. The errors are
// *handler.ArgumentError, joined.
func schemaMapOf(args []api.FunctionArgument) (map[api.ResourceType]*jsonschema.Schema, error) {
	text := handler.Arguments(args).String(parameterSchemaMap)
	doc, err := gaby.ParseYAML([]byte(text))
	if err != nil {
		return nil, handler.InvalidArgument(parameterSchemaMap, "%w", err)
	}
	const hint = `it looks like {"v1/ConfigMap": SCHEMA}`
	if !doc.IsMap() {
		return nil, handler.InvalidArgument(parameterSchemaMap,
			"it is not a map of resource types to schemas").WithHint(hint)
	}
	schemas := map[api.ResourceType]*jsonschema.Schema{}
	var problems []error
	for _, e := range doc.Value().All() {
		schema, err := jsonschema.Compile("", e, jsonschema.CompilerOptions{Formats: true})
		if err != nil {
			for _, problem := range configkit.Unjoin(err) {
				problems = append(problems,
					handler.InvalidArgument(parameterSchemaMap, "%s: %w", e.Key(), problem))
			}
			continue
		}
		if handler.Arguments(args).Bool(parameterIgnoreRequired) {
			schema = schema.WithoutRequired()
		}
		schemas[api.ResourceType(strings.Clone(e.Key()))] = schema
	}
	if len(schemas) == 0 && problems == nil {
		return nil, handler.InvalidArgument(parameterSchemaMap, "it has no schema").WithHint(hint)
	}
	return schemas, errors.Join(problems...)
}
