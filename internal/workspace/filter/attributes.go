package filter

import (
	"maps"
	"strings"

	"github.com/fctl-dev/fctl/internal/workspace/entity"
)

func with(common, own Schema) Schema {
	all := maps.Clone(common)
	maps.Copy(all, own)
	return all
}

func common() Schema {
	return Schema{
		"Slug": Text, "DisplayName": Text, "SpaceID": ID, "Space.Slug": Text, "Labels": Map,
		"Annotations": Map, "DeleteGates": Map, "Version": Number, "CreatedAt": Text,
		"UpdatedAt": Text,
	}
}

// commonValue returns the value of an attribute of common.
func commonValue(c *entity.Common, name string) Value {
	switch name {
	case "Slug":
		return TextValue(c.Slug)
	case "DisplayName":
		return TextValue(c.DisplayName)
	case "SpaceID":
		return TextValue(c.SpaceID)
	case "Space.Slug":
		return TextValue(c.SpaceSlug)
	case "Labels":
		return MapValue(c.Labels)
	case "Annotations":
		return MapValue(c.Annotations)
	case "DeleteGates":
		gates := map[string]string{}
		for gate, closed := range c.DeleteGates {
			if closed {
				gates[gate] = "true"
			}
		}
		return MapValue(gates)
	case "Version":
		return NumberValue(c.Version)
	case "CreatedAt":
		return TextValue(stamp(c.CreatedAt))
	case "UpdatedAt":
		return TextValue(stamp(c.UpdatedAt))
	}
	return Value{}
}

// SpaceSchema returns the attributes of spaces.
func SpaceSchema() Schema { return with(common(), Schema{"TargetFacts": Map}) }

// OfSpace returns the attributes of a space.
func OfSpace(s *entity.Space) func(string) Value {
	return func(name string) Value {
		if name == "TargetFacts" {
			return MapValue(s.TargetFacts)
		}
		if name == "SpaceID" {
			return TextValue(s.SpaceID)
		}
		return commonValue(&s.Common, name)
	}
}

// UnitSchema returns the attributes of units.
func UnitSchema() Schema {
	return with(common(), Schema{
		"UnitID": ID, "ToolchainType": Text, "HeadRevisionNum": Number, "HeadMutationNum": Number,
		"HeadUnitActionNum": Number, "DataHash": Text, "UpstreamUnitID": ID,
		"UpstreamSpaceID": ID, "UpstreamRevisionNum": Number, "LastChangeDescription": Text,
		"SelfBindings": List,
	})
}

// OfUnit returns the attributes of a unit.
func OfUnit(u *entity.Unit) func(string) Value {
	return func(name string) Value {
		switch name {
		case "UnitID":
			return TextValue(u.UnitID)
		case "ToolchainType":
			return TextValue(string(u.ToolchainType))
		case "HeadRevisionNum":
			return NumberValue(u.HeadRevisionNum)
		case "HeadMutationNum":
			return NumberValue(u.HeadMutationNum)
		case "HeadUnitActionNum":
			return NumberValue(u.HeadUnitActionNum)
		case "DataHash":
			return TextValue(u.DataHash)
		case "UpstreamUnitID":
			return TextValue(u.UpstreamUnitID)
		case "UpstreamSpaceID":
			return TextValue(u.UpstreamSpaceID)
		case "UpstreamRevisionNum":
			return Value{Present: u.UpstreamUnitID != "", Number: u.UpstreamRevisionNum}
		case "LastChangeDescription":
			return TextValue(u.LastChangeDescription)
		case "SelfBindings":
			return NumberValue(int64(len(u.SelfBindings)))
		}
		return commonValue(&u.Common, name)
	}
}

// LinkSchema returns the attributes of links.
func LinkSchema() Schema {
	return with(common(), Schema{
		"LinkID": ID, "FromUnitID": ID, "ToUnitID": ID, "ToSpaceID": ID, "FromUnit.Slug": Text,
		"ToUnit.Slug": Text, "ToSpace.Slug": Text, "UpdateType": Text, "AutoUpdate": Bool,
		"UseLiveState": Bool, "WhereMutation": Text, "WhereResource": Text,
		"MergeDisableSubtraction": Bool, "Bindings": List, "TransformInvocationID": ID,
		"UpstreamPaths": List, "UpstreamGetters": List, "DownstreamPaths": List,
		"DownstreamSetters": List, "UpstreamLastMergedRevisionNum": Number,
		"DownstreamLastMergedRevisionNum": Number, "Hash": Text, "ResolvedHash": Text,
		"Stale": Bool, "StaleReasons": Text, "Outputs": List, "InsertStripMetadata": Bool,
	})
}

// OfLink returns the attributes of a link.
func OfLink(l *entity.Link) func(string) Value {
	return func(name string) Value {
		switch name {
		case "LinkID":
			return TextValue(l.LinkID)
		case "FromUnitID":
			return TextValue(l.FromUnitID)
		case "ToUnitID":
			return TextValue(l.ToUnitID)
		case "ToSpaceID":
			return TextValue(l.ToSpaceID)
		case "FromUnit.Slug":
			return TextValue(l.FromUnit)
		case "ToUnit.Slug":
			return TextValue(l.ToUnit)
		case "ToSpace.Slug":
			return TextValue(l.ToSpace)
		case "UpdateType":
			return TextValue(string(l.Type()))
		case "AutoUpdate":
			return BoolValue(l.AutoUpdate)
		case "UseLiveState":
			return BoolValue(l.UseLiveState)
		case "MergeDisableSubtraction":
			return BoolValue(l.MergeDisableSubtraction)
		case "Stale":
			return BoolValue(l.Stale)
		case "InsertStripMetadata":
			return BoolValue(l.InsertStripMetadata)
		}
		return linkDetail(l, name)
	}
}

// linkDetail returns the attributes of a link that say what it reads and writes.
func linkDetail(l *entity.Link, name string) Value {
	switch name {
	case "WhereMutation":
		return TextValue(l.WhereMutation)
	case "WhereResource":
		return TextValue(l.WhereResource)
	case "TransformInvocationID":
		return TextValue(l.TransformInvocationID)
	case "Bindings":
		return NumberValue(int64(len(l.Bindings)))
	case "UpstreamPaths":
		return NumberValue(int64(len(l.UpstreamPaths)))
	case "UpstreamGetters":
		return NumberValue(int64(len(l.UpstreamGetters)))
	case "DownstreamPaths":
		return NumberValue(int64(len(l.DownstreamPaths)))
	case "DownstreamSetters":
		return NumberValue(int64(len(l.DownstreamSetters)))
	case "Outputs":
		return NumberValue(int64(len(l.Outputs)))
	case "UpstreamLastMergedRevisionNum":
		return NumberValue(l.UpstreamLastMergedRevisionNum)
	case "DownstreamLastMergedRevisionNum":
		return NumberValue(l.DownstreamLastMergedRevisionNum)
	case "Hash":
		return TextValue(l.Hash)
	case "ResolvedHash":
		return TextValue(l.ResolvedHash)
	case "StaleReasons":
		var text strings.Builder
		for i, reason := range l.StaleReasons {
			if i > 0 {
				text.WriteString(",")
			}
			text.WriteString(string(reason))
		}
		return TextValue(text.String())
	}
	return commonValue(&l.Common, name)
}
