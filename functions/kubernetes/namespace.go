package kubernetes

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/generic"
	"github.com/fctl-dev/fctl/functions/handler"
)

const (
	attributeNamespace    api.AttributeName = "namespace-name-reference"
	attributeResourceName api.AttributeName = "resource-name"

	parameterNamespace     = "namespace-name"
	parameterOldNamespace  = "old-namespace"
	parameterClusterScoped = "cluster-scoped-types"

	namespacePath = "metadata.namespace"
)

// dnsLabel matches the names that Kubernetes accepts for namespaces and volumes.
const dnsLabel = `^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$`

func registerNamespaceFunctions(
	fh handler.FunctionRegistry, provider configkit.ResourceProvider,
) error {
	for _, registration := range []handler.FunctionRegistration{
		getNamespaceFunction(provider), setNamespaceFunction(provider),
		ensureNamespacesFunction(provider),
	} {
		if err := fh.RegisterFunction(registration); err != nil {
			return err
		}
	}
	return nil
}

func clusterScopedParameter() api.FunctionParameter {
	return api.FunctionParameter{
		ParameterName: parameterClusterScoped, DataType: api.DataTypeString,
		Example:     "example.com/v1/Tenant,example.com/v1/Region",
		Description: "resource types that have no namespace besides those of Kubernetes, with commas between them",
	}
}

func getNamespaceFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "get-namespace",
			OutputInfo: &api.FunctionOutput{
				ResultName:  parameterNamespace,
				Description: "the names of namespaces, wherever resources have them",
				OutputType:  api.OutputTypeAttributeValueList,
			},
			Hermetic: true, Idempotent: true,
			Description:   "Get the namespaces of resources and those they refer to",
			FunctionType:  api.FunctionTypePathVisitor,
			AttributeName: attributeNamespace,
			Examples:      []string{"get-namespace"},
		},
		PerDocument: true,
		RowsSorted:  true,
		Function: func(
			fc *api.FunctionContext, docs gaby.Container, _ []api.FunctionArgument, _ []byte,
		) (gaby.Container, any, error) {
			rows, err := yamlkit.GetStringPaths(docs, provider.AttributePaths(attributeNamespace),
				nil, provider)
			for i := range rows {
				// each of them is the name of a v1/Namespace
				rows[i].AttributeName = attributeResourceName
			}
			fc.Matched(len(rows))
			return docs, rows, err
		},
	}
}

func setNamespaceFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-namespace",
			Parameters: []api.FunctionParameter{
				{
					ParameterName: parameterNamespace, Required: true, DataType: api.DataTypeString,
					Example:          "shop-staging",
					Description:      "name of the namespace",
					ValueConstraints: api.ValueConstraints{Regexp: dnsLabel},
				},
				{
					ParameterName: parameterOldNamespace, DataType: api.DataTypeString,
					Example:          "shop",
					Description:      "namespace to move resources from; those in other namespaces or in none, and what names other namespaces, stay. Everything is moved unless it is given",
					ValueConstraints: api.ValueConstraints{Regexp: dnsLabel},
				},
				clusterScopedParameter(),
			},
			RequiredParameters: 1,
			Mutating:           true, Hermetic: true, Idempotent: true,
			Description: "Set the namespace of resources whose type has one, and wherever resources name it: references, DNS names of " +
				"services in containers. The Namespace that the resources were in is renamed",
			FunctionType:  api.FunctionTypePathVisitor,
			AttributeName: attributeNamespace,
			Examples: []string{
				"set-namespace shop-staging", "set-namespace shop-staging shop",
			},
		},
		ValueParameter: parameterNamespace,
		PerDocument:    true,
		CheckArguments: checkClusterScoped,
		Function: func(
			fc *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, _ []byte,
		) (gaby.Container, any, error) {
			a := handler.Arguments(args)
			m := newNamespaceMove(fc, provider, args)
			m.from, m.to = a.String(parameterOldNamespace), a.String(parameterNamespace)
			return docs, nil, m.run(docs)
		},
		Join: func(fc *api.FunctionContext, args []api.FunctionArgument, parts []any) error {
			a := handler.Arguments(args)
			m := newNamespaceMove(fc, provider, args)
			m.from, m.to = a.String(parameterOldNamespace), a.String(parameterNamespace)
			return m.join(parts)
		},
	}
}

func ensureNamespacesFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "ensure-namespaces",
			Parameters:   []api.FunctionParameter{clusterScopedParameter()},
			Mutating:     true, Hermetic: true, Idempotent: true,
			Description: "Give resources without a namespace the placeholder " +
				generic.PlaceholderString + " for one, unless their type is " +
				"cluster-scoped or not known",
			FunctionType: api.FunctionTypeCustom,
			Examples:     []string{"ensure-namespaces"},
		},
		PerDocument:    true,
		Paths:          ownNamespace{provider.AttributePaths(attributeNamespace)},
		CheckArguments: checkClusterScoped,
		Function: func(
			fc *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, _ []byte,
		) (gaby.Container, any, error) {
			m := newNamespaceMove(fc, provider, args)
			m.own = true
			matches := 0
			m.survey(docs)
			var without gaby.Container // only these are parsed
			for _, doc := range m.scoped {
				if info, err := provider.ResourceInfo(doc); err == nil && info.ResourceName != "/"+
					info.ResourceNameWithoutScope {
					matches++
				} else if err != nil || len(m.PathsOf(info.ResourceType)) > 0 {
					// UpdatePaths reports what is wrong with unreadable documents
					without = append(without, doc)
				}
			}
			n, err := yamlkit.UpdatePaths(without, m, nil, provider, func(current string) string {
				if current == "" {
					return generic.PlaceholderString
				}
				return current
			}, yamlkit.UpdateOptions{Upsert: true})
			fc.Matched(matches + n)
			if handler.IsPart(fc) {
				return docs, nil, errors.Join(err, m.leave(false))
			}
			m.noteUnknown()
			return docs, nil, err
		},
		Join: func(fc *api.FunctionContext, args []api.FunctionArgument, parts []any) error {
			m := newNamespaceMove(fc, provider, args)
			m.own = true
			return m.join(parts)
		},
	}
}

// clusterScopedTypes returns the resource types in the argument, which are separated by commas or
// blanks.
func clusterScopedTypes(args []api.FunctionArgument) []string {
	text := handler.Arguments(args).String(parameterClusterScoped)
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
	return &handler.ArgumentError{
		Parameter: parameter, Value: t,
		Message: fmt.Sprintf("argument %s: %s is not a resource type", parameter,
			configkit.Abbreviate(t)),
		HintText: "a resource type is apiVersion/kind, example.com/v1/Tenant for instance",
	}
}
