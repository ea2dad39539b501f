package program

import (
	"errors"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/expression"
	"github.com/fctl-dev/fctl/functions/expression/template"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
)

const parameterTemplate = "expression"

// setTemplateFunction returns set-template, which sets strings to the text of a template. Templates
// see the unit, not the resource, so the text is the same for all resources.
func setTemplateFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	programs := expression.NewPrograms(template.Language, template.Compile)
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-template",
			Parameters: []api.FunctionParameter{
				{
					ParameterName: parameterTemplate, Required: true, DataType: api.DataTypeString,
					Example:     "{{.SpaceSlug}}/{{.UnitSlug}}@{{.Params.zone}}",
					Description: "Go text template over what is known of the unit ('fctl help templates')",
				},
				{
					ParameterName: "path", Required: true, DataType: api.DataTypeString,
					Example:     "metadata.annotations.origin",
					Description: "path of the strings to set within the resources",
				},
				paramParameter(".Params.KEY"),
			},
			RequiredParameters: 2,
			VarArgs:            true,
			Mutating:           true, Hermetic: true, Idempotent: true,
			Description:  "Set the strings at a path of resources of any type to what a template gives, creating what is missing",
			FunctionType: api.FunctionTypeCustom,
			Examples: []string{
				"set-template '{{.UnitSlug | normalizeName}}' metadata.annotations.unit",
				"set-template '{{.SpaceSlug}}@{{.Params.zone}}' metadata.labels.origin zone=eu",
			},
		},
		PerDocument:    true,
		ValueParameter: parameterTemplate,
		CheckArguments: func(args []api.FunctionArgument) error {
			_, _, err := programOf(programs, parameterTemplate, args)
			return errors.Join(err, generic.CheckPathArgument(provider)(args))
		},
		Function: func(
			fc *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, _ []byte,
		) (gaby.Container, any, error) {
			program, params, err := programOf(programs, parameterTemplate, args)
			if err != nil {
				return nil, nil, err
			}
			text, err := program.Render(fc, params)
			if err != nil {
				return nil, nil, handler.ArgumentErrors(parameterTemplate, err)
			}
			matches, err := yamlkit.UpdatePaths(
				docs,
				generic.GetVisitorMapForPath(
					provider, api.ResourceTypeAny,
					api.UnresolvedPath(handler.Arguments(args).String("path")),
				),
				nil, provider, func(string) string { return text },
				yamlkit.UpdateOptions{Upsert: true},
			)
			fc.Matched(matches)
			return docs, nil, err
		},
	}
}
