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
		e := entity.Fail(entity.CodeFieldValue, format, args...)
		e.Pos = at
		errs = append(errs, e)
	}
	if len(c.DisplayName) > entity.MaxDisplayName {
		report("DisplayName has more than %d bytes", entity.MaxDisplayName)
	}
	pairs := func(name string, values map[string]string, most int) {
		for _, key := range slices.Sorted(maps.Keys(values)) {
			if !entity.IsKey(key) {
				report("%s: invalid key %s", name, quote(key))
			}
			if len(values[key]) > most {
				report("%s: the value of %s has more than %d bytes", name, key, most)
			}
		}
	}
	pairs("Labels", c.Labels, entity.MaxLabel)
	pairs("Annotations", c.Annotations, entity.MaxAnnotation)
	return errs
}

// definitionChecker collects the problems of a definition. Their positions are found only if there are some.
type definitionChecker []entity.FieldError

func (c *definitionChecker) report(field string, e *entity.Error) {
	*c = append(*c, entity.FieldError{Field: field, Error: e})
}

func (c *definitionChecker) add(code entity.Code, field, format string, args ...any) {
	c.report(field, entity.Fail(code, format, args...))
}

// Validate checks all definitions against each other. It returns the problems of Load, too.
func (w *Workspace) Validate() entity.Errors {
	errs := slices.Clone(w.Problems)
	upgrades := map[string]*Link{}
	check := func(e Entity) {
		var c definitionChecker
		switch e := e.(type) {
		case *Unit:
			c.toolchain(e.ToolchainType)
		case *Link:
			w.checkLink(&c, e)
			if e.UpdateType == entity.UpdateUpgradeUnit && e.From != nil {
				if first := upgrades[e.FromUnitID]; first != nil {
					c.add(entity.CodeUpgradeDup, "UpdateType", "%s has an UpgradeUnit link already: %s",
						e.From.Name(), first.Slug)
				}
				upgrades[e.FromUnitID] = e
			}
		case *Invocation:
			c.toolchain(e.ToolchainType)
			c.resources("WhereResource", e.WhereResource)
			if e.FunctionName == "" {
				c.add(entity.CodeFunctionUnknown, "FunctionName", "FunctionName is missing")
			}
		case *Filter:
			c.filter(e.Filter)
		}
		errs = append(errs, w.located(e.from().file, c)...)
	}
	for e := range w.All() {
		check(e)
	}
	for _, e := range w.mistaken {
		check(e)
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
				err = parseErr
			}
		}
		if err != nil {
			errs, _ = collect(errs, s.InUnit(u, err))
		}
		head, err := s.Data(u, u.HeadRevisionNum)
		if err == nil && u.HeadRevisionNum > 0 && hash(head) != u.DataHash {
			err = s.fail(u.revisionDir(u.HeadRevisionNum)+"/data", entity.CodeState,
				"it is not what %s has as its head", u.Name()).
				WithHint("restore the file, for example with git or 'fctl undo'")
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
	var c definitionChecker
	w.checkLink(&c, l)
	if l.UpdateType == entity.UpdateUpgradeUnit {
		for _, other := range w.LinksFrom(l.From) {
			if other.UpdateType == l.UpdateType && other.LinkID != l.LinkID {
				c.add(entity.CodeUpgradeDup, "", "%s/%s has an UpgradeUnit link already: %s",
					l.SpaceSlug, l.FromUnit, other.Slug)
			}
		}
	}
	return w.Locate(l, c)
}

// Locate returns problems with fields of a link, with their positions if the link has a file.
func (w *Workspace) Locate(l *Link, found []entity.FieldError) entity.Errors {
	errs := w.located(l.file, found)
	for _, e := range errs {
		e.Space, e.Link = l.SpaceSlug, l.Slug
	}
	return errs
}

// located gives the findings the positions of their fields, unless there is no file.
func (w *Workspace) located(file string, found definitionChecker) entity.Errors {
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
			at := fieldPosition(top, f.Field)
			errs[i].Pos = w.Store.position(file)
			errs[i].Pos.Line, errs[i].Pos.Column = at.Line, at.Column
		}
	}
	return errs
}

// fieldPosition returns the position of a field or, if it is missing, of the closest one around it.
func fieldPosition(v gaby.Value, field string) gaby.Position {
	at := v.Position()
	for name := range strings.FieldsFuncSeq(field, func(r rune) bool {
		return strings.ContainsRune(".[]", r)
	}) {
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

func (c *definitionChecker) toolchain(t api.ToolchainType) {
	if HasToolchain(t) {
		return
	}
	var names []string
	for _, known := range Toolchains() {
		names = append(names, string(known))
	}
	c.report("ToolchainType", entity.Fail(entity.CodeToolchain, "unknown ToolchainType %s",
		quote(string(t))).
		WithHint(configkit.DidYouMean("", configkit.Suggest(string(t), names))))
}

// resources checks a filter of resources.
func (c *definitionChecker) resources(field, text string) {
	if len(text) > api.MaxWhereLength {
		c.add(entity.CodeWhereParse, field, "the filter has more than %d bytes", api.MaxWhereLength)
		return
	}
	_, err := where.Parse(text)
	if problem, ok := errors.AsType[*where.Error](err); ok {
		c.report(field, entity.Fail(entity.WhereCode(problem), "%w", err).WithHint(problem.Hint))
	} else if err != nil {
		c.add(entity.CodeWhereParse, field, "%w", err)
	}
}

// entities checks a filter of entities.
func (c *definitionChecker) entities(field, text string, kind entity.Kind) {
	_, err := filter.Parse(text, kind)
	if e, ok := err.(*entity.Error); ok {
		c.report(field, e)
	}
}

// filter checks a stored filter.
func (c *definitionChecker) filter(f *entity.Filter) {
	switch f.From {
	case entity.FilterUnit, entity.FilterLink, entity.FilterMutation, entity.FilterSpace:
	default:
		c.add(entity.CodeFieldValue, "From", "From is Unit, Link, Mutation or Space, not %s",
			quote(string(f.From)))
		return
	}
	c.entities("Where", f.Where, f.From.Kind())
	if f.From != entity.FilterUnit && (f.WhereData != "" || f.ResourceType != "") {
		c.add(entity.CodeFieldNotAllowed, "WhereData",
			"WhereData and ResourceType are for units only")
	}
	c.resources("WhereData", f.WhereData)
}
