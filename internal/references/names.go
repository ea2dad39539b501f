package references

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
)

// CheckName returns an error if a resource of type t cannot have this name. A provider
// without rules accepts all names.
func CheckName(provider configkit.ResourceProvider, t api.ResourceType, name string) error {
	if p, ok := provider.(interface {
		CheckResourceName(t api.ResourceType, name string) error
	}); ok {
		return p.CheckResourceName(t, name)
	}
	return nil
}

// CheckNewName checks an argument that becomes the name of a resource of type t. The error is a
// *handler.ArgumentError.
func CheckNewName(
	provider configkit.ResourceProvider, t api.ResourceType, parameter, name string,
) error {
	if err := CheckName(provider, t, name); err != nil {
		return handler.InvalidArgument(parameter, "%w", err)
	}
	return nil
}

// ContextRenderRevision is the context field with the revision of a ConfigMap, LatestRevision the
// value with which it is the newest one.
const (
	ContextRenderRevision = "RenderRevision"
	LatestRevision        = "Latest"

	contextVisitorOptions = "VisitorOptions" // comma-separated words
)

// MarkRevision marks a revision of a ConfigMap as the newest one, to which references resolve, or
// removes the mark.
func MarkRevision(doc *gaby.YamlDoc, newest bool, provider configkit.ResourceProvider) error {
	path := string(provider.ContextPath(ContextRenderRevision))
	if newest {
		if _, err := doc.SetP(LatestRevision, path); err != nil {
			return err
		}
	} else if doc.ExistsP(path) {
		if err := doc.DeleteP(path); err != nil {
			return err
		}
	}
	path = string(provider.ContextPath(contextVisitorOptions))
	options := strings.FieldsFunc(doc.Path(path).Value().Text(), func(c rune) bool {
		return c == ',' || c == ' '
	})
	switch ignored := slices.Contains(options, optionIgnoreProvided); {
	case ignored == !newest:
		return nil
	case !newest:
		options = append(options, optionIgnoreProvided)
	default:
		options = slices.DeleteFunc(options, func(o string) bool { return o == optionIgnoreProvided })
	}
	if len(options) == 0 {
		return doc.DeleteP(path)
	}
	_, err := doc.SetP(strings.Join(options, ","), path)
	return err
}
