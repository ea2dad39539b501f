// Package kubernetes implements the functions for Kubernetes resources, one file per family.
//
// The rules of this package:
//   - Where a resource has its fields is knowledge and comes from the ResourceProvider.
//   - Functions are values listed in RegisterFunctions. Nothing registers itself.
package kubernetes

import (
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/handler"
)

// RegisterFunctions registers the functions of this package.
func RegisterFunctions(
	fh handler.FunctionRegistry, resourceProvider configkit.ResourceProvider,
) error {
	for _, register := range []func(handler.FunctionRegistry, configkit.ResourceProvider) error{
		registerAttributes,
		registerNameFunctions,
		registerNamespaceFunctions,
		registerImageFunctions,
		registerConfigMapFunctions,
		registerDefaultsFunctions,
		registerEnvFunctions,
		registerLabelFunctions,
		registerPortFunctions,
		registerResourcesFunctions,
		registerVolumeFunctions,
		registerImmutableFunctions,
		registerMergeKeyFunctions,
		registerCELFunctions,
		registerSchemaFunctions,
	} {
		if err := register(fh, resourceProvider); err != nil {
			return err
		}
	}
	return nil
}
