package entity

import "time"

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
	CreatedAt   time.Time         `json:",omitzero"`
	UpdatedAt   time.Time         `json:",omitzero"`
	// Version counts the writes of the definition, from 1.
	Version int64 `json:",omitempty"`
}

// definition returns the fields that a definition file has.
func (c Common) definition() Common {
	c.SpaceID, c.SpaceSlug = "", ""
	c.CreatedAt, c.UpdatedAt, c.Version = time.Time{}, time.Time{}, 0
	return c
}

// Recorded holds the common fields that fctl records beside a definition.
type Recorded struct {
	CreatedAt time.Time `json:",omitzero"`
	UpdatedAt time.Time `json:",omitzero"`
	Version   int64     `json:",omitempty"`
}

func (c *Common) recorded() Recorded { return Recorded{c.CreatedAt, c.UpdatedAt, c.Version} }

func (c *Common) record(r Recorded) {
	c.CreatedAt, c.UpdatedAt, c.Version = r.CreatedAt, r.UpdatedAt, max(r.Version, 1)
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
