package workspace

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/workspace/entity"
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

// DeleteLink deletes a link. Values that it wrote stay.
func (t *Tx) DeleteLink(w *Workspace, l *Link) error {
	if err := checkGates(entity.KindLink, &l.Common); err != nil {
		return err
	}
	t.delete(l.file)
	t.delete(stateFile(entity.KindLink, l.SpaceSlug, l.Slug))
	w.Links = slices.DeleteFunc(w.Links, func(other *Link) bool { return other == l })
	w.index()
	if l.UpdateType == entity.UpdateUpgradeUnit && l.From != nil {
		l.From.UpstreamUnitID, l.From.UpstreamSpaceID, l.From.UpstreamRevisionNum = "", "", 0
		return t.WriteUnitState(l.From)
	}
	return nil
}

// DeleteUnit deletes a unit with its history and its links. Links of other units to it prevent
// that, unless force says to delete them, too.
func (t *Tx) DeleteUnit(w *Workspace, u *Unit, force bool) error {
	if err := checkGates(entity.KindUnit, &u.Common); err != nil {
		return err
	}
	incoming := w.LinksTo(u)
	if len(incoming) > 0 && !force {
		return hasLinks("unit "+u.Name(), incoming)
	}
	for _, l := range slices.Concat(w.LinksFrom(u), incoming) {
		if err := t.DeleteLink(w, l); err != nil {
			return err
		}
	}
	// A unit state written by DeleteLink is deleted with the rest.
	t.remove(func(o operation) bool {
		return strings.HasPrefix(o.Path, unitState(u.SpaceSlug, u.Slug)+"/")
	})
	t.delete(folderOf(u.file))
	t.delete(unitState(u.SpaceSlug, u.Slug))
	w.Units = slices.DeleteFunc(w.Units, func(other *Unit) bool { return other == u })
	w.index()
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
	for _, u := range slices.Clone(w.Units) {
		if u.SpaceSlug == s.Slug {
			if err := t.DeleteUnit(w, u, true); err != nil {
				return err
			}
		}
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
