package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/links/entity"
)

// writeDefinition writes a definition. An existing file keeps its comments and the order of its
// fields; only fields with another value are changed. from is where the definition was read.
func (t *Tx) writeDefinition(from source, definition any) error {
	file := from.file
	was, err := t.store.readFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		was, err = nil, nil
	}
	if err != nil {
		return t.store.unreadable(file, err)
	}
	text, err := json.Marshal(definition)
	if err != nil {
		return err
	}
	value, err := entity.Ordered(text)
	if err != nil {
		return err
	}
	fields, ok := value.(gaby.Entries)
	if !ok {
		return fmt.Errorf("%T is not a definition", definition)
	}
	data, ok := edit(was, fields)
	if !ok {
		if data, err = entity.YAML(definition); err != nil {
			return err
		}
	}
	if string(data) != string(was) {
		t.writeFile(file, data, from.hash, 0)
	}
	return nil
}

// edit gives the top-level fields of a text other values. It reports false if the text cannot be
// edited.
func edit(text []byte, fields gaby.Entries) ([]byte, bool) {
	doc, err := gaby.ParseYAML(text)
	if err != nil || doc.Check() != nil || doc.Value().Kind() != gaby.Map ||
		doc.Value().Len() == 0 {
		return nil, false
	}
	wanted := map[string]bool{}
	for _, f := range fields {
		wanted[f.Key] = true
		old := doc.Value().Get(f.Key)
		if old.Exists() && reflect.DeepEqual(plain(old.Data()), plain(f.Value)) {
			continue
		}
		if _, err := doc.Set(f.Value, f.Key); err != nil {
			return nil, false
		}
	}
	var gone []string
	for field := doc.Value().First(); field.Exists(); field = field.Next() {
		if !wanted[field.Key()] {
			gone = append(gone, field.Key())
		}
	}
	for _, name := range gone {
		if err := doc.Delete(name); err != nil {
			return nil, false
		}
	}
	return doc.BytesWithNewline(), true
}

// plain returns a value with maps instead of gaby.Entries.
func plain(v any) any {
	switch t := v.(type) {
	case gaby.Entries:
		m := make(map[string]any, len(t))
		for _, e := range t {
			m[e.Key] = plain(e.Value)
		}
		return m
	case map[string]any:
		m := make(map[string]any, len(t))
		for key, value := range t {
			m[key] = plain(value)
		}
		return m
	case []any:
		list := make([]any, len(t))
		for i, item := range t {
			list[i] = plain(item)
		}
		return list
	}
	return v
}

// id returns the ID of a new entity.
func (w *Workspace) id(kind entity.Kind, space, slug string) string {
	for try := 0; ; try++ {
		if id := entity.ID(kind, space, slug, try); w.byID[id] == nil {
			return id
		}
	}
}

// created sets the fields of a new entity. People see it under its slug unless they chose another
// name.
func (s *Store) created(c *entity.Common, space *Space) {
	if c.DisplayName == "" {
		c.DisplayName = c.Slug
	}
	c.CreatedAt, c.Version = s.Now(), 1
	c.UpdatedAt = c.CreatedAt
	if space != nil {
		c.SpaceID, c.SpaceSlug = space.SpaceID, space.Slug
	}
}

// updated sets the fields of a changed entity.
func (s *Store) updated(c *entity.Common) {
	c.UpdatedAt = s.Now()
	c.Version++
}

func recordedOf(c *entity.Common) entity.Recorded {
	return entity.Recorded{CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt, Version: c.Version}
}

// CheckVersion returns an error if an entity has another version than the caller has seen. 0 is any
// version.
func CheckVersion(c *entity.Common, seen int64) error {
	if seen == 0 || seen == c.Version {
		return nil
	}
	return &entity.Error{
		Code: entity.CodeStaleVersion,
		Message: fmt.Sprintf("%s has the version %d, not %d: somebody changed it", c.Slug,
			c.Version, seen),
	}
}

// checkNew checks the slug and the common fields of a new entity.
func checkNew(c *entity.Common, taken bool, what string) error {
	if !entity.IsSlug(c.Slug) {
		return invalidSlug(c.Slug)
	}
	if taken {
		return &entity.Error{
			Code: entity.CodeSlugTaken, Message: what + " " + c.Slug + " exists already",
			Hint: "--allow-exists accepts that",
		}
	}
	return checkCommon(noPosition(), c).Err()
}

// CreateSpace adds a space.
func (t *Tx) CreateSpace(w *Workspace, s *entity.Space) (*Space, error) {
	if err := checkNew(&s.Common, w.spaces[s.Slug] != nil, "space"); err != nil {
		return nil, err
	}
	space := &Space{Space: s, source: source{file: spaceFile(s.Slug)}}
	s.SpaceID = w.id(entity.KindSpace, s.Slug, s.Slug)
	t.store.created(&s.Common, nil)
	s.SpaceSlug = s.Slug
	w.Spaces = append(w.Spaces, space)
	w.index()
	return space, t.WriteSpace(space)
}

// WriteSpace writes the definition of a space and what is recorded about it.
func (t *Tx) WriteSpace(s *Space) error {
	d := s.Definition()
	if err := t.writeDefinition(s.source, d); err != nil {
		return err
	}
	return t.writeJSON(stateFile(entity.KindSpace, s.Slug, s.Slug),
		recordedOf(&s.Common))
}

// CreateUnit adds a unit without data.
func (t *Tx) CreateUnit(w *Workspace, space *Space, u *entity.Unit) (*Unit, error) {
	if err := w.Broken(entity.KindUnit, space.Slug+"/"+u.Slug); err != nil {
		return nil, err
	}
	if err := checkNew(&u.Common, w.units[space.Slug+"/"+u.Slug] != nil, "unit"); err != nil {
		return nil, err
	}
	unit := &Unit{Unit: u, source: source{file: unitFile(space.Slug, u.Slug)}}
	u.UnitID = w.id(entity.KindUnit, space.Slug, u.Slug)
	t.store.created(&u.Common, space)
	w.addUnit(unit)
	return unit, t.WriteUnit(unit)
}

// WriteUnit writes the definition of a unit and what is recorded about it.
func (t *Tx) WriteUnit(u *Unit) error {
	if err := t.writeDefinition(u.source, unitDefinition(u.Unit)); err != nil {
		return err
	}
	return t.WriteUnitState(u)
}

// unitDefinition returns the definition of a unit as it is written: without counters.
func unitDefinition(u *entity.Unit) any {
	d := u.Definition()
	return struct {
		UnitID string
		entity.Common
		ToolchainType string
	}{d.UnitID, d.Common, string(d.ToolchainType)}
}

// CreateLink adds a link that was completed by ResolveLink and passed ValidateLink.
func (t *Tx) CreateLink(w *Workspace, l *Link) error {
	if err := w.Broken(entity.KindLink, l.Name()); err != nil {
		return err
	}
	if err := checkNew(&l.Common, w.links[l.Name()] != nil, "link"); err != nil {
		return err
	}
	l.file = definitionFile(entity.KindLink, l.SpaceSlug, l.Slug)
	l.LinkID = w.id(entity.KindLink, l.SpaceSlug, l.Slug)
	t.store.created(&l.Common, w.spaces[l.SpaceSlug])
	w.addLink(l)
	return t.WriteLink(l)
}

// WriteLink writes the definition of a link and what is recorded about it.
func (t *Tx) WriteLink(l *Link) error {
	if err := t.writeDefinition(l.source, linkDefinition(l.Link)); err != nil {
		return err
	}
	return t.WriteLinkState(l)
}

// linkDefinition returns the definition of a link as it is written: without pointers.
func linkDefinition(l *entity.Link) any {
	d := l.Definition()
	text := struct {
		*entity.Link
		// These hide the fields that are recorded.
		UpstreamLastMergedRevisionNum   *int `json:",omitempty"`
		DownstreamLastMergedRevisionNum *int `json:",omitempty"`
	}{Link: d}
	return text
}

// CreateInvocation adds a stored invocation.
func (t *Tx) CreateInvocation(w *Workspace, space *Space, i *entity.Invocation) (
	*Invocation, error,
) {
	if err := w.Broken(entity.KindInvocation, space.Slug+"/"+i.Slug); err != nil {
		return nil, err
	}
	_, err := w.Invocation(space.Slug, i.Slug)
	if err := checkNew(&i.Common, err == nil, "invocation"); err != nil {
		return nil, err
	}
	i.InvocationID = w.id(entity.KindInvocation, space.Slug, i.Slug)
	t.store.created(&i.Common, space)
	made := &Invocation{i, source{file: definitionFile(entity.KindInvocation, space.Slug, i.Slug)}}
	w.Invocations = append(w.Invocations, made)
	w.index()
	return made, t.WriteInvocation(made)
}

// WriteInvocation writes the definition of a stored invocation.
func (t *Tx) WriteInvocation(i *Invocation) error {
	if err := t.writeDefinition(i.source, i.Definition()); err != nil {
		return err
	}
	return t.writeJSON(stateFile(entity.KindInvocation, i.SpaceSlug, i.Slug),
		recordedOf(&i.Common))
}

// CreateFilter adds a stored filter.
func (t *Tx) CreateFilter(w *Workspace, space *Space, f *entity.Filter) (*Filter, error) {
	if err := w.Broken(entity.KindFilter, space.Slug+"/"+f.Slug); err != nil {
		return nil, err
	}
	_, err := w.Filter(space.Slug, f.Slug)
	if err := checkNew(&f.Common, err == nil, "filter"); err != nil {
		return nil, err
	}
	var c checker
	c.filter(f)
	if errs := w.located("", c.found); len(errs) > 0 {
		return nil, errs
	}
	f.FilterID = w.id(entity.KindFilter, space.Slug, f.Slug)
	t.store.created(&f.Common, space)
	made := &Filter{f, source{file: definitionFile(entity.KindFilter, space.Slug, f.Slug)}}
	w.Filters = append(w.Filters, made)
	w.index()
	if err := t.writeDefinition(made.source, f.Definition()); err != nil {
		return nil, err
	}
	return made, t.writeJSON(stateFile(entity.KindFilter, space.Slug, f.Slug),
		recordedOf(&f.Common))
}

// Updated records that the metadata of an entity was changed.
func (t *Tx) Updated(c *entity.Common) { t.store.updated(c) }

// folderOf returns the folder of a definition.
func folderOf(file string) string { return path.Dir(file) }

// ReplaceLink adds a link in the position of one that this transaction deleted. In the same space
// it keeps the ID.
func (t *Tx) ReplaceLink(w *Workspace, old, l *Link) error {
	if old.SpaceSlug != l.SpaceSlug {
		return t.CreateLink(w, l)
	}
	for _, file := range []string{old.file, stateFile(entity.KindLink, old.SpaceSlug, old.Slug)} {
		t.remove(func(o operation) bool {
			return o.Delete && o.Path == file
		})
	}
	l.LinkID, l.file, l.hash = old.LinkID, old.file, old.hash
	t.Updated(&l.Common)
	w.Links = append(w.Links, l)
	w.index()
	return t.WriteLink(l)
}
