package plan

import (
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/settings"
	"github.com/fctl-dev/fctl/internal/urlid"
)

// Context returns a function that makes the context of a unit for functions: the values of the
// settings, and for the rest values derived from the names, which are the same on every run.
func Context(s *settings.Settings) func(unit string, t api.ToolchainType) api.FunctionContext {
	id := func(set, kind, slug string) string {
		if set != "" {
			return set
		}
		return urlid.Of("https://fctl.dev/" + kind + "/" + s.Space + "/" + slug)
	}
	all := api.FunctionContext{
		UnitLabels:     s.UnitLabels,
		SpaceSlug:      s.Space,
		SpaceID:        id(s.SpaceID, "space", s.Space),
		OrganizationID: id(s.OrganizationID, "organization", "default"),
		RevisionNum:    s.RevisionNum,
		ApprovedBy:     s.ApprovedBy, PreviousDataHash: s.PreviousDataHash,
		NotLive: true, // a file is not the live state of a cluster
	}
	return func(unit string, t api.ToolchainType) api.FunctionContext {
		c := all
		c.ToolchainType, c.UnitSlug = t, strings.ToLower(unit)
		c.UnitID = id(s.UnitID, "unit", c.UnitSlug)
		return c
	}
}
