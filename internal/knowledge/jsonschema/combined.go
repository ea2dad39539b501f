package jsonschema

import (
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// combination holds the keywords that apply other schemas to the same value.
type combination struct {
	all, some, exactlyOne []*Schema
	not                   *Schema
	condition, then, els  *Schema
}

// combination compiles the keywords. It returns nil if there are none.
func (k keywords) combination() *combination {
	if !k.has("allOf", "anyOf", "oneOf", "not", "if") {
		return nil
	}
	if k.in.dialect == Structural {
		k.in = k.in.valuesOnly()
	}
	r := &combination{
		all: k.several("allOf"), some: k.several("anyOf"),
		exactlyOne: k.several("oneOf"), not: k.one("not"),
	}
	for _, alternatives := range []string{"allOf", "anyOf", "oneOf"} {
		if v := k.get(alternatives); v.Kind() == gaby.List && !v.First().Exists() {
			k.fail(v, "%s has no schema", alternatives)
		}
	}
	if k.in.dialect.isKubernetes() {
		return r
	}
	if r.condition = k.one("if"); r.condition != nil {
		r.then, r.els = k.one("then"), k.one("else")
	}
	return r
}

// check checks the keywords. Alternatives are checked without recording problems, and explained
// only if the value matches none.
func (r *combination) check(c *checkState, v gaby.Value, ev *evaluated) bool {
	valid := true
	for _, s := range r.all {
		valid = s.check(c, v, ev) && valid
	}
	if r.some != nil {
		valid = checkSome(c, v, r.some, ev) && valid
	}
	if r.exactlyOne != nil {
		valid = checkExactlyOne(c, v, r.exactlyOne, ev) && valid
	}
	if r.not != nil && c.asks(v, r.not, ev.empty()) {
		valid = c.fail(v, "not", "not allowed: it is what \"not\" excludes")
		if required := r.not.onlyRequires(); len(required) > 0 && !c.quiet && c.err == nil {
			c.problems[len(c.problems)-1].Message = strings.Join(required, " and ") +
				" must not be there" + together(required)
		}
	}
	if r.condition != nil {
		valid = r.checkCondition(c, v, ev) && valid
	}
	return valid
}

func together(names []string) string {
	if len(names) > 1 {
		return " together"
	}
	return ""
}

// onlyRequires returns the properties that a schema requires, or nil if the schema
// says anything else.
func (s *Schema) onlyRequires() []string {
	if s.object == nil || s.object.properties != nil || s.object.patterns != nil ||
		s.object.additional != nil || s.object.dependencies != nil ||
		s.object.names != nil || s.object.least > 0 || s.object.most >= 0 || len(s.refs) > 0 ||
		s.combined != nil || s.enum != nil {
		return nil
	}
	return s.object.required
}

func (r *combination) checkCondition(c *checkState, v gaby.Value, ev *evaluated) bool {
	seen := ev.empty()
	branch := r.els
	if c.asks(v, r.condition, seen) {
		c.merge(ev, seen)
		branch = r.then
	}
	return branch == nil || branch.check(c, v, ev)
}

func checkSome(c *checkState, v gaby.Value, schemas []*Schema, ev *evaluated) bool {
	valid := false
	for _, s := range schemas {
		seen := ev.empty()
		if c.asks(v, s, seen) {
			valid = true
			if ev == nil {
				break
			}
			c.merge(ev, seen)
		}
	}
	return valid || c.explain(v, schemas, "anyOf")
}

func checkExactlyOne(c *checkState, v gaby.Value, schemas []*Schema, ev *evaluated) bool {
	first := -1
	for i, s := range schemas {
		seen := ev.empty()
		if !c.asks(v, s, seen) {
			continue
		}
		if first >= 0 {
			return c.fail(
				v, "oneOf", "it is valid under alternatives %d and %d, exactly one is allowed",
				first+1, i+1)
		}
		first = i
		c.merge(ev, seen)
	}
	return first >= 0 || c.explain(v, schemas, "oneOf")
}

// shownAlternatives limits how many alternatives a message explains.
const shownAlternatives = 3

// explain records why a value matches no alternative. If just one alternative accepts the type of
// the value and its fields with fixed values, that one was likely meant, and its problems are
// recorded as if there were no others.
func (c *checkState) explain(v gaby.Value, schemas []*Schema, keyword string) bool {
	if c.quiet {
		return false
	}
	have := c.problems
	var likely []Violation
	var reasons []string
	near := 0
	for _, s := range schemas {
		c.problems = nil
		s.check(c, v, nil)
		if len(c.problems) == 0 {
			continue // not checked to the end: the limit was reached
		}
		if !c.isFar() {
			near++
			likely = c.problems
		}
		reasons = append(reasons, c.problems[0].String())
	}
	c.problems = have
	if near == 1 || len(schemas) == 1 && likely != nil {
		c.problems = append(c.problems, likely...)
		return false
	}
	if missing := requiredByEach(schemas); len(missing) == len(schemas) {
		return c.fail(v, keyword, "one of %s is required", strings.Join(missing, ", "))
	}
	more := ""
	if len(reasons) > shownAlternatives {
		reasons, more = reasons[:shownAlternatives], "; and so on"
	}
	return c.fail(v, keyword, "it matches none of %d alternatives: %s%s", len(schemas),
		strings.Join(reasons, "; or: "), more)
}

// isFar reports whether the recorded problems show that this alternative was not meant: the value
// has another type, or it or one of its fields has a value that const, enum or not rules out.
func (c *checkState) isFar() bool {
	for i := range c.problems {
		p := &c.problems[i]
		switch len(p.Path) - len(c.path) {
		case 0:
			if p.Keyword == "type" || p.Keyword == "const" || p.Keyword == "enum" {
				return true
			}
		case 1:
			if p.Keyword == "const" || p.Keyword == "enum" || p.Keyword == "not" {
				return true
			}
		}
	}
	return false
}

// requiredByEach returns the required properties of those schemas that require one property
// and say nothing else.
func requiredByEach(schemas []*Schema) []string {
	var all []string
	for _, s := range schemas {
		if required := s.onlyRequires(); len(required) == 1 {
			all = append(all, required[0])
		}
	}
	return all
}
