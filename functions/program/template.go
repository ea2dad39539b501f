package program

import (
	"errors"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/lang/expression"
	"github.com/fctl-dev/fctl/internal/lang/template"
)

const parameterTemplate = "expression"

// setTemplateFunction returns set-template, which sets strings to the text of a template. Templates
// see the unit, not the resource, so the text is the same for all resources.
func setTemplateFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	programs := expression.NewPrograms(template.Language, template.Compile)
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-template",
			Parameters: []api.FunctionParameter{
				handler.Required(parameterTemplate, api.DataTypeString,
					"{{.SpaceSlug}}/{{.UnitSlug}}@{{.Params.zone}}",
					"Go text template with the context of the unit ('fctl help templates')"),
				handler.Required("path", api.DataTypeString, "metadata.annotations.origin",
					"path of the strings to set within the resources"),
				paramParameter(".Params.KEY"),
			},
			VarArgs: true,
			Description: "Set the strings at a path of resources of any type to the result of a " +
				"template, creating missing values",
			Examples: []string{
				"set-template '{{.UnitSlug | normalizeName}}' metadata.annotations.unit",
				"set-template '{{.SpaceSlug}}@{{.Params.zone}}' metadata.labels.origin zone=eu",
			},
		},
		PerDocument:    true,
		Surveys:        generic.SurveysPath(provider),
		ValueParameter: parameterTemplate,
		CheckArguments: func(args []api.FunctionArgument) error {
			_, _, err := programOf(programs, parameterTemplate, args)
			return errors.Join(err, generic.CheckPathArgument(provider)(args))
		},
	}, func(c *handler.Call) (int, error) {
		program, params, err := programOf(programs, parameterTemplate, c.Args)
		if err != nil {
			return 0, err
		}
		text, err := program.Render(c.FunctionContext, params)
		if err != nil {
			return 0, handler.ArgumentErrors(parameterTemplate, err)
		}
		return generic.SetText(c, provider, text)
	})
}
