package entity

import "github.com/fctl-dev/fctl/api"

// MaxData is the maximum size of a unit's data, in bytes.
const MaxData = 64 << 20

// Space is a folder of units, links, invocations and filters.
type Space struct {
	SpaceID string
	Common
	// TargetFacts are facts that expressions can read.
	TargetFacts map[string]string `json:",omitempty"`
}

// Unit is a versioned set of configuration documents: its definition and what fctl recorded.
type Unit struct {
	UnitID string
	Common
	ToolchainType api.ToolchainType

	UnitState
}

// UnitState is what fctl records about a unit.
type UnitState struct {
	HeadRevisionNum   int64  // 0: no data was ever stored
	HeadMutationNum   int64  //
	HeadUnitActionNum int64  `json:",omitempty"` // the number of live state captures
	DataHash          string `json:",omitempty"` // of the head revision, see api.DataHash

	// The upstream fields follow the unit's one link of the type UpgradeUnit.
	UpstreamUnitID      string `json:",omitempty"`
	UpstreamSpaceID     string `json:",omitempty"`
	UpstreamRevisionNum int64  `json:",omitempty"`

	LastChangeDescription string `json:",omitempty"`
	// SelfBindings are the needs that the unit itself satisfies.
	SelfBindings []Binding `json:",omitempty"`
	// ExternalRevisionNum is the revision that holds the content of the last external merge. It is
	// the base of the next one.
	ExternalRevisionNum int64 `json:",omitempty"`
}

// UnitStateFile is the form of a unit's state on disk.
type UnitStateFile struct {
	UnitID string
	Recorded
	// ToolchainType is that of the definition, which cannot change.
	ToolchainType api.ToolchainType `json:",omitempty"`
	UnitState
}

// Kind implements Entity.
func (s *Space) Kind() Kind { return KindSpace }

// Self implements Entity.
func (s *Space) Self() Entity { return s }

// Ident implements Entity.
func (s *Space) Ident() *string { return &s.SpaceID }

// Name returns the slug.
func (s *Space) Name() string { return s.Slug }

// Definition implements Entity.
func (s *Space) Definition() Entity {
	d := *s
	d.Common = s.Common.definition()
	return &d
}

// Kind implements Entity.
func (u *Unit) Kind() Kind { return KindUnit }

// Self implements Entity.
func (u *Unit) Self() Entity { return u }

// Ident implements Entity.
func (u *Unit) Ident() *string { return &u.UnitID }

// Definition implements Entity.
func (u *Unit) Definition() Entity {
	return &Unit{UnitID: u.UnitID, Common: u.Common.definition(), ToolchainType: u.ToolchainType}
}

// State implements Entity.
func (u *Unit) State() any {
	return &UnitStateFile{
		UnitID: u.UnitID, Recorded: u.Recorded, ToolchainType: u.ToolchainType,
		UnitState: u.UnitState,
	}
}

// Restore implements Entity.
func (u *Unit) Restore(state any) {
	s := state.(*UnitStateFile)
	u.record(s.Recorded)
	u.UnitState = s.UnitState
}

// Workspace is what the marker of a workspace says.
type Workspace struct {
	WorkspaceID  string `json:",omitempty"`
	DefaultSpace string `json:",omitempty"`
	// NoAutoUpdate keeps commands from resolving automatic links.
	NoAutoUpdate bool `json:"-"`
	// Lock says that fctl.lock is kept.
	Lock bool `json:",omitempty"`
	// History says what git keeps: "", bases or git.
	History string `json:",omitempty"`
	// Layout is small if definitions leave out what can be derived, and empty if they do not.
	Layout string `json:",omitempty"`
	// ConflictSeverity says how severe conflicts are: the first rule that matches one.
	ConflictSeverity []ConflictRule `json:",omitempty"`
}
