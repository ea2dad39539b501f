// Package exchange reads and makes the JSON of entities that cub, the command line of ConfigHub,
// prints with -o json: lists of objects that hold an entity and, beside it, what it refers to. It
// reads what fctl prints as well. Nothing that a workspace cannot keep is dropped silently: Left
// and Unsupported name it.
//
// Entities have other IDs in each system. IDs maps those of the other system to those of the
// workspace, also where they are within expressions.
//
// Layer: systems.
package exchange

import (
	"regexp"
	"sync"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/links/entity"
)

// OriginAnnotation is the annotation of an imported entity that holds its ID in the other system.
const OriginAnnotation = "fctl.dev/imported-id"

// Foreign is an entity of another system.
type Foreign struct {
	entity.Entity
	ID        string // in the other system; "" if it is unknown
	SpaceID   string
	SpaceSlug string // "" if the text does not have it
	Pos       api.Position

	// Data and LiveState are of a unit. HasData reports whether the object has the field Data.
	Data, LiveState []byte
	HasData         bool
	// FilterSpaceID is the space that a filter is limited to.
	FilterSpaceID string
	// Left are the fields with a value that a workspace does not keep, sorted.
	Left []string
}

// Called returns the kind and the name of the object for messages.
func (o *Foreign) Called() string {
	name := o.Base().Slug
	if o.Kind() != entity.KindSpace && o.SpaceSlug != "" {
		name = o.SpaceSlug + "/" + name
	}
	return string(o.Kind()) + " " + name
}

// Content is the content of some files.
type Content struct {
	// Objects are sorted so that an object follows what it refers to: spaces, units, invocations,
	// filters, links.
	Objects []*Foreign
	// Spaces are the spaces that objects mention, by ID.
	Spaces map[string]*entity.Space
	// Units are the names, "space/slug", of units that links mention, by ID.
	Units map[string]string
	// Unsupported counts the objects of kinds that a workspace does not have.
	Unsupported map[string]int
}

// IDs maps the IDs of another system to those of the workspace.
type IDs map[string]string

var uuid = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`)
})

// Rewrite replaces the known IDs of the other system within a text, such as a filter.
func (m IDs) Rewrite(text string) string {
	return uuid().ReplaceAllStringFunc(text, func(id string) string {
		if own, ok := m[id]; ok {
			return own
		}
		return id
	})
}

// zeroID is the ID that ConfigHub writes for a missing entity.
const zeroID = "00000000-0000-0000-0000-000000000000"

// known returns an ID, "" if it is zero.
func known(id string) string {
	if id == zeroID {
		return ""
	}
	return id
}
