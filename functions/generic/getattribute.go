package generic

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

const (
	parameterAttribute = "attribute-name"
	parameterKey       = "key"
)

// getAttributeFunction returns get-attribute, which reads the registered paths of any attribute,
// including those without a getter.
func getAttributeFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Getting(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "get-attribute",
			Parameters: []api.FunctionParameter{
				attributeParameter(),
				handler.Optional(parameterKey, api.DataTypeString, "web",
					"keys to look the attribute up by, such as the name of a container; omitted "+
						"keys match all"),
			},
			VarArgs:     true,
			Description: "Get the values at the registered paths of an attribute",
			Examples: attributeExamples(
				provider, "get-attribute container-image web", "get-attribute resource-name",
			),
		},
		CheckArguments: func(args []api.FunctionArgument) error {
			_, _, err := attributeAndKeys(provider, args)
			return err
		},
	}, "value", "the values at the registered paths of the attribute",
		func(c *handler.Call) (api.AttributeValueList, error) {
			name, keys, err := attributeAndKeys(provider, c.Args)
			if err != nil {
				return nil, err
			}
			return yamlkit.GetPathsAnyType(
				c.Docs, provider.AttributePaths(name), keys, provider, api.DataTypeNone,
			)
		})
}

// attributeExamples returns the examples for Kubernetes and nil for other toolchains. The
// attributes of those are not known beforehand, and looking them up would require loading all
// resource types.
func attributeExamples(provider configkit.ResourceProvider, examples ...string) []string {
	if provider.ToolchainType() != api.ToolchainKubernetesYAML {
		return nil
	}
	return examples
}

// attributeParameter returns the parameter for the name of an attribute.
func attributeParameter() api.FunctionParameter {
	return handler.Required(parameterAttribute, api.DataTypeString, "container-image",
		"name of the attribute, as printed by fctl listpaths")
}

// ParameterOf returns a parameter of the functions of an attribute, for functions that have the same
// one.
func ParameterOf(
	provider configkit.ResourceProvider, attribute api.AttributeName, name string,
) api.FunctionParameter {
	info, _ := provider.AttributeInfo(attribute)
	for _, p := range info.Parameters {
		if p.ParameterName == name {
			return p
		}
	}
	return handler.Required(name, api.DataTypeString, "", name)
}

// AttributeKeys returns the keys that fill the %s of an attribute's paths: the given ones, followed
// by * for each missing one. The error is a *handler.ArgumentError if the attribute is not
// registered or there are too many keys.
func AttributeKeys(
	provider configkit.ResourceProvider, name api.AttributeName, given ...any,
) ([]any, error) {
	info, ok := provider.AttributeInfo(name)
	if !ok {
		known := slices.Sorted(maps.Keys(provider.RegisteredPaths()))
		names := make([]string, len(known))
		for i := range known {
			names[i] = string(known[i])
		}
		return nil, &handler.ArgumentError{
			Parameter: parameterAttribute, Value: name,
			Message: fmt.Sprintf("attribute %s not registered",
				configkit.Abbreviate(string(name))),
			Suggestions: configkit.Suggest(string(name), names),
		}
	}
	wanted := max(len(info.Parameters)-1, 0) // the last parameter is the value
	if len(given) > wanted {
		return nil, &handler.ArgumentError{
			Parameter: parameterKey, Value: given[wanted],
			Message: fmt.Sprintf(
				"too many keys: got %d, attribute %s is looked up by %d", len(given), name, wanted,
			),
		}
	}
	keys := slices.Clone(given)
	for len(keys) < wanted {
		keys = append(keys, "*")
	}
	return keys, nil
}

// attributeOf returns the attribute named in the arguments of a function.
func attributeOf(args []api.FunctionArgument) api.AttributeName {
	return api.AttributeName(handler.Arguments(args).String(parameterAttribute))
}

// attributeAndKeys returns the attribute and the keys in the arguments of get-attribute.
func attributeAndKeys(
	provider configkit.ResourceProvider, args []api.FunctionArgument,
) (api.AttributeName, []any, error) {
	var given []any
	for _, arg := range args {
		if arg.ParameterName == parameterKey {
			given = append(given, yamlpath.Escape(fmt.Sprint(arg.Value)))
		}
	}
	keys, err := AttributeKeys(provider, attributeOf(args), given...)
	return attributeOf(args), keys, err
}
