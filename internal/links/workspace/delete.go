package workspace

import (
	"path"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/internal/links/entity"
)

// checkGates returns an error if a gate keeps an entity from being deleted.
func (w *Workspace) checkGates(e Entity) error {
	var closed []string
	for gate, is := range e.Base().DeleteGates {
		if is {
			closed = append(closed, gate)
		}
	}
	if len(closed) == 0 {
		return nil
	}
	slices.Sort(closed)
	problem := w.fail(e, entity.CodeDeleteGate, "%s %s has the delete gate %s", e.Kind(),
		e.Base().Slug, strings.Join(closed, ", "))
	problem.Space = e.Base().SpaceSlug
	return problem
}

// DeleteLinks deletes links. Values that they wrote stay.
func (t *Tx) DeleteLinks(w *Workspace, links ...*Link) error {
	gone := make(map[Entity]bool, len(links))
	for _, l := range links {
		if gone[l] {
			continue
		}
		if err := w.checkGates(l); err != nil {
			return err
		}
		gone[l] = true
		if delete(t.defined, l); l.inline {
			t.defined[l] = false
		} else {
			t.delete(l.file)
		}
		t.delete(recordFile(l))
		if l.UpdateType == entity.UpdateUpgradeUnit && l.From != nil {
			t.SetUpstream(l.From, "", "", 0)
		}
	}
	w.drop(gone)
	return nil
}

// SetUpstream sets the fields of a unit that follow its link of the type UpgradeUnit.
func (t *Tx) SetUpstream(u *Unit, unitID, spaceID string, revision int64) {
	u.UpstreamUnitID, u.UpstreamSpaceID, u.UpstreamRevisionNum = unitID, spaceID, revision
	t.WriteState(u)
}

// DeleteUnits deletes units with their history and their links. Links of other units to them
// prevent that, unless force says to delete them, too.
func (t *Tx) DeleteUnits(w *Workspace, force bool, units ...*Unit) error {
	gone := make(map[Entity]bool, len(units))
	for _, u := range units {
		gone[u] = true
	}
	var links []*Link
	for _, u := range units {
		if err := w.checkGates(u); err != nil {
			return err
		}
		incoming := slices.DeleteFunc(slices.Clone(w.LinksTo(u)), func(l *Link) bool {
			return gone[l.From]
		})
		if len(incoming) > 0 && !force {
			return w.hasLinks(u, incoming)
		}
		links = append(append(links, w.LinksFrom(u)...), incoming...)
	}
	if err := t.DeleteLinks(w, links...); err != nil {
		return err
	}
	for _, u := range units {
		delete(t.defined, u)
		if u.file == definitionFile(entity.KindUnit, u.SpaceSlug, u.Slug) {
			t.delete(path.Dir(u.file))
		} else {
			t.delete(u.file)
			t.delete(u.DataFile())
		}
		t.delete(u.stateDir()) // with the state that DeleteLinks writes
	}
	w.drop(gone)
	return nil
}

func (w *Workspace) hasLinks(e Entity, links []*Link) error {
	names := make([]string, len(links))
	for i, l := range links {
		names[i] = l.Name()
	}
	return w.fail(e, entity.CodeHasLinks, "%s %s has links from other units: %s", e.Kind(),
		e.Name(), strings.Join(names, ", ")).WithHint("--force deletes them, too")
}

// DeleteSpace deletes a space with everything in it. Without force it must be empty of units that
// other spaces have links to.
func (t *Tx) DeleteSpace(w *Workspace, s *Space, force bool) error {
	if err := w.checkGates(s); err != nil {
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
		return w.hasLinks(s, foreign)
	}
	units := slices.DeleteFunc(slices.Clone(w.Units), func(u *Unit) bool {
		return u.SpaceSlug != s.Slug
	})
	if err := t.DeleteUnits(w, true, units...); err != nil {
		return err
	}
	delete(t.defined, s)
	t.delete(path.Join(spacesDir, s.Slug))
	t.delete(path.Join(stateDir, s.Slug))
	w.drop(map[Entity]bool{s: true})
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

// Delete deletes a stored filter, or a stored invocation that no link uses.
func (t *Tx) Delete(w *Workspace, e Entity) error {
	if err := w.checkGates(e); err != nil {
		return err
	}
	var users []*Link
	for _, l := range w.Links {
		if l.TransformInvocationID == *e.Ident() {
			users = append(users, l)
		}
	}
	if len(users) > 0 {
		return w.hasLinks(e, users)
	}
	delete(t.defined, e)
	t.delete(e.from().file)
	t.delete(recordFile(e))
	w.drop(map[Entity]bool{e: true})
	return nil
}
