package functions

import (
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/k8skit/schemas"
	"github.com/fctl-dev/fctl/functions/handler"
)

// AddSchemas adds schemas of Kubernetes resources, see [schemas.File], that a function reads when they are first needed. Call it
// before the executor is used.
func (e *Executor) AddSchemas(read func() ([]schemas.File, error)) error {
	library, err := e.schemas()
	if err == nil {
		library.AddFiles(read)
	}
	return err
}

// AddInputs has the CustomResourceDefinitions of a run's other input files used too, see [schemas.Library.AddInputs]. Call it before the
// executor is used.
func (e *Executor) AddInputs(read func() []schemas.File) error {
	library, err := e.schemas()
	if err == nil {
		library.AddInputs(read)
	}
	return err
}

// SchemaClashes are the files of AddSchemas that had schemas of built-in types that a run asked for, see [schemas.Library.Clashes].
func (e *Executor) SchemaClashes() []schemas.Clash {
	library, err := e.schemas()
	if err != nil {
		return nil
	}
	return library.Clashes()
}

func (e *Executor) schemas() (*schemas.Library, error) {
	provider := e.handlers[api.ToolchainKubernetesYAML]().ResourceProvider()
	extensible, ok := provider.(interface{ Schemas() *schemas.Library })
	if !ok {
		return nil, fmt.Errorf("schemas of %s: %w", provider.ToolchainType(), handler.ErrUnsupportedRequest)
	}
	return extensible.Schemas(), nil
}
