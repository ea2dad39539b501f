package filter

import (
	"time"

	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/where"
)

// MutationContext is what a filter of mutations needs beside the mutation.
type MutationContext struct {
	Unit     *entity.Unit
	Revision *entity.Revision // of the mutation; nil if it is missing
	// UnitName returns "space/slug" of the unit with an ID, Slug the slug of a link or of an
	// invocation, and "" for unknown ones.
	UnitName, Slug func(id string) string
}

// MutationSchema returns the attributes of mutations.
func MutationSchema() where.Attributes {
	return attributes(kinds{
		where.Text: "FunctionName Subgroup CreatedAt UpdatedAt Source LinkSlug MergeSource " +
			"InvocationSlug",
		where.Number: "MutationNum RevisionNum MergeBaseRevisionNum MergeEndRevisionNum " +
			"UpgradedFromUpstreamRevisionNum RestoredRevisionNum",
		where.ID: "MutationID RevisionID InvocationID LinkID MergeSourceID UnitID SpaceID",
	})
}

// OfMutation returns the attributes of a mutation. What a mutation lacks is NULL.
func OfMutation(m *entity.Mutation, c MutationContext) func(string) where.Value {
	return func(name string) where.Value {
		switch name {
		case "MutationNum":
			return numberValue(m.MutationNum)
		case "MutationID":
			return textValue(m.MutationID)
		case "RevisionNum":
			return numberValue(m.RevisionNum)
		case "FunctionName":
			if m.FunctionInvocation == nil {
				return where.Value{}
			}
			return textValue(m.FunctionInvocation.FunctionName)
		case "InvocationID":
			return textValue(m.InvocationID)
		case "LinkID":
			return textValue(m.LinkID)
		case "MergeSourceID":
			return textValue(m.MergeSourceID)
		case "MergeBaseRevisionNum":
			return optional(m.MergeBaseRevisionNum)
		case "MergeEndRevisionNum":
			return optional(m.MergeEndRevisionNum)
		case "UpgradedFromUpstreamRevisionNum":
			return optional(m.UpgradedFromUpstreamRevisionNum)
		case "RestoredRevisionNum":
			return optional(m.RestoredRevisionNum)
		case "Subgroup":
			return textValue(m.Subgroup)
		case "CreatedAt", "UpdatedAt":
			return textValue(stamp(m.CreatedAt))
		}
		return c.value(m, name)
	}
}

// value returns the attributes that come from other entities.
func (c MutationContext) value(m *entity.Mutation, name string) where.Value {
	named := func(of func(string) string, id string) where.Value {
		if of == nil || id == "" {
			return where.Value{}
		}
		return textValue(of(id))
	}
	switch name {
	case "UnitID":
		return textValue(c.Unit.UnitID)
	case "SpaceID":
		return textValue(c.Unit.SpaceID)
	case "LinkSlug":
		return named(c.Slug, m.LinkID)
	case "MergeSource":
		return named(c.UnitName, m.MergeSourceID)
	case "InvocationSlug":
		return named(c.Slug, m.InvocationID)
	}
	if c.Revision == nil {
		return where.Value{}
	}
	switch name {
	case "RevisionID":
		return textValue(c.Revision.RevisionID)
	case "Source":
		return textValue(string(c.Revision.Source))
	}
	return where.Value{}
}

func optional(n *int64) where.Value {
	if n == nil {
		return where.Value{}
	}
	return numberValue(*n)
}

// stamp returns a time as filters compare it: RFC 3339 in UTC, so that texts sort like times.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
