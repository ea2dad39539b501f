package workspace

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/rules"
)

// Validate checks all definitions against each other. It returns the problems of Load, too.
func (w *Workspace) Validate() entity.Errors {
	errs := slices.Clone(w.Problems)
	upgrades := map[string]*Link{}
	check := func(e Entity) {
		var c rules.Findings
		switch e := e.(type) {
		case *Unit:
			c.Toolchain(e.ToolchainType)
		case *Link:
			w.checkLink(&c, e)
			if e.UpdateType == entity.UpdateUpgradeUnit && e.From != nil {
				if first := upgrades[e.FromUnitID]; first != nil {
					c.Add(entity.CodeUpgradeDup, "UpdateType", "%s has an UpgradeUnit link already: %s",
						e.From.Name(), first.Slug)
				}
				upgrades[e.FromUnitID] = e
			}
		case *Invocation:
			c.Toolchain(e.ToolchainType)
			c.Resources("WhereResource", e.WhereResource)
			if e.FunctionName == "" {
				c.Add(entity.CodeFunctionUnknown, "FunctionName", "FunctionName is missing")
			}
		case *Filter:
			c.Filter(e.Filter)
		}
		errs = append(errs, w.located(e.from(), c)...)
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
	var c rules.Findings
	w.checkLink(&c, l)
	if l.UpdateType == entity.UpdateUpgradeUnit {
		for _, other := range w.LinksFrom(l.From) {
			if other.UpdateType == l.UpdateType && other.LinkID != l.LinkID {
				c.Add(entity.CodeUpgradeDup, "", "%s/%s has an UpgradeUnit link already: %s",
					l.SpaceSlug, l.FromUnit, other.Slug)
			}
		}
	}
	return w.Locate(l, c)
}

// Locate returns problems with fields of a link, with their positions if the link has a file.
func (w *Workspace) Locate(l *Link, found []entity.FieldError) entity.Errors {
	errs := w.located(&l.definedAt, found)
	for _, e := range errs {
		e.Space, e.Link = l.SpaceSlug, l.Slug
	}
	return errs
}

// located gives the findings the positions of their fields, unless there is no file.
func (w *Workspace) located(in *definedAt, found rules.Findings) entity.Errors {
	if len(found) == 0 {
		return nil
	}
	var top gaby.Value
	file := in.file
	if file != "" && !in.inline {
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
			if errs[i].Pos = w.Store.definedIn(in); in.line == 0 {
				errs[i].Pos.Line, errs[i].Pos.Column = at.Line, at.Column
			}
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
