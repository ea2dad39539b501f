package session

import (
	"cmp"
	"slices"

	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// Ordered returns units upstreams first or, to destroy them, downstreams first.
func (s *Session) Ordered(units []*workspace.Unit, destroy bool) ([]*workspace.Unit, error) {
	levels, err := s.Levels()
	if err != nil {
		if destroy || len(units) < 2 {
			return units, nil // what breaks a cycle must be possible
		}
		return nil, err
	}
	sorted := slices.Clone(units)
	slices.SortFunc(sorted, func(a, b *workspace.Unit) int {
		byLevel := cmp.Compare(levels[a], levels[b])
		if destroy {
			byLevel = -byLevel
		}
		return cmp.Or(byLevel, cmp.Compare(a.SpaceSlug, b.SpaceSlug), cmp.Compare(a.Slug, b.Slug))
	})
	return sorted, nil
}
