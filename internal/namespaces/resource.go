package namespaces

import (
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
)

// NamedResource is a resource with its present name. Doc is nil if it is not in the unit.
type NamedResource struct {
	Doc       *gaby.YamlDoc
	Info      api.ResourceInfo
	Namespace string
}

// NewResource returns the resource of doc, which may be nil.
func NewResource(doc *gaby.YamlDoc, info api.ResourceInfo) NamedResource {
	namespace, _, _ := strings.Cut(string(info.ResourceName), "/")
	return NamedResource{doc, info, namespace}
}

// Name returns the present name of the resource.
func (r *NamedResource) Name() string { return string(r.Info.ResourceNameWithoutScope) }

// Failure returns a failure at the name of the resource.
func (r *NamedResource) Failure(hint, format string, args ...any) *api.Failure {
	return &api.Failure{
		Class: api.FailureFunction, Resource: r.Info.String(), Path: "metadata.name",
		Pos:     r.Doc.Value().Get("metadata").Get("name").Position(),
		Message: fmt.Sprintf(format, args...), Hint: hint,
	}
}

// OtherInputs returns the resources with this kind and name in a namespace, or
// [schemas.Anywhere], in the other files of the run. It returns none once a preceding function may
// have changed names.
func OtherInputs(
	fc *api.FunctionContext, provider configkit.ResourceProvider, kind, namespace, name string,
) []schemas.InputResource {
	p, ok := provider.(schemas.InputProvider)
	file := handler.InputFile(fc)
	if !ok || file == "" {
		return nil
	}
	var others []schemas.InputResource
	for _, input := range p.Inputs().In(kind, namespace, name) {
		if input.File != file {
			others = append(others, input)
		}
	}
	return others
}

// ShownNames is the number of names that a message shows.
const ShownNames = 5

// ShortList returns the first of count names and the number of the others.
func ShortList(names []string, count int) string {
	for i := range names {
		names[i] = strings.TrimPrefix(names[i], "/")
	}
	if len(names) > ShownNames {
		return strings.Join(names[:ShownNames], ", ") +
			fmt.Sprintf(" and %d more", count-ShownNames)
	}
	return strings.Join(names, ", ")
}
