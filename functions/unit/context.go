package unit

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

// ensureContextFunction returns ensure-context. It is kept for its present users; nothing in this
// project reads what it writes.
func ensureContextFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "ensure-context",
			Parameters: []api.FunctionParameter{handler.Required("add-context", api.DataTypeBool,
				"true",
				"true sets the unit and the space, false removes them and the revision")},
			Description: "Deprecated: set or remove the unit and the space of resources",
			Deprecated:  true,
			Examples:    []string{"ensure-context true", "ensure-context false"},
		},
		PerDocument: true,
	}, func(c *handler.Call) (int, error) {
		add, resources := c.Args.Bool("add-context"), 0
		err := yamlkit.EachDocument(c.Docs, provider,
			func(doc *gaby.YamlDoc, info *api.ResourceInfo) error {
				if p, ok := provider.(interface{ HasContext(*gaby.YamlDoc) bool }); add && ok &&
					!p.HasContext(doc) {
					return nil
				}
				edit := removeContext
				if add {
					edit = setContext
				}
				if err := edit(doc, provider, c.FunctionContext); err != nil {
					skipContext(c.FunctionContext, info, err)
				} else {
					resources++
				}
				return nil
			})
		return resources, err
	})
}

// setContext writes the unit and the space of the function context into doc. It returns the first
// error.
func setContext(
	doc *gaby.YamlDoc, provider configkit.ResourceProvider, fc *api.FunctionContext,
) error {
	_, err := doc.SetP(fc.UnitSlug, string(provider.ContextPath("UnitSlug")))
	_, other := doc.SetP(fc.SpaceID, string(provider.ContextPath("SpaceID")))
	return cmp.Or(err, other)
}

// skipContext adds a note about a resource that the context cannot be written to. Other resources
// still get theirs.
func skipContext(fc *api.FunctionContext, info *api.ResourceInfo, err error) {
	var pos api.Position
	message := err.Error()
	if e, ok := errors.AsType[*gaby.EditError](err); ok {
		pos, message = e.Pos, e.Path+": "+e.Msg
	}
	fc.Skipped(pos, fmt.Sprintf("%s is skipped: %s", info, message))
}

// removeContext deletes the fields of the context that exist in doc. It returns the first error.
func removeContext(
	doc *gaby.YamlDoc, provider configkit.ResourceProvider, _ *api.FunctionContext,
) (err error) {
	for _, field := range []string{"UnitSlug", "SpaceID", "RevisionNum"} {
		if path := string(provider.ContextPath(field)); doc.ExistsP(path) {
			err = cmp.Or(err, doc.DeleteP(path))
		}
	}
	return err
}
