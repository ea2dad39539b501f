package entity

import (
	"encoding/json"

	"github.com/fctl-dev/fctl/api"
)

// Status says what resolving a link did.
type Status string

// The statuses of a link after a resolve.
const (
	StatusChanged   Status = "Changed"
	StatusUnchanged Status = "Unchanged"
	StatusSkipped   Status = "Skipped"
	StatusFailed    Status = "Failed"
)

// ResolveResult is what a resolve did, or would do, to one unit.
type ResolveResult struct {
	Space, Unit     string
	DryRun          bool
	BaseRevisionNum int64
	// NewRevisionNum is BaseRevisionNum if nothing changed. In a dry run it is the number that
	// would be used.
	NewRevisionNum          int64
	Links                   []LinkResult
	FunctionMutationSummary api.ResourceMutationList
	Conflicts               api.MutationConflictList
	Warnings                []Warning
	// Propagated has one result for each unit that automatic links changed afterwards.
	Propagated []ResolveResult
}

// LinkResult is what a resolve did to one link.
type LinkResult struct {
	Link         string // slug
	UpdateType   UpdateType
	Status       Status
	Code         Code
	Message      string
	UpstreamFrom int64 // the pointer before
	UpstreamTo   int64 // the pointer afterwards
	Bindings     []Binding
}

// Warning is something a person should know that does not make an operation fail.
type Warning struct {
	Code     Code
	Message  string
	Space    string
	Unit     string
	Link     string `json:",omitempty"`
	Resource string `json:",omitempty"`
	Path     string `json:",omitempty"`
}

// MarshalJSON prints empty lists as [].
func (r ResolveResult) MarshalJSON() ([]byte, error) {
	type plain ResolveResult
	r.Links, r.Warnings = orEmpty(r.Links), orEmpty(r.Warnings)
	r.FunctionMutationSummary = orEmpty(r.FunctionMutationSummary)
	r.Conflicts, r.Propagated = orEmpty(r.Conflicts), orEmpty(r.Propagated)
	return json.Marshal(plain(r))
}

// MarshalJSON prints empty lists as [].
func (l LinkResult) MarshalJSON() ([]byte, error) {
	type plain LinkResult
	l.Bindings = orEmpty(l.Bindings)
	return json.Marshal(plain(l))
}

func orEmpty[S ~[]T, T any](list S) S {
	if list == nil {
		return S{}
	}
	return list
}
