package unit

import (
	"errors"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/where"
)

const parameterWhere = "where-expression"

// whereParameter returns the parameter for a where-expression.
func whereParameter(example, description string) api.FunctionParameter {
	return handler.Required(parameterWhere, api.DataTypeString, example, description)
}

// whereOf parses the expression in a function's arguments. The error is a *handler.ArgumentError.
func whereOf(args []api.FunctionArgument) (*where.Expr, error) {
	expr, err := where.Parse(handler.Arguments(args).String(parameterWhere))
	if err != nil {
		return nil, handler.InvalidArgument(parameterWhere, "%w", err)
	}
	return expr, nil
}

// whereFilterFunction returns where-filter.
func whereFilterFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Checking(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "where-filter",
			Parameters: []api.FunctionParameter{
				anyTypeParameter(),
				whereParameter(
					"spec.replicas > 1",
					"terms joined by AND or OR; blank matches every resource",
				),
			},
			Description: "Check that at least one resource of a type satisfies an expression",
			Examples:    []string{"where-filter apps/v1/Deployment 'spec.replicas >= 1'"},
		},
		ValueParameter: parameterWhere, // it is what the function looks for, not where it looks
		CheckArguments: handler.Parses(whereOf),
	}, "whether any resource satisfies the expression",
		func(c *handler.Call) (result api.ValidationResult, err error) {
			where, err := whereOf(c.Args)
			if err != nil {
				return result, err
			}
			matching, seen, err := where.Filter(provider, c.Docs, typeArgument(c.Args))
			c.Matched(seen)
			if result.Passed = len(matching) > 0; !result.Passed {
				result.Reason = unsatisfied(c.Args)
			}
			return result, err
		})
}

// unsatisfied returns the reason why where-filter does not pass.
func unsatisfied(args []api.FunctionArgument) string {
	t, of := typeArgument(args), ""
	if t != api.ResourceTypeAny {
		of = " of type " + string(t)
	}
	if where := strings.TrimSpace(handler.Arguments(args).String(parameterWhere)); where != "" {
		return "no resource" + of + " satisfies " + where
	}
	return "the unit has no resource" + of
}

// selectWhereResourceFunction returns select-where-resource.
func selectWhereResourceFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "select-where-resource",
			Parameters: []api.FunctionParameter{
				anyTypeParameter(),
				whereParameter(
					"metadata.namespace = 'shop'",
					"terms joined by AND or OR; resources for which they are true are kept",
				),
			},
			Description: "Keep the resources of a type that satisfy an expression and drop the " +
				"others",
			Examples: []string{
				`select-where-resource '*' "ConfigHub.ResourceType IN ('v1/Service', ` +
					`'v1/ConfigMap')"`,
			},
		},
		PerDocument:    true,
		CheckArguments: handler.Parses(whereOf),
	}, func(c *handler.Call) (matches int, err error) {
		where, err := whereOf(c.Args)
		if err != nil {
			return 0, err
		}
		c.Docs, matches, err = selectResources(c.Docs, provider, typeArgument(c.Args), where)
		return matches, err
	})
}

// selectResources drops the resources that are not of type t or do not match, and returns the
// others with their number. Documents that are not resources are kept, but not counted.
func selectResources(
	docs gaby.Container, provider configkit.ResourceProvider, t api.ResourceType, where *where.Expr,
) (kept gaby.Container, matches int, err error) {
	var problems []error
	kept = make(gaby.Container, 0, len(docs))
	for _, doc := range docs {
		of, err := provider.ResourceTypeGetter(doc)
		if err != nil {
			if _, ok := errors.AsType[*configkit.NoResourceError](err); ok {
				kept = append(kept, doc)
			} else {
				problems = append(problems, err)
			}
			continue
		}
		if t != api.ResourceTypeAny && t != of {
			continue
		}
		ok, err := where.MatchResource(provider, doc)
		if err != nil {
			problems = append(problems, err)
		}
		if ok {
			kept = append(kept, doc)
			matches++
		}
	}
	return kept, matches, errors.Join(problems...)
}
