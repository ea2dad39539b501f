package functions

import (
	"maps"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
)

// Description is all that is known about a function, for help and completion. It is more expensive
// to make than a signature, because all resource types have to be loaded.
type Description struct {
	// FunctionSignature has AffectedResourceTypes filled in from the registry.
	api.FunctionSignature
	// Aliases and DeprecatedAliases are all names of the function other than its FunctionName,
	// whichever of its names was looked up.
	Aliases, DeprecatedAliases []string
	// Paths are the paths of the function's attribute if it has one, otherwise the paths it is
	// registered for.
	Paths api.ResourceTypeToPathToVisitorInfoType
	// Operators are the types in Paths that operators define and that fctl knows out of the box.
	Operators []api.ResourceType
}

// Describe describes the function with the given name or alias. It reports false if there is no
// such function or toolchain.
func (e *Executor) Describe(t api.ToolchainType, name string) (*Description, bool) {
	h, err := e.handler(t)
	if err != nil {
		return nil, false
	}
	signature, ok := h.Signature(name)
	if !ok {
		return nil, false
	}
	registration, _ := h.Registration(name)
	d := &Description{
		FunctionSignature: signature, Aliases: registration.Aliases,
		DeprecatedAliases: registration.DeprecatedAliases,
	}
	all := resourceTypes(h.ResourceProvider())
	switch {
	case signature.AttributeName != "" && e.remote != nil:
		registered, err := e.remote.RegisteredPaths(t)
		if err != nil {
			return nil, false
		}
		paths := registered[signature.AttributeName]
		d.Paths = pathsOf(configkit.PathSourceFunc(func(t api.ResourceType) []*api.PathVisitorInfo {
			return slices.Collect(maps.Values(paths[t]))
		}), slices.Collect(maps.Keys(paths)))
	case signature.AttributeName != "":
		d.Paths = pathsOf(h.ResourceProvider().AttributePaths(signature.AttributeName), all)
	case registration.Paths != nil:
		d.Paths = pathsOf(registration.Paths, all)
	}
	types := slices.Sorted(maps.Keys(d.Paths))
	if known, ok := h.ResourceProvider().(interface{ OfOperator(api.ResourceType) bool }); ok {
		d.Operators = slices.DeleteFunc(slices.Clone(types), func(t api.ResourceType) bool {
			return !known.OfOperator(t) || !slices.Contains(all, t) // only the server knows it
		})
	}
	if len(d.AffectedResourceTypes) == 0 {
		own := slices.DeleteFunc(types, func(t api.ResourceType) bool {
			return slices.Contains(d.Operators, t)
		})
		d.AffectedResourceTypes = append(own, d.Operators...)
	}
	return d, true
}

// RegisteredPaths returns the registered paths of a toolchain, by attribute and resource type. The
// error is an *UnsupportedToolchainError.
func (e *Executor) RegisteredPaths(
	t api.ToolchainType,
) (api.AttributeNameToResourceTypeToPathToVisitorInfoType, error) {
	h, err := e.handler(t)
	switch {
	case err != nil:
		return nil, err
	case e.remote != nil:
		return e.remote.RegisteredPaths(t)
	}
	return h.ResourceProvider().RegisteredPaths(), nil
}

// ResourceTypes returns the resource types in the registry of a toolchain, sorted.
func (e *Executor) ResourceTypes(t api.ToolchainType) []api.ResourceType {
	h, err := e.handler(t)
	if err != nil {
		return nil
	}
	return resourceTypes(h.ResourceProvider())
}

// resourceTypes returns the types of a registry, sorted and without the wildcard type.
func resourceTypes(provider configkit.ResourceProvider) []api.ResourceType {
	return slices.DeleteFunc(provider.ResourceTypes(), func(t api.ResourceType) bool {
		return t == api.ResourceTypeAny
	})
}

// pathsOf returns the paths of source by resource type. A path of the wildcard type is not repeated
// for the other types.
func pathsOf(
	source configkit.PathSource, types []api.ResourceType,
) api.ResourceTypeToPathToVisitorInfoType {
	paths := api.ResourceTypeToPathToVisitorInfoType{}
	everywhere := map[api.UnresolvedPath]bool{}
	for _, t := range append([]api.ResourceType{api.ResourceTypeAny}, types...) {
		for _, info := range source.PathsOf(t) {
			if everywhere[info.Path] {
				continue
			}
			if paths[t] == nil {
				paths[t] = api.PathToVisitorInfoType{}
			}
			paths[t][info.Path] = info
			everywhere[info.Path] = t == api.ResourceTypeAny
		}
	}
	return paths
}
