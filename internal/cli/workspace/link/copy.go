package link

import (
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/filter"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// copy makes the links of the spaces of --where-space in the spaces of --dest-space, too: between
// the units with the same names there. An upstream in a third space stays. Links that the
// destination has already are skipped.
func (o *linkCreate) copy(s *session.Session) error {
	from, err := filter.Parse(o.whereSpace, entity.KindSpace)
	if err != nil {
		return err
	}
	var all []*workspace.Link
	for _, name := range o.destSpaces {
		dest, err := s.Space(name)
		if err != nil {
			return err
		}
		for _, l := range s.Links {
			space, err := s.Space(l.SpaceSlug)
			if err != nil || space == dest || !s.Matches(from, filter.Of(space.Space)) {
				continue
			}
			if s.HasLink(dest.Slug + "/" + l.Slug) {
				s.Note("%s/%s exists already", dest.Slug, l.Slug)
				continue
			}
			all = append(all, copyOf(l, dest))
		}
	}
	if len(all) == 0 {
		s.Note("no links are selected")
	}
	return o.createAll(s, all)
}

// copyOf returns a link with the definition of another one for a space.
func copyOf(l *workspace.Link, space *workspace.Space) *workspace.Link {
	c := &workspace.Link{Link: l.Defined()}
	c.Stated = true
	c.Common = copied(&l.Common, space)
	c.LinkID, c.FromUnitID, c.ToUnitID, c.ToSpaceID = "", "", "", ""
	if l.TransformInvocation != "" && !strings.Contains(l.TransformInvocation, "/") {
		c.TransformInvocationID = "" // the one of the space
	}
	c.FromUnit, c.ToUnit, c.ToSpace = l.FromUnit, l.ToUnit, l.ToSpace
	if l.ToSpace == l.SpaceSlug {
		c.ToSpace = space.Slug
	}
	return c
}

// copied returns the common fields of a copy of an entity in a space.
func copied(c *entity.Common, space *workspace.Space) entity.Common {
	return entity.Common{
		Slug: c.Slug, SpaceSlug: space.Slug, DisplayName: c.DisplayName,
		Labels: maps.Clone(c.Labels), Annotations: maps.Clone(c.Annotations),
		DeleteGates: maps.Clone(c.DeleteGates),
	}
}

// createAll makes links. With --keep-going one that is refused does not stop the others.
func (o *linkCreate) createAll(s *session.Session, all []*workspace.Link) error {
	o.together = !o.keepGoing
	var made []*workspace.Link
	for _, l := range all {
		l, err := o.create(s, l)
		switch {
		case err != nil && !o.keepGoing:
			return err
		case err != nil:
			s.After(func() error { return err })
		case l != nil:
			made = append(made, l)
		}
	}
	if o.together {
		if errs := s.LinkCycles(made); errs != nil {
			return errs
		}
	}
	return s.PropagateLinks(made)
}

// checkBulk reports flags that do not go together. It reports whether several links are made.
func (o *linkCreate) checkBulk(use string, words []string) (bool, error) {
	pairs := o.whereFrom != "" || o.whereTo != "" || o.whereToSpace != ""
	copies := o.whereSpace != "" || len(o.destSpaces) > 0
	switch {
	case pairs && copies:
		return true, diag.UsageHint(use, "--where-from and --where-space exclude each other")
	case (pairs || copies) && len(words) > 0:
		return true, diag.UsageHint(use, "either words or flags that select units, not both")
	case pairs && (o.whereFrom == "" || o.whereTo == ""):
		return true, diag.UsageHint(use,
			"--where-from and --where-to select the units; both are needed")
	case copies && (o.whereSpace == "" || len(o.destSpaces) == 0):
		return true, diag.UsageHint(use,
			"--where-space and --dest-space say what is copied where; both are needed")
	}
	o.destSpaces = slices.Compact(o.destSpaces)
	return pairs || copies, nil
}
