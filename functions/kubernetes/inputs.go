package kubernetes

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/k8skit/schemas"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/functions/unit"
)

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
