package session

import (
	"errors"
	"strconv"

	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/resolve"
	"github.com/fctl-dev/fctl/internal/links/staleness"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// StaleLinks sets the staleness of all links. What is wrong with working copies is a problem of
// others.
func (s *Session) StaleLinks() {
	edited, problems := s.Edited(s.Units)
	s.Problems = append(s.Problems, problems...)
	s.FromGit(s.Units...)
	staleness.Mark(s.Workspace, edited)
}

// FreeSlug gives a link a slug that no other link of its space has: with -2, -3 and so on.
func (s *Session) FreeSlug(l *workspace.Link) error {
	base := l.Slug
	for n := 2; ; n++ {
		if !s.HasLink(l.Name()) {
			return nil
		}
		if l.Slug = base + "-" + strconv.Itoa(n); !entity.IsSlug(l.Slug) {
			return entity.Fail(entity.CodeSlug, "the name %s would be too long", l.Slug).
				WithHint("give the link a name")
		}
	}
}

// Edited returns the units whose working copy was edited, and those problems that keep from knowing
// it of others.
func (s *Session) Edited(units []*workspace.Unit) (map[*workspace.Unit]bool, entity.Errors) {
	edited := map[*workspace.Unit]bool{}
	var problems entity.Errors
	for _, u := range units {
		is, _, err := s.Store.Edited(u)
		if err != nil {
			problems = append(problems, workspace.ProblemOf(err))
		}
		edited[u] = is
	}
	return edited, problems
}

// RecordEdits records the edits of all working copies. It returns the problems with single ones.
func (s *Session) RecordEdits() (entity.Errors, error) {
	err := s.Edits(s.Units...)
	problems, ok := errors.AsType[entity.Errors](err)
	if ok && !s.StrictWorktree {
		return problems, nil
	}
	return nil, err
}

// Clone gives a new unit the data of another one, and links them. Values that links of the other unit
// have written are placeholders again. originOnly is about the link.
func (s *Session) Clone(u, up *workspace.Unit, description string, originOnly bool) error {
	if err := s.Edits(up); err != nil {
		return err
	}
	data, err := s.Store.Data(up, up.HeadRevisionNum)
	if err != nil {
		return err
	}
	if links := s.LinksFrom(up); len(links) > 0 {
		executor, err := s.Functions()
		if err != nil {
			return err
		}
		own := make([]*entity.Link, len(links))
		for i, l := range links {
			own[i] = l.Link
		}
		if data, err = resolve.CloneOf(executor, up.ToolchainType, data, own); err != nil {
			return s.Store.InUnit(up, err)
		}
	}
	base, end := int64(0), up.HeadRevisionNum
	u.UpstreamUnitID, u.UpstreamSpaceID = up.UnitID, up.SpaceID
	u.UpstreamRevisionNum = end
	if _, err := s.Tx.Record(s.Propagator, u, data, entity.SourceCloneUnit, description, entity.Mutation{
		MergeSourceID: up.UnitID, MergeBaseRevisionNum: &base, MergeEndRevisionNum: &end,
		UpgradedFromUpstreamRevisionNum: &end,
	}, false); err != nil {
		return err
	}
	l := UpgradeLink(u, up)
	l.OriginOnly = originOnly
	if err := s.ResolveLink(l).Err(); err != nil {
		return err
	}
	if err := s.FreeSlug(l); err != nil {
		return err
	}
	l.ResolvedHash = l.Hash
	return s.Tx.Create(s.Workspace, l)
}

// UpgradeLink returns the link of a clone u of the unit up.
func UpgradeLink(u, up *workspace.Unit) *workspace.Link {
	l := &entity.Link{
		Common:   entity.Common{Slug: "upgrade-" + u.Slug, SpaceSlug: u.SpaceSlug},
		FromUnit: u.Slug, FromUnitID: u.UnitID, ToUnit: up.Slug, ToUnitID: up.UnitID,
		ToSpace: up.SpaceSlug, ToSpaceID: up.SpaceID, UpdateType: entity.UpdateUpgradeUnit,
		WhereMutation: entity.MergedFrom(up.UnitID), Stated: true,
	}
	l.UpstreamLastMergedRevisionNum = up.HeadRevisionNum
	l.MergedHash = up.DataHash
	l.DownstreamLastMergedRevisionNum, l.MergeMutationNum = 1, 1
	l.MadeCurrent = true
	return &workspace.Link{Link: l}
}

// FollowUpstream sets the fields of a unit that follow its link of the type UpgradeUnit.
func (s *Session) FollowUpstream(l *workspace.Link) {
	if l.UpdateType == entity.UpdateUpgradeUnit {
		s.Tx.SetUpstream(l.From, l.ToUnitID, l.ToSpaceID, l.UpstreamLastMergedRevisionNum)
	}
}
