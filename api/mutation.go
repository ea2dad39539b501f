package api

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// MutationType says what happened to a resource or a path.
type MutationType string

// The mutation types.
const (
	MutationTypeNone    MutationType = "None"
	MutationTypeAdd     MutationType = "Add"
	MutationTypeUpdate  MutationType = "Update"
	MutationTypeReplace MutationType = "Replace"
	MutationTypeDelete  MutationType = "Delete"
)

// MutationInfo describes one change.
type MutationInfo struct {
	MutationType MutationType
	// Index is the position in the chain of the function that made the change.
	Index int
	// Value is the new value, or for a Delete the removed one, as YAML that ends in a newline. It
	// is empty for the Update of a resource, whose path mutations have the values.
	Value string
	// Patch is the difference between the old and the new text: a list of JSONMutation if the texts
	// are JSON, or a unified diff if they have several lines.
	Patch string `json:",omitempty"`
	// Protected says that the value must not be overwritten.
	Protected bool `json:",omitempty"`

	// Previous is the value that an Update replaced, if known. It is for people and is not
	// serialized.
	Previous string `json:"-"`
}

// UnmarshalJSON reads Protected, and also its former name Predicate, which has the opposite
// meaning.
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

// ResourceMutation describes what happened to one resource.
//
// Paths are written as in results, with two additional segment forms for list elements. An element
// is identified by its merge key (?name=web;@0, or ?port=53,protocol=UDP;@1 if the key has several
// fields). In a list without merge keys it is identified by the digest of its value
// (?~h=1b9d3f0c;@2, or ?~h=+1b9d3f0c;@2 if it is new). The index after ";@" is ignored when paths
// are compared. Plain indexes are accepted as input, too.
type ResourceMutation struct {
	Resource             ResourceInfo
	ResourceMutationInfo MutationInfo
	PathMutationMap      MutationMap
	// ArrayOrders holds the element keys, in order, of each list with merge keys whose order
	// changed.
	ArrayOrders map[ResolvedPath][]string `json:",omitempty"`
	// ArrayElementAliases maps old keys to new ones, for each list with merge keys in which the key
	// of an element changed.
	ArrayElementAliases map[ResolvedPath]map[string]string `json:",omitempty"`
	// Aliases and AliasesWithoutScopes are all names the resource has had. They may be nil if it
	// has had only one; JSON always includes it.
	Aliases              map[ResourceName]struct{}
	AliasesWithoutScopes map[ResourceName]struct{}

	// Appended marks the lists of ArrayOrders in which no element moved: elements were removed, got
	// another key, or were appended. It is for people and is not serialized.
	Appended map[ResolvedPath]bool `json:"-"`
}

// Names returns the aliases, or the name of the resource if there are none.
func (m *ResourceMutation) Names() map[ResourceName]struct{} {
	return namesOr(m.Aliases, m.Resource.ResourceName)
}

// NamesWithoutScopes returns the aliases without scopes, or the name of the resource without its
// scope if there are none.
func (m *ResourceMutation) NamesWithoutScopes() map[ResourceName]struct{} {
	return namesOr(m.AliasesWithoutScopes, m.Resource.ResourceNameWithoutScope)
}

func namesOr(names map[ResourceName]struct{}, name ResourceName) map[ResourceName]struct{} {
	if names == nil {
		return map[ResourceName]struct{}{name: {}}
	}
	return names
}

// plainMutation is a ResourceMutation without methods, for JSON.
type plainMutation ResourceMutation

// plain returns the mutation with the paths and names that JSON always has.
func (m ResourceMutation) plain() plainMutation {
	m.Aliases, m.AliasesWithoutScopes = m.Names(), m.NamesWithoutScopes()
	if m.PathMutationMap == nil {
		m.PathMutationMap = MutationMap{}
	}
	return plainMutation(m)
}

// MarshalJSON prints the resource mutation. Paths and names are printed even if they are nil.
func (m ResourceMutation) MarshalJSON() ([]byte, error) { return marshal(m.plain()) }

// Change is one change of a resource: of the whole resource if Path is empty, or of a value in it.
// Position is where the value is after the change, or where a deleted one was before it.
type Change struct {
	Resource ResourceInfo
	Path     ResolvedPath // as in ResourceMutation
	Mutation MutationInfo
	Position Position
}

// MutationConflict describes a change that was not made, or one that was made although it lost
// something.
type MutationConflict struct {
	Reason   ConflictReason
	Resource ResourceInfo
	// Path is empty if the conflict is about the whole resource.
	Path ResolvedPath `json:",omitempty"`
	// Source is the change that was wanted. Target is the change it conflicts with, if any.
	Source MutationInfo
	Target *MutationInfo `json:",omitempty"`
	// UnitID and LinkID identify the units of the merge.
	UnitID string `json:",omitempty"`
	LinkID string `json:",omitempty"`
}

// String returns the conflict as a person reads it: where it is, and what both sides have.
func (c MutationConflict) String() string {
	where := c.Resource.String()
	if c.Path != "" {
		where += ": " + string(c.Path)
	}
	return where + ": " + c.Message() + " (" + string(c.Reason) + ")"
}

// Message returns which side keeps or loses its value, and what the other side offers.
func (c MutationConflict) Message() string {
	return c.Describe("the target", "the source", false)
}

// Describe returns Message with the names of the two sides. With both, the text shows the two
// values next to each other, so that neither side has kept its own.
func (c MutationConflict) Describe(target, source string, both bool) string {
	keeps, wanted := "keeps", c.Source.made(source)
	if both {
		keeps = "has"
	}
	switch c.Reason {
	case ConflictSubtracted, ConflictBothAdded:
		return c.Target.kept(target, keeps) + ", " + wanted
	case ConflictDeleteShadowed:
		return c.Target.lost(target) + ", since " + wanted
	case ConflictProtectedPath:
		return target + " " + keeps + " its value, which may not be overwritten; " + wanted
	case ConflictUnresolvedPath:
		what := "path"
		if c.Path == "" {
			what = "resource"
		}
		return wanted + ", but " + target + " has no such " + what
	case ConflictArrayReordered:
		return "both sides changed the elements; " + target + " " + keeps + " its own, " + wanted
	case ConflictExclusiveWithheld:
		return c.Target.kept(target, keeps) + ", which excludes this; " + wanted
	case ConflictExclusiveCleared:
		return target + " loses it, since " + c.Source.made(source) +
			" in another field, which excludes it"
	}
	return wanted
}

// made describes the change as one that a side wants.
func (m *MutationInfo) made(side string) string {
	switch {
	case m.MutationType == MutationTypeDelete:
		return side + " deletes it"
	case m.Value == "":
		return side + " changes it"
	case m.MutationType == MutationTypeAdd:
		return side + " adds " + m.excerpt()
	}
	return side + " sets " + m.excerpt()
}

// kept describes the change of the side that keeps it.
func (m *MutationInfo) kept(side, keeps string) string {
	switch {
	case m == nil || m.Value == "" && m.MutationType != MutationTypeDelete:
		return side + " " + keeps + " its own change"
	case m.MutationType == MutationTypeDelete:
		return side + " has deleted it"
	}
	return side + " " + keeps + " " + m.excerpt()
}

// lost describes the change of the side that loses it.
func (m *MutationInfo) lost(side string) string {
	if m == nil || m.Value == "" || m.MutationType == MutationTypeDelete {
		return side + " loses its own change"
	}
	return side + " loses " + m.excerpt()
}

// excerpt returns the first line of the value, shortened, for a message.
func (m *MutationInfo) excerpt() string {
	if m == nil {
		return "something else"
	}
	first, _, _ := strings.Cut(m.Value, "\n")
	if r := []rune(first); len(r) > excerptRunes {
		first = string(r[:excerptRunes])
	}
	if !m.Fits() {
		first += " …"
	}
	return first
}

// excerptRunes is the number of characters of a value that messages show.
const excerptRunes = 60

// Fits reports whether messages show the whole value.
func (m *MutationInfo) Fits() bool {
	value := strings.TrimSuffix(m.Value, "\n")
	return !strings.Contains(value, "\n") && utf8.RuneCountInString(value) <= excerptRunes
}

// ConflictReason says why there is a conflict.
type ConflictReason string

// The conflict reasons.
const (
	// ConflictSubtracted: the target changed the same value differently and keeps its change.
	ConflictSubtracted ConflictReason = "Subtracted"
	// ConflictDeleteShadowed: something was deleted in which the target had made a change, which is
	// lost.
	ConflictDeleteShadowed ConflictReason = "DeleteShadowed"
	// ConflictProtectedPath: the value is protected.
	ConflictProtectedPath ConflictReason = "ProtectedPath"
	// ConflictUnresolvedPath: the path does not exist in the target.
	ConflictUnresolvedPath ConflictReason = "UnresolvedPath"
	// ConflictBothAdded: both sides added the resource, with different values at this path. The
	// target keeps its own.
	ConflictBothAdded ConflictReason = "BothAdded"
	// ConflictArrayReordered: both sides changed the elements of a list without merge keys in
	// incompatible ways. The target keeps its own.
	ConflictArrayReordered ConflictReason = "ArrayReordered"
	// ConflictExclusiveWithheld: the target chose another of several mutually exclusive fields.
	ConflictExclusiveWithheld ConflictReason = "ExclusiveWithheld"
	// ConflictExclusiveCleared: a field was removed because another field, which was set, excludes
	// it.
	ConflictExclusiveCleared ConflictReason = "ExclusiveCleared"
)

// Loses reports whether the target has lost its change, instead of keeping it.
func (r ConflictReason) Loses() bool {
	return r == ConflictDeleteShadowed || r == ConflictExclusiveCleared
}

// ConflictReasons returns all conflict reasons.
func ConflictReasons() []ConflictReason {
	return []ConflictReason{
		ConflictSubtracted, ConflictDeleteShadowed, ConflictProtectedPath, ConflictUnresolvedPath,
		ConflictBothAdded, ConflictArrayReordered,
		ConflictExclusiveWithheld, ConflictExclusiveCleared,
	}
}

// MutationConflictList is a list of conflicts.
type MutationConflictList []MutationConflict

// ResourceMutationList describes what happened to a unit.
type ResourceMutationList []ResourceMutation

// MarshalJSON encodes the list in one step. encoding/json would read the text of every element twice.
func (l ResourceMutationList) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("null"), nil
	}
	plain := make([]plainMutation, len(l))
	for i := range l {
		plain[i] = l[i].plain()
	}
	return marshal(plain)
}

// PatchMap maps "<type>#<name>" to the patches of that resource. It is an input only.
type PatchMap map[string]ResourcePatches

// ResourcePatches holds JSON patch operations.
type ResourcePatches struct {
	Patches []json.RawMessage
}

// JSONMutation is one change inside a text that is JSON.
type JSONMutation struct {
	Path         ResolvedPath
	MutationType MutationType
	Value        json.RawMessage
}
