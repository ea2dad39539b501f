package entity

import (
	"slices"
	"strings"
	"time"

	"github.com/fctl-dev/fctl/api"
)

// UpdateType says what resolving a link does to its downstream unit.
type UpdateType string

// The update types.
const (
	UpdateNone           UpdateType = "None"
	UpdateUpgradeUnit    UpdateType = "UpgradeUnit"
	UpdateMergeUnits     UpdateType = "MergeUnits"
	UpdateInsert         UpdateType = "Insert"
	UpdateUpsert         UpdateType = "Upsert"
	UpdateTransformPaths UpdateType = "TransformPaths"
	UpdateNeedsProvides  UpdateType = "NeedsProvides"
)

// UpdateTypes returns all update types.
func UpdateTypes() []UpdateType {
	return []UpdateType{
		UpdateNone, UpdateUpgradeUnit, UpdateMergeUnits, UpdateInsert, UpdateUpsert,
		UpdateTransformPaths, UpdateNeedsProvides,
	}
}

// Link connects a downstream unit (From, the consumer) with an upstream unit (To, the producer):
// its definition and what fctl recorded. Data flows from To to From.
type Link struct {
	LinkID string
	Common

	FromUnit   string // slug
	FromUnitID string `json:",omitempty"`
	ToUnit     string // slug
	ToUnitID   string `json:",omitempty"`
	ToSpace    string `json:",omitempty"` // slug; empty for the space of the link
	ToSpaceID  string `json:",omitempty"`

	// UpdateType is empty for NeedsProvides; see Type.
	UpdateType UpdateType `json:",omitempty"`
	AutoUpdate bool
	// Stated says that the definition says AutoUpdate.
	Stated       bool `json:"-"`
	UseLiveState bool `json:",omitempty"`

	WhereMutation           string `json:",omitempty"`
	WhereResource           string `json:",omitempty"`
	MergeDisableSubtraction bool   `json:",omitempty"`
	// OriginOnly lets a merge take from a clone only the changes that came from its own origin.
	OriginOnly bool `json:",omitempty"`

	// Bindings are those of the definition followed by those that resolving made, which have
	// AutoUpdate.
	Bindings []Binding `json:",omitempty"`

	TransformInvocation   string `json:",omitempty"` // [space/]slug
	TransformInvocationID string `json:",omitempty"`

	UpstreamPaths       []NamedPath             `json:",omitempty"`
	UpstreamGetters     []NamedFunctionResult   `json:",omitempty"`
	DownstreamPaths     []PathExpression        `json:",omitempty"`
	DownstreamSetters   []ParameterizedFunction `json:",omitempty"`
	InsertStripMetadata bool                    `json:",omitempty"`

	// Merged names the data that a link which merges has merged last, by the hash that git gives to
	// it. Only workspaces in git have it.
	Merged string `json:",omitempty"`

	// Unrecorded says that only the definition of the link is known.
	Unrecorded bool `json:"-"`
	// Hash is over the definition, see package workspace.
	Hash string `json:",omitempty"`
	LinkRecord
	// Stale says that resolving may change something, and StaleReasons why.
	Stale        bool          `json:",omitempty"`
	StaleReasons []StaleReason `json:",omitempty"`
}

// LinkRecord is what resolving records about a link, without bindings.
type LinkRecord struct {
	// UpstreamLastMergedRevisionNum is the upstream revision that was last merged or read, or the
	// number of the live state capture with UseLiveState.
	UpstreamLastMergedRevisionNum int64
	// MergeBaseRevisionNum is the upstream revision, or the live state capture, that the last merge
	// compared with, if the link merges.
	MergeBaseRevisionNum int64 `json:",omitempty"`
	// MergedHash is the hash of the data that the link merged last, see api.DataHash. A unit
	// whose history began again has other data under the same number.
	MergedHash string `json:",omitempty"`
	// MergedBlob is Merged as it was when the record was made: the record is about that.
	MergedBlob string `json:",omitempty"`
	// DownstreamLastMergedRevisionNum is the downstream revision that the last resolve created.
	DownstreamLastMergedRevisionNum int64
	// MergeMutationNum is the downstream mutation of the last merge that changed something.
	MergeMutationNum int64 `json:",omitempty"`
	// ResolvedHash is Hash at the last successful resolve.
	ResolvedHash string `json:",omitempty"`
	// MadeCurrent says that the pointers were set without a resolve.
	MadeCurrent bool `json:",omitempty"`
	// BaseUnknown says that nobody recorded here what a link that merges has merged so far. Its
	// file may have come with git, for example, without the records.
	BaseUnknown bool `json:",omitempty"`
	// TransformHash identifies the definition of the invocation that an Upsert last used.
	TransformHash string `json:",omitempty"`
	// WrittenHash is the hash of what an Insert wrote last, see api.DataHash.
	WrittenHash string `json:",omitempty"`
	// Outputs are the resources that an Upsert wrote last.
	Outputs []api.ResourceInfo `json:",omitempty"`
	// LastError is why the last resolve failed, nil if it succeeded.
	LastError *LastError `json:",omitempty"`
}

// HasMerged reports whether data may be the data that the link merged last.
func (r *LinkRecord) HasMerged(data []byte) bool {
	return r.MergedHash == "" || r.MergedHash == api.DataHash(data)
}

// LastError is why a resolve failed.
type LastError struct {
	Code    Code
	Message string
	Time    time.Time `json:",omitzero"`
}

// LinkStateFile is the form of a link's state on disk.
type LinkStateFile struct {
	LinkID string
	Recorded
	LinkRecord
	// Bindings are those that resolving made.
	Bindings []Binding `json:",omitempty"`
}

// StaleReason says why a link is stale.
type StaleReason string

// The stale reasons, in the order in which they are listed.
const (
	StaleNeverResolved     StaleReason = "NeverResolved"
	StaleUpstreamChanged   StaleReason = "UpstreamChanged"
	StaleLinkChanged       StaleReason = "LinkChanged"
	StaleTransformChanged  StaleReason = "TransformChanged"
	StaleLastAttemptFailed StaleReason = "LastAttemptFailed"
)

// Type returns the update type of the link, NeedsProvides if none was stated.
func (l *Link) Type() UpdateType {
	if l.UpdateType == "" {
		return UpdateNeedsProvides
	}
	return l.UpdateType
}

// Text returns the reason in words.
func (r StaleReason) Text() string {
	switch r {
	case StaleNeverResolved:
		return "never resolved"
	case StaleUpstreamChanged:
		return "upstream changed"
	case StaleLinkChanged:
		return "link changed"
	case StaleTransformChanged:
		return "transform changed"
	case StaleLastAttemptFailed:
		return "last try failed"
	}
	return string(r)
}

// Reasons returns the stale reasons as a text.
func (l *Link) Reasons() string {
	texts := make([]string, len(l.StaleReasons))
	for i, r := range l.StaleReasons {
		texts[i] = string(r)
	}
	return strings.Join(texts, ",")
}

// Merges reports whether the link merges units.
func (l *Link) Merges() bool {
	return l.UpdateType == UpdateUpgradeUnit || l.UpdateType == UpdateMergeUnits
}

// MergedFrom returns the WhereMutation of a clone: the link overwrites what it has merged itself from
// the unit with an ID, and keeps what others have set.
func MergedFrom(unitID string) string { return "MergeSourceID = '" + unitID + "'" }

// FromGit reports whether git has brought another Merged than was recorded.
func (l *Link) FromGit() bool { return l.Merges() && l.Merged != "" && l.Merged != l.MergedBlob }

// CopiesResources reports whether the link brings whole resources, or merges them: a value arrives
// at the path that it has upstream.
func (l *Link) CopiesResources() bool { return l.Merges() || l.UpdateType == UpdateUpsert }

// Kind implements Entity.
func (l *Link) Kind() Kind { return KindLink }

// Self implements Entity.
func (l *Link) Self() Entity { return l }

// Ident implements Entity.
func (l *Link) Ident() *string { return &l.LinkID }

// Definition implements Entity.
func (l *Link) Definition() Entity { return l.Defined() }

// Defined returns a copy with the fields that the definition file has.
func (l *Link) Defined() *Link {
	d := *l
	d.Common = l.Common.definition()
	d.Bindings, _ = l.splitBindings()
	d.Hash, d.LinkRecord, d.Stale, d.StaleReasons = "", LinkRecord{}, false, nil
	return &d
}

// State implements Entity.
func (l *Link) State() any {
	_, made := l.splitBindings()
	return &LinkStateFile{
		LinkID: l.LinkID, Recorded: l.Recorded, LinkRecord: l.LinkRecord, Bindings: made,
	}
}

// Restore implements Entity.
func (l *Link) Restore(state any) {
	s := state.(*LinkStateFile)
	l.record(s.Recorded)
	l.LinkRecord = s.LinkRecord
	if l.Unrecorded = s.LinkID == ""; l.Unrecorded {
		l.BaseUnknown = l.Merges() && l.Merged == ""
	}
	stated, _ := l.splitBindings()
	l.Bindings = slices.Concat(stated, s.Bindings)
}

// splitBindings returns the bindings of the definition and those that resolving made.
func (l *Link) splitBindings() (stated, made []Binding) {
	for _, b := range l.Bindings {
		if b.AutoUpdate {
			made = append(made, b)
		} else {
			stated = append(stated, b)
		}
	}
	return stated, made
}

// Binding says that a path of a downstream resource gets its value from a path of an upstream one.
type Binding struct {
	AttributeName    string            `json:",omitempty"`
	DataType         api.DataType      `json:",omitempty"` // empty for string
	ProvidedResource *api.ResourceInfo `json:",omitempty"`
	ProvidedPath     string            `json:",omitempty"`
	InLiveState      bool              `json:",omitempty"`
	NeededResource   *api.ResourceInfo `json:",omitempty"`
	NeededPath       string            `json:",omitempty"`
	// AutoUpdate says that resolving made the binding and maintains it.
	AutoUpdate bool
	// OriginalValue is the value found at first, with its placeholder. LastValue is the value that
	// was last written through the binding. Both are a string, an int64 or a bool.
	OriginalValue any `json:",omitempty"`
	LastValue     any `json:",omitempty"`
	// Overridden says that somebody edited the bound value.
	Overridden bool `json:",omitempty"`
}

// NamedPath is a value to read upstream.
type NamedPath struct {
	Name     string
	Resource ResourceReference
	Path     string
}

// ResourceReference selects resources by type and name. An empty field or * selects all.
type ResourceReference struct {
	ResourceCategory api.ResourceCategory `json:",omitempty"`
	ResourceType     api.ResourceType     `json:",omitempty"`
	// ResourceName is the full name if it has a slash, otherwise the name without its scope.
	ResourceName api.ResourceName `json:",omitempty"`
}

// NamedFunctionResult is a value that a function reads upstream.
type NamedFunctionResult struct {
	Name               string
	FunctionInvocation api.FunctionInvocation
}

// PathExpression is an expression whose value is written to a path downstream.
type PathExpression struct {
	Key        string `json:",omitempty"`
	Resource   ResourceReference
	Path       string
	Expression string
	Evaluator  string       `json:",omitempty"` // template (the default) or cel
	Parameters []string     `json:",omitempty"` // the names that the expression can read
	DataType   api.DataType `json:",omitempty"` // empty for string
}

// ParameterizedFunction is a function that changes the downstream unit. Its arguments may be
// expressions.
type ParameterizedFunction struct {
	Key                string `json:",omitempty"`
	FunctionInvocation api.FunctionInvocation
	Parameters         []string `json:",omitempty"`
}
