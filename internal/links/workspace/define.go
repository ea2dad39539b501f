package workspace

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/rules"
)

// Write writes the definition of an entity and what is recorded about it.
func (t *Tx) Write(e Entity) {
	t.fail(t.writeDefinition(e))
	t.WriteState(e)
}

// WriteState writes what is recorded about an entity.
func (t *Tx) WriteState(e Entity) { t.writeJSON(recordFile(e), e.State()) }

// writeDefinition writes a definition. An existing file keeps its comments and the order of its
// fields; only fields with another value are changed.
func (t *Tx) writeDefinition(e Entity) error {
	if t.isSmall(e) {
		t.defined[e] = true
		return nil
	}
	was, err := t.store.readIf(e.from().file)
	if err != nil {
		return err
	}
	return t.writeOwn(e, was, nil)
}

// writeOwn writes the file of a definition that had a text. Without fields it gets all.
func (t *Tx) writeOwn(e Entity, was []byte, fields gaby.Entries) (err error) {
	if fields == nil {
		if fields, err = definitionFields(e); err != nil {
			return err
		}
	}
	data, ok := edit(was, fields)
	if !ok {
		if data, err = entity.Block(fields); err != nil {
			return err
		}
	}
	file := e.from().file
	if now, err := t.store.readIf(file); err != nil || string(now) == string(data) {
		return err
	}
	t.writeFile(file, data, e.from().hash, 0)
	return nil
}

// definitionFields returns the fields of a definition.
func definitionFields(e Entity) (gaby.Entries, error) {
	definition := stored(e)
	text, err := json.Marshal(definition)
	if err != nil {
		return nil, err
	}
	value, err := entity.Ordered(text)
	if err != nil {
		return nil, err
	}
	fields, ok := value.(gaby.Entries)
	if !ok {
		return nil, fmt.Errorf("%T is not a definition", definition)
	}
	return fields, nil
}

// stored returns the definition of an entity as it is written: without counters and pointers.
func stored(e Entity) any {
	switch d := e.Definition().(type) {
	case *entity.Unit:
		return struct {
			UnitID string
			entity.Common
			ToolchainType string
		}{d.UnitID, d.Common, string(d.ToolchainType)}
	case *entity.Link:
		return struct {
			*entity.Link
			// These hide the fields that are recorded.
			UpstreamLastMergedRevisionNum   *int `json:",omitempty"`
			DownstreamLastMergedRevisionNum *int `json:",omitempty"`
		}{Link: d}
	default:
		return d
	}
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
	for _, field := range doc.Value().All() {
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

// CheckVersion returns an error if an entity has another version than the caller has seen. 0 is any
// version.
func CheckVersion(c *entity.Common, seen int64) error {
	if seen == 0 || seen == c.Version {
		return nil
	}
	return entity.Fail(entity.CodeStaleVersion,
		"%s has the version %d, not %d: somebody changed it", c.Slug, c.Version, seen)
}

// checkNew checks the slug and the other fields of a new entity.
func (w *Workspace) checkNew(e Entity, c *entity.Common) error {
	if !entity.IsSlug(c.Slug) {
		return invalidSlug(c.Slug)
	}
	name := c.Name()
	if e.Kind() == entity.KindSpace {
		name = c.Slug
	}
	if has := w.named[entityKey{e.Kind(), name}]; has != nil {
		return w.fail(has, entity.CodeSlugTaken, "%s %s exists already", e.Kind(), c.Slug).
			WithHint("--allow-exists accepts that")
	}
	if err := rules.Common(api.Position{}, c).Err(); err != nil {
		return err
	}
	var found rules.Findings
	if f, ok := e.(*Filter); ok {
		found.Filter(f.Filter)
	}
	return w.located(&definedAt{}, found).Err()
}

// Create adds a new entity to the space of its SpaceSlug. A link was completed by ResolveLink and
// passed ValidateLink. People see the entity under its slug unless they chose another name.
func (t *Tx) Create(w *Workspace, e Entity) error {
	c, kind := e.Base(), e.Kind()
	if kind == entity.KindSpace {
		c.SpaceSlug = c.Slug
	}
	if err := w.checkNew(e, c); err != nil {
		return err
	}
	if err := w.Broken(kind, e.Name()); err != nil {
		return err
	}
	if c.DisplayName == "" {
		c.DisplayName = c.Slug
	}
	now := t.store.Now()
	c.Recorded = entity.Recorded{CreatedAt: now, UpdatedAt: now, Version: 1}
	if space := w.space(c.SpaceSlug); space != nil {
		c.SpaceID = space.SpaceID
	}
	*e.Ident() = w.id(kind, c.SpaceSlug, c.Slug)
	e.from().file = definitionFile(kind, c.SpaceSlug, c.Slug)
	if kind == entity.KindUnit && t.isSmall(e) {
		e.from().file = unitBase(c.SpaceSlug, c.Slug) + unitEnding
	}
	w.add(e)
	t.Write(e)
	return nil
}

// Updated records that the metadata of an entity was changed.
func (t *Tx) Updated(c *entity.Common) {
	c.UpdatedAt = t.store.Now()
	c.Version++
}

// ReplaceLink adds a link in the position of one that this transaction deleted. In the same space
// it keeps the ID.
func (t *Tx) ReplaceLink(w *Workspace, old, l *Link) error {
	if old.SpaceSlug != l.SpaceSlug {
		return t.Create(w, l)
	}
	t.remove(func(o operation) bool {
		return o.Delete && (o.Path == recordFile(old) || o.Path == old.file && !old.inline)
	})
	l.LinkID, l.definedAt = old.LinkID, old.definedAt
	t.Updated(&l.Common)
	w.add(l)
	t.Write(l)
	return nil
}
