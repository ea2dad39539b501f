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
	// SelfBindings are the needs that the unit itself satisfies, if this resolve filled some.
	SelfBindings []Binding `json:",omitempty"`
	Conflicts    api.MutationConflictList
	Warnings     []Warning
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
	// Values are what TransformPaths read upstream, by name, and Results what it computed.
	Values  map[string]any     `json:",omitempty"`
	Results []ExpressionResult `json:",omitempty"`
	// Produced are the resources that an Upsert would write, before what the unit has is carried
	// over, in YAML. Only a dry run has them.
	Produced []string `json:",omitempty"`
}

// ExpressionResult is the value of an expression: of a path, or of an argument of a function.
type ExpressionResult struct {
	Resource   string `json:",omitempty"` // type and name; of a path
	Path       string `json:",omitempty"`
	Function   string `json:",omitempty"` // the whole call, with the values of expressions
	Expression string `json:",omitempty"`
	Evaluator  string `json:",omitempty"`
	Value      any    `json:",omitempty"`
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
