package jsonschema

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
)

// suggestDepth limits how many levels below an object a misplaced field is searched for.
const suggestDepth = 4

// suggestObject hints where an unknown property would be valid: in one of the objects around it, if
// the indentation is wrong, or at the only path below that ends in the name.
func (c *checkState) suggestObject(key string) {
	for i := len(c.objects) - 2; i >= 0; i-- {
		if c.objects[i].rules.properties[key] == nil {
			continue
		}
		if up := strings.Join(c.segments()[:c.objects[i].depth], "."); up != "" {
			c.hint("it belongs to %s, further up", up)
		} else {
			c.hint("it belongs to the top level")
		}
		return
	}
	if found := c.findBelow(c.objects[len(c.objects)-1].rules, key); len(found) == 1 {
		c.hint("%s", configkit.DidYouMean("", []string{strings.Join(found[0], ".")}))
	}
}

// findBelow returns the shortest paths below an object to a property of this name. It returns nil
// if the search is too expensive.
func (c *checkState) findBelow(r *objectRules, key string) [][]string {
	type object struct {
		rules *objectRules
		path  []string
	}
	level := []object{{rules: r}}
	for range suggestDepth {
		var next []object
		var found [][]string
		for _, p := range level {
			if !c.spendOnHint(2 * len(p.rules.properties)) {
				return nil
			}
			for name, s := range p.rules.properties {
				o := s.objectHere()
				if o == nil {
					continue
				}
				path := append(slices.Clip(p.path), name)
				if o.properties[key] != nil {
					found = append(found, append(slices.Clip(path), key))
				}
				next = append(next, object{o, path})
			}
		}
		if len(found) > 0 {
			return found
		}
		level = next
	}
	return nil
}

// objectHere returns the object keywords of a schema, following up to three references.
func (s *Schema) objectHere() *objectRules {
	for range 3 {
		if s.object != nil || len(s.refs) == 0 {
			return s.object
		}
		target, err := s.refs[0].target.resolved()
		if err != nil {
			return nil
		}
		s = target
	}
	return nil
}
