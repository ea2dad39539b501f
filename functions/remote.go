package functions

import (
	"context"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
)

// Remote runs requests elsewhere for an executor, see [Executor.RunAt].
type Remote interface {
	// Run is [Executor.Run], on an executor to which the same was added.
	Run(ctx context.Context, request *api.FunctionInvocationRequest, options handler.Options,
		added *Added) (*handler.Result, error)
	// RegisteredPaths is [Executor.RegisteredPaths].
	RegisteredPaths(t api.ToolchainType) (api.AttributeNameToResourceTypeToPathToVisitorInfoType, error)
	// SchemaClashes is [Executor.SchemaClashes].
	SchemaClashes() []schemas.Clash
}

// Added is what was added to an executor: what AddResourceTypes got, and what AddSchemas,
// AddSchemaLocations, AddInputs and AddOwnDefinitions got last.
type Added struct {
	Types               []resourcetypes.TypesFile
	Schemas             func() ([]schemas.SchemaFile, error)
	Locations           schemas.Locations
	Inputs, Definitions func() []schemas.SchemaFile
}

// RunAt lets another place run requests from here on. signatures are those of its functions, by
// toolchain, where they differ from those of the executor: it knows and describes them, but cannot
// run those that it did not know.
func (e *Executor) RunAt(remote Remote, signatures map[api.ToolchainType][]api.FunctionSignature) {
	e.remote = remote
	for t, all := range signatures {
		if h, err := e.handler(t); err == nil {
			h.Adopt(all)
		}
	}
}

// Added returns what was added to the executor.
func (e *Executor) Added() *Added { return &e.added }
