package generic

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/api"
	"github.com/fctl-dev/fctl/functions/handler"
)

const (
	parameterAttribute = "attribute-name"
	parameterKey       = "key"
)

// getAttributeFunction reads the registered paths of any attribute, those without a getter of their own too.
func getAttributeFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "get-attribute",
			Parameters: []api.FunctionParameter{
				{
					ParameterName: parameterAttribute, Required: true, DataType: api.DataTypeString, Example: "container-image",
					Description: "name of the attribute, as listpaths lists it",
				},
				{
					ParameterName: parameterKey, DataType: api.DataTypeString, Example: "web",
					Description: "keys that the attribute is looked up by, such as the name of a container; those left out stand for all",
				},
			},
			RequiredParameters: 1,
			VarArgs:            true,
			OutputInfo: &api.FunctionOutput{
				ResultName: "value", Description: "the values at the registered paths of the attribute", OutputType: api.OutputTypeAttributeValueList,
			},
			Hermetic: true, Idempotent: true,
			Description:  "Get the values at the registered paths of an attribute",
			FunctionType: api.FunctionTypeCustom,
			Examples:     []string{"get-attribute container-image web", "get-attribute resource-name"},
		},
		PerDocument: true,
		RowsSorted:  true,
		CheckArguments: func(args []api.FunctionArgument) error {
			_, err := attributeKeys(provider, args)
			return err
		},
		Function: func(fc *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, _ []byte) (gaby.Container, any, error) {
			keys, err := attributeKeys(provider, args)
			if err != nil {
				return nil, nil, err
			}
			name := api.AttributeName(handler.Arguments(args).String(parameterAttribute))
			rows, err := yamlkit.GetPathsAnyType(docs, provider.AttributePaths(name), keys, provider, api.DataTypeNone)
			fc.Matched(len(rows))
			return docs, rows, err
		},
	}
}

// attributeKeys are the keys for the paths of the attribute the arguments name; * for those that are left out.
func attributeKeys(provider configkit.ResourceProvider, args []api.FunctionArgument) ([]any, error) {
	name := handler.Arguments(args).String(parameterAttribute)
	info, ok := provider.AttributeInfo(api.AttributeName(name))
	if !ok {
		known := slices.Sorted(maps.Keys(provider.RegisteredPaths()))
		names := make([]string, len(known))
		for i := range known {
			names[i] = string(known[i])
		}
		return nil, &handler.ArgumentError{
			Parameter: parameterAttribute, Value: name, Message: fmt.Sprintf("attribute %s not registered", name), Suggestions: handler.Suggest(name, names),
		}
	}
	var keys []any
	for _, arg := range args {
		if arg.ParameterName == parameterKey {
			keys = append(keys, yamlkit.EscapeDotsInPathSegment(fmt.Sprint(arg.Value)))
		}
	}
	wanted := max(len(info.Parameters)-1, 0) // the last one is the value
	if len(keys) > wanted {
		return nil, &handler.ArgumentError{
			Parameter: parameterKey, Value: keys[wanted], Message: fmt.Sprintf("attribute %s is looked up by %d keys, got %d", name, wanted, len(keys)),
		}
	}
	for len(keys) < wanted {
		keys = append(keys, "*")
	}
	return keys, nil
}
