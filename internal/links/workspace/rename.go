package workspace

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/links/entity"
)

// RenameUnit gives a unit another slug. Its files and its history move. Links refer to units by
// their IDs, so that they stay what they are; the slugs beside the IDs are written again.
func (t *Tx) RenameUnit(w *Workspace, u *Unit, slug string) error {
	was := u.Name()
	if err := w.Broken(entity.KindUnit, u.SpaceSlug+"/"+slug); err != nil {
		return err
	}
	file, base := u.file, unitBase(u.SpaceSlug, u.Slug)
	endings := []string{""}
	if file != definitionFile(entity.KindUnit, u.SpaceSlug, u.Slug) {
		endings = []string{unitEnding, strings.TrimPrefix(u.DataFile(), base)}
	}
	if err := t.rename(w, u, u.SpaceSlug+"/units/", slug, endings...); err != nil {
		return err
	}
	u.file = unitBase(u.SpaceSlug, slug) + strings.TrimPrefix(file, base)
	w.index()
	t.Updated(&u.Common)
	t.Write(u)
	for _, l := range w.Links {
		if l.From != u && l.To != u {
			continue
		}
		if l.From == u { // the other end may be a unit that cannot be read
			l.FromUnit = u.Slug
		}
		if l.To == u {
			l.ToUnit = u.Slug
		}
		t.Write(l)
	}
	return t.renameLocked(func(name string) string {
		if name == was {
			return u.Name()
		}
		return name
	}, nil)
}

// rename gives a unit or a space another slug, and moves its folders and files, which are in another
// folder and have the endings.
func (t *Tx) rename(w *Workspace, e Entity, in, slug string, endings ...string) error {
	c := e.Base()
	was, renamed := *c, *c
	renamed.Slug = slug
	if err := w.checkNew(e, &renamed); err != nil {
		return err
	}
	for _, ending := range endings {
		from, to := path.Join(spacesDir, in, was.Slug)+ending, path.Join(spacesDir, in, slug)+ending
		if err := t.move(from, to); err != nil {
			return err
		}
	}
	if err := t.moveState(in+was.Slug, in+slug); err != nil {
		return err
	}
	if c.Slug = slug; c.DisplayName == was.Slug {
		c.DisplayName = slug
	}
	return nil
}

// RenameSpace gives a space another slug. Everything in it moves, unreadable files included.
func (t *Tx) RenameSpace(w *Workspace, p *Space, slug string) error {
	was := p.Slug
	if err := t.rename(w, p, "", slug, ""); err != nil {
		return err
	}
	for e := range w.All() {
		if c, from := e.Base(), e.from(); c.SpaceSlug == was {
			c.SpaceSlug = slug
			from.file = path.Join(spacesDir, slug) + strings.TrimPrefix(from.file, path.Join(spacesDir, was))
			if t.isSmall(e) {
				t.defined[e] = true // the ID is not that which the name tells
			}
		}
	}
	w.index()
	t.Updated(&p.Common)
	t.Write(p)
	t.renameSpaceIn(w, was, slug)
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

// ProblemsMoved gives problems the paths that files have after a space was renamed.
func (w *Workspace) ProblemsMoved(was, slug string) {
	from, to := w.Store.position(spacesDir+"/"+was).File, w.Store.position(spacesDir+"/"+slug).File
	for _, e := range w.Problems {
		rest, ok := strings.CutPrefix(e.Pos.File, from)
		if ok && strings.HasPrefix(rest, string(filepath.Separator)) {
			e.Pos.File = to + rest
		}
	}
}

// renameSpaceIn writes the definitions that name a space which was renamed.
func (t *Tx) renameSpaceIn(w *Workspace, was, slug string) {
	for _, l := range w.Links {
		rest, ok := strings.CutPrefix(l.TransformInvocation, was+"/")
		if l.ToSpace != was && !ok {
			continue
		}
		if l.ToSpace == was {
			l.ToSpace = slug
		}
		if ok {
			l.TransformInvocation = slug + "/" + rest
		}
		t.Write(l)
	}
	for _, f := range w.Filters {
		if f.FromSpace == was {
			f.FromSpace = slug
			t.fail(t.writeDefinition(f))
		}
	}
}

// renameDefault changes the default space in the marker.
func (t *Tx) renameDefault(was, slug string) error {
	s := t.store
	if s.Config.DefaultSpace != was {
		return nil
	}
	s.Config.DefaultSpace = slug
	text, err := s.readIf(Marker)
	if err != nil {
		return err
	}
	next, err := setField(text, "DefaultSpace", slug)
	if err != nil {
		return s.failed(Marker, err)
	}
	return t.update(Marker, next, umask)
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
