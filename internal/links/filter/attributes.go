package filter

import (
	"maps"
	"strings"

	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/where"
)

// kinds holds the names of the attributes of each kind, with blanks between them.
type kinds map[where.Kind]string

func attributes(of kinds) where.Attributes {
	all := where.Attributes{}
	for kind, names := range of {
		for name := range strings.FieldsSeq(names) {
			all[name] = kind
		}
	}
	return all
}

// with returns the attributes and those that all entities have.
func with(of kinds) where.Attributes {
	all := common()
	maps.Copy(all, attributes(of))
	return all
}

func common() where.Attributes {
	return attributes(kinds{
		where.Text:   "Slug DisplayName Space.Slug CreatedAt UpdatedAt",
		where.Number: "Version",
		where.ID:     "SpaceID",
		where.Map:    "Labels Annotations DeleteGates",
	})
}

// commonValue returns the value of an attribute of common.
func commonValue(c *entity.Common, name string) where.Value {
	switch name {
	case "Slug":
		return textValue(c.Slug)
	case "DisplayName":
		return textValue(c.DisplayName)
	case "SpaceID":
		return textValue(c.SpaceID)
	case "Space.Slug":
		return textValue(c.SpaceSlug)
	case "Labels":
		return mapValue(c.Labels)
	case "Annotations":
		return mapValue(c.Annotations)
	case "DeleteGates":
		gates := map[string]string{}
		for gate, closed := range c.DeleteGates {
			if closed {
				gates[gate] = "true"
			}
		}
		return mapValue(gates)
	case "Version":
		return numberValue(c.Version)
	case "CreatedAt":
		return textValue(stamp(c.CreatedAt))
	case "UpdatedAt":
		return textValue(stamp(c.UpdatedAt))
	}
	return where.Value{}
}

// SpaceSchema returns the attributes of spaces.
func SpaceSchema() where.Attributes {
	return with(kinds{
		where.Map: "TargetFacts",
	})
}

// OfSpace returns the attributes of a space.
func OfSpace(s *entity.Space) func(string) where.Value {
	return func(name string) where.Value {
		if name == "TargetFacts" {
			return mapValue(s.TargetFacts)
		}
		if name == "SpaceID" {
			return textValue(s.SpaceID)
		}
		return commonValue(&s.Common, name)
	}
}

// UnitSchema returns the attributes of units.
func UnitSchema() where.Attributes {
	return with(kinds{
		where.Text:   "ToolchainType DataHash LastChangeDescription",
		where.Number: "HeadRevisionNum HeadMutationNum HeadUnitActionNum UpstreamRevisionNum",
		where.ID:     "UnitID UpstreamUnitID UpstreamSpaceID",
		where.List:   "SelfBindings",
	})
}

// OfUnit returns the attributes of a unit.
func OfUnit(u *entity.Unit) func(string) where.Value {
	return func(name string) where.Value {
		switch name {
		case "UnitID":
			return textValue(u.UnitID)
		case "ToolchainType":
			return textValue(string(u.ToolchainType))
		case "HeadRevisionNum":
			return numberValue(u.HeadRevisionNum)
		case "HeadMutationNum":
			return numberValue(u.HeadMutationNum)
		case "HeadUnitActionNum":
			return numberValue(u.HeadUnitActionNum)
		case "DataHash":
			return textValue(u.DataHash)
		case "UpstreamUnitID":
			return textValue(u.UpstreamUnitID)
		case "UpstreamSpaceID":
			return textValue(u.UpstreamSpaceID)
		case "UpstreamRevisionNum":
			return where.Value{Present: u.UpstreamUnitID != "", Number: u.UpstreamRevisionNum}
		case "LastChangeDescription":
			return textValue(u.LastChangeDescription)
		case "SelfBindings":
			return numberValue(int64(len(u.SelfBindings)))
		}
		return commonValue(&u.Common, name)
	}
}

// LinkSchema returns the attributes of links.
func LinkSchema() where.Attributes {
	return with(kinds{
		where.Text: "FromUnit.Slug ToUnit.Slug ToSpace.Slug UpdateType WhereMutation " +
			"WhereResource Hash ResolvedHash StaleReasons",
		where.Number: "UpstreamLastMergedRevisionNum DownstreamLastMergedRevisionNum",
		where.Bool:   "AutoUpdate UseLiveState MergeDisableSubtraction Stale InsertStripMetadata",
		where.ID:     "LinkID FromUnitID ToUnitID ToSpaceID TransformInvocationID",
		where.List: "Bindings UpstreamPaths UpstreamGetters DownstreamPaths DownstreamSetters " +
			"Outputs",
	})
}

// OfLink returns the attributes of a link.
func OfLink(l *entity.Link) func(string) where.Value {
	return func(name string) where.Value {
		switch name {
		case "LinkID":
			return textValue(l.LinkID)
		case "FromUnitID":
			return textValue(l.FromUnitID)
		case "ToUnitID":
			return textValue(l.ToUnitID)
		case "ToSpaceID":
			return textValue(l.ToSpaceID)
		case "FromUnit.Slug":
			return textValue(l.FromUnit)
		case "ToUnit.Slug":
			return textValue(l.ToUnit)
		case "ToSpace.Slug":
			return textValue(l.ToSpace)
		case "UpdateType":
			return textValue(string(l.Type()))
		case "AutoUpdate":
			return boolValue(l.AutoUpdate)
		case "UseLiveState":
			return boolValue(l.UseLiveState)
		case "MergeDisableSubtraction":
			return boolValue(l.MergeDisableSubtraction)
		case "Stale":
			return boolValue(l.Stale)
		case "InsertStripMetadata":
			return boolValue(l.InsertStripMetadata)
		}
		return linkDetail(l, name)
	}
}

// linkDetail returns the attributes of a link that say what it reads and writes.
func linkDetail(l *entity.Link, name string) where.Value {
	switch name {
	case "WhereMutation":
		return textValue(l.WhereMutation)
	case "WhereResource":
		return textValue(l.WhereResource)
	case "TransformInvocationID":
		return textValue(l.TransformInvocationID)
	case "Bindings":
		return numberValue(int64(len(l.Bindings)))
	case "UpstreamPaths":
		return numberValue(int64(len(l.UpstreamPaths)))
	case "UpstreamGetters":
		return numberValue(int64(len(l.UpstreamGetters)))
	case "DownstreamPaths":
		return numberValue(int64(len(l.DownstreamPaths)))
	case "DownstreamSetters":
		return numberValue(int64(len(l.DownstreamSetters)))
	case "Outputs":
		return numberValue(int64(len(l.Outputs)))
	case "UpstreamLastMergedRevisionNum":
		return numberValue(l.UpstreamLastMergedRevisionNum)
	case "DownstreamLastMergedRevisionNum":
		return numberValue(l.DownstreamLastMergedRevisionNum)
	case "Hash":
		return textValue(l.Hash)
	case "ResolvedHash":
		return textValue(l.ResolvedHash)
	case "StaleReasons":
		var text strings.Builder
		for i, reason := range l.StaleReasons {
			if i > 0 {
				text.WriteString(",")
			}
			text.WriteString(string(reason))
		}
		return textValue(text.String())
	}
	return commonValue(&l.Common, name)
}
