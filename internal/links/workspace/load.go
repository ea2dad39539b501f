package workspace

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/internal/links/attributes"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/pack"
	"github.com/fctl-dev/fctl/internal/parallel"
)

// Load reads all definitions and what is recorded about them. What is wrong with them is in
// Workspace.Problems; the error is one of the file system.
func (s *Store) Load(ctx context.Context) (*Workspace, error) {
	w := &Workspace{Store: s}
	s.index = s.readIndex()
	files, err := s.definitions(w)
	if err != nil {
		return nil, err
	}
	read := make([]loaded, len(files))
	const batch = 64
	err = parallel.Each(ctx, (len(files)+batch-1)/batch, parallel.Cores(), func(n int) error {
		for i := n * batch; i < min(n*batch+batch, len(files)); i++ {
			read[i] = s.load(files[i])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range read {
		w.add(files[i], &read[i])
		if read[i].fresh {
			s.unindexed.Add(1)
		}
	}
	w.uniqueIDs()
	w.index()
	w.resolveRefs()
	return w, nil
}

// definition is the file of a definition.
type definition struct {
	kind        entity.Kind
	space, slug string
	file        string
	stamp       stamp // zero if it is not known yet
}

// loaded is a definition that was read. One of the entities is set.
type loaded struct {
	space      *Space
	unit       *Unit
	link       *Link
	invocation *Invocation
	filter     *Filter
	errs       entity.Errors
	found      []finding // problems with fields of a unit
	unread     bool      // the text of the definition is not known
	fresh      bool      // files were read that the index does not have
}

// definitions lists the files of all definitions, in order.
func (s *Store) definitions(w *Workspace) ([]definition, error) {
	var all []definition
	spaces, err := s.names(spacesDir, fs.FileMode.IsDir)
	if err != nil {
		return nil, err
	}
	for _, space := range spaces {
		if !w.hasSlug(s, spaceDir(space), space) {
			continue
		}
		all = append(all, definition{
			kind: entity.KindSpace, space: space, slug: space, file: spaceFile(space),
		})
		units, err := s.names(path.Join(spaceDir(space), "units"), fs.FileMode.IsDir)
		if err != nil {
			return nil, err
		}
		for _, unit := range units {
			if w.hasSlug(s, unitDir(space, unit), unit) {
				all = append(all, definition{
					kind: entity.KindUnit, space: space, slug: unit, file: unitFile(space, unit),
				})
			}
		}
		for _, kind := range []entity.Kind{
			entity.KindLink, entity.KindInvocation, entity.KindFilter,
		} {
			dir := path.Join(spaceDir(space), folder(kind))
			files, err := s.entries(dir, fs.FileMode.IsRegular)
			if err != nil {
				return nil, err
			}
			for _, e := range files {
				name := e.Name()
				slug, ok := strings.CutSuffix(name, ".yaml")
				file := path.Join(dir, name)
				if !ok {
					w.Problems = append(w.Problems, fail(s.position(file), entity.CodeSlug,
						"definitions are files with the extension .yaml"))
				} else if w.hasSlug(s, file, slug) {
					d := definition{kind: kind, space: space, slug: slug, file: file}
					if info, err := e.Info(); err == nil {
						d.stamp = stampOf(info)
					}
					all = append(all, d)
				}
			}
		}
	}
	return all, nil
}

// names lists a folder of the workspace.
func (s *Store) names(dir string, is func(fs.FileMode) bool) ([]string, error) {
	entries, err := s.entries(dir, is)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}

// entries lists a folder of the workspace. Hidden files are not of the workspace.
func (s *Store) entries(dir string, is func(fs.FileMode) bool) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(s.root.FS(), dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, s.unreadable(dir, err)
	}
	return slices.DeleteFunc(all, func(e fs.DirEntry) bool {
		return !is(e.Type()) || strings.HasPrefix(e.Name(), ".")
	}), nil
}

// Attributes returns the files in which users say which paths of resource types need and provide
// values, sorted by name.
func (s *Store) Attributes() ([]attributes.File, error) {
	names, err := s.names(attributesDir, fs.FileMode.IsRegular)
	if err != nil {
		return nil, err
	}
	var files []attributes.File
	for _, name := range names {
		if path.Ext(name) != ".yaml" {
			continue
		}
		name = path.Join(attributesDir, name)
		text, err := s.readRegular(name)
		if err != nil {
			return nil, s.unreadable(name, err)
		}
		files = append(files, attributes.File{Name: s.position(name).File, Text: text})
	}
	return files, nil
}

func (w *Workspace) hasSlug(s *Store, file, slug string) bool {
	if entity.IsSlug(slug) {
		return true
	}
	w.Problems = append(w.Problems,
		fail(s.position(file), entity.CodeSlug, "invalid name %s", quote(slug)))
	return false
}

// load reads a definition and its recorded state.
func (s *Store) load(d definition) loaded {
	if l, ok := s.loadIndexed(d); ok {
		return l
	}
	l := loaded{fresh: true}
	bytes, err := s.readRegular(d.file)
	var at string // the hash of the file
	if err == nil {
		at = hash(bytes)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && (d.kind == entity.KindSpace ||
		s.isEmpty(path.Dir(d.file))):
		if d.kind == entity.KindUnit {
			return loaded{} // a folder that a deleted unit left
		}
		bytes = []byte("{}\n")
	case errors.Is(err, fs.ErrNotExist):
		e := fail(s.position(d.file), entity.CodeNotFound, "the unit has no definition")
		e.Hint = "write 'ToolchainType: " + string(Toolchains()[0]) + "' there, or the type that " +
			"its data has"
		l.errs = append(l.errs, e)
	case err != nil:
		l.errs = append(l.errs, ProblemOf(s.unreadable(d.file, err)))
	}
	if err := s.conflict(d.file, bytes); err != nil {
		l.errs = append(l.errs, err)
	}
	if l.unread = len(l.errs) > 0; l.unread {
		bytes = []byte("{}\n")
	}
	text := entity.Text{Bytes: bytes, File: s.position(d.file).File}
	from := source{file: d.file, hash: at}
	switch d.kind {
	case entity.KindSpace:
		l.space = &Space{source: from}
		l.space.Space, err = entity.DecodeSpace(text)
		l.common(s, d, &l.space.Common, &l.space.SpaceID, nil)
	case entity.KindUnit:
		l.unit = &Unit{source: from}
		l.unit.Unit, err = entity.DecodeUnit(text)
		var state entity.UnitStateFile
		l.common(s, d, &l.unit.Common, &l.unit.UnitID, &state)
		l.unit.Record(&state)
		if l.unit.ToolchainType == "" {
			l.unit.ToolchainType = Toolchains()[0]
		}
		if was := state.ToolchainType; was != "" && was != l.unit.ToolchainType &&
			HasToolchain(l.unit.ToolchainType) {
			e := fail(noPosition(), entity.CodeToolchainImmutable,
				"the unit is %s; it cannot become %s", was, l.unit.ToolchainType)
			e.Hint = "create another unit"
			l.found = append(l.found, finding{[]string{"ToolchainType"}, e})
			l.unit.ToolchainType = was
		}
		l.unit.packed = l.packedIf(err, l.unit.Definition().PackDefinition)
	case entity.KindLink:
		l.link = &Link{source: from}
		l.link.Link, l.link.Stated, err = entity.DecodeLink(text)
		if !l.link.Stated && l.link.UpdateType == "" {
			l.link.AutoUpdate = true // as creating the link with a command would store it
		}
		var state entity.LinkStateFile
		l.common(s, d, &l.link.Common, &l.link.LinkID, &state)
		l.link.Record(&state)
		l.link.packed = l.packedIf(err, l.link.Definition().PackDefinition)
	case entity.KindInvocation:
		l.invocation = &Invocation{source: from}
		l.invocation.Invocation, err = entity.DecodeInvocation(text)
		l.common(s, d, &l.invocation.Common, &l.invocation.InvocationID, nil)
	case entity.KindFilter:
		l.filter = &Filter{source: from}
		l.filter.Filter, err = entity.DecodeFilter(text)
		l.common(s, d, &l.filter.Common, &l.filter.FilterID, nil)
	}
	if problems, ok := errors.AsType[entity.Errors](err); ok {
		l.errs = append(l.errs, problems...)
	}
	return l
}

// packedIf returns a definition for the index, "" if it has a problem.
func (l *loaded) packedIf(err error, write func(*pack.Codec)) string {
	if err != nil || len(l.errs)+len(l.found) > 0 {
		return ""
	}
	text, ok := packed(write)
	if !ok {
		return ""
	}
	return text
}

// loadIndexed returns a unit or a link that the index knows. It reports false if its files have to
// be read.
func (s *Store) loadIndexed(d definition) (loaded, bool) {
	e := s.index.byFile[d.file]
	if e == nil || e.File == (stamp{}) {
		return loaded{}, false
	}
	at := d.stamp
	if at == (stamp{}) {
		at = s.stampOf(d.file)
	}
	if e.File != at || e.State != s.stampOf(s.statePath(stateFile(d.kind, d.space, d.slug))) {
		return loaded{}, false
	}
	var l loaded
	from := source{file: d.file, hash: e.Hash, packed: e.Definition, indexed: true}
	if d.kind == entity.KindUnit {
		u := &entity.Unit{}
		var state entity.UnitStateFile
		if !unpack(e.Definition, u.PackDefinition) ||
			e.Recorded != "" && !unpack(e.Recorded, state.Pack) {
			return loaded{}, false
		}
		u.SpaceSlug = d.space
		u.Record(&state)
		l.unit = &Unit{Unit: u, source: from}
		return l, true
	}
	link := &entity.Link{}
	var state entity.LinkStateFile
	if !unpack(e.Definition, link.PackDefinition) ||
		e.Recorded != "" && !unpack(e.Recorded, state.Pack) {
		return loaded{}, false
	}
	link.SpaceSlug = d.space
	link.Record(&state)
	l.link = &Link{Link: link, source: from, Stated: e.Stated, loaded: e.Link}
	return l, true
}

func (s *Store) isEmpty(dir string) bool {
	entries, err := fs.ReadDir(s.root.FS(), dir)
	return err == nil && len(entries) == 0
}

// common fills in the common fields: the slug comes from the path, the ID is derived if the
// definition has none. state is where recorded fields other than the common ones go; it may be nil.
func (l *loaded) common(s *Store, d definition, c *entity.Common, id *string, state any) {
	at := s.position(d.file)
	if c.Slug != "" && c.Slug != d.slug {
		l.errs = append(l.errs, fail(at, entity.CodeRefMismatch,
			"the definition says Slug: %s, its path says %s", c.Slug, d.slug))
	}
	c.Slug, c.SpaceSlug = d.slug, d.space
	switch {
	case *id == "":
		*id = entity.ID(d.kind, d.space, d.slug, 0)
	case !entity.IsID(*id):
		l.errs = append(l.errs, fail(at, entity.CodeFieldValue, "%s is not an ID", quote(*id)))
	}
	var recorded entity.Recorded
	if err := s.readState(stateFile(d.kind, d.space, d.slug), &recorded, state); err != nil {
		l.errs = append(l.errs, ProblemOf(err))
	}
	c.Version = max(1, recorded.Version)
	c.CreatedAt, c.UpdatedAt = recorded.CreatedAt, recorded.UpdatedAt
	l.errs = append(l.errs, checkCommon(at, c)...)
}

// add adds a definition that was read. A space that cannot be read still holds its units.
func (w *Workspace) add(d definition, l *loaded) {
	errs := append(l.errs, w.located(d.file, l.found)...)
	w.Problems = append(w.Problems, errs...)
	if len(errs) > 0 {
		name := d.slug
		if d.kind != entity.KindSpace {
			name = d.space + "/" + d.slug
		}
		w.setBroken(d.kind, name, errs)
	}
	switch {
	case l.space != nil:
		w.Spaces = append(w.Spaces, l.space)
	case len(errs) > 0 && l.unread:
	case len(errs) > 0:
		w.mistaken = append(w.mistaken, l)
	case l.unit != nil:
		w.Units = append(w.Units, l.unit)
	case l.link != nil:
		w.Links = append(w.Links, l.link)
	case l.invocation != nil:
		w.Invocations = append(w.Invocations, l.invocation)
	case l.filter != nil:
		w.Filters = append(w.Filters, l.filter)
	}
}

// uniqueIDs reports entities of the same ID: a copied folder, for example. The first one keeps it;
// others cannot be used.
func (w *Workspace) uniqueIDs() {
	taken := map[string]string{}
	again := func(kind entity.Kind, name, id, file string) bool {
		first, ok := taken[id]
		if !ok {
			taken[id] = file
			return false
		}
		e := fail(w.Store.position(file), entity.CodeRefMismatch,
			"ID %s also belongs to %s", id, first)
		e.Hint = "a copied definition needs another ID: remove the line with the ID"
		w.Problems = append(w.Problems, e)
		w.setBroken(kind, name, entity.Errors{e})
		return true
	}
	for _, s := range w.Spaces {
		again(entity.KindSpace, s.Slug, s.SpaceID, s.file)
	}
	w.Units = slices.DeleteFunc(w.Units, func(u *Unit) bool {
		return again(entity.KindUnit, u.Name(), u.UnitID, u.file)
	})
	w.Links = slices.DeleteFunc(w.Links, func(l *Link) bool {
		return again(entity.KindLink, l.Name(), l.LinkID, l.file)
	})
	w.Invocations = slices.DeleteFunc(w.Invocations, func(i *Invocation) bool {
		return again(entity.KindInvocation, i.SpaceSlug+"/"+i.Slug, i.InvocationID, i.file)
	})
	w.Filters = slices.DeleteFunc(w.Filters, func(f *Filter) bool {
		return again(entity.KindFilter, f.SpaceSlug+"/"+f.Slug, f.FilterID, f.file)
	})
}
