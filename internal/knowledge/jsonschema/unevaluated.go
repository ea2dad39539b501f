package jsonschema

import "github.com/fctl-dev/fctl/configkit/gaby"

// evaluated records which parts of a value the keywords of a schema, and of the schemas that it
// applies in place, have evaluated. A nil *evaluated records nothing.
type evaluated struct {
	properties    map[string]bool
	allProperties bool
	elements      map[int]bool // elements after the first ones
	first         int          // the number of elements at the beginning that are evaluated
	allElements   bool
}

func (e *evaluated) addProperty(key string) {
	if e == nil {
		return
	}
	if e.properties == nil {
		e.properties = map[string]bool{}
	}
	e.properties[key] = true
}

func (e *evaluated) addElement(i int) {
	if e == nil {
		return
	}
	if e.elements == nil {
		e.elements = map[int]bool{}
	}
	e.elements[i] = true
}

func (e *evaluated) addElements(first int, all bool) {
	if e != nil {
		e.first, e.allElements = max(e.first, first), e.allElements || all
	}
}

// merge adds the contents of other.
func (e *evaluated) merge(other *evaluated) {
	if e == nil || other == nil {
		return
	}
	for key := range other.properties {
		e.addProperty(key)
	}
	for i := range other.elements {
		e.addElement(i)
	}
	e.allProperties = e.allProperties || other.allProperties
	e.addElements(other.first, other.allElements)
}

// empty returns an empty record, or nil if e is nil.
func (e *evaluated) empty() *evaluated {
	if e == nil {
		return nil
	}
	return &evaluated{}
}

// checkUnevaluated checks the properties or elements that no other keyword has evaluated.
func (s *Schema) checkUnevaluated(c *checkState, v gaby.Value, ev *evaluated) bool {
	valid := true
	switch v.Kind() {
	case gaby.Map:
		if s.unevaluatedProperties == nil || ev.allProperties {
			return true
		}
		for _, e := range v.All() {
			c.spend(1)
			key := e.Key()
			switch {
			case ev.properties[key]:
			case s.unevaluatedProperties.rejectsAll:
				valid = c.failAt(key, e.KeyPosition(), "unevaluatedProperties",
					"unknown property %s", key)
			default:
				valid = c.at(segment{key: key, isKey: true}, e, s.unevaluatedProperties) && valid
			}
		}
		ev.allProperties = true
	case gaby.List:
		if s.unevaluatedItems == nil || ev.allElements {
			return true
		}
		n := 0
		for _, e := range v.All() {
			c.spend(1)
			if n >= ev.first && !ev.elements[n] {
				valid = c.at(segment{index: n}, e, s.unevaluatedItems) && valid
			}
			n++
		}
		ev.allElements = true
	}
	return valid
}
