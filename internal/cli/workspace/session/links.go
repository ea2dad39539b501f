package session

import (
	"strconv"

	"github.com/fctl-dev/fctl/internal/workspace"
	"github.com/fctl-dev/fctl/internal/workspace/entity"
)

// StaleLinks sets the staleness of all links.
func (s *Session) StaleLinks() error {
	edited, err := s.Edited(s.Units)
	if err == nil {
		s.Workspace.Stale(edited)
	}
	return err
}

// FreeSlug gives a link a slug that no other link of its space has: with -2, -3 and so on.
func (s *Session) FreeSlug(l *workspace.Link) error {
	base := l.Slug
	for n := 2; ; n++ {
		if _, err := s.Link(l.SpaceSlug, l.Slug); err != nil {
			return nil
		}
		if l.Slug = base + "-" + strconv.Itoa(n); !entity.IsSlug(l.Slug) {
			return &entity.Error{
				Code: entity.CodeSlug, Message: "the name " + l.Slug + " would be too long",
				Hint: "give the link a name",
			}
		}
	}
}

// Edited returns the units whose working copy was edited.
func (s *Session) Edited(units []*workspace.Unit) (map[*workspace.Unit]bool, error) {
	edited := map[*workspace.Unit]bool{}
	for _, u := range units {
		is, _, err := s.Store.Edited(u)
		if err != nil {
			return nil, err
		}
		edited[u] = is
	}
	return edited, nil
}

// UpgradeLink returns the link of a clone u of the unit up.
func UpgradeLink(u, up *workspace.Unit) *workspace.Link {
	l := &entity.Link{
		Common:   entity.Common{Slug: "upgrade-" + u.Slug, SpaceSlug: u.SpaceSlug},
		FromUnit: u.Slug, FromUnitID: u.UnitID, ToUnit: up.Slug, ToUnitID: up.UnitID,
		ToSpace: up.SpaceSlug, ToSpaceID: up.SpaceID, UpdateType: entity.UpdateUpgradeUnit,
		WhereMutation: "MergeSourceID = '" + up.UnitID + "'",
	}
	l.UpstreamLastMergedRevisionNum = up.HeadRevisionNum
	l.DownstreamLastMergedRevisionNum = 1
	l.MadeCurrent = true
	return &workspace.Link{Link: l, Stated: true}
}
