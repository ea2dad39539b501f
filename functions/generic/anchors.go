package generic

import (
	"cmp"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

// expandAnchorsFunction returns expand-anchors, which makes values that aliases and << repeat
// editable.
func expandAnchorsFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "expand-anchors",
			Mutating:     true, Hermetic: true, Idempotent: true,
			Description: "Replace aliases and << with their values, and remove anchors that " +
				"nothing refers to",
			Examples: []string{"expand-anchors", "expand-anchors then set-label team shop"},
		},
		PerDocument: true,
		Function: handler.Edits(func(c *handler.Call) (int, error) {
			matches := 0
			expand := func(
				doc *gaby.YamlDoc, output any, _ int, _ *api.ResourceInfo,
			) (any, []error) {
				n, err := doc.ExpandAnchors()
				matches += n
				return output, []error{err}
			}
			_, err := yamlkit.VisitResources(c.Docs, nil, provider, expand)
			// Expand the items of lists again: anchors that only later items referred to are unused
			// now.
			items := slices.DeleteFunc(slices.Clone(c.Docs), (*gaby.YamlDoc).IsDocument)
			_, again := yamlkit.VisitResources(items, nil, provider, expand)
			return matches, cmp.Or(err, again)
		}),
	}
}
