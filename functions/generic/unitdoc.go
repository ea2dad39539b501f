package generic

import (
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

// RegisterUnitFunctions registers the functions of this package.
func RegisterUnitFunctions(fh handler.FunctionRegistry, converter configkit.ConfigConverter, provider configkit.ResourceProvider) error {
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
		resetFunction(provider),
		setProtectionFunction(provider),
	)...)
}
