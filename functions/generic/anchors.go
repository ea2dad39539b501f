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
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "expand-anchors",
			Description: "Replace aliases and << with their values, and remove anchors that " +
				"nothing refers to",
			Examples: []string{"expand-anchors", "expand-anchors then set-label team shop"},
		},
		PerDocument: true,
	}, func(c *handler.Call) (int, error) {
		matches := 0
		expand := func(doc *gaby.YamlDoc, _ *api.ResourceInfo) error {
			n, err := doc.ExpandAnchors()
			matches += n
			return err
		}
		err := yamlkit.EachDocument(c.Docs, provider, expand)
		// Expand the items of lists again: anchors that only later items referred to are unused
		// now.
		items := slices.DeleteFunc(slices.Clone(c.Docs), (*gaby.YamlDoc).IsDocument)
		return matches, cmp.Or(err, yamlkit.EachDocument(items, provider, expand))
	})
}
