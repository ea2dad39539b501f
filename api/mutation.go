package api

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

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

// MutationInfo is one change.
type MutationInfo struct {
	MutationType MutationType
	// Index is the position in the chain of the function that made the change.
	Index int
	// Value is the new value, of a Delete the one that was removed: YAML, ending in a newline. That of the Update of a resource
	// is empty; its paths tell.
	Value string
	// Patch is, for texts of several lines, the difference as a unified diff, and for texts that are JSON as a list of JSONMutation.
	Patch string `json:",omitempty"`
	// Protected says that the place may not be overwritten.
	Protected bool `json:",omitempty"`

	// Previous is the value an Update replaced, if that is known. It is for people and does not travel.
	Previous string `json:"-"`
}

// UnmarshalJSON reads Protected, and what it was called once: Predicate, which says the opposite.
func (m *MutationInfo) UnmarshalJSON(data []byte) error {
	type plain MutationInfo
	read := struct {
		*plain
		Predicate *bool
	}{plain: (*plain)(m)}
	if err := json.Unmarshal(data, &read); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			wrong.Field = strings.TrimPrefix(wrong.Field, "plain.")
		}
		return err
	}
	m.Protected = m.Protected || read.Predicate != nil && !*read.Predicate
	return nil
}

// MutationMap maps paths to their changes.
type MutationMap map[ResolvedPath]MutationInfo

// ResourceMutation is what happened to one resource.
//
// Paths are those of results, with two segments of their own for elements of lists: ?name=web;@0 is known by its merge key (by
// several as ?port=53,protocol=UDP;@1), ?~h=1b9d3f0c;@2 in a list without merge keys by the digest of its value, ?~h=+1b9d3f0c;@2 is
// new in such a list. What follows ";@" is the index, which does not count when paths are compared. Indexes alone are read, too.
type ResourceMutation struct {
	Resource             ResourceInfo
	ResourceMutationInfo MutationInfo
	PathMutationMap      MutationMap
	// ArrayOrders are the keys, in their order, of the elements of lists with merge keys whose order changed.
	ArrayOrders map[ResolvedPath][]string `json:",omitempty"`
	// ArrayElementAliases are the new keys, by the old ones, of elements of lists with merge keys whose key changed.
	ArrayElementAliases map[ResolvedPath]map[string]string `json:",omitempty"`
	// Aliases are all names the resource has had. Where it has had no other they may be nil; JSON has the name in any case.
	Aliases              map[ResourceName]struct{}
	AliasesWithoutScopes map[ResourceName]struct{}

	// Appended are the lists of ArrayOrders in which nothing has moved: elements are gone, have got other keys, or are new behind the
	// others. It is for people and does not travel.
	Appended map[ResolvedPath]bool `json:"-"`
}

// Names are the aliases, or the name of the resource when there are none.
func (m *ResourceMutation) Names() map[ResourceName]struct{} {
	return namesOr(m.Aliases, m.Resource.ResourceName)
}

// NamesWithoutScopes are the same without scopes.
func (m *ResourceMutation) NamesWithoutScopes() map[ResourceName]struct{} {
	return namesOr(m.AliasesWithoutScopes, m.Resource.ResourceNameWithoutScope)
}

func namesOr(names map[ResourceName]struct{}, name ResourceName) map[ResourceName]struct{} {
	if names == nil {
		return map[ResourceName]struct{}{name: {}}
	}
	return names
}

// MarshalJSON prints the paths and the names of the resource in any case.
func (m ResourceMutation) MarshalJSON() ([]byte, error) {
	type plain ResourceMutation
	m.Aliases, m.AliasesWithoutScopes = m.Names(), m.NamesWithoutScopes()
	if m.PathMutationMap == nil {
		m.PathMutationMap = MutationMap{}
	}
	return marshal(plain(m))
}

// MutationConflict is a change that was not made, or one that was made although something is lost by it.
type MutationConflict struct {
	Reason   ConflictReason
	Resource ResourceInfo
	// Path is empty when it is about the resource as a whole.
	Path ResolvedPath `json:",omitempty"`
	// Source is the change that was to be made, Target what stands against it, if that is a change too.
	Source MutationInfo
	Target *MutationInfo `json:",omitempty"`
	// UnitID and LinkID tell where a merge of units took place.
	UnitID string `json:",omitempty"`
	LinkID string `json:",omitempty"`
}

// String is what a person wants to know of the conflict: where it is, what was wanted and what there is.
func (c MutationConflict) String() string {
	place := c.Resource.String()
	if c.Path != "" {
		place += ": " + string(c.Path)
	}
	return place + ": " + c.Message() + " (" + string(c.Reason) + ")"
}

// Message is what was wanted and what there is.
func (c MutationConflict) Message() string {
	if c.Reason == ConflictExclusiveCleared {
		return "removed, since another field, which excludes it, is " + c.Source.wish()
	}
	var b strings.Builder
	b.WriteString(c.Source.wish())
	switch c.Reason {
	case ConflictSubtracted, ConflictBothAdded:
		b.WriteString(", but the target " + c.Target.deed() + ", which stays")
	case ConflictDeleteShadowed:
		b.WriteString(", although the target " + c.Target.deed() + ", which is lost")
	case ConflictProtectedPath:
		b.WriteString(", but it is protected")
	case ConflictUnresolvedPath:
		what := "place"
		if c.Path == "" {
			what = "resource"
		}
		b.WriteString(", but there is no such " + what)
	case ConflictArrayReordered:
		b.WriteString(", but the target has changed its elements, too; they stay")
	case ConflictExclusiveWithheld:
		b.WriteString(", but the target " + c.Target.deed() + ", which excludes it and stays")
	}
	return b.String()
}

// wish and deed tell of a change as of one that is to be made and one that was made.
func (m *MutationInfo) wish() string {
	switch m.MutationType {
	case MutationTypeDelete:
		return "to be deleted"
	case MutationTypeAdd:
		return "to be added as " + m.shown()
	}
	if m.Value == "" {
		return "to be changed"
	}
	return "to be set to " + m.shown()
}

func (m *MutationInfo) deed() string {
	switch {
	case m == nil:
		return "has changed it"
	case m.MutationType == MutationTypeDelete:
		return "has deleted it"
	case m.Value == "":
		return "has changed it"
	}
	return "has " + m.shown()
}

// shown is the value on one line.
func (m *MutationInfo) shown() string {
	if m == nil {
		return "something else"
	}
	first, _, _ := strings.Cut(m.Value, "\n")
	if r := []rune(first); len(r) > shownRunes {
		first = string(r[:shownRunes])
	}
	if !m.Fits() {
		first += " …"
	}
	return first
}

// shownRunes is how much of a value messages tell.
const shownRunes = 60

// Fits reports whether messages tell all of the value.
func (m *MutationInfo) Fits() bool {
	value := strings.TrimSuffix(m.Value, "\n")
	return !strings.Contains(value, "\n") && utf8.RuneCountInString(value) <= shownRunes
}

// ConflictReason tells why there is a conflict.
type ConflictReason string

// The reasons for conflicts.
const (
	// ConflictSubtracted: the target has changed the same place in another way, and keeps its change.
	ConflictSubtracted ConflictReason = "Subtracted"
	// ConflictDeleteShadowed: something was deleted in which the target had changed something, which is lost.
	ConflictDeleteShadowed ConflictReason = "DeleteShadowed"
	// ConflictProtectedPath: the place is protected.
	ConflictProtectedPath ConflictReason = "ProtectedPath"
	// ConflictUnresolvedPath: the target has no such place.
	ConflictUnresolvedPath ConflictReason = "UnresolvedPath"
	// ConflictBothAdded: both have added the resource, with different values at this place; the target keeps its own.
	ConflictBothAdded ConflictReason = "BothAdded"
	// ConflictArrayReordered: both have changed the elements of a list without merge keys in ways that do not go together; the
	// target keeps its own.
	ConflictArrayReordered ConflictReason = "ArrayReordered"
	// ConflictExclusiveWithheld: the target has chosen another of several fields that exclude each other.
	ConflictExclusiveWithheld ConflictReason = "ExclusiveWithheld"
	// ConflictExclusiveCleared: a field was removed that one that was set excludes.
	ConflictExclusiveCleared ConflictReason = "ExclusiveCleared"
)

// ConflictReasons are the reasons there are.
func ConflictReasons() []ConflictReason {
	return []ConflictReason{
		ConflictSubtracted, ConflictDeleteShadowed, ConflictProtectedPath, ConflictUnresolvedPath, ConflictBothAdded, ConflictArrayReordered,
		ConflictExclusiveWithheld, ConflictExclusiveCleared,
	}
}

// MutationConflictList is a list of conflicts.
type MutationConflictList []MutationConflict

// ResourceMutationList is what happened to a unit.
type ResourceMutationList []ResourceMutation

// PatchMap maps "<type>#<name>" to the patches of that resource. It is an input only.
type PatchMap map[string]ResourcePatches

// ResourcePatches are JSON patch operations.
type ResourcePatches struct {
	Patches []json.RawMessage
}

// JSONMutation is one change inside of a text that is JSON.
type JSONMutation struct {
	Path         ResolvedPath
	MutationType MutationType
	Value        json.RawMessage
}
