package workspace

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/links/entity"
)

// RenameUnit gives a unit another slug. Its files and its history move. Links refer to units by
// their IDs, so that they stay what they are; the slugs beside the IDs are written again.
func (t *Tx) RenameUnit(w *Workspace, u *Unit, slug string) error {
	if err := w.Broken(entity.KindUnit, u.SpaceSlug+"/"+slug); err != nil {
		return err
	}
	was := u.Slug
	renamed := u.Common
	renamed.Slug = slug
	if err := checkNew(&renamed, w.units[u.SpaceSlug+"/"+slug] != nil, "unit"); err != nil {
		return err
	}
	if err := t.move(unitDir(u.SpaceSlug, was), unitDir(u.SpaceSlug, slug)); err != nil {
		return err
	}
	if err := t.moveState(u.SpaceSlug+"/units/"+was, u.SpaceSlug+"/units/"+slug); err != nil {
		return err
	}
	u.Slug, u.file = slug, unitFile(u.SpaceSlug, slug)
	if u.DisplayName == was {
		u.DisplayName = slug
	}
	w.index()
	t.Updated(&u.Common)
	if err := t.WriteUnit(u); err != nil {
		return err
	}
	for _, l := range w.Links {
		if l.From != u && l.To != u {
			continue
		}
		l.FromUnit, l.ToUnit = l.From.Slug, slugOf(l.To, l.ToUnit)
		if err := t.WriteLink(l); err != nil {
			return err
		}
	}
	return t.renameLocked(func(name string) string {
		if name == u.SpaceSlug+"/"+was {
			return u.Name()
		}
		return name
	}, nil)
}

func slugOf(u *Unit, slug string) string {
	if u == nil {
		return slug
	}
	return u.Slug
}

// RenameSpace gives a space another slug. Everything in it moves.
func (t *Tx) RenameSpace(w *Workspace, p *Space, slug string) error {
	if err := w.readable(p); err != nil {
		return err
	}
	was := p.Slug
	renamed := p.Common
	renamed.Slug = slug
	if err := checkNew(&renamed, w.spaces[slug] != nil, "space"); err != nil {
		return err
	}
	if err := t.move(spaceDir(was), spaceDir(slug)); err != nil {
		return err
	}
	if err := t.moveState(was, slug); err != nil {
		return err
	}
	moved := func(c *entity.Common, s *source) {
		if c.SpaceSlug == was {
			c.SpaceSlug = slug
			s.file = spaceDir(slug) + strings.TrimPrefix(s.file, spaceDir(was))
		}
	}
	p.Slug = slug
	if p.DisplayName == was {
		p.DisplayName = slug
	}
	moved(&p.Common, &p.source)
	p.SpaceSlug, p.file = slug, spaceFile(slug)
	for _, u := range w.Units {
		moved(&u.Common, &u.source)
	}
	for _, i := range w.Invocations {
		moved(&i.Common, &i.source)
	}
	for _, f := range w.Filters {
		moved(&f.Common, &f.source)
	}
	for _, l := range w.Links {
		moved(&l.Common, &l.source)
	}
	w.index()
	t.Updated(&p.Common)
	if err := t.WriteSpace(p); err != nil {
		return err
	}
	if err := t.renameSpaceIn(w, was, slug); err != nil {
		return err
	}
	if err := t.renameDefault(was, slug); err != nil {
		return err
	}
	name := func(name string) string {
		if rest, ok := strings.CutPrefix(name, was+"/"); ok {
			return slug + "/" + rest
		}
		return name
	}
	return t.renameLocked(name, name)
}

// renameSpaceIn writes the definitions that name a space which was renamed.
func (t *Tx) renameSpaceIn(w *Workspace, was, slug string) error {
	for _, l := range w.Links {
		before := *l.Link
		if l.ToSpace == was {
			l.ToSpace = slug
		}
		if rest, ok := strings.CutPrefix(l.TransformInvocation, was+"/"); ok {
			l.TransformInvocation = slug + "/" + rest
		}
		if l.ToSpace == before.ToSpace && l.TransformInvocation == before.TransformInvocation {
			continue
		}
		if err := t.WriteLink(l); err != nil {
			return err
		}
	}
	for _, f := range w.Filters {
		if f.FromSpace != was {
			continue
		}
		f.FromSpace = slug
		if err := t.writeDefinition(f.source, f.Definition()); err != nil {
			return err
		}
	}
	return nil
}

// renameDefault changes the default space in the marker.
func (t *Tx) renameDefault(was, slug string) error {
	s := t.store
	if s.Config.DefaultSpace != was {
		return nil
	}
	s.Config.DefaultSpace = slug
	text, err := s.readFile(Marker)
	if err != nil {
		return s.unreadable(Marker, err)
	}
	next, err := setField(text, "DefaultSpace", slug)
	if err != nil {
		return s.failed(Marker, err)
	}
	t.writeFile(Marker, next, s.remember(Marker, hash(text)), 0)
	return nil
}

// renameLocked changes the names of units, and of links if link is not nil, in the lock file.
func (t *Tx) renameLocked(unit, link func(string) string) error {
	if !t.store.Config.Lock {
		return nil
	}
	locked, ok, err := t.store.ReadLock()
	if err != nil || !ok {
		return err
	}
	all := map[string]LockedLink{}
	for name, entry := range locked.Links {
		entry.From.Unit, entry.To.Unit = unit(entry.From.Unit), unit(entry.To.Unit)
		if link != nil {
			name = link(name)
		}
		all[name] = entry
	}
	locked.Links = all
	return t.writeLocked(locked)
}

// move moves the files of a folder. Folders that contain anything but files and folders stay, with
// an error.
func (t *Tx) move(from, to string) error {
	s := t.store
	if _, err := s.root.Lstat(to); err == nil {
		return s.failed(to, errors.New("the folder exists already"))
	}
	files, err := s.filesBelow(from)
	if err != nil {
		return err
	}
	for _, name := range files {
		info, err := s.root.Lstat(name)
		var data []byte
		if err == nil {
			data, err = s.readFile(name)
		}
		if err != nil {
			return s.unreadable(name, err)
		}
		t.writeFile(to+strings.TrimPrefix(name, from), data, "", info.Mode().Perm())
	}
	t.delete(from)
	return nil
}

// moveState moves what is recorded in a folder, and the part of it that git keeps.
func (t *Tx) moveState(from, to string) error {
	s := t.store
	for _, dir := range []string{stateDir, basesDir} {
		files, err := s.filesBelow(path.Join(dir, from))
		if err != nil {
			return err
		}
		for _, name := range files {
			rest := strings.TrimPrefix(name, dir+"/")
			data, err := s.readFile(path.Join(stateDir, rest))
			if err != nil {
				return s.unreadable(name, err)
			}
			next := to + strings.TrimPrefix(rest, from)
			t.write(path.Join(stateDir, next), data)
			if dir == basesDir {
				t.write(path.Join(basesDir, next), data)
			}
		}
		if len(files) > 0 {
			t.delete(path.Join(dir, from))
		}
	}
	return nil
}

// filesBelow returns the files of a folder in order; none if it is missing.
func (s *Store) filesBelow(dir string) ([]string, error) {
	var files []string
	err := fs.WalkDir(s.root.FS(), dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && name == dir:
			return nil
		case err != nil || e.IsDir():
			return err
		case !e.Type().IsRegular():
			return s.failed(name, errors.New("a regular file is expected"))
		}
		files = append(files, name)
		return nil
	})
	slices.Sort(files)
	return files, err
}

// setField gives a top-level field of a text another value. Other bytes stay.
func setField(text []byte, name, value string) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return []byte(name + ": " + value + "\n"), nil
	}
	doc, err := gaby.ParseYAML(text)
	if err == nil {
		err = doc.Check()
	}
	if err != nil {
		return nil, err
	}
	if _, err := doc.Set(value, name); err != nil {
		return nil, err
	}
	return doc.BytesWithNewline(), nil
}
