package workspace

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/links/attributes"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/linkline"
	"github.com/fctl-dev/fctl/internal/links/pack"
	"github.com/fctl-dev/fctl/internal/links/rules"
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
		w.loaded(files[i], &read[i])
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
	// inline and line are those of definedAt; text is the definition then. data is a file beside the
	// definition of a unit, and toolchain the one that its name tells.
	inline    bool
	line      int
	text      string
	data      string
	toolchain api.ToolchainType
	lost      bool // a unit that is only recorded
}

// loaded is a definition that was read.
type loaded struct {
	entity Entity // nil if there is none
	errs   entity.Errors
	found  rules.Findings // problems with fields of a unit
	unread bool           // the text of the definition is not known
	fresh  bool           // files were read that the index does not have
}

// definitions lists the files of all definitions, in order.
func (s *Store) definitions(w *Workspace) ([]definition, error) {
	var all []definition
	spaces, err := s.folders(w, spacesDir, "a space")
	if err != nil {
		return nil, err
	}
	for _, space := range spaces {
		dir := path.Join(spacesDir, space)
		add := func(kind entity.Kind, slug, at string, e fs.DirEntry) {
			if !entity.IsSlug(slug) {
				w.Problems = append(w.Problems,
					s.fail(at, entity.CodeSlug, "invalid name %s", quote(slug)))
				return
			}
			d := definition{
				kind: kind, space: space, slug: slug, file: definitionFile(kind, space, slug),
			}
			if e != nil {
				if info, err := e.Info(); err == nil {
					d.stamp = stampOf(info)
				}
			}
			all = append(all, d)
		}
		if add(entity.KindSpace, space, dir, nil); !entity.IsSlug(space) {
			continue
		}
		units, err := s.unitFiles(w, space)
		if err != nil {
			return nil, err
		}
		links, err := s.lines(w, space)
		if err != nil {
			return nil, err
		}
		lineOf := map[string]int{}
		for i := range links {
			lineOf[links[i].slug] = links[i].line
		}
		all = append(all, units...)
		for _, kind := range []entity.Kind{
			entity.KindLink, entity.KindInvocation, entity.KindFilter,
		} {
			dir := path.Join(dir, folder(kind))
			files, others, err := s.list(dir, fs.FileMode.IsRegular)
			if err != nil {
				return nil, err
			}
			s.misplaced(w, dir, others, "a definition is a file")
			for _, e := range files {
				file := path.Join(dir, e.Name())
				if slug, ok := strings.CutSuffix(e.Name(), ".yaml"); ok {
					if line := lineOf[slug]; line > 0 && kind == entity.KindLink {
						problem := s.fail(linksPath(space), entity.CodeRefMismatch,
							"link %s is also in %s", slug, s.position(file).File).
							WithHint("keep the line or the file, and delete the other")
						problem.Pos.Line, problem.Pos.Column = line, 1
						w.Problems = append(w.Problems, problem)
						w.setBroken(kind, space+"/"+slug, entity.Errors{problem})
						continue
					}
					add(kind, slug, file, e)
				} else {
					w.Problems = append(w.Problems, s.fail(file, entity.CodeSlug,
						"definitions are files with the extension .yaml"))
				}
			}
			if kind == entity.KindLink {
				all = append(all, slices.DeleteFunc(links, func(d definition) bool {
					return w.Broken(kind, space+"/"+d.slug) != nil
				})...)
			}
		}
	}
	return all, nil
}

// folders lists the folders in a folder of the workspace, each of which is a part of it.
func (s *Store) folders(w *Workspace, dir, part string) ([]string, error) {
	found, others, err := s.list(dir, fs.FileMode.IsDir)
	s.misplaced(w, dir, others, part+" is a folder")
	names := make([]string, len(found))
	for i, e := range found {
		names[i] = e.Name()
	}
	return names, err
}

// misplaced reports the entries of a folder that look like parts of the workspace and are not.
func (s *Store) misplaced(w *Workspace, dir string, others []fs.DirEntry, rule string) {
	for _, e := range others {
		is := "a file"
		switch {
		case e.IsDir():
			is = "a folder"
		case e.Type()&fs.ModeSymlink != 0:
			is = "a symbolic link"
		case !e.Type().IsRegular():
			is = "neither"
		}
		if ext := path.Ext(e.Name()); ext == ".yaml" || ext == ".yml" || is == "a symbolic link" {
			w.Problems = append(w.Problems, s.fail(path.Join(dir, e.Name()), entity.CodeSlug,
				"%s, and this is %s", rule, is))
		}
	}
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

// readDir lists a folder. It opens nothing else: a named pipe would wait for a writer.
func (s *Store) readDir(dir string) ([]fs.DirEntry, error) {
	info, err := s.root.Stat(dir)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: dir, Err: files.ErrNotDirectory}
	}
	if err != nil {
		return nil, err
	}
	return fs.ReadDir(s.root.FS(), dir)
}

// entries lists a folder of the workspace. Hidden files are not of the workspace.
func (s *Store) entries(dir string, is func(fs.FileMode) bool) ([]fs.DirEntry, error) {
	found, _, err := s.list(dir, is)
	return found, err
}

// list is entries, with the others that are not hidden.
func (s *Store) list(
	dir string, is func(fs.FileMode) bool,
) (found, others []fs.DirEntry, err error) {
	all, err := s.readDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, s.unreadable(dir, err)
	}
	for _, e := range all {
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case is(e.Type()):
			found = append(found, e)
		default:
			others = append(others, e)
		}
	}
	return found, others, nil
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

// load reads a definition and its recorded state.
func (s *Store) load(d definition) loaded {
	if d.inline {
		return s.loadInline(d)
	}
	if l, ok := s.loadIndexed(d); ok {
		return l
	}
	l := loaded{fresh: true, entity: Of(entity.New(d.kind))}
	text, err := s.readRegular(d.file)
	*l.entity.from() = definedAt{file: d.file}
	if err == nil {
		l.entity.from().hash = hash(text)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && (d.kind == entity.KindSpace ||
		s.isEmpty(path.Dir(d.file))):
		if d.kind == entity.KindUnit {
			return loaded{} // a folder that a deleted unit left
		}
		text = []byte("{}\n")
	case errors.Is(err, fs.ErrNotExist):
		l.errs = append(l.errs, s.fail(d.file, entity.CodeNotFound, "the unit has no definition").
			WithHint("write 'ToolchainType: "+string(rules.Toolchains()[0])+
				"' there, or the type that its data has"))
	case err != nil:
		l.errs = append(l.errs, ProblemOf(s.unreadable(d.file, err)))
	}
	if err := s.conflict(d.file, text); err != nil {
		l.errs = append(l.errs, err)
	}
	if l.unread = len(l.errs) > 0; l.unread {
		text = []byte("{}\n")
	}
	err = entity.Decode(entity.Text{Bytes: text, File: s.position(d.file).File}, l.entity.Self())
	state := entity.New(d.kind).State()
	if err := s.readState(stateFile(d.kind, d.space, d.slug), state); err != nil {
		l.errs = append(l.errs, ProblemOf(err))
	}
	l.complete(s, d, state)
	switch e := l.entity.(type) {
	case *Link:
		if !e.Stated && e.UpdateType == "" {
			e.AutoUpdate = true // as creating the link with a command would store it
		}
	}
	if err != nil {
		l.errs = append(l.errs, entity.ProblemsIn(err, "")...)
	}
	if len(l.errs)+len(l.found) == 0 {
		if packed, err := pack.Append(make([]byte, 0, 512), l.entity.Definition()); err == nil {
			l.entity.from().packed = string(packed)
		}
	}
	return l
}

// loadInline reads an entity whose definition is not a file of its own, and its recorded state.
func (s *Store) loadInline(d definition) loaded {
	l := loaded{entity: Of(entity.New(d.kind))}
	*l.entity.from() = definedAt{
		file: d.file, line: d.line, inline: true, hash: d.text, packed: d.text,
	}
	if link, ok := l.entity.(*Link); ok {
		var e *entity.Error
		if link.keepsOwn, e = linkline.Parse(link.Link, d.text, d.space); e != nil {
			e.Pos = s.position(d.file)
			e.Pos.Line, e.Pos.Column = d.line, 1
			l.errs, l.unread = append(l.errs, e), true
		}
	}
	state := entity.New(d.kind).State()
	if l.fresh = !s.inlineState(d, l.entity, state); l.fresh {
		state = entity.New(d.kind).State()
		if err := s.readState(stateFile(d.kind, d.space, d.slug), state); err != nil {
			l.errs = append(l.errs, ProblemOf(err))
		}
	}
	l.complete(s, d, state)
	if u, ok := l.entity.(*Unit); ok && d.lost {
		if u.HeadRevisionNum == 0 {
			return loaded{}
		}
		u.file = u.DataFile()
	}
	return l
}

// toolchain gives a unit that has no toolchain the one of its data, or the default one, and reports
// another one than is recorded.
func (l *loaded) toolchain(u *Unit, d *definition, was api.ToolchainType) {
	if u.ToolchainType == "" {
		u.ToolchainType = cmp.Or(d.toolchain, was, rules.Toolchains()[0])
	}
	if d.data != "" && rules.HasToolchain(u.ToolchainType) && u.DataFile() != d.data {
		l.found.Report("ToolchainType", entity.Fail(entity.CodeToolchain, "unit is %s, and its data "+
			"is in a file %s", u.ToolchainType, path.Base(d.data)).
			WithHint("rename the file to "+path.Base(u.DataFile())))
	}
	if was != "" && was != u.ToolchainType && rules.HasToolchain(u.ToolchainType) {
		l.found.Report("ToolchainType", entity.Fail(entity.CodeToolchainImmutable,
			"the unit is %s; it cannot become %s", was, u.ToolchainType).
			WithHint("create another unit"))
		u.ToolchainType = was
	}
}

// loadIndexed returns an entity that the index knows. It reports false if its files have to be
// read.
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
	known := Of(entity.New(d.kind))
	state := known.State()
	if pack.Unmarshal(e.Definition, known.Self()) != nil ||
		e.Recorded != "" && pack.Unmarshal(e.Recorded, state) != nil {
		return loaded{}, false
	}
	*known.from() = definedAt{file: d.file, hash: e.Hash, packed: e.Definition, indexed: true}
	known.Base().SpaceSlug = d.space
	if u, ok := known.(*Unit); ok && d.data != "" && u.DataFile() != d.data {
		return loaded{}, false
	}
	known.Restore(state)
	if l, ok := known.(*Link); ok {
		l.loaded = e.Link
	}
	return loaded{entity: known}, true
}

func (s *Store) isEmpty(dir string) bool {
	entries, err := s.readDir(dir)
	return err == nil && len(entries) == 0
}

// complete fills in the fields that the definition does not have: the slug comes from the path, the
// ID is derived if the definition has none. state is the recorded state.
func (l *loaded) complete(s *Store, d definition, state any) {
	c, id := l.entity.Base(), l.entity.Ident()
	report := func(code entity.Code, format string, args ...any) {
		l.errs = append(l.errs, s.fail(d.file, code, format, args...))
	}
	if c.Slug != "" && c.Slug != d.slug {
		report(entity.CodeRefMismatch, "the definition says Slug: %s, its path says %s", c.Slug, d.slug)
	}
	c.Slug, c.SpaceSlug = d.slug, d.space
	if c.DisplayName == "" && (d.inline || s.Config.Layout == LayoutSmall) {
		c.DisplayName = d.slug
	}
	switch {
	case *id == "":
		*id = entity.ID(d.kind, d.space, d.slug, 0)
	case !entity.IsID(*id):
		report(entity.CodeFieldValue, "%s is not an ID", quote(*id))
	}
	l.entity.Restore(state)
	if u, ok := l.entity.(*Unit); ok {
		l.toolchain(u, &d, state.(*entity.UnitStateFile).ToolchainType)
	}
	l.errs = append(l.errs, rules.Common(s.position(d.file), c)...)
}

// loaded adds a definition that was read. A space that cannot be read still holds its units.
func (w *Workspace) loaded(d definition, l *loaded) {
	if l.entity == nil {
		return
	}
	errs := append(l.errs, w.located(l.entity.from(), l.found)...)
	w.Problems = append(w.Problems, errs...)
	if len(errs) > 0 {
		w.setBroken(d.kind, l.entity.Name(), errs)
	}
	switch {
	case len(errs) == 0 || d.kind == entity.KindSpace:
		w.collect(l.entity)
	case !l.unread:
		w.mistaken = append(w.mistaken, l.entity)
	}
}

// uniqueIDs reports entities of the same ID: a copied folder, for example. The first one keeps it;
// others cannot be used.
func (w *Workspace) uniqueIDs() {
	taken := map[string]string{}
	w.keep(func(e Entity) bool {
		id, file := *e.Ident(), e.from().file
		first, again := taken[id]
		if !again {
			taken[id] = file
			return true
		}
		problem := w.Store.fail(file, entity.CodeRefMismatch, "ID %s also belongs to %s", id, first).
			WithHint("a copied definition needs another ID: remove the line with the ID")
		w.Problems = append(w.Problems, problem)
		w.setBroken(e.Kind(), e.Name(), entity.Errors{problem})
		return e.Kind() == entity.KindSpace
	})
}
