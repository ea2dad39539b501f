package api

import "encoding/json"

// MutationType tells what happened to a resource or a path.
type MutationType string

// The mutation types.
const (
	MutationTypeNone    MutationType = "None"
	MutationTypeAdd     MutationType = "Add"
	MutationTypeUpdate  MutationType = "Update"
	MutationTypeReplace MutationType = "Replace"
	MutationTypeDelete  MutationType = "Delete"
)

// MutationInfo is one change. Value is a YAML fragment ending in a newline.
type MutationInfo struct {
	MutationType MutationType
	Index        int
	Value        string
	Patch        string `json:",omitempty"`
	Protected    bool   `json:",omitempty"`
}

// MutationMap maps paths to their changes.
type MutationMap map[ResolvedPath]MutationInfo

// ResourceMutation is what happened to one resource.
type ResourceMutation struct {
	Resource             ResourceInfo
	ResourceMutationInfo MutationInfo
	PathMutationMap      MutationMap
	ArrayOrders          map[ResolvedPath][]string          `json:",omitempty"`
	ArrayElementAliases  map[ResolvedPath]map[string]string `json:",omitempty"`
	Aliases              map[ResourceName]struct{}
	AliasesWithoutScopes map[ResourceName]struct{}
}

// ResourceMutationList is what happened to a unit.
type ResourceMutationList []ResourceMutation

// PatchMap maps "<type>#<name>" to the patches of that resource. It is an input only.
type PatchMap map[string]ResourcePatches

// ResourcePatches are JSON patch operations.
type ResourcePatches struct {
	Patches []json.RawMessage
}
