package workspace

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/linkline"
	"github.com/fctl-dev/fctl/internal/links/pack"
	"github.com/fctl-dev/fctl/internal/links/rules"
)

// LayoutSmall is the Config.Layout of workspaces whose definitions leave out what can be derived. The
// files of both layouts are read in all workspaces; the layout decides how new ones are written.
const LayoutSmall = "small"

// isSmall reports whether an entity is written in the small layout.
func (t *Tx) isSmall(e Entity) bool {
	s, from := t.store, e.from()
	return s.Config != nil && s.Config.Layout == LayoutSmall || from.inline ||
		strings.HasSuffix(from.file, unitEnding)
}

// unitFiles lists the definitions of the units of a space, each of which is a folder or a file with
// data. Its name tells the toolchain, unless a file beside it has a definition.
func (s *Store) unitFiles(w *Workspace, space string) ([]definition, error) {
	dir := unitBase(space, "")
	folders, others, err := s.list(dir, fs.FileMode.IsDir)
	if err != nil {
		return nil, err
	}
	files := map[string][]definition{}
	var strange []fs.DirEntry
	add := func(slug string, d definition) {
		d.kind, d.space, d.slug = entity.KindUnit, space, slug
		files[slug] = append(files[slug], d)
	}
	for _, e := range slices.Concat(folders, others) {
		file := path.Join(dir, e.Name())
		slug, ending, _ := strings.Cut(e.Name(), ".")
		toolchain, isData := rules.OfExtension(ending)
		switch {
		case e.IsDir() && slug == e.Name():
			add(slug, definition{file: definitionFile(entity.KindUnit, space, slug)})
		case !e.Type().IsRegular() && (e.Type()&fs.ModeSymlink == 0 || !isData):
			strange = append(strange, e)
		case "."+ending == unitEnding:
			add(slug, definition{file: file})
		case isData:
			add(slug, definition{file: file, inline: true, toolchain: toolchain, text: string(toolchain)})
		default:
			strange = append(strange, e)
		}
	}
	s.misplaced(w, dir, strange, "a unit is a folder, or a file NAME.EXT with the extension of its format")
	if err := s.lost(space, func(slug string) {
		if files[slug] == nil {
			add(slug, definition{file: unitBase(space, slug), inline: true, lost: true})
		}
	}); err != nil {
		return nil, err
	}
	all := make([]definition, 0, len(files))
	for _, slug := range slices.Sorted(maps.Keys(files)) {
		of := files[slug]
		if !entity.IsSlug(slug) {
			w.Problems = append(w.Problems, s.fail(strings.TrimSuffix(of[0].file, "/unit.yaml"),
				entity.CodeSlug, "invalid name %s", quote(slug)))
			continue
		}
		d, data := of[0], slices.IndexFunc(of, func(d definition) bool { return d.inline })
		if i := slices.IndexFunc(of, func(d definition) bool { return strings.HasSuffix(d.file, unitEnding) }); i >= 0 {
			d = of[i]
			if data >= 0 {
				d.toolchain, d.data = of[data].toolchain, of[data].file
			}
		}
		if d.data == "" && len(of) > 1 || len(of) > 2 {
			problem := s.fail(of[len(of)-1].file, entity.CodeRefMismatch, "unit %s is also in %s", slug,
				s.position(of[0].file).File).WithHint("keep one of them, and delete the other")
			w.Problems = append(w.Problems, problem)
			w.setBroken(entity.KindUnit, space+"/"+slug, entity.Errors{problem})
			continue
		}
		all = append(all, d)
	}
	return all, nil
}

// lines lists the links in the links file of a space. Those with problems cannot be read.
func (s *Store) lines(w *Workspace, space string) ([]definition, error) {
	file := linksPath(space)
	text, err := s.readRegular(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, s.unreadable(file, err)
	}
	s.remember(file, hash(text))
	lines, problems := linkline.Read(string(text), s.position(file).File)
	for _, p := range problems {
		w.Problems = append(w.Problems, p.Error)
		for _, slug := range p.Links {
			w.setBroken(entity.KindLink, space+"/"+slug, entity.Errors{p.Error})
		}
	}
	found := make([]definition, 0, len(lines))
	for _, l := range lines {
		if w.Broken(entity.KindLink, space+"/"+l.Name) == nil {
			found = append(found, definition{
				kind: entity.KindLink, space: space, slug: l.Name, file: file, inline: true,
				line: l.Number, text: l.Text,
			})
		}
	}
	return found, nil
}

// lost calls add with the units that are recorded. One that has no files was not deleted by a command:
// somebody deleted its data. Git takes data away and brings it back, so in git there are none.
func (s *Store) lost(space string, add func(slug string)) error {
	if s.Config.Layout != LayoutSmall {
		return nil
	}
	names, err := s.names(path.Join(stateDir, space, "units"), fs.FileMode.IsDir)
	if err != nil || len(names) == 0 || s.InGit() {
		return err
	}
	for _, name := range names {
		if entity.IsSlug(name) {
			add(name)
		}
	}
	return nil
}

// key is the name of a definition in the index.
func (s *definedAt) key(slug string) string {
	if s.line > 0 {
		return s.file + "#" + slug
	}
	return s.file
}

// inlineState reads the recorded state of an entity whose definition has no file of its own from the
// index. It reports false if something may have changed.
func (s *Store) inlineState(d definition, of Entity, state any) bool {
	e := s.index.byFile[of.from().key(d.slug)]
	if e == nil || e.Hash != d.text || e.File != (stamp{}) ||
		e.State != s.stampOf(s.statePath(stateFile(d.kind, d.space, d.slug))) {
		return false
	}
	if l, ok := of.(*Link); ok {
		l.loaded = e.Link
	}
	return e.Recorded == "" || pack.Unmarshal(e.Recorded, state) == nil
}

// small returns the fields of a definition that cannot be derived from its path and from other files.
func small(e Entity, fields gaby.Entries, hasData bool) gaby.Entries {
	c := e.Base()
	id := entity.ID(e.Kind(), c.SpaceSlug, c.Slug, 0)
	derived := map[string]bool{
		"Slug": true, "DisplayName": c.DisplayName == c.Slug, entity.IDField(e.Kind()): *e.Ident() == id,
	}
	switch e := e.(type) {
	case *Unit:
		t, _ := rules.OfExtension(rules.Extension(e.ToolchainType))
		derived["ToolchainType"] = hasData && t == e.ToolchainType
	case *Link:
		derived["FromUnitID"], derived["ToUnitID"] = e.From != nil, e.To != nil
		derived["ToSpaceID"], derived["ToSpace"] = e.To != nil, e.ToSpace == e.SpaceSlug
		derived["TransformInvocationID"] = e.TransformInvocation != ""
		derived["AutoUpdate"] = e.AutoUpdate == (e.UpdateType == "")
	}
	return slices.DeleteFunc(fields, func(f gaby.Entry) bool { return derived[f.Key] })
}

// define makes the files of the definitions that the transaction writes in the small layout. Several
// links are in one file, and whether a unit needs a definition depends on its data.
func (t *Tx) define() {
	if len(t.defined) == 0 {
		return
	}
	entities := slices.SortedFunc(maps.Keys(t.defined), func(a, b Entity) int {
		return strings.Compare(string(a.Kind())+" "+a.Name(), string(b.Kind())+" "+b.Name())
	})
	lines := map[string]map[string]string{} // by file and slug
	line := func(e Entity, text string) {
		file := linksPath(e.Base().SpaceSlug)
		if lines[file] == nil {
			lines[file] = map[string]string{}
		}
		if e.Kind() == entity.KindLink {
			lines[file][e.Base().Slug] = text
		}
	}
	for _, e := range entities {
		if !t.defined[e] {
			line(e, "")
		}
	}
	for _, e := range entities {
		if t.defined[e] {
			t.fail(t.defineOne(e, line))
		}
	}
	clear(t.defined)
	for _, file := range slices.Sorted(maps.Keys(lines)) {
		was, err := t.store.readIf(file)
		t.fail(err)
		t.fail(t.update(file, []byte(linkline.Edit(string(was), lines[file])), umask))
	}
}

// defineOne writes the definition of one entity. Links that fit go to line, and so does a space
// without a definition: git keeps no empty folder.
func (t *Tx) defineOne(e Entity, line func(Entity, string)) error {
	from, c := e.from(), e.Base()
	own := definitionFile(e.Kind(), c.SpaceSlug, c.Slug)
	u, isUnit := e.(*Unit)
	var was, data []byte
	var err error
	if !from.inline {
		was, err = t.store.readIf(from.file)
	}
	if isUnit && err == nil {
		if from.file == own {
			if moved, err := t.moveOut(u); err != nil || !moved {
				return errors.Join(err, t.writeOwn(e, was, nil))
			}
		}
		own = unitBase(c.SpaceSlug, c.Slug) + unitEnding
		data, err = t.store.Working(u)
	}
	if err != nil {
		return err
	}
	all, err := definitionFields(e)
	if err != nil {
		return err
	}
	fields := small(e, slices.Clone(all), data != nil)
	needed, text := len(fields) > 0 || hasComment(was), ""
	switch e := e.(type) {
	case *Unit:
		needed = needed || data == nil
	case *Link:
		fits := false
		text, fits = linkline.Format(e.Link, e.keepsOwn)
		needed = !fits || hasComment(was)
	}
	if needed {
		if len(fields) == 0 {
			fields = all[len(all)-1:] // the one that says something
		}
		if from.inline && e.Kind() == entity.KindLink {
			line(e, "")
		}
		if from.inline || from.file != own {
			from.hash = ""
		}
		from.file, from.inline = own, false
		return t.writeOwn(e, was, fields)
	}
	if was != nil && from.file == own {
		t.delete(own)
	}
	switch from.packed = ""; e.Kind() {
	case entity.KindUnit:
		from.file, from.inline = u.DataFile(), true
	case entity.KindLink:
		from.file, from.inline = linksPath(c.SpaceSlug), true
	}
	if e.Kind() != entity.KindUnit {
		line(e, text)
	}
	return nil
}

// hasComment reports whether a definition may have comments. They need a file.
func hasComment(text []byte) bool {
	return bytes.HasPrefix(text, []byte("#")) || bytes.Contains(text, []byte("\n#")) ||
		bytes.Contains(text, []byte(" #")) || bytes.Contains(text, []byte("\t#"))
}

// moveOut moves the data of a unit out of its folder, which goes. It reports false if the folder has
// other files, too: then the unit stays there.
func (t *Tx) moveOut(u *Unit) (bool, error) {
	s, dir, was := t.store, path.Dir(u.file), u.DataFile()
	entries, err := s.readDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // the transaction renames it
	}
	if err != nil {
		return false, s.unreadable(dir, err)
	}
	mode := fs.FileMode(0)
	for _, e := range entries {
		info, err := e.Info()
		if name := path.Join(dir, e.Name()); err != nil || !e.Type().IsRegular() || name != u.file && name != was {
			return false, err
		} else if name == was {
			mode = info.Mode().Perm()
		}
	}
	data, err := s.Working(u)
	if err != nil {
		return false, err
	}
	t.delete(dir)
	u.file, u.hash = unitBase(u.SpaceSlug, u.Slug)+unitEnding, ""
	if data != nil {
		t.writeFile(u.DataFile(), data, "", mode)
	}
	return true, nil
}

// Convert gives all definitions the small layout. It returns how many files are written and deleted.
func (t *Tx) Convert(w *Workspace) (wrote, deleted int, err error) {
	s := t.store
	if s.Config.Layout != LayoutSmall {
		s.Config.Layout = LayoutSmall
		text, err := s.readIf(Marker)
		if err == nil {
			text, err = setField(text, "Layout", LayoutSmall)
		}
		if err != nil {
			return 0, 0, s.failed(Marker, err)
		}
		t.fail(t.update(Marker, text, umask))
	}
	for e := range w.All() {
		t.fail(t.writeDefinition(e))
	}
	t.define()
	for _, o := range t.ops {
		if !o.Delete {
			wrote++
			continue
		}
		found, err := t.deletions(o.Path)
		t.fail(err)
		for _, o := range found {
			if !o.Dir {
				deleted++
			}
		}
	}
	return wrote, deleted, t.err
}
