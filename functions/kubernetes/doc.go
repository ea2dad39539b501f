// Package kubernetes implements the functions for Kubernetes resources, one file per family.
//
// The rules of this package:
//   - Where a resource has its fields is knowledge and comes from the ResourceProvider.
//   - Functions are values listed in RegisterFunctions. Nothing registers itself.
//
// Layer: functions.
package kubernetes

import (
	"slices"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/functions/images"
	"github.com/fctl-dev/fctl/functions/program"
)

// RegisterFunctions registers the functions of this package.
func RegisterFunctions(
	fh handler.FunctionRegistry, provider configkit.ResourceProvider,
) error {
	if err := registerAttributes(fh, provider); err != nil {
		return err
	}
	return handler.Register(fh, slices.Concat([]handler.FunctionRegistration{
		setNameFunction(provider),
		renameResourceFunction(provider),
		setNamePrefixFunction(provider),
		setNameSuffixFunction(provider),
		getNamespaceFunction(provider),
		setNamespaceFunction(provider),
		ensureNamespacesFunction(provider),
		pruneConfigMapsFunction(provider),
		setEnvVarFunction(provider),
		setEnvFunction(provider),
		deleteEntryFunction(provider, "label-value", "delete-label", "label-key",
			"Delete labels of resources", "delete-label app.kubernetes.io/part-of"),
		deleteEntryFunction(provider, "annotation-value", "delete-annotation", "annotation-key",
			"Delete annotations of resources", "delete-annotation example.com/owner"),
		cleanExportedFunction(provider),
		migrateAPIFunction(provider),
		getWorkloadLabelsFunction(provider),
		setWorkloadLabelsFunction(provider),
		setPortFunction(provider),
		setResourcesFunction(provider),
		setVolumeMountFunction(provider),
		vetImmutableFunction(provider),
		vetDisruptionFunction(provider),
		vetMergeKeysFunction(provider),
		vetSchemasFunction(provider),
		vetAPIFunction(provider),
		vetSemanticsFunction(provider),
		vetReferencesFunction(provider),
		vetSelectorsFunction(provider),
		vetDisruptionBudgetsFunction(provider),
	}, images.KubernetesFunctions(provider), defaultsFunctions(provider), program.CELFunctions(provider), podFunctions(provider))...)
}
