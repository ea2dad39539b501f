package yamlkit

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Seen holds the paths at which the resources of each type have values, as far as they were added.
// It does not tell the elements of a list apart.
type Seen struct{ types map[api.ResourceType]fields }

// fields are the keys of a map with what is below them. Those of a list are *, for all elements,
// and for each scalar in an element that is a map, the segment that looks it up.
type fields map[string]fields

// MarshalJSON returns the types with their keys.
func (s Seen) MarshalJSON() ([]byte, error) { return json.Marshal(s.types) }

// UnmarshalJSON reads what MarshalJSON returns.
func (s *Seen) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &s.types) }

// Add adds the values of a resource. It keeps no reference to them.
func (s *Seen) Add(t api.ResourceType, resource gaby.Value) {
	if s.types == nil {
		s.types = map[api.ResourceType]fields{}
	}
	all := s.types[t]
	if all == nil {
		all = fields{}
		s.types[api.ResourceType(strings.Clone(string(t)))] = all
	}
	all.add(resource)
}

// AddAll adds what other has. other must not be used any more.
func (s *Seen) AddAll(other *Seen) {
	if s.types == nil {
		s.types = other.types
		return
	}
	for t, more := range other.types {
		s.types[t] = s.types[t].merge(more)
	}
}

// Has reports whether a resource of a type has a value at segments. An index is
// that of any element.
func (s *Seen) Has(t api.ResourceType, segments []string) bool {
	at, known := s.types[t]
	for _, segment := range segments {
		next, has := at[segment]
		if _, err := strconv.Atoi(segment); err == nil && !has {
			next, has = at["*"]
		}
		if !has {
			return false
		}
		at = next
	}
	return known
}

// LookupSegment returns the segment of [Seen.Has] for list elements with a value for key.
func LookupSegment(key, value string) string { return "?" + key + "=" + value }

func (f fields) add(v gaby.Value) {
	for _, c := range v.All() {
		key := "*"
		if v.Kind() == gaby.Map {
			key = c.Key()
		} else {
			for of := c.First(); of.Exists() && c.Kind() == gaby.Map; of = of.Next() {
				if of.Kind() == gaby.Scalar {
					f.child(LookupSegment(of.Key(), of.Text()))
				}
			}
		}
		f.child(key).add(c)
	}
}

// child returns what is below a key, which is added.
func (f fields) child(key string) fields {
	below, known := f[key]
	if !known {
		below = fields{}
		f[strings.Clone(key)] = below // the key is a part of a text
	}
	return below
}

// merge returns the keys of both.
func (f fields) merge(more fields) fields {
	if f == nil {
		return more
	}
	for key, below := range more {
		f[key] = f[key].merge(below)
	}
	return f
}
