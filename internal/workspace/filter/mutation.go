package filter

import (
	"time"

	"github.com/fctl-dev/fctl/internal/workspace/entity"
)

// MutationContext is what a filter of mutations needs beside the mutation.
type MutationContext struct {
	Unit     *entity.Unit
	Revision *entity.Revision // of the mutation; nil if it is missing
	// The Names functions return the names of entities by their IDs, and "" for unknown ones:
	// "space/slug" of a unit, the slug of a link or of an invocation.
	UnitName, LinkSlug, InvocationSlug func(id string) string
}

// MutationSchema returns the attributes of mutations.
func MutationSchema() Schema {
	return Schema{
		"MutationNum": Number, "MutationID": ID, "RevisionNum": Number, "RevisionID": ID,
		"FunctionName": Text, "InvocationID": ID, "LinkID": ID, "MergeSourceID": ID,
		"MergeBaseRevisionNum": Number, "MergeEndRevisionNum": Number,
		"UpgradedFromUpstreamRevisionNum": Number, "RestoredRevisionNum": Number,
		"Subgroup": Text, "CreatedAt": Text, "UpdatedAt": Text, "UnitID": ID, "SpaceID": ID,
		"Source": Text, "LinkSlug": Text, "MergeSource": Text, "InvocationSlug": Text,
	}
}

// OfMutation returns the attributes of a mutation. What a mutation lacks is NULL.
func OfMutation(m *entity.Mutation, c MutationContext) func(string) Value {
	return func(name string) Value {
		switch name {
		case "MutationNum":
			return NumberValue(m.MutationNum)
		case "MutationID":
			return TextValue(m.MutationID)
		case "RevisionNum":
			return NumberValue(m.RevisionNum)
		case "FunctionName":
			if m.FunctionInvocation == nil {
				return Value{}
			}
			return TextValue(m.FunctionInvocation.FunctionName)
		case "InvocationID":
			return TextValue(m.InvocationID)
		case "LinkID":
			return TextValue(m.LinkID)
		case "MergeSourceID":
			return TextValue(m.MergeSourceID)
		case "MergeBaseRevisionNum":
			return optional(m.MergeBaseRevisionNum)
		case "MergeEndRevisionNum":
			return optional(m.MergeEndRevisionNum)
		case "UpgradedFromUpstreamRevisionNum":
			return optional(m.UpgradedFromUpstreamRevisionNum)
		case "RestoredRevisionNum":
			return optional(m.RestoredRevisionNum)
		case "Subgroup":
			return TextValue(m.Subgroup)
		case "CreatedAt", "UpdatedAt":
			return TextValue(stamp(m.CreatedAt))
		}
		return c.value(m, name)
	}
}

// value returns the attributes that come from other entities.
func (c MutationContext) value(m *entity.Mutation, name string) Value {
	named := func(of func(string) string, id string) Value {
		if of == nil || id == "" {
			return Value{}
		}
		return TextValue(of(id))
	}
	switch name {
	case "UnitID":
		return TextValue(c.Unit.UnitID)
	case "SpaceID":
		return TextValue(c.Unit.SpaceID)
	case "LinkSlug":
		return named(c.LinkSlug, m.LinkID)
	case "MergeSource":
		return named(c.UnitName, m.MergeSourceID)
	case "InvocationSlug":
		return named(c.InvocationSlug, m.InvocationID)
	}
	if c.Revision == nil {
		return Value{}
	}
	switch name {
	case "RevisionID":
		return TextValue(c.Revision.RevisionID)
	case "Source":
		return TextValue(string(c.Revision.Source))
	}
	return Value{}
}

func optional(n *int64) Value {
	if n == nil {
		return Value{}
	}
	return NumberValue(*n)
}

// stamp returns a time as filters compare it: RFC 3339 in UTC, so that texts sort like times.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
