package unit

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/references"
)

// needsFunctions returns get-needed, get-provided and get-references.
func needsFunctions(provider configkit.ResourceProvider) []handler.FunctionRegistration {
	properties := references.PropertiesOf(provider)
	return []handler.FunctionRegistration{
		needsFunction(provider, provider.NeededPaths(), "get-needed",
			"List unresolved values that other resources must supply, with their required "+
				"properties",
			"the placeholders at paths whose values come from other resources",
			func(p *yamlkit.Match, row *api.AttributeValue) bool {
				return configkit.IsPlaceholder(row.Value) && properties.AddNeeded(p, row)
			}),
		needsFunction(provider, provider.ProvidedPaths(), "get-provided",
			"List the values that other resources may need, with their properties",
			"the values at paths that provide values to other resources", properties.AddProvided),
		needsFunction(provider, references.Paths(provider), "get-references",
			"List the names by which resources refer to others, with the required properties of "+
				"these",
			"the names in references, placeholders included", properties.AddNeeded),
	}
}

// needsFunction returns a getter of the values at paths for which visit reports true. visit can add
// to the row of a value.
func needsFunction(
	provider configkit.ResourceProvider, paths configkit.PathSource, name, description,
	output string,
	visit func(*yamlkit.Match, *api.AttributeValue) bool,
) handler.FunctionRegistration {
	return handler.Getting(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: name,
			Description:  description,
			Examples:     []string{name},
		},
		Paths: paths,
	}, "value", output, func(c *handler.Call) (api.AttributeValueList, error) {
		return yamlkit.VisitRows(c.Docs, paths, references.EveryKey(), provider, visit)
	})
}

// getReferencesOfTypeFunction returns get-references-of-type.
func getReferencesOfTypeFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	properties := references.PropertiesOf(provider)
	return handler.Getting(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "get-references-of-type",
			Parameters:   []api.FunctionParameter{referencedTypeParameter()},
			Description:  "Get the names of the resources of a type and the references to them",
			Examples:     []string{"get-references-of-type v1/ConfigMap"},
		},
	}, "name", "the names of the resources and the references to them",
		func(c *handler.Call) (api.AttributeValueList, error) {
			t := typeArgument(c.Args)
			return yamlkit.VisitRows(c.Docs, references.NamePaths(provider, t), references.EveryKey(), provider,
				func(p *yamlkit.Match, _ *api.AttributeValue) bool {
					return properties.RefersTo(p, t)
				})
		})
}

// setReferencesOfTypeFunction returns set-references-of-type.
func setReferencesOfTypeFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-references-of-type",
			Parameters: []api.FunctionParameter{referencedTypeParameter(), {
				ParameterName: parameterResourceName, Required: true, DataType: api.DataTypeString,
				Example:          "settings-v2",
				Description:      "name to set, without a namespace",
				ValueConstraints: api.ValueConstraints{Regexp: `^[^\s/]+$`},
			}, handler.Optional(parameterOldReference, api.DataTypeString, "settings",
				"name that the references have now; if omitted, placeholders and the references "+
					"to the resource of the type in the input are set")},
			Description: "Set the references to a resource of a type. Only references change; " +
				"rename-resource renames the resource too. If the unit has one resource of the " +
				"type and only placeholders refer to that type, the resource gets the name too",
			Examples: []string{
				"set-references-of-type v1/ConfigMap settings-v2",
				"set-references-of-type v1/ConfigMap settings-v2 settings",
			},
		},
		ValueParameter: parameterResourceName,
		CheckArguments: func(args []api.FunctionArgument) error {
			return references.CheckNewName(
				provider, typeArgument(args), parameterResourceName,
				handler.Arguments(args).String(parameterResourceName),
			)
		},
	}, func(c *handler.Call) (int, error) {
		s := referenceSetter{
			call: c, provider: provider, of: typeArgument(c.Args),
			from: c.Args.String(parameterOldReference), to: c.Args.String(parameterResourceName),
		}
		return s.run()
	})
}

// referencedTypeParameter returns the parameter for the type of the named resources.
func referencedTypeParameter() api.FunctionParameter {
	return typeParameter("v1/ConfigMap", "type of the resources")
}
