package yamlkit

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/internal/knowledge/resourcetypes"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// The names below are used by functions written for ConfigHub's SDK. New code uses the packages
// they forward to.

// PropertyResourceType is resourcetypes.PropertyResourceType.
const PropertyResourceType = resourcetypes.PropertyResourceType

// ResourceProvider is configkit.ResourceProvider.
type ResourceProvider = configkit.ResourceProvider

// ResolvedPathInfo is yamlpath.ResolvedPathInfo.
type ResolvedPathInfo = yamlpath.ResolvedPathInfo

// EscapeDotsInPathSegment is yamlpath.Escape.
func EscapeDotsInPathSegment(segment string) string { return yamlpath.Escape(segment) }

// JoinPathSegments is yamlpath.Join.
func JoinPathSegments(segments []string) api.ResolvedPath { return yamlpath.Join(segments) }

// PathIsResolved is yamlpath.IsResolved.
func PathIsResolved(path string) bool { return yamlpath.IsResolved(path) }

// ResolveAssociativePaths is yamlpath.ResolveAssociativePaths.
func ResolveAssociativePaths(doc *gaby.YamlDoc, unresolved api.UnresolvedPath,
	resolved api.ResolvedPath, upsert bool,
) ([]ResolvedPathInfo, error) {
	return yamlpath.ResolveAssociativePaths(doc, unresolved, resolved, upsert)
}

// RegisterPathsByAttributeName is resourcetypes.RegisterPathsByAttributeName.
func RegisterPathsByAttributeName(provider ResourceProvider, name api.AttributeName,
	t api.ResourceType, paths api.PathToVisitorInfoType,
	getter, setter *api.FunctionInvocation, skipOverride bool,
) error {
	return resourcetypes.RegisterPathsByAttributeName(provider, name, t, paths, getter, setter,
		skipOverride)
}

// RegisterNeededPaths is resourcetypes.RegisterNeededPaths.
func RegisterNeededPaths(provider ResourceProvider, t api.ResourceType,
	paths api.PathToVisitorInfoType, setter *api.FunctionInvocation,
) error {
	return resourcetypes.RegisterNeededPaths(provider, t, paths, setter)
}

// RegisterProvidedPaths is resourcetypes.RegisterProvidedPaths.
func RegisterProvidedPaths(provider ResourceProvider, t api.ResourceType,
	paths api.PathToVisitorInfoType, getter *api.FunctionInvocation,
) error {
	return resourcetypes.RegisterProvidedPaths(provider, t, paths, getter)
}

// ComputeMutations is mutation.Compute.
func ComputeMutations(previous, modified gaby.Container, functionIndex int,
	provider ResourceProvider,
) (api.ResourceMutationList, error) {
	return mutation.Compute(previous, modified, functionIndex, provider)
}

// PatchMutations is mutation.Patch.
func PatchMutations(docs gaby.Container, protection, patch, own api.ResourceMutationList,
	provider ResourceProvider,
) (gaby.Container, api.MutationConflictList, error) {
	return mutation.Patch(docs, protection, patch, own, provider)
}

// Reset is mutation.Reset.
func Reset(docs gaby.Container, mutations api.ResourceMutationList, provider ResourceProvider) (int,
	error,
) {
	return mutation.Reset(docs, mutations, provider)
}

// DiffPatch is mutation.DiffPatch.
func DiffPatch(original, modified, target gaby.Container,
	provider ResourceProvider,
) (gaby.Container, api.MutationConflictList, error) {
	return mutation.DiffPatch(original, modified, target, provider)
}
