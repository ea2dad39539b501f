package jsonschema

import (
	"maps"
	"slices"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// complete changes a custom resource as the API server does before it checks: missing fields get
// their defaults, and null fields that are not nullable are dropped.
func (s *Schema) complete(c *checkState, v gaby.Value) {
	if s.resource.dialect != Structural || !c.spend(1) {
		return
	}
	switch {
	case v.Kind() == gaby.Map && s.object != nil:
		s.object.complete(c, v)
	case v.Kind() == gaby.List && s.list != nil && s.list.items != nil:
		for e := v.First(); e.Exists(); e = e.Next() {
			s.list.items.complete(c, e)
		}
	}
}

// complete sets the defaults of missing properties, and deletes properties that are null without
// being nullable.
func (r *objectRules) complete(c *checkState, v gaby.Value) {
	for _, name := range r.defaulted {
		if p, e := r.properties[name], v.Get(name); !e.Exists() ||
			typeOf(e) == nullType && !p.isNullable() {
			if !c.spend(defaultCost * (1 + p.kubernetes.defaultSize)) {
				return
			}
			_, _ = v.Doc().Set(p.kubernetes.defaultValue, name)
		}
	}
	var nothing []string
	for e := v.First(); e.Exists(); e = e.Next() {
		s := r.properties[e.Key()]
		if s == nil {
			s = r.additional
		}
		switch {
		case s == nil || s.resource.dialect != Structural:
		case typeOf(e) == nullType && !s.isNullable():
			nothing = append(nothing, e.Key())
		default:
			s.complete(c, e)
		}
	}
	for _, name := range nothing {
		_ = v.Doc().Delete(name)
	}
}

// defaultedBy returns the names of the properties with defaults, sorted.
func defaultedBy(properties map[string]*Schema) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if k := properties[name].kubernetes; k != nil && k.defaultValue != nil {
			names = append(names, name)
		}
	}
	return names
}

// checkDefault checks a default against its schema. The default must be valid as it is: the API
// server does not fill in other defaults inside it.
func (c *Compiler) checkDefault(v gaby.Value, s *Schema, in *schemaResource) {
	found := newCheck(v, s)
	found.left = compileCost - c.cost
	s.check(found, v, nil)
	c.cost = compileCost - found.left
	if found.err != nil {
		c.fail(in, v, "default: %v", found.err)
		return
	}
	for i := range found.problems {
		p := &found.problems[i]
		c.problems = append(c.problems,
			&SchemaError{URI: in.name, Pos: p.Pos, Msg: "default: " + p.Message, Hint: p.Hint})
	}
}
