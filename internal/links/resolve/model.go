package resolve

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/links/entity"
)

// HeadUnit is a unit at its head.
type HeadUnit struct {
	*entity.Unit
	Space *entity.Space // may be nil if nothing is known about it
	Data  []byte
	// Sources says where the values came from. Their indexes are numbers of Mutations.
	Sources api.ResourceMutationList
	// Mutations are needed by links that merge or upsert, and to explain values.
	Mutations []entity.Mutation
	Conflicts api.MutationConflictList // outstanding ones
}

// Upstream is an upstream unit. Several resolves, one after another, may share it.
type Upstream struct {
	HeadUnit
	// Links are the links of the unit itself. A link that merges reads them, and the mutations.
	Links []*entity.Link
	// Live is the newest capture of the live state. Its number is HeadUnitActionNum, 0 if nothing
	// was captured.
	Live []byte
	// At returns the data of a revision, or with live of a capture, by number. Number 0 is empty.
	// The error is an *entity.Error.
	At func(num int64, live bool) ([]byte, error)

	// read holds what links read of the unit, so that the next resolve need not parse it again.
	read map[sourceKey]*source
}

// sourceKey is what distinguishes the sources of one upstream unit.
type sourceKey struct {
	live  bool
	where string
}

// Input is what a resolve depends on.
type Input struct {
	Downstream HeadUnit
	// Links are the links to resolve, Others the other links of the unit.
	Links, Others []*entity.Link
	Upstreams     map[string]*Upstream          // by ID
	Invocations   map[string]*entity.Invocation // by ID
	Executor      *functions.Executor
	// Names returns "space/unit" for the ID of a unit.
	Names func(unitID string) string
	// MutationMatches evaluates a filter of mutations.
	MutationMatches func(where string, unit *entity.Unit, m *entity.Mutation) (bool, error)
	Options         Options
	// Recall says that links without a record came with git.
	Recall bool
}

// Options say how to resolve.
type Options struct {
	DryRun bool // only reported in the result
	// Automatic and KeepGoing note a link that fails and go on with the next.
	Automatic, KeepGoing bool
	// Force writes bound values that were edited.
	Force bool
	// NoSelf leaves needs that the unit itself satisfies, SelfOnly resolves only these.
	NoSelf, SelfOnly bool
	// Prune deletes resources that an Upsert wrote last time and does not produce now.
	Prune bool
	// AmbiguousFirst takes the first of several providers with different values.
	AmbiguousFirst bool
	// AdoptNamespace gives resources that a merge adds the one namespace of the unit.
	AdoptNamespace bool
	// Protect protects the written values.
	Protect bool
	// Ours settles conflicts of merges in favour of the unit, where it keeps its value, and Theirs
	// in favour of the upstream, except for protected values.
	Ours, Theirs bool
	// NeedsOnly has the IDs of links that run only if the unit has unbound needs in their phase.
	NeedsOnly map[string]bool
	// Noted has the IDs of links whose failure is only noted, whatever the others do.
	Noted map[string]bool
	// ToRevision is the upstream revision that an upgrade merges; 0 is the head.
	ToRevision int64
}

// Outcome is what a resolve does.
type Outcome struct {
	Data    []byte
	Changed bool
	Source  entity.Source
	// Mutations are numbered after those of the unit. IDs and times are missing.
	Mutations []entity.Mutation
	Sources   api.ResourceMutationList
	// Links are copies of the links that ran without error, and of those from which a binding moved
	// to another link, with their new records.
	Links  []*entity.Link
	Failed map[string]*entity.Error // by link ID
	// SelfBindings are the needs that the unit itself satisfies.
	SelfBindings []entity.Binding
	Upstream     *UpstreamFields // nil leaves them
	// Conflicts are all that are outstanding afterwards. They changed only if Merged.
	Conflicts api.MutationConflictList
	Merged    bool
	// MergeOf is the Name of a merge without a link.
	MergeOf string
	Result  entity.ResolveResult
	// Patches say what each link changed, by link ID; "" is the unit itself.
	Patches map[string]api.ResourceMutationList
}

// UpstreamFields are the fields of a unit that follow its UpgradeUnit link.
type UpstreamFields struct {
	UnitID, SpaceID string
	RevisionNum     int64
}
