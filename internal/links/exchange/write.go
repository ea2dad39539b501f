package exchange

import (
	"maps"

	"github.com/fctl-dev/fctl/internal/links/entity"
)

// Element is an element of a list as cub prints it: an entity, and what it refers to.
type Element struct {
	Space      *entity.Space      `json:",omitempty"`
	Unit       *UnitWithData      `json:",omitempty"`
	Invocation *entity.Invocation `json:",omitempty"`
	Filter     *FilterByID        `json:",omitempty"`
	Link       *LinkByID          `json:",omitempty"`
	FromUnit   *ForeignReference  `json:",omitempty"`
	ToUnit     *ForeignReference  `json:",omitempty"`
	ToSpace    *ForeignReference  `json:",omitempty"`
}

// UnitWithData is a unit with its data, which JSON has in base64.
type UnitWithData struct {
	entity.Unit
	Data      []byte `json:",omitempty"`
	LiveState []byte `json:",omitempty"`
}

// ForeignReference is an entity that another one refers to.
type ForeignReference struct {
	UnitID  string `json:",omitempty"`
	SpaceID string
	Slug    string
}

// FilterByID is a filter as cub has it: its space by ID.
type FilterByID struct {
	entity.Filter
	FromSpace   *string `json:",omitempty"` // hides the slug
	FromSpaceID string  `json:",omitempty"`
}

// LinkByID is a link as cub has it: units, spaces and invocations by ID.
type LinkByID struct {
	entity.Link
	// These hide the slugs, which are beside the link, and what only git knows.
	FromUnit, ToUnit, ToSpace, TransformInvocation, Merged *string `json:",omitempty"`
}

// Origin replaces the IDs of entities by those that they had before an import.
func (m IDs) Origin(e *Element) {
	swap := func(ids ...*string) {
		for _, id := range ids {
			if own, ok := m[*id]; ok {
				*id = own
			}
		}
	}
	for _, r := range []*ForeignReference{e.FromUnit, e.ToUnit, e.ToSpace} {
		if r != nil {
			swap(&r.UnitID, &r.SpaceID)
		}
	}
	own := func(of entity.Entity) {
		c := of.Base()
		if c.Annotations[OriginAnnotation] != "" {
			c.Annotations = maps.Clone(c.Annotations)
			delete(c.Annotations, OriginAnnotation)
		}
		swap(of.Ident(), &c.SpaceID)
	}
	if e.Space != nil {
		copied := *e.Space
		own(&copied)
		e.Space = &copied
	}
	if u := e.Unit; u != nil {
		own(u)
		swap(&u.UpstreamUnitID, &u.UpstreamSpaceID)
	}
	if e.Invocation != nil {
		copied := *e.Invocation
		own(&copied)
		e.Invocation = &copied
	}
	if f := e.Filter; f != nil {
		own(f)
		swap(&f.FromSpaceID)
		f.Where = m.Rewrite(f.Where)
	}
	if l := e.Link; l != nil {
		own(l)
		swap(&l.FromUnitID, &l.ToUnitID, &l.ToSpaceID, &l.TransformInvocationID)
		l.WhereMutation = m.Rewrite(l.WhereMutation)
	}
}
