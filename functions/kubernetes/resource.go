package kubernetes

import (
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/k8skit/schemas"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/functions/unit"
)

// resource is a resource with its present name. doc is nil if it is not in the unit.
type resource struct {
	doc       *gaby.YamlDoc
	info      api.ResourceInfo
	namespace string
}

func newResource(doc *gaby.YamlDoc, info api.ResourceInfo) resource {
	namespace, _, _ := strings.Cut(string(info.ResourceName), "/")
	return resource{doc, info, namespace}
}

// old returns the present name of the resource.
func (r *resource) old() string { return string(r.info.ResourceNameWithoutScope) }

// failure returns a failure at the name of the resource.
func (r *resource) failure(hint, format string, args ...any) *api.Failure {
	return &api.Failure{
		Class: api.FailureFunction, Resource: r.info.String(), Path: "metadata.name",
		Pos:     r.doc.Value().Get("metadata").Get("name").Position(),
		Message: fmt.Sprintf(format, args...), Hint: hint,
	}
}

// otherInputs returns the resources with this kind and name in the other files of the run. It
// returns none once a preceding function may have changed names.
func otherInputs(
	fc *api.FunctionContext, provider configkit.ResourceProvider, kind, name string,
) []schemas.Input {
	p, ok := provider.(interface {
		InputsCalled(name string) []schemas.Input
	})
	file := handler.InputFile(fc)
	if !ok || file == "" {
		return nil
	}
	var others []schemas.Input
	for _, input := range p.InputsCalled(name) {
		if input.File != file && unit.GroupKind(input.ResourceType) == kind {
			others = append(others, input)
		}
	}
	return others
}
