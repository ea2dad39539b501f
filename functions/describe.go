package functions

import (
	"maps"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
)

// Description is what there is to know about a function, for help and completion. Unlike a signature it costs reading what is
// registered about all resource types.
type Description struct {
	// FunctionSignature has AffectedResourceTypes filled in from the registry.
	api.FunctionSignature
	// Aliases and DeprecatedAliases are all other names of the function, whichever of its names was asked for.
	Aliases, DeprecatedAliases []string
	// Paths are those of the function's attribute, if it has one, or else of the places it is registered for.
	Paths api.ResourceTypeToPathToVisitorInfoType
	// Operators are those of the types with paths that operators define and fctl knows of itself.
	Operators []api.ResourceType
}

// Describe describes a function by any of its names.
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
	d := &Description{FunctionSignature: signature, Aliases: registration.Aliases, DeprecatedAliases: registration.DeprecatedAliases}
	switch {
	case signature.AttributeName != "":
		d.Paths = h.ResourceProvider().RegisteredPaths()[signature.AttributeName]
	case registration.Places != nil:
		d.Paths = pathsOf(registration.Places, resourceTypes(h.ResourceProvider()))
	}
	types := slices.Sorted(maps.Keys(d.Paths))
	if known, ok := h.ResourceProvider().(interface{ OfOperator(api.ResourceType) bool }); ok {
		d.Operators = slices.DeleteFunc(slices.Clone(types), func(t api.ResourceType) bool { return !known.OfOperator(t) })
	}
	if len(d.AffectedResourceTypes) == 0 {
		own := slices.DeleteFunc(types, func(t api.ResourceType) bool { return slices.Contains(d.Operators, t) })
		d.AffectedResourceTypes = append(own, d.Operators...)
	}
	return d, true
}

// RegisteredPaths is the registry of a toolchain: every attribute with the paths of the resource types that have it.
func (e *Executor) RegisteredPaths(t api.ToolchainType) (api.AttributeNameToResourceTypeToPathToVisitorInfoType, error) {
	h, err := e.handler(t)
	if err != nil {
		return nil, err
	}
	return h.ResourceProvider().RegisteredPaths(), nil
}

// ResourceTypes are the types of a toolchain that something is known about, sorted.
func (e *Executor) ResourceTypes(t api.ToolchainType) []api.ResourceType {
	h, err := e.handler(t)
	if err != nil {
		return nil
	}
	return resourceTypes(h.ResourceProvider())
}

func resourceTypes(provider configkit.ResourceProvider) []api.ResourceType {
	types := map[api.ResourceType]bool{}
	for _, of := range provider.RegisteredPaths() {
		for resourceType := range of {
			types[resourceType] = true
		}
	}
	delete(types, api.ResourceTypeAny)
	return slices.Sorted(maps.Keys(types))
}

// pathsOf are the paths that resources of the types have; those of every resource are told once.
func pathsOf(source configkit.PathSource, types []api.ResourceType) api.ResourceTypeToPathToVisitorInfoType {
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
