package exchange

import (
	"maps"

	"github.com/fctl-dev/fctl/internal/links/entity"
)

// Element is an element of a list as cub prints it: an entity, and what it refers to.
type Element struct {
	Space      *entity.Space      `json:",omitempty"`
	Unit       *Unit              `json:",omitempty"`
	Invocation *entity.Invocation `json:",omitempty"`
	Filter     *Filter            `json:",omitempty"`
	Link       *Link              `json:",omitempty"`
	FromUnit   *Reference         `json:",omitempty"`
	ToUnit     *Reference         `json:",omitempty"`
	ToSpace    *Reference         `json:",omitempty"`
}

// Reference is an entity that another one refers to.
type Reference struct {
	UnitID  string `json:",omitempty"`
	SpaceID string
	Slug    string
}

// Filter is a filter as cub has it: its space by ID.
type Filter struct {
	entity.Filter
	FromSpace   *string `json:",omitempty"` // hides the slug
	FromSpaceID string  `json:",omitempty"`
}

// Link is a link as cub has it: units, spaces and invocations by ID.
type Link struct {
	entity.Link
	// These hide the slugs, which are beside the link.
	FromUnit, ToUnit, ToSpace, TransformInvocation *string `json:",omitempty"`
}

// LinkOf returns a link as cub has it.
func LinkOf(l *entity.Link) *Link { return &Link{Link: *l} }

// Origin replaces the IDs of entities by those that they had before an import.
func (m IDs) Origin(e *Element) {
	swap := func(ids ...*string) {
		for _, id := range ids {
			if own, ok := m[*id]; ok {
				*id = own
			}
		}
	}
	for _, r := range []*Reference{e.FromUnit, e.ToUnit, e.ToSpace} {
		if r != nil {
			swap(&r.UnitID, &r.SpaceID)
		}
	}
	if s := e.Space; s != nil {
		copied := *s
		copied.Annotations = withoutOrigin(s.Annotations)
		swap(&copied.SpaceID, &copied.Common.SpaceID)
		e.Space = &copied
	}
	if u := e.Unit; u != nil {
		u.Annotations = withoutOrigin(u.Annotations)
		swap(&u.UnitID, &u.SpaceID, &u.UpstreamUnitID, &u.UpstreamSpaceID)
	}
	if i := e.Invocation; i != nil {
		copied := *i
		copied.Annotations = withoutOrigin(i.Annotations)
		swap(&copied.InvocationID, &copied.SpaceID)
		e.Invocation = &copied
	}
	if f := e.Filter; f != nil {
		f.Annotations = withoutOrigin(f.Annotations)
		swap(&f.FilterID, &f.SpaceID, &f.FromSpaceID)
		f.Where = m.Rewrite(f.Where)
	}
	if l := e.Link; l != nil {
		l.Annotations = withoutOrigin(l.Annotations)
		swap(&l.LinkID, &l.SpaceID, &l.FromUnitID, &l.ToUnitID, &l.ToSpaceID,
			&l.TransformInvocationID)
		l.WhereMutation = m.Rewrite(l.WhereMutation)
	}
}

func withoutOrigin(annotations map[string]string) map[string]string {
	if annotations[OriginAnnotation] == "" {
		return annotations
	}
	rest := maps.Clone(annotations)
	delete(rest, OriginAnnotation)
	return rest
}
