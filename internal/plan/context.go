package plan

import (
	"crypto/sha1"
	"encoding/hex"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/settings"
)

// Context returns a function that makes the context of a unit for functions: the values of the
// settings, and for the rest values derived from the names, which are the same on every run.
func Context(s *settings.Settings) func(unit string, t api.ToolchainType) api.FunctionContext {
	id := func(set, kind, slug string) string {
		if set != "" {
			return set
		}
		return idOf("https://fctl.dev/" + kind + "/" + s.Space + "/" + slug)
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

// idOf returns the UUID of version 5 (RFC 9562, section 5.5) of a URL.
func idOf(url string) string {
	nameSpaceURL := [...]byte{
		0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00,
		0xc0, 0x4f, 0xd4, 0x30, 0xc8,
	}
	sum := sha1.Sum(append(nameSpaceURL[:], url...)) //nolint:gosec // RFC 9562 says SHA-1
	sum[6] = sum[6]&0x0f | 0x50
	sum[8] = sum[8]&0x3f | 0x80
	h := hex.EncodeToString(sum[:16])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
