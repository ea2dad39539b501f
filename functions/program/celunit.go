package program

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/lang/cel"
	"github.com/fctl-dev/fctl/internal/lang/expression"
)

// getCELUnitFunction returns get-cel-unit, which gets one value of a CEL expression about all
// resources of a unit.
func getCELUnitFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	const parameter = "expression"
	programs := expression.NewPrograms(cel.Language, func(text string) (*cel.Expression, error) {
		return cel.CompileUnit(text)
	})
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "get-cel-unit",
			Parameters: []api.FunctionParameter{
				handler.Required(parameter, api.DataTypeCEL, "resources.size()",
					"CEL expression about all resources, a list called resources ('fctl help "+
						"cel')"),
				paramParameter(`params["KEY"]`),
			},
			VarArgs:  true,
			Hermetic: true, Idempotent: true,
			OutputInfo: handler.Output(api.OutputTypeAttributeValueList, "value",
				"one row with the value, which is of no resource"),
			Description: "Get one value that a CEL expression computes from all resources: a " +
				"string, number or bool",
			Examples: []string{
				"get-cel-unit 'resources.size()'",
				`get-cel-unit 'resources.map(r, has(r.metadata.labels) ? 1 : 0).sum()'`,
			},
		},
		ValueParameter: parameter,
		CheckArguments: func(args []api.FunctionArgument) error {
			_, _, err := programOf(programs, parameter, args)
			return err
		},
		Function: handler.Reads(func(c *handler.Call) (any, error) {
			program, params, err := programOf(programs, parameter, c.Args)
			if err != nil {
				return nil, err
			}
			var resources []gaby.Value
			err = yamlkit.EachDocument(c.Docs, provider,
				func(doc *gaby.YamlDoc, _ *api.ResourceInfo) error {
					resources = append(resources, doc.Value())
					return nil
				})
			if err != nil {
				return nil, err
			}
			c.Matched(len(resources))
			value, err := program.EvalUnit(c.Context(), resources, &expression.Scope{
				Params: params, Context: expression.Context(c.FunctionContext),
			})
			if err != nil {
				return nil, err
			}
			return api.AttributeValueList{unitRow(value)}, nil
		}),
	}
}

// unitRow returns the row of a value that is of no resource.
func unitRow(value any) api.AttributeValue {
	row := api.AttributeValue{Value: value}
	row.AttributeName, row.DataType = api.AttributeNameNone, api.DataTypeString
	switch v := value.(type) {
	case bool:
		row.DataType = api.DataTypeBool
	case int64:
		row.DataType, row.Value = api.DataTypeInt, int(v)
	case float64, uint64:
		row.DataType = api.DataTypeYAML
	}
	return row
}
