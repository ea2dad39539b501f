package unit

import (
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
	return handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "ensure-context",
			Parameters: []api.FunctionParameter{handler.Required("add-context", api.DataTypeBool,
				"true",
				"true sets unit and space, false removes what was set, the revision included")},
			Mutating: true, Hermetic: true, Idempotent: true,
			Description: "Deprecated: set or remove the unit and the space that resources come from",
			Deprecated:  true,
			Examples:    []string{"ensure-context true", "ensure-context false"},
		},
		PerDocument: true,
		Function: handler.Edits(func(c *handler.Call) (int, error) {
			add, resources := c.Args.Bool("add-context"), 0
			_, err := yamlkit.VisitResources(c.Docs, nil, provider,
				func(doc *gaby.YamlDoc, output any, _ int, info *api.ResourceInfo) (any, []error) {
					edit := removeContext
					if add {
						edit = setContext
						if p, ok := provider.(interface{ HasContext(*gaby.YamlDoc) bool }); ok &&
							!p.HasContext(doc) {
							return output, nil
						}
					}
					problems := edit(doc, provider, c.FunctionContext)
					if len(problems) == 0 {
						resources++
					} else {
						skipContext(c.FunctionContext, info, problems[0])
					}
					return output, nil
				})
			return resources, err
		}),
	}
}

// setContext writes the unit and the space of the function context into doc.
func setContext(
	doc *gaby.YamlDoc, provider configkit.ResourceProvider, fc *api.FunctionContext,
) (problems []error) {
	for _, field := range []struct{ name, value string }{
		{"UnitSlug", fc.UnitSlug}, {"SpaceID", fc.SpaceID},
	} {
		if _, err := doc.SetP(field.value, string(provider.ContextPath(field.name))); err != nil {
			problems = append(problems, err)
		}
	}
	return problems
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

// removeContext deletes the fields of the context that exist in doc.
func removeContext(
	doc *gaby.YamlDoc, provider configkit.ResourceProvider, _ *api.FunctionContext,
) (problems []error) {
	for _, field := range []string{"UnitSlug", "SpaceID", "RevisionNum"} {
		if path := string(provider.ContextPath(field)); doc.ExistsP(path) {
			if err := doc.DeleteP(path); err != nil {
				problems = append(problems, err)
			}
		}
	}
	return problems
}
