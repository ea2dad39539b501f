package kubernetes

import (
	"errors"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/namespaces"
	"github.com/fctl-dev/fctl/internal/references"
)

const (
	attributeNamespace    api.AttributeName = "namespace-name-reference"
	attributeResourceName api.AttributeName = "resource-name"

	parameterNamespace     = "namespace-name"
	parameterOldNamespace  = "old-namespace"
	parameterClusterScoped = "cluster-scoped-types"
)

// dnsLabel matches the names that Kubernetes accepts for namespaces and volumes.
const dnsLabel = `^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$`

func clusterScopedParameter() api.FunctionParameter {
	return optional(textParameter(parameterClusterScoped,
		"example.com/v1/Tenant,example.com/v1/Region",
		"resource types that have no namespace besides those of Kubernetes, with commas "+
			"between them",
		""))
}

func getNamespaceFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Getting(handler.FunctionRegistration{FunctionSignature: api.FunctionSignature{
		FunctionName:  "get-namespace",
		Description:   "Get the namespaces of resources and those they refer to",
		FunctionType:  api.FunctionTypePathVisitor,
		AttributeName: attributeNamespace,
		Examples:      []string{"get-namespace"},
	}}, parameterNamespace, "the names of namespaces, wherever resources have them",
		func(c *handler.Call) (api.AttributeValueList, error) {
			rows, err := yamlkit.GetStringPaths(c.Docs, provider.AttributePaths(attributeNamespace),
				nil, provider)
			for i := range rows {
				// each of them is the name of a v1/Namespace
				rows[i].AttributeName = attributeResourceName
			}
			return rows, err
		})
}

func setNamespaceFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	newMove := func(fc *api.FunctionContext, a handler.Arguments) *namespaces.Move {
		m := namespaceCall(fc, provider, a)
		m.From, m.To = a.String(parameterOldNamespace), a.String(parameterNamespace)
		return m
	}
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-namespace",
			Parameters: []api.FunctionParameter{
				textParameter(parameterNamespace, "shop-staging", "name of the namespace",
					dnsLabel),
				optional(textParameter(parameterOldNamespace, "shop",
					"namespace to move resources from; those in other namespaces or in none, and "+
						"what names other namespaces, stay. Everything is moved unless it is given",
					dnsLabel)),
				clusterScopedParameter(),
			},
			Description: "Set the namespace of resources whose type has one, and wherever " +
				"resources name it: references, DNS names of services in containers. The " +
				"Namespace that the resources were in is renamed",
			FunctionType:  api.FunctionTypePathVisitor,
			AttributeName: attributeNamespace,
			Examples: []string{
				"set-namespace shop-staging", "set-namespace shop-staging shop",
			},
		},
		ValueParameter: parameterNamespace,
		PerDocument:    true,
		AllFiles:       true,
		CheckArguments: checkClusterScoped,
		Join: func(fc *api.FunctionContext, args []api.FunctionArgument, parts []any) error {
			return newMove(fc, args).Join(parts)
		},
	}, func(c *handler.Call) (int, error) {
		return newMove(c.FunctionContext, c.Args).Run(c.Docs)
	})
}

func ensureNamespacesFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	newMove := func(fc *api.FunctionContext, a handler.Arguments) *namespaces.Move {
		m := namespaceCall(fc, provider, a)
		m.Own = true
		return m
	}
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "ensure-namespaces",
			Parameters:   []api.FunctionParameter{clusterScopedParameter()},
			Description: "Give resources without a namespace the placeholder " +
				generic.PlaceholderString + " for one, unless their type is " +
				"cluster-scoped or not known",
			Examples: []string{"ensure-namespaces"},
		},
		PerDocument: true,
		Paths: configkit.FilterPaths(provider.AttributePaths(attributeNamespace),
			func(_ api.ResourceType, info *api.PathVisitorInfo) bool {
				return info.Path == namespaces.Path
			}),
		CheckArguments: checkClusterScoped,
		Join: func(fc *api.FunctionContext, args []api.FunctionArgument, parts []any) error {
			return newMove(fc, args).Join(parts)
		},
	}, func(c *handler.Call) (int, error) {
		return newMove(c.FunctionContext, c.Args).Ensure(c.Docs)
	})
}

// namespaceCall returns one call of a function that gives resources a namespace.
func namespaceCall(
	fc *api.FunctionContext, provider configkit.ResourceProvider, args handler.Arguments,
) *namespaces.Move {
	return namespaces.New(fc, provider, references.NamespacePaths(provider),
		func(p *yamlkit.Match) [][2]string { return references.Targets(p, provider) },
		hostPaths(provider), clusterScopedTypes(args))
}

// hostPaths returns the paths of commands, arguments and variables, where the DNS names of Services
// may be.
func hostPaths(provider configkit.ResourceProvider) configkit.PathSource {
	return inContainers(provider, "command.*", "args.*", "env.*.value")
}

// clusterScopedTypes returns the resource types in the argument, which are separated by commas or
// blanks.
func clusterScopedTypes(args handler.Arguments) []string {
	text := args.String(parameterClusterScoped)
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// checkClusterScoped reports arguments that cannot be resource types.
func checkClusterScoped(args []api.FunctionArgument) error {
	var problems []error
	for _, t := range clusterScopedTypes(args) {
		if !isTypeName(t) {
			problems = append(problems, notAType(parameterClusterScoped, t))
		}
	}
	return errors.Join(problems...)
}

// isTypeName reports whether a text can be a type: [group/]version/kind.
func isTypeName(t string) bool {
	parts := strings.Split(t, "/")
	return (len(parts) == 2 || len(parts) == 3) && !slices.Contains(parts, "")
}

// notAType returns the error for an argument that is not a resource type.
func notAType(parameter, t string) error {
	return argumentError(parameter, t,
		"a resource type is apiVersion/kind, example.com/v1/Tenant for instance",
		"%s is not a resource type", configkit.Abbreviate(t))
}
