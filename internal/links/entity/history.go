package entity

import (
	"strings"
	"time"

	"github.com/fctl-dev/fctl/api"
)

// Source says what made a revision.
type Source string

// The sources of revisions.
const (
	SourceCreateUnit    Source = "CreateUnit"
	SourceCloneUnit     Source = "CloneUnit"
	SourceEdit          Source = "Edit" // the working copy was edited
	SourceUpdate        Source = "Update"
	SourceInvoke        Source = "Invoke"
	SourceUpgradeUnit   Source = "UpgradeUnit"
	SourceMergeUnits    Source = "MergeUnits"
	SourceResolve       Source = "Resolve"
	SourceRestore       Source = "Restore"
	SourceMergeExternal Source = "MergeExternal"
)

// Revision is one state of a unit's data. Revision 0 is the empty state before the first data; it
// is not stored.
type Revision struct {
	RevisionNum int64
	RevisionID  string
	UnitID      string    `json:",omitempty"`
	DataHash    string    // see api.DataHash
	Source      Source    //
	Description string    `json:",omitempty"`
	CreatedAt   time.Time `json:",omitzero"`
}

// Mutation is one cause of a change within a revision. Pointers are nil, and texts empty, where a
// field does not apply; filters see them as NULL.
type Mutation struct {
	MutationNum int64 // from 1; MutationInfo.Index of the mutation sources refers to it
	RevisionNum int64
	MutationID  string    `json:",omitempty"`
	CreatedAt   time.Time `json:",omitzero"`

	FunctionInvocation *api.FunctionInvocation `json:",omitempty"`
	InvocationID       string                  `json:",omitempty"`
	LinkID             string                  `json:",omitempty"`
	// ProvidedResource and ProvidedPath are where the value of a binding came from.
	ProvidedResource *api.ResourceInfo `json:",omitempty"`
	ProvidedPath     string            `json:",omitempty"`
	// MergeSourceID is the upstream unit of a clone, an upgrade or a merge. The merged range of its
	// revisions begins after the base.
	MergeSourceID                   string `json:",omitempty"`
	MergeBaseRevisionNum            *int64 `json:",omitempty"`
	MergeEndRevisionNum             *int64 `json:",omitempty"`
	UpgradedFromUpstreamRevisionNum *int64 `json:",omitempty"`
	RestoredRevisionNum             *int64 `json:",omitempty"`
	Subgroup                        string `json:",omitempty"`
}

// Invocation is a stored function invocation.
type Invocation struct {
	InvocationID string
	Common
	ToolchainType  api.ToolchainType
	FunctionName   string
	Arguments      []api.FunctionArgument `json:",omitempty"`
	WhereResource  string                 `json:",omitempty"`
	BridgeWorkerID string                 `json:",omitempty"`
}

// FilterFrom says what a stored filter selects.
type FilterFrom string

// What a filter can select.
const (
	FilterUnit     FilterFrom = "Unit"
	FilterLink     FilterFrom = "Link"
	FilterMutation FilterFrom = "Mutation"
	FilterSpace    FilterFrom = "Space"
)

// Kind returns the kind of what is selected.
func (f FilterFrom) Kind() Kind { return Kind(strings.ToLower(string(f))) }

// Filter is a stored filter.
type Filter struct {
	FilterID string
	Common
	From         FilterFrom
	FromSpace    string           `json:",omitempty"` // slug; empty for all
	Where        string           `json:",omitempty"`
	WhereData    string           `json:",omitempty"` // for units only
	ResourceType api.ResourceType `json:",omitempty"` // for units only
}

// Kind implements Entity.
func (i *Invocation) Kind() Kind { return KindInvocation }

// Self implements Entity.
func (i *Invocation) Self() Entity { return i }

// Ident implements Entity.
func (i *Invocation) Ident() *string { return &i.InvocationID }

// Definition implements Entity.
func (i *Invocation) Definition() Entity {
	d := *i
	d.Common = i.Common.definition()
	return &d
}

// Call returns the function of the invocation with its arguments.
func (i *Invocation) Call() api.FunctionInvocation {
	return api.FunctionInvocation{
		FunctionName: i.FunctionName, Arguments: i.Arguments, WhereResource: i.WhereResource,
	}
}

// Kind implements Entity.
func (f *Filter) Kind() Kind { return KindFilter }

// Self implements Entity.
func (f *Filter) Self() Entity { return f }

// Ident implements Entity.
func (f *Filter) Ident() *string { return &f.FilterID }

// Definition implements Entity.
func (f *Filter) Definition() Entity {
	d := *f
	d.Common = f.Common.definition()
	return &d
}
