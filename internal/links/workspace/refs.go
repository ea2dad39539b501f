package workspace

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/rules"
)

// resolveRefs completes the references of links: each is known by slug and by ID afterwards.
func (w *Workspace) resolveRefs() {
	for e := range w.All() {
		if s := w.space(e.Base().SpaceSlug); s != nil && e.Kind() != entity.KindSpace {
			e.Base().SpaceID = s.SpaceID
		}
	}
	links := slices.Clone(w.Links)
	for _, e := range w.mistaken {
		if l, ok := e.(*Link); ok {
			links = append(links, l)
		}
	}
	for _, l := range links {
		errs := w.resolveLink(l)
		l.setHash()
		found := make(rules.Findings, len(errs))
		for i, e := range errs {
			found[i] = entity.FieldError{Field: e.Path, Error: e}
		}
		l.refs = w.located(&l.definedAt, found)
		w.Problems = append(w.Problems, l.refs...)
	}
}

// ResolveLink completes the references of a link: the units, the space and the invocation. It
// returns what does not exist or does not agree. The Path of an error is the field.
func (w *Workspace) ResolveLink(l *Link) entity.Errors {
	from, to := l.From, l.To
	errs := w.resolveLink(l)
	if w.ends != nil && w.link(l.Name()) == l {
		w.ends.from.move(l, from, l.From)
		w.ends.to.move(l, to, l.To)
	}
	l.Hash = LinkHash(l.Link)
	return errs
}

// setHash sets the hash of a link that was loaded. The index may know it.
func (l *Link) setHash() {
	of := linkHash{l.FromUnitID, l.ToUnitID, l.TransformInvocationID, l.loaded.Hash}
	if of.Hash == "" || of != l.loaded {
		of.Hash = LinkHash(l.Link)
	}
	l.loaded, l.Hash = of, of.Hash
}

// reporter reports a problem with a field of a link.
type reporter func(field string, code entity.Code, format string, args ...any)

func (w *Workspace) resolveLink(l *Link) entity.Errors {
	var errs entity.Errors
	if s := w.space(l.SpaceSlug); s != nil {
		l.SpaceID = s.SpaceID
	}
	report := func(field string, code entity.Code, format string, args ...any) {
		e := l.Fail(code, format, args...)
		e.Path = field
		errs = append(errs, e)
	}
	l.From = w.ref(l.SpaceSlug, l.FromUnit, l.FromUnitID, "FromUnit", report)
	if l.From != nil {
		if l.From.SpaceSlug != l.SpaceSlug {
			report("FromUnit", entity.CodeLinkSpace,
				"FromUnit is %s, but the link is in the space %s", l.From.Name(), l.SpaceSlug)
		}
		l.FromUnit, l.FromUnitID = l.From.Slug, l.From.UnitID
	}
	space := l.SpaceSlug
	if l.ToSpace != "" || l.ToSpaceID != "" {
		s := w.space(l.ToSpace)
		if byID, ok := w.byID[l.ToSpaceID].(*Space); ok && (l.ToSpace == "" || s == byID) {
			s = byID
		} else if l.ToSpaceID != "" && s != nil {
			report("ToSpace", entity.CodeRefMismatch, "ToSpace is %s, but ToSpaceID is not its ID",
				l.ToSpace)
		}
		if s == nil {
			report("ToSpace", entity.CodeNotFound, "ToSpace: no space %s",
				quote(l.ToSpace+l.ToSpaceID))
			return errs
		}
		space = s.Slug
	}
	l.To = w.ref(space, l.ToUnit, l.ToUnitID, "ToUnit", report)
	if l.To != nil {
		l.ToUnit, l.ToUnitID = l.To.Slug, l.To.UnitID
		l.ToSpace, l.ToSpaceID = l.To.SpaceSlug, l.To.SpaceID
		if l.keepsOwn {
			l.keepsOwn, l.WhereMutation = false, entity.MergedFrom(l.ToUnitID)
		}
	}
	w.resolveTransform(l, report)
	return errs
}

func (w *Workspace) resolveTransform(l *Link, report reporter) {
	ref := cmp.Or(l.TransformInvocationID, l.TransformInvocation)
	if ref == "" {
		return
	}
	i, err := w.Invocation(l.SpaceSlug, ref)
	if err != nil {
		report("TransformInvocation", entity.CodeNotFound, "TransformInvocation: no invocation %s",
			quote(ref))
		return
	}
	if l.TransformInvocation != "" &&
		qualified(l.SpaceSlug, l.TransformInvocation) != i.Name() {
		report("TransformInvocation", entity.CodeRefMismatch,
			"TransformInvocation is %s, but TransformInvocationID is that of %s",
			l.TransformInvocation, i.Name())
	}
	l.TransformInvocationID = i.InvocationID
	l.TransformInvocation = i.Slug
	if i.SpaceSlug != l.SpaceSlug {
		l.TransformInvocation = i.Name()
	}
}

// ref returns the unit that a slug and an ID name. Either may be empty.
func (w *Workspace) ref(space, slug, id, field string, report reporter) *Unit {
	if slug == "" && id == "" {
		report(field, entity.CodeUnitNotFound, "%s is missing", field)
		return nil
	}
	byID, _ := w.byID[id].(*Unit)
	if entity.IsID(slug) && byID == nil {
		byID, _ = w.byID[slug].(*Unit)
		slug = ""
	}
	bySlug := w.unit(qualified(space, slug))
	switch {
	case id != "" && slug != "" && byID != bySlug && bySlug != nil && byID != nil:
		report(field, entity.CodeRefMismatch, "%s is %s, but %sID is that of %s", field,
			bySlug.Name(), field, byID.Name())
		return nil
	case id != "" && slug != "" && (byID == nil) != (bySlug == nil):
		report(field, entity.CodeRefMismatch, "%s is %s, but %sID is not its ID", field, slug,
			field)
		return nil
	case byID != nil:
		return byID
	case bySlug != nil:
		return bySlug
	}
	if w.Broken(entity.KindUnit, qualified(space, slug)) != nil {
		return nil // that is reported
	}
	report(field, entity.CodeUnitNotFound, "%s: no unit %s", field,
		quote(cmp.Or(strings.TrimPrefix(qualified(space, slug), space+"/"), id)))
	return nil
}
