package functions

import (
	"fmt"

	"github.com/fctl-dev/fctl/configkit/k8skit/schemas"
	"github.com/fctl-dev/fctl/functions/api"
	"github.com/fctl-dev/fctl/functions/handler"
)

// AddSchemas adds schemas of Kubernetes resources, see [schemas.File], that a function reads when they are first needed. Call it
// before the executor is used.
func (e *Executor) AddSchemas(read func() ([]schemas.File, error)) error {
	provider := e.handlers[api.ToolchainKubernetesYAML]().ResourceProvider()
	extensible, ok := provider.(interface{ Schemas() *schemas.Library })
	if !ok {
		return fmt.Errorf("schemas of %s: %w", provider.ToolchainType(), handler.ErrUnsupportedRequest)
	}
	extensible.Schemas().AddFiles(read)
	return nil
}
