// Package generic has the functions that work for every toolchain, and the helpers with which authors register getters and
// setters of paths.
//
// The rules of this room: functions reach documents through yamlkit and gaby only, know nothing of Kubernetes, and learn
// about resources from the ResourceProvider they are registered with.
package generic

import (
	"slices"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

// RegisterStandardFunctions registers the functions of this package.
func RegisterStandardFunctions(fh handler.FunctionRegistry, converter configkit.ConfigConverter, resourceProvider configkit.ResourceProvider) error {
	for _, registration := range withExamples(standardFunctions(converter, resourceProvider), resourceProvider.ToolchainType()) {
		if err := fh.RegisterFunction(registration); err != nil {
			return err
		}
	}
	return nil
}

func standardFunctions(converter configkit.ConfigConverter, provider configkit.ResourceProvider) []handler.FunctionRegistration {
	return slices.Concat([]handler.FunctionRegistration{
		getPathFunction[string](provider, "get-string-path", GenericFnGetStringPath),
		setPathFunction[string](provider, "set-string-path"),
		getPathFunction[int](provider, "get-int-path", GenericFnGetIntPath),
		setPathFunction[int](provider, "set-int-path"),
		getPathFunction[bool](provider, "get-bool-path", GenericFnGetBoolPath),
		setPathFunction[bool](provider, "set-bool-path"),
		getSubtreeFunction(provider),
		setSubtreeFunction(provider),
		deletePathFunction(provider),
		setPathCommentFunction(provider),
		getPathsFunction(provider),
		setAttributesFunction(provider),
		listPathsFunction(provider),
		getAttributeFunction(provider),
		searchReplaceFunction(provider),
		expandAnchorsFunction(provider),
		vetFormatFunction(provider),
		vetValuesFunction(provider),
		vetApprovedByFunction(converter),
		vetNoMergeConflictsFunction(provider),
		getHashFunction(provider),
		setHashFunction(provider),
		getPlaceholdersFunction(provider),
		vetPlaceholdersFunction(provider),
		setDefaultNamesFunction(provider),
		getResourcesFunction(converter, provider),
		getResourcesOfTypeFunction(provider),
		deleteResourceFunction(provider),
		upsertResourceFunction(provider),
		replicateFunction(provider),
		whereFilterFunction(provider),
		vetJSONSchemaFunction(provider),
		selectWhereResourceFunction(provider),
		ensureContextFunction(provider),
		vetCELExprFunction(provider),
		getYQFunction(provider),
		setYQFunction(provider),
		setTemplateFunction(provider),
		getReferencesOfTypeFunction(provider),
		setReferencesOfTypeFunction(provider),
		computeMutationsFunction(converter, provider),
		patchMutationsFunction(provider),
		resetFunction(provider),
		getPlaceholderMutationsFunction(provider),
		setProtectionFunction(provider),
	}, starlarkFunctions(provider), needsFunctions(provider))
}
