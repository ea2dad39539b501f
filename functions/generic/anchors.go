package generic

import (
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/api"
	"github.com/fctl-dev/fctl/functions/handler"
)

// expandAnchorsFunction makes documents editable at places that aliases and << repeat.
func expandAnchorsFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "expand-anchors",
			Mutating:     true, Hermetic: true, Idempotent: true,
			Description:  "Replace aliases and << by the values they stand for, and remove anchors that nothing refers to",
			FunctionType: api.FunctionTypeCustom,
			Examples:     []string{"expand-anchors", "expand-anchors then set-label team shop"},
		},
		PerDocument: true,
		Function: func(fc *api.FunctionContext, docs gaby.Container, _ []api.FunctionArgument, _ []byte) (gaby.Container, any, error) {
			matches := 0
			_, err := yamlkit.VisitResources(docs, nil, provider, func(doc *gaby.YamlDoc, output any, _ int, _ *api.ResourceInfo) (any, []error) {
				n, err := doc.ExpandAnchors()
				matches += n
				return output, []error{err}
			})
			fc.Matched(matches)
			return docs, nil, err
		},
	}
}
