// Package generic has the functions that work with paths, attributes and placeholders in every
// toolchain, and the helpers with which authors register getters and setters of paths.
//
// Functions access documents only through yamlkit and gaby. They know nothing about Kubernetes; all
// knowledge about resources comes from the ResourceProvider they are registered with.
//
// Layer: functions.
package generic

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

// RegisterFunctions registers the functions of this package.
func RegisterFunctions(fh handler.FunctionRegistry, provider configkit.ResourceProvider) error {
	functions := append(pathFunctions(provider),
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
		getHashFunction(provider),
		setHashFunction(provider),
		getPlaceholdersFunction(provider),
		vetPlaceholdersFunction(provider),
		setDefaultNamesFunction(provider),
		getPlaceholderMutationsFunction(provider),
	)
	if provider.ToolchainType() != api.ToolchainOpenTofuHCL { // its own expressions look the same
		functions = append(functions, substituteFunction(provider))
	}
	return handler.Register(fh, functions...)
}
