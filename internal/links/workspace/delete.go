package workspace

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/links/entity"
)

func noPosition() api.Position { return api.Position{} }

// checkGates returns an error if a gate keeps an entity from being deleted.
func checkGates(kind entity.Kind, c *entity.Common) error {
	var closed []string
	for gate, is := range c.DeleteGates {
		if is {
			closed = append(closed, gate)
		}
	}
	if len(closed) == 0 {
		return nil
	}
	slices.Sort(closed)
	return &entity.Error{
		Code: entity.CodeDeleteGate, Space: c.SpaceSlug,
		Message: string(kind) + " " + c.Slug + " has the delete gate " + strings.Join(closed, ", "),
	}
}

// DeleteLinks deletes links. Values that they wrote stay.
func (t *Tx) DeleteLinks(w *Workspace, links ...*Link) error {
	gone := make(map[*Link]bool, len(links))
	for _, l := range links {
		if gone[l] {
			continue
		}
		if err := checkGates(entity.KindLink, &l.Common); err != nil {
			return err
		}
		gone[l] = true
		t.delete(l.file)
		t.delete(stateFile(entity.KindLink, l.SpaceSlug, l.Slug))
		if l.UpdateType == entity.UpdateUpgradeUnit && l.From != nil {
			l.From.UpstreamUnitID, l.From.UpstreamSpaceID, l.From.UpstreamRevisionNum = "", "", 0
			if err := t.WriteUnitState(l.From); err != nil {
				return err
			}
		}
	}
	w.dropLinks(gone)
	return nil
}

// DeleteUnits deletes units with their history and their links. Links of other units to them
// prevent that, unless force says to delete them, too.
func (t *Tx) DeleteUnits(w *Workspace, force bool, units ...*Unit) error {
	gone := make(map[*Unit]bool, len(units))
	for _, u := range units {
		gone[u] = true
	}
	var links []*Link
	for _, u := range units {
		if err := checkGates(entity.KindUnit, &u.Common); err != nil {
			return err
		}
		incoming := slices.DeleteFunc(slices.Clone(w.LinksTo(u)), func(l *Link) bool {
			return gone[l.From]
		})
		if len(incoming) > 0 && !force {
			return hasLinks("unit "+u.Name(), incoming)
		}
		links = append(append(links, w.LinksFrom(u)...), incoming...)
	}
	if err := t.DeleteLinks(w, links...); err != nil {
		return err
	}
	for _, u := range units {
		t.delete(folderOf(u.file))
		t.delete(unitState(u.SpaceSlug, u.Slug)) // with the state that DeleteLinks writes
	}
	w.dropUnits(gone)
	return nil
}

func hasLinks(what string, links []*Link) error {
	names := make([]string, len(links))
	for i, l := range links {
		names[i] = l.Name()
	}
	return &entity.Error{
		Code:    entity.CodeHasLinks,
		Message: what + " has links from other units: " + strings.Join(names, ", "),
		Hint:    "--force deletes them, too",
	}
}

// DeleteSpace deletes a space with everything in it. Without force it must be empty of units that
// other spaces have links to.
func (t *Tx) DeleteSpace(w *Workspace, s *Space, force bool) error {
	if err := checkGates(entity.KindSpace, &s.Common); err != nil {
		return err
	}
	if err := w.readable(s); err != nil {
		return err
	}
	var foreign []*Link
	for _, l := range w.Links {
		if l.To != nil && l.To.SpaceSlug == s.Slug && l.SpaceSlug != s.Slug {
			foreign = append(foreign, l)
		}
	}
	if len(foreign) > 0 && !force {
		return hasLinks("space "+s.Slug, foreign)
	}
	units := slices.DeleteFunc(slices.Clone(w.Units), func(u *Unit) bool {
		return u.SpaceSlug != s.Slug
	})
	if err := t.DeleteUnits(w, true, units...); err != nil {
		return err
	}
	t.delete(spaceDir(s.Slug))
	t.delete(stateDir + "/" + s.Slug)
	w.Spaces = slices.DeleteFunc(w.Spaces, func(other *Space) bool { return other == s })
	w.index()
	return nil
}

// readable returns why something in a space cannot be read.
func (w *Workspace) readable(s *Space) error {
	in := func(space string) bool { return space == s.Slug }
	for _, kind := range []entity.Kind{
		entity.KindUnit, entity.KindLink, entity.KindInvocation, entity.KindFilter,
	} {
		if err := w.BrokenIn(kind, in); err != nil {
			return err
		}
	}
	return nil
}

// DeleteInvocation deletes a stored invocation that no link uses.
func (t *Tx) DeleteInvocation(w *Workspace, i *Invocation) error {
	if err := checkGates(entity.KindInvocation, &i.Common); err != nil {
		return err
	}
	var users []*Link
	for _, l := range w.Links {
		if l.TransformInvocationID == i.InvocationID {
			users = append(users, l)
		}
	}
	if len(users) > 0 {
		return hasLinks("invocation "+i.Slug, users)
	}
	t.delete(i.file)
	t.delete(stateFile(entity.KindInvocation, i.SpaceSlug, i.Slug))
	w.Invocations = slices.DeleteFunc(w.Invocations, func(o *Invocation) bool { return o == i })
	w.index()
	return nil
}

// DeleteFilter deletes a stored filter.
func (t *Tx) DeleteFilter(w *Workspace, f *Filter) error {
	if err := checkGates(entity.KindFilter, &f.Common); err != nil {
		return err
	}
	t.delete(f.file)
	t.delete(stateFile(entity.KindFilter, f.SpaceSlug, f.Slug))
	w.Filters = slices.DeleteFunc(w.Filters, func(o *Filter) bool { return o == f })
	w.index()
	return nil
}
