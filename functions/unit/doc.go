// Package unit has the functions about a unit as a whole, in every toolchain: its resources, the
// references between them, its mutations, schemas and approval.
//
// The ResourceProvider says what a resource is and what refers to what. Mutations are compared,
// patched and merged by configkit/mutation.
//
// Layer: functions.
package unit

import (
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

// RegisterFunctions registers the functions of this package.
func RegisterFunctions(
	fh handler.FunctionRegistry,
	converter configkit.ConfigConverter,
	provider configkit.ResourceProvider,
) error {
	return handler.Register(fh, append(
		needsFunctions(provider),
		vetApprovedByFunction(converter),
		vetNoMergeConflictsFunction(provider),
		getResourcesFunction(converter, provider),
		getResourcesOfTypeFunction(provider),
		deleteResourceFunction(provider),
		upsertResourceFunction(provider),
		replicateFunction(provider),
		whereFilterFunction(provider),
		selectWhereResourceFunction(provider),
		vetJSONSchemaFunction(provider),
		ensureContextFunction(provider),
		getReferencesOfTypeFunction(provider),
		setReferencesOfTypeFunction(provider),
		computeMutationsFunction(converter, provider),
		patchMutationsFunction(provider),
		patchFunction(provider),
		resetFunction(provider),
		setProtectionFunction(provider),
	)...)
}
