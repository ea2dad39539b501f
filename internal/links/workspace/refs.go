package workspace

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/internal/links/entity"
)

// resolveRefs completes the references of links: each is known by slug and by ID afterwards.
func (w *Workspace) resolveRefs() {
	for _, u := range w.Units {
		if s := w.spaces[u.SpaceSlug]; s != nil {
			u.SpaceID = s.SpaceID
		}
	}
	links := slices.Clone(w.Links)
	for _, m := range w.mistaken {
		if m.link != nil {
			links = append(links, m.link)
		}
	}
	for _, l := range links {
		errs := w.resolveLink(l)
		l.setHash()
		if len(errs) > 0 {
			found := make([]finding, len(errs))
			for i, e := range errs {
				found[i] = finding{[]string{e.Path}, e}
			}
			l.refs = w.located(l.file, found)
			w.Problems = append(w.Problems, l.refs...)
		}
	}
	for _, i := range w.Invocations {
		i.SpaceID = w.spaces[i.SpaceSlug].SpaceID
	}
	for _, f := range w.Filters {
		f.SpaceID = w.spaces[f.SpaceSlug].SpaceID
	}
}

// ResolveLink completes the references of a link: the units, the space and the invocation. It
// returns what does not exist or does not agree. The Path of an error is the field.
func (w *Workspace) ResolveLink(l *Link) entity.Errors {
	from, to := l.From, l.To
	errs := w.resolveLink(l)
	if w.ends != nil && w.links[l.Name()] == l {
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

func (w *Workspace) resolveLink(l *Link) entity.Errors {
	var errs entity.Errors
	if s := w.spaces[l.SpaceSlug]; s != nil {
		l.SpaceID = s.SpaceID
	}
	report := func(field string, code entity.Code, format string, args ...any) {
		e := fail(noPosition(), code, format, args...)
		e.Space, e.Link, e.Path = l.SpaceSlug, l.Slug, field
		errs = append(errs, e)
	}
	l.From = w.ref(l.SpaceSlug, l.FromUnit, l.FromUnitID, "FromUnit", report)
	if l.From != nil {
		if l.From.SpaceSlug != l.SpaceSlug {
			report("FromUnit", entity.CodeLinkSpace, "FromUnit is %s, but the link is in the "+
				"space %s",
				l.From.Name(), l.SpaceSlug)
		}
		l.FromUnit, l.FromUnitID = l.From.Slug, l.From.UnitID
	}
	space := l.SpaceSlug
	if l.ToSpace != "" || l.ToSpaceID != "" {
		s := w.spaces[l.ToSpace]
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
	}
	w.resolveTransform(l, report)
	return errs
}

func (w *Workspace) resolveTransform(
	l *Link, report func(field string, code entity.Code, format string, args ...any),
) {
	if l.TransformInvocation == "" && l.TransformInvocationID == "" {
		return
	}
	ref := l.TransformInvocationID
	if ref == "" {
		ref = l.TransformInvocation
	}
	i, err := w.Invocation(l.SpaceSlug, ref)
	if err != nil {
		report("TransformInvocation", entity.CodeNotFound, "TransformInvocation: no invocation %s",
			quote(ref))
		return
	}
	if l.TransformInvocation != "" &&
		qualified(l.SpaceSlug, l.TransformInvocation) != i.SpaceSlug+"/"+i.Slug {
		report("TransformInvocation", entity.CodeRefMismatch,
			"TransformInvocation is %s, but TransformInvocationID is that of %s",
			l.TransformInvocation, i.SpaceSlug+"/"+i.Slug)
	}
	l.TransformInvocationID = i.InvocationID
	l.TransformInvocation = i.Slug
	if i.SpaceSlug != l.SpaceSlug {
		l.TransformInvocation = i.SpaceSlug + "/" + i.Slug
	}
}

// ref returns the unit that a slug and an ID name. Either may be empty.
func (w *Workspace) ref(
	space, slug, id, field string, report func(field string, code entity.Code, format string,
		args ...any),
) *Unit {
	if slug == "" && id == "" {
		report(field, entity.CodeUnitNotFound, "%s is missing", field)
		return nil
	}
	byID, _ := w.byID[id].(*Unit)
	if entity.IsID(slug) && byID == nil {
		byID, _ = w.byID[slug].(*Unit)
		slug = ""
	}
	bySlug := w.units[qualified(space, slug)]
	switch {
	case id != "" && slug != "" && byID != bySlug && bySlug != nil && byID != nil:
		report(field, entity.CodeRefMismatch, "%s is %s, but %sID is that of %s", field,
			bySlug.Name(),
			field, byID.Name())
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
		quote(strings.TrimPrefix(qualified(space, slug), space+"/")+idText(slug, id)))
	return nil
}

func idText(slug, id string) string {
	if slug == "" {
		return id
	}
	return ""
}
