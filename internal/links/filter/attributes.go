package filter

import (
	"reflect"
	"strings"
	"time"

	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/where"
)

// The words for what is selected beside entities.
const (
	Mutation entity.Kind = "mutation"
	Revision entity.Kind = "revision"
)

// kinds holds the names of the attributes of each kind, with blanks between them.
type kinds map[where.Kind]string

// Schema returns the attributes of the entities of a kind, of mutations or of revisions.
func Schema(kind entity.Kind) where.Attributes {
	all := where.Attributes{}
	add := func(of kinds) {
		for kind, names := range of {
			for name := range strings.FieldsSeq(names) {
				all[name] = kind
			}
		}
	}
	if kind != Mutation && kind != Revision {
		add(kinds{
			where.Text:   "Slug DisplayName Space.Slug CreatedAt UpdatedAt",
			where.Number: "Version",
			where.ID:     "SpaceID",
			where.Map:    "Labels Annotations DeleteGates",
		})
	}
	switch kind {
	case entity.KindSpace:
		add(kinds{where.Map: "TargetFacts"})
	case entity.KindUnit:
		add(kinds{
			where.Text:   "ToolchainType DataHash LastChangeDescription",
			where.Number: "HeadRevisionNum HeadMutationNum HeadUnitActionNum UpstreamRevisionNum",
			where.ID:     "UnitID UpstreamUnitID UpstreamSpaceID",
			where.List:   "SelfBindings",
		})
	case entity.KindLink:
		add(kinds{
			where.Text: "FromUnit.Slug ToUnit.Slug ToSpace.Slug UpdateType WhereMutation " +
				"WhereResource Hash ResolvedHash StaleReasons",
			where.Number: "UpstreamLastMergedRevisionNum DownstreamLastMergedRevisionNum",
			where.Bool: "AutoUpdate UseLiveState MergeDisableSubtraction OriginOnly Stale " +
				"InsertStripMetadata",
			where.ID: "LinkID FromUnitID ToUnitID ToSpaceID TransformInvocationID",
			where.List: "Bindings UpstreamPaths UpstreamGetters DownstreamPaths " +
				"DownstreamSetters Outputs",
		})
	case entity.KindInvocation:
		add(kinds{
			where.Text: "ToolchainType FunctionName WhereResource",
			where.ID:   "InvocationID BridgeWorkerID",
			where.List: "Arguments",
		})
	case entity.KindFilter:
		add(kinds{
			where.Text: "From FromSpace.Slug Where WhereData ResourceType",
			where.ID:   "FilterID",
		})
	case Mutation:
		add(kinds{
			where.Text: "FunctionName Subgroup CreatedAt UpdatedAt Source LinkSlug MergeSource " +
				"InvocationSlug",
			where.Number: "MutationNum RevisionNum MergeBaseRevisionNum MergeEndRevisionNum " +
				"UpgradedFromUpstreamRevisionNum RestoredRevisionNum",
			where.ID: "MutationID RevisionID InvocationID LinkID MergeSourceID UnitID SpaceID",
		})
	case Revision:
		add(kinds{
			where.Text:   "DataHash Source Description CreatedAt",
			where.Number: "RevisionNum",
			where.ID:     "RevisionID UnitID",
		})
	}
	return all
}

// Of returns the attributes of an entity or a revision. They are its fields, which filters compare
// as JSON has them.
func Of(of any) func(name string) where.Operand {
	v := reflect.ValueOf(of).Elem()
	return func(name string) where.Operand {
		field := strings.TrimSuffix(name, ".Slug")
		switch e := of.(type) {
		case *entity.Link:
			switch name {
			case "UpdateType":
				return text(string(e.Type()))
			case "StaleReasons":
				return text(e.Reasons())
			}
		case *entity.Unit:
			if name == "UpstreamRevisionNum" && e.UpstreamUnitID == "" {
				return where.Operand{}
			}
		}
		if name == "Space.Slug" {
			field = "SpaceSlug"
		}
		return value(v.FieldByName(field))
	}
}

// value returns the value of a field: NULL for empty texts, IDs and pointers, the length of a list.
func value(v reflect.Value) where.Operand {
	if !v.IsValid() {
		return where.Operand{}
	}
	switch of := v.Interface().(type) {
	case time.Time:
		// RFC 3339 in UTC: the texts sort like the times.
		if of.IsZero() {
			return where.Operand{}
		}
		return text(of.UTC().Format(time.RFC3339))
	case map[string]string:
		return where.Operand{Present: true, Map: of}
	case map[string]bool:
		closed := map[string]string{}
		for name, is := range of {
			if is {
				closed[name] = "true"
			}
		}
		return where.Operand{Present: true, Map: closed}
	}
	switch v.Kind() {
	case reflect.String:
		return text(v.String())
	case reflect.Int64:
		return where.Operand{Present: true, Number: v.Int()}
	case reflect.Bool:
		return where.Operand{Present: true, Bool: v.Bool()}
	case reflect.Slice:
		return where.Operand{Present: true, Number: int64(v.Len())}
	case reflect.Pointer:
		return value(v.Elem()) // of nil it is not valid
	}
	return where.Operand{}
}

// text returns a text, or NULL if it is empty.
func text(s string) where.Operand { return where.Operand{Present: s != "", Text: s} }

// MutationContext is what a filter of mutations needs beside the mutation.
type MutationContext struct {
	Unit     *entity.Unit
	Revision *entity.Revision // of the mutation; nil if it is missing
	// UnitName returns "space/slug" of the unit with an ID, Slug the slug of a link or of an
	// invocation, and "" for unknown ones.
	UnitName, Slug func(id string) string
}

// OfMutation returns the attributes of a mutation. What a mutation lacks is NULL.
func OfMutation(m *entity.Mutation, c MutationContext) func(string) where.Operand {
	own := Of(m)
	return func(name string) where.Operand {
		switch name {
		case "FunctionName":
			if m.FunctionInvocation == nil {
				return where.Operand{}
			}
			return text(m.FunctionInvocation.FunctionName)
		case "UpdatedAt":
			return own("CreatedAt")
		case "UnitID":
			return text(c.Unit.UnitID)
		case "SpaceID":
			return text(c.Unit.SpaceID)
		case "LinkSlug":
			return text(c.Slug(m.LinkID))
		case "InvocationSlug":
			return text(c.Slug(m.InvocationID))
		case "MergeSource":
			return text(c.UnitName(m.MergeSourceID))
		case "RevisionID", "Source":
			if c.Revision == nil {
				return where.Operand{}
			}
			return Of(c.Revision)(name)
		}
		return own(name)
	}
}
