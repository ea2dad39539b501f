package yamlpath

import "github.com/fctl-dev/fctl/api"

// Field is what is known about the field at a path of a resource type.
type Field struct {
	// Known says that the type has a schema that says what may be at the path.
	Known bool
	// Missing is the index of the first segment of the path that the schema does not allow, or -1.
	Missing int
	// Keys are the fields that the value has, or the one above Missing, in the order in which they
	// are written. It is nil if its keys are not fixed.
	Keys []string
	// Type is the type of the value in the words of JSON Schema, or "" if it is not a single one.
	Type string
	// Values are the texts that the value can be, if they are listed.
	Values []string
	// Limits are the other keywords that limit a scalar or a list, with their values: minimum 1.
	Limits []string
	// Required are the keys that a map must have.
	Required []string
}

// FieldProvider is implemented by resource providers that know the schemas of resource types.
type FieldProvider interface {
	Field(t api.ResourceType, path *Path) Field
}

// MapKey returns the key that a segment follows in a map. It reports false for wildcards and
// lookups. A number is a key of a map and an index of a list.
func (s *Segment) MapKey() (string, bool) {
	return s.Key, s.Kind == Plain || s.Kind == literalSegment
}
