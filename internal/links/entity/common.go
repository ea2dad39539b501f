package entity

import (
	"time"

	"github.com/fctl-dev/fctl/internal/strict"
)

// Entity is a Space, a Unit, a Link, an Invocation or a Filter.
type Entity interface {
	Kind() Kind
	// Self returns the entity itself, also if it is embedded.
	Self() Entity
	// Ident returns where the ID is.
	Ident() *string
	// Base returns where the common fields are.
	Base() *Common
	// Name returns the slug of a space, and "space/slug" of others.
	Name() string
	// Definition returns a copy with the fields that the definition file has.
	Definition() Entity
	// State returns what is recorded about the entity, as its file has it. Restore sets that.
	State() any
	Restore(state any)

	fields(r *definitionReader) []strict.Field
}

// New returns an empty entity.
func New(kind Kind) Entity {
	switch kind {
	case KindSpace:
		return &Space{}
	case KindUnit:
		return &Unit{}
	case KindInvocation:
		return &Invocation{}
	case KindFilter:
		return &Filter{}
	}
	return &Link{}
}

// Common holds the fields that every entity has. Times and Version are recorded by fctl and are
// never part of a hash.
type Common struct {
	Slug        string
	DisplayName string            `json:",omitempty"`
	SpaceID     string            `json:",omitempty"`
	SpaceSlug   string            `json:",omitempty"`
	Labels      map[string]string `json:",omitempty"`
	Annotations map[string]string `json:",omitempty"`
	DeleteGates map[string]bool   `json:",omitempty"`
	Recorded
}

// Base returns the common fields.
func (c *Common) Base() *Common { return c }

// Name returns "space/slug".
func (c *Common) Name() string { return c.SpaceSlug + "/" + c.Slug }

// definition returns the fields that a definition file has.
func (c Common) definition() Common {
	c.SpaceID, c.SpaceSlug, c.Recorded = "", "", Recorded{}
	return c
}

// Recorded holds the common fields that fctl records beside a definition.
type Recorded struct {
	CreatedAt time.Time `json:",omitzero"`
	UpdatedAt time.Time `json:",omitzero"`
	// Version counts the writes of the definition, from 1.
	Version int64 `json:",omitempty"`
}

// State returns what is recorded about an entity that has no other records.
func (c *Common) State() any {
	r := c.Recorded
	return &r
}

// Restore sets what is recorded.
func (c *Common) Restore(state any) { c.record(*state.(*Recorded)) }

func (c *Common) record(r Recorded) {
	c.Recorded = r
	c.Version = max(r.Version, 1)
}

// Limits on the common fields, in bytes.
const (
	MaxSlug        = 128
	MaxDisplayName = 256
	MaxLabel       = 128
	MaxAnnotation  = 64 << 10
	MaxKey         = 128
)

// IsSlug reports whether s can be the slug of an entity.
func IsSlug(s string) bool {
	if s == "" || len(s) > MaxSlug || !isAlphanumeric(s[0]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// IsKey reports whether s can be the key of a label or an annotation.
func IsKey(s string) bool {
	if s == "" || len(s) > MaxKey || !isAlphanumeric(s[0]) || !isAlphanumeric(s[len(s)-1]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && c != '_' && c != '-' && c != '.' && c != '/' {
			return false
		}
	}
	return true
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
