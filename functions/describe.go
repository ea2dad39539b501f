package functions

import (
	"maps"
	"slices"

	"github.com/fctl-dev/fctl/functions/api"
)

// Description is what there is to know about a function, for help and completion. Unlike a signature it costs reading what is
// registered about all resource types.
type Description struct {
	// FunctionSignature has AffectedResourceTypes filled in from the registry.
	api.FunctionSignature
	// Aliases and DeprecatedAliases are all other names of the function, whichever of its names was asked for.
	Aliases, DeprecatedAliases []string
	// Paths are those of the function's attribute, if it has one.
	Paths api.ResourceTypeToPathToVisitorInfoType
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
	if signature.AttributeName != "" {
		d.Paths = h.ResourceProvider().RegisteredPaths()[signature.AttributeName]
	}
	if len(d.AffectedResourceTypes) == 0 {
		d.AffectedResourceTypes = slices.Sorted(maps.Keys(d.Paths))
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
	types := map[api.ResourceType]bool{}
	for _, of := range h.ResourceProvider().RegisteredPaths() {
		for resourceType := range of {
			types[resourceType] = true
		}
	}
	delete(types, api.ResourceTypeAny)
	return slices.Sorted(maps.Keys(types))
}
