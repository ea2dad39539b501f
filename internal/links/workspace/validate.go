package workspace

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/filter"
	"github.com/fctl-dev/fctl/internal/where"
)

// checkCommon returns what is wrong with common fields.
func checkCommon(at api.Position, c *entity.Common) entity.Errors {
	var errs entity.Errors
	report := func(format string, args ...any) {
		errs = append(errs, fail(at, entity.CodeFieldValue, format, args...))
	}
	if len(c.DisplayName) > entity.MaxDisplayName {
		report("DisplayName has more than %d bytes", entity.MaxDisplayName)
	}
	for _, m := range []struct {
		name   string
		values map[string]string
		most   int
	}{
		{"Labels", c.Labels, entity.MaxLabel}, {"Annotations", c.Annotations, entity.MaxAnnotation},
	} {
		for _, key := range slices.Sorted(maps.Keys(m.values)) {
			if !entity.IsKey(key) {
				report("%s: invalid key %s", m.name, quote(key))
			}
			if len(m.values[key]) > m.most {
				report("%s: the value of %s has more than %d bytes", m.name, key, m.most)
			}
		}
	}
	return errs
}

// finding is a problem with a field of a definition. The position is found only if there is one.
type finding struct {
	field []string
	*entity.Error
}

// checker collects the problems of a definition.
type checker struct{ found []finding }

func (c *checker) add(code entity.Code, field []string, format string, args ...any) *entity.Error {
	e := fail(api.Position{}, code, format, args...)
	c.found = append(c.found, finding{field, e})
	return e
}

// Validate checks all definitions against each other. It returns the problems of Load, too.
func (w *Workspace) Validate() entity.Errors {
	errs := slices.Clone(w.Problems)
	units, links := slices.Clone(w.Units), slices.Clone(w.Links)
	invocations, filters := slices.Clone(w.Invocations), slices.Clone(w.Filters)
	for _, m := range w.mistaken {
		switch {
		case m.unit != nil:
			units = append(units, m.unit)
		case m.link != nil:
			links = append(links, m.link)
		case m.invocation != nil:
			invocations = append(invocations, m.invocation)
		case m.filter != nil:
			filters = append(filters, m.filter)
		}
	}
	for _, u := range units {
		var c checker
		c.toolchain(u.ToolchainType)
		errs = append(errs, w.located(u.file, c.found)...)
	}
	upgrades := map[string]*Link{}
	for _, l := range links {
		found := w.checkLink(l)
		if l.UpdateType == entity.UpdateUpgradeUnit && l.From != nil {
			if first := upgrades[l.FromUnitID]; first != nil {
				var c checker
				_ = c.add(entity.CodeUpgradeDup, []string{"UpdateType"},
					"%s has an UpgradeUnit link already: %s", l.From.Name(), first.Slug)
				found = append(found, c.found...)
			}
			upgrades[l.FromUnitID] = l
		}
		errs = append(errs, w.located(l.file, found)...)
	}
	for _, i := range invocations {
		var c checker
		c.toolchain(i.ToolchainType)
		c.resources([]string{"WhereResource"}, i.WhereResource)
		if i.FunctionName == "" {
			_ = c.add(entity.CodeFunctionUnknown, []string{"FunctionName"},
				"FunctionName is missing")
		}
		errs = append(errs, w.located(i.file, c.found)...)
	}
	for _, f := range filters {
		var c checker
		c.filter(f.Filter)
		errs = append(errs, w.located(f.file, c.found)...)
	}
	if cycles, ok := w.CheckCycles().(entity.Errors); ok {
		errs = append(errs, cycles...)
	}
	return errs
}

// CheckData checks the data of all units: working copies with parse, and that the history has the
// head revisions.
func (w *Workspace) CheckData(parse func(u *Unit, data []byte) error) (entity.Errors, error) {
	var errs entity.Errors
	s := w.Store
	for _, u := range w.Units {
		_, data, err := s.Edited(u)
		if err == nil && data == nil { // the index knows that it is the head
			data, err = s.Working(u)
		}
		if err == nil && len(data) > 0 {
			if parseErr := parse(u, data); parseErr != nil {
				err = s.InUnit(u, parseErr)
			}
		}
		if errs, err = collect(errs, err); err != nil {
			return errs, err
		}
		head, err := s.Data(u, u.HeadRevisionNum)
		if err == nil && u.HeadRevisionNum > 0 && hash(head) != u.DataHash {
			e := fail(s.position(revisionDir(u.SpaceSlug, u.Slug, u.HeadRevisionNum)+"/data"),
				entity.CodeState, "it is not what %s has as its head", u.Name())
			e.Hint = "restore the file, for example with git or 'fctl undo'"
			err = e
		}
		if errs, err = collect(errs, err); err != nil {
			return errs, err
		}
	}
	return errs, nil
}

// collect adds an error about an entity to errs. It returns other errors.
func collect(errs entity.Errors, err error) (entity.Errors, error) {
	if e, ok := errors.AsType[*entity.Error](err); ok {
		return append(errs, e), nil
	}
	return errs, err
}

// ValidateLink checks one link, which need not be of the workspace, as Validate does. Problems have
// no positions if the link has no file.
func (w *Workspace) ValidateLink(l *Link) entity.Errors {
	found := w.checkLink(l)
	if l.UpdateType == entity.UpdateUpgradeUnit {
		for _, other := range w.LinksFrom(l.From) {
			if other.UpdateType == l.UpdateType && other.LinkID != l.LinkID {
				var c checker
				_ = c.add(entity.CodeUpgradeDup, nil, "%s/%s has an UpgradeUnit link already: %s",
					l.SpaceSlug, l.FromUnit, other.Slug)
				found = append(found, c.found...)
			}
		}
	}
	errs := w.located(l.file, found)
	for _, e := range errs {
		e.Space, e.Link = l.SpaceSlug, l.Slug
	}
	return errs
}

// located gives the findings the positions of their fields.
func (w *Workspace) located(file string, found []finding) entity.Errors {
	if len(found) == 0 {
		return nil
	}
	var top gaby.Value
	if file != "" {
		if text, err := w.Store.readRegular(file); err == nil {
			if doc, err := gaby.ParseYAML(text); err == nil && doc.Check() == nil {
				top = doc.Value()
			}
		}
	}
	errs := make(entity.Errors, len(found))
	for i, f := range found {
		if errs[i] = f.Error; file != "" {
			errs[i].Pos = gabyPosition(fieldPosition(top, f.field), w.Store.position(file).File)
		}
	}
	return errs
}

// fieldPosition returns the position of a field or, if it is missing, of the closest one around it.
func fieldPosition(v gaby.Value, field []string) gaby.Position {
	at := v.Position()
	for _, name := range field {
		next := v.Get(name)
		if n, err := strconv.Atoi(name); err == nil {
			next = v.Index(n)
		}
		if !next.Exists() {
			break
		}
		v, at = next, next.Position()
	}
	return at
}

func (c *checker) toolchain(t api.ToolchainType) {
	if HasToolchain(t) {
		return
	}
	var names []string
	for _, known := range Toolchains() {
		names = append(names, string(known))
	}
	c.add(entity.CodeToolchain, []string{"ToolchainType"}, "unknown ToolchainType %s",
		quote(string(t))).Hint = configkit.DidYouMean("", configkit.Suggest(string(t), names))
}

// resources checks a filter of resources.
func (c *checker) resources(field []string, text string) {
	if len(text) > api.MaxWhereLength {
		_ = c.add(entity.CodeWhereParse, field, "the filter has more than %d bytes",
			api.MaxWhereLength)
		return
	}
	if _, err := where.Parse(text); err != nil {
		code, hint := entity.CodeWhereParse, ""
		if problem, ok := errors.AsType[*where.Error](err); ok {
			code, hint = entity.WhereCode(problem), problem.Hint
		}
		e := c.add(code, field, "%v", err)
		e.Err, e.Hint = err, hint
	}
}

// entities checks a filter of entities.
func (c *checker) entities(field []string, text string, of where.Attributes) {
	_, err := filter.Parse(text, of)
	if e, ok := err.(*entity.Error); ok {
		added := c.add(e.Code, field, "%s", e.Message)
		added.Err, added.Hint = e.Err, e.Hint
	}
}

// filter checks a stored filter.
func (c *checker) filter(f *entity.Filter) {
	schema, ok := Schemas()[f.From]
	if !ok {
		_ = c.add(entity.CodeFieldValue, []string{"From"},
			"From is Unit, Link, Mutation or Space, not %s", quote(string(f.From)))
		return
	}
	c.entities([]string{"Where"}, f.Where, schema)
	if f.From != entity.FilterUnit && (f.WhereData != "" || f.ResourceType != "") {
		_ = c.add(entity.CodeFieldNotAllowed, []string{"WhereData"},
			"WhereData and ResourceType are for units only")
	}
	c.resources([]string{"WhereData"}, f.WhereData)
}

// Schemas returns the attributes of what stored filters select.
func Schemas() map[entity.FilterFrom]where.Attributes {
	return map[entity.FilterFrom]where.Attributes{
		entity.FilterUnit: filter.UnitSchema(), entity.FilterLink: filter.LinkSchema(),
		entity.FilterMutation: filter.MutationSchema(), entity.FilterSpace: filter.SpaceSchema(),
	}
}

// Locate gives problems with fields of a link, such as DownstreamPaths[0].Expression, their
// positions.
func (w *Workspace) Locate(l *Link, fields []string, errs entity.Errors) {
	found := make([]finding, len(errs))
	for i, e := range errs {
		path := strings.FieldsFunc(fields[i], func(r rune) bool {
			return r == '.' || r == '[' || r == ']'
		})
		found[i] = finding{path, e}
		e.Space, e.Link = l.SpaceSlug, l.Slug
	}
	_ = w.located(l.file, found)
}
