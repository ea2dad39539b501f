package jsonschema

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// The limits of one check. A schema that refers to itself, or whose alternatives multiply, would otherwise go on for ever.
const (
	maxSteps = 50_000_000 // schemas a value is checked with
	maxDepth = 5_000      // schemas inside each other
)

// ErrTooCostly tells that checking a value with a schema takes too long or goes too deep: the schema refers to itself without
// coming nearer to an end, or has too many alternatives inside each other.
var ErrTooCostly = errors.New("the schema is too costly to check: it refers to itself without end, or has alternatives inside alternatives")

// Problem is one thing that is wrong with a value.
type Problem struct {
	// Path is where: the keys and indexes that lead there.
	Path []string
	// Property is the property of what is there that the problem is about, when it is missing or must not be there.
	Property string
	Pos      gaby.Position
	Keyword  string // the keyword of the schema that is violated
	Message  string
	Hint     string // what would be right, when that is likely; else ""
}

// Place is Path with Property at its end, if there is one.
func (p *Problem) Place() []string {
	if p.Property == "" {
		return p.Path
	}
	return append(slices.Clip(p.Path), p.Property)
}

// String is the message with the hint.
func (p *Problem) String() string {
	if p.Hint == "" {
		return p.Message
	}
	return p.Message + "; " + p.Hint
}

// Check tells what is wrong with a value, in the order of the places in its document. The error is ErrTooCostly, or a *SchemaError
// when a reference of a lazily compiled schema leads nowhere.
//
// Resources are checked as the API server does, with the defaults of the dialect Structural; after the check they are what they were.
func (s *Schema) Check(v gaby.Value) ([]Problem, error) {
	if doc := v.Doc(); s.resource.dialect == Structural {
		defer doc.Rollback(doc.Checkpoint())
		if _, err := doc.ExpandAnchors(); err == nil { // what an alias repeats cannot be edited
			s.complete(v)
		}
	}
	c := check{}
	s.check(&c, v, nil)
	c.checkRules()
	slices.SortStableFunc(c.problems, func(a, b Problem) int {
		if a.Pos.Line != b.Pos.Line {
			return a.Pos.Line - b.Pos.Line
		}
		return a.Pos.Column - b.Pos.Column
	})
	return c.problems, c.err
}

// check is one check going on.
type check struct {
	path     []segment
	problems []Problem
	quiet    bool // only whether the value is valid is asked
	scope    []*resource
	objects  []objectAt // those around the value
	steps    int
	depth    int
	ruled    []ruled
	ruleCost uint64
	err      error
}

// objectAt is an object that is being checked.
type objectAt struct {
	rules *objectRules
	depth int // of its path
}

// segment is a key, or an index when the key is "".
type segment struct {
	key   string
	index int
	isKey bool
}

// fail records a problem and returns false.
func (c *check) fail(v gaby.Value, keyword, format string, args ...any) bool {
	if !c.quiet {
		c.problems = append(c.problems, Problem{Path: c.segments(), Pos: v.Position(), Keyword: keyword, Message: fmt.Sprintf(format, args...)})
	}
	return false
}

// failAt records a problem with a property and returns false.
func (c *check) failAt(property string, pos gaby.Position, keyword, format string, args ...any) bool {
	if !c.quiet {
		p := Problem{Path: c.segments(), Property: strings.Clone(property), Pos: pos, Keyword: keyword, Message: fmt.Sprintf(format, args...)}
		c.problems = append(c.problems, p)
	}
	return false
}

// hint says what would be right about the problem that was recorded last.
func (c *check) hint(format string, args ...any) {
	if !c.quiet {
		c.problems[len(c.problems)-1].Hint = fmt.Sprintf(format, args...)
	}
}

// suggest is hint with the names that what was typed may have meant, if there are some.
func (c *check) suggest(typed string, names []string) (found bool) {
	if c.quiet || len(typed) > 100 {
		return false
	}
	similar := configkit.Suggest(typed, names)
	if len(similar) > 0 {
		c.hint("did you mean %s?", list(similar, "or"))
	}
	return len(similar) > 0
}

func (c *check) segments() []string {
	all := make([]string, len(c.path), len(c.path)+1)
	for i, s := range c.path {
		if all[i] = strings.Clone(s.key); !s.isKey {
			all[i] = strconv.Itoa(s.index)
		}
	}
	return all
}

// at checks a property or an element.
func (c *check) at(where segment, v gaby.Value, s *Schema) bool {
	c.path = append(c.path, where)
	valid := s.check(c, v, nil)
	c.path = c.path[:len(c.path)-1]
	return valid
}

// asks reports whether a value is valid, without recording why not.
func (c *check) asks(v gaby.Value, s *Schema, ev *evaluated) bool {
	before := c.quiet
	c.quiet = true
	valid := s.check(c, v, ev)
	c.quiet = before
	return valid
}

// check checks a value. What is found out about which of its properties and elements were looked at goes to ev, unless that is nil.
func (s *Schema) check(c *check, v gaby.Value, ev *evaluated) (valid bool) {
	if c.steps++; c.steps > maxSteps || c.depth >= maxDepth {
		c.err = ErrTooCostly
	}
	if c.err != nil {
		return true
	}
	c.depth++
	entered := len(c.scope) == 0 || c.scope[len(c.scope)-1] != s.resource
	if entered {
		c.scope = append(c.scope, s.resource)
	}
	if s.unevaluatedItems != nil || s.unevaluatedProperties != nil {
		own := evaluated{}
		valid = s.checkAll(c, v, &own)
		valid = s.checkUnevaluated(c, v, &own) && valid
		ev.merge(&own)
	} else {
		valid = s.checkAll(c, v, ev)
	}
	if entered {
		c.scope = c.scope[:len(c.scope)-1]
	}
	c.depth--
	return valid
}

// checkAll checks all keywords but the unevaluated ones.
func (s *Schema) checkAll(c *check, v gaby.Value, ev *evaluated) bool {
	if s.never {
		return c.fail(v, "false", "nothing is allowed here")
	}
	valid := true
	for _, r := range s.refs {
		valid = r.check(c, v, ev) && valid
	}
	t := typeOf(v)
	if s.resource.dialect.isKubernetes() {
		if t == nullType && s.isNullable() {
			return valid
		}
		t = s.asRead(v, t)
	}
	if s.types != 0 && s.types&t == 0 {
		return s.wrongType(c, v, t)
	}
	if s.enum != nil {
		valid = s.enum.check(c, v, t) && valid
	}
	switch {
	case t == objectType && s.object != nil:
		valid = s.object.check(c, v, ev) && valid
	case t == arrayType && s.list != nil:
		valid = s.list.check(c, v, ev) && valid
	case t == stringType && s.text != nil:
		valid = s.text.check(c, v) && valid
	case t&numberType != 0 && s.number != nil:
		valid = s.number.check(c, v) && valid
	}
	if s.format != nil {
		valid = s.format.check(c, v, t) && valid
	}
	if s.combined != nil {
		valid = s.combined.check(c, v, ev) && valid
	}
	if s.kubernetes != nil {
		valid = s.kubernetes.check(c, v, t, valid)
	}
	return valid
}

// wrongType records that a value has a type that is not allowed.
func (s *Schema) wrongType(c *check, v gaby.Value, t types) bool {
	if c.quiet {
		return false
	}
	text := v.Text()
	if t == booleanType && typeOf(v) == stringType {
		c.fail(v, "type", "expected %s, got %s, which is read as %t", s.types, text, Truth(text))
	} else {
		c.fail(v, "type", "expected %s, got %s", s.types, describe(v))
	}
	switch {
	case t == objectType && v.First().KeyTag() == "!!map": // {{ ... }}
		c.hint("it looks like a template, which is to be rendered first")
	case t == stringType && s.types&readAs(text) != 0:
		c.hint("remove the quotes")
	case t&(numberType|booleanType) != 0 && s.types&stringType != 0:
		c.hint("put it in quotes: \"%s\"", text)
	case t == nullType:
		c.hint("give it a value or remove it")
	}
	return false
}

// readAs is the type that text would have without quotes.
func readAs(text string) types {
	switch text {
	case "true", "false":
		return booleanType
	}
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		return integerType
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil && strings.Trim(text, "0123456789.eE+-") == "" {
		return fractionType
	}
	return stringType
}
