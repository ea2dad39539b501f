package functions

import (
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
)

// AddSchemas adds schemas of Kubernetes resources, see [schemas.SchemaFile]. read is called when they are
// first needed. Call it before the first use of the executor.
func (e *Executor) AddSchemas(read func() ([]schemas.SchemaFile, error)) error {
	library, err := e.schemas()
	if err == nil {
		library.AddFiles(read)
		e.added.Schemas = read
	}
	return err
}

// AddSchemaLocations adds places of JSON Schemas, see [schemas.Locations]. Call it before the first
// use of the executor.
func (e *Executor) AddSchemaLocations(locations schemas.Locations) error {
	library, err := e.schemas()
	if err == nil {
		library.AddLocations(locations)
		e.added.Locations = locations
	}
	return err
}

// AddInputs makes the CustomResourceDefinitions in the other input files of a run available as
// schemas, see [schemas.Library.AddInputs]. Call it before the first use of the executor.
func (e *Executor) AddInputs(read func() []schemas.SchemaFile) error {
	library, err := e.schemas()
	if err == nil {
		library.AddInputs(read)
		e.added.Inputs = read
	}
	return err
}

// AddOwnDefinitions makes the CustomResourceDefinitions in the files that functions run on known to
// functions that ask which fields a type has. Call it before the first use of the executor.
func (e *Executor) AddOwnDefinitions(read func() []schemas.SchemaFile) error {
	library, err := e.schemas()
	if err == nil {
		library.AddOwn(read)
		e.added.Definitions = read
	}
	return err
}

// SchemaClashes returns the clashes between the files of AddSchemas and the built-in schemas that a
// run asked for, see [schemas.Library.Clashes].
func (e *Executor) SchemaClashes() []schemas.Clash {
	if e.remote != nil {
		return e.remote.SchemaClashes()
	}
	library, err := e.schemas()
	if err != nil {
		return nil
	}
	return library.Clashes()
}

// schemas returns the schemas of Kubernetes resources.
func (e *Executor) schemas() (*schemas.Library, error) {
	provider := e.handlers[api.ToolchainKubernetesYAML]().ResourceProvider()
	extensible, ok := provider.(interface{ Schemas() *schemas.Library })
	if !ok {
		return nil,
			fmt.Errorf("schemas of %s: %w", provider.ToolchainType(), handler.ErrUnsupportedRequest)
	}
	return extensible.Schemas(), nil
}
