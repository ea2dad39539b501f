package generic

import (
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/api"
	"github.com/fctl-dev/fctl/functions/handler"
)

// ensureContextFunction is there for those who use it; nothing in this project reads what it writes.
func ensureContextFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "ensure-context",
			Parameters: []api.FunctionParameter{{
				ParameterName: "add-context", Required: true, DataType: api.DataTypeBool, Example: "true",
				Description: "true sets unit and space, false removes what was set, the revision included",
			}},
			RequiredParameters: 1,
			Mutating:           true, Hermetic: true, Idempotent: true,
			Description:  "Deprecated: set or remove the unit and the space that resources come from",
			FunctionType: api.FunctionTypeCustom,
			Deprecated:   true,
			Examples:     []string{"ensure-context true", "ensure-context false"},
		},
		PerDocument: true,
		Function: func(fc *api.FunctionContext, docs gaby.Container, args []api.FunctionArgument, _ []byte) (gaby.Container, any, error) {
			add, resources := handler.Arguments(args).Bool("add-context"), 0
			_, err := yamlkit.VisitResources(docs, nil, provider, func(doc *gaby.YamlDoc, output any, _ int, _ *api.ResourceInfo) (any, []error) {
				resources++
				if add {
					return output, setContext(doc, provider, fc)
				}
				return output, removeContext(doc, provider)
			})
			fc.Matched(resources)
			return docs, nil, err
		},
	}
}

func setContext(doc *gaby.YamlDoc, provider configkit.ResourceProvider, fc *api.FunctionContext) (problems []error) {
	for _, field := range []struct{ name, value string }{{"UnitSlug", fc.UnitSlug}, {"SpaceID", fc.SpaceID}} {
		if _, err := doc.SetP(field.value, string(provider.ContextPath(field.name))); err != nil {
			problems = append(problems, err)
		}
	}
	return problems
}

func removeContext(doc *gaby.YamlDoc, provider configkit.ResourceProvider) (problems []error) {
	for _, field := range []string{"UnitSlug", "SpaceID", "RevisionNum"} {
		if path := string(provider.ContextPath(field)); doc.ExistsP(path) {
			if err := doc.DeleteP(path); err != nil {
				problems = append(problems, err)
			}
		}
	}
	return problems
}
