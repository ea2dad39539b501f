package jsonschema

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Violation is one violation of a schema by a value.
type Violation struct {
	// Path is the path of the value: keys and indexes.
	Path []string
	// Property is the property of the value that is missing or not allowed, else "".
	Property string
	Pos      gaby.Position
	Keyword  string // the violated keyword of the schema
	Message  string
	Hint     string // how to fix it, if that can be guessed; else ""
}

// FullPath returns Path, followed by Property if that is set.
func (p *Violation) FullPath() []string {
	if p.Property == "" {
		return p.Path
	}
	return append(slices.Clip(p.Path), p.Property)
}

// String returns the message with the hint.
func (p *Violation) String() string {
	if p.Hint == "" {
		return p.Message
	}
	return p.Message + "; " + p.Hint
}

// Check returns the problems of a value in the order of their positions. The error is ErrTooCostly,
// a *SchemaError if a reference of a lazily compiled schema cannot be resolved, or the error of
// a rule that ctx or a limit ended.
//
// In the dialect Structural values are checked as by the API server, with the defaults of the
// schema filled in. The document is rolled back after the check.
func (s *Schema) Check(ctx context.Context, v gaby.Value) ([]Violation, error) {
	c := newCheck(v, s)
	if doc := v.Doc(); s.resource.dialect == Structural {
		defer doc.Rollback(doc.Checkpoint())
		if _, err := doc.ExpandAnchors(); err == nil {
			// values repeated by an alias cannot be edited
			s.complete(c, v)
		}
	}
	s.check(c, v, nil)
	if c.err != nil {
		return nil, c.err
	}
	if err := c.checkRules(ctx); err != nil {
		return nil, err
	}
	slices.SortStableFunc(c.problems, func(a, b Violation) int {
		if a.Pos.Line != b.Pos.Line {
			return a.Pos.Line - b.Pos.Line
		}
		return a.Pos.Column - b.Pos.Column
	})
	return once(c.problems), nil
}

// once removes problems that were found by several schemas.
func once(problems []Violation) []Violation {
	type key struct {
		pos                        gaby.Position
		keyword, property, message string
	}
	seen := make(map[key]bool, len(problems))
	return slices.DeleteFunc(problems, func(p Violation) bool {
		k := key{p.Pos, p.Keyword, p.Property, p.Message}
		defer func() { seen[k] = true }()
		return seen[k]
	})
}

func newCheck(v gaby.Value, s *Schema) *checkState {
	return &checkState{
		root: v, schemas: s.resource.compiler.size(), left: freeCost,
		leftForHints: hintCost,
	}
}

// checkState is the state of one check.
type checkState struct {
	path     []segment
	problems []Violation
	quiet    bool // only report whether the value is valid; record no problems
	scope    []*schemaResource
	objects  []objectAt // the objects around the current value
	depth    int
	ruled    []ruled
	ruleCost uint64
	err      error

	root               gaby.Value // the value whose size has not been added to left yet
	schemas            int        // the number of compiled schemas
	left, leftForHints int        // remaining cost
}

// objectAt is an object that is being checked.
type objectAt struct {
	rules *objectRules
	depth int // the length of its path
}

// segment is an element of a path: a key if isKey is set, else an index.
type segment struct {
	key   string
	index int
	isKey bool
}

// report records a problem, unless the check is quiet.
func (c *checkState) report(property string, pos gaby.Position, keyword, format string,
	args ...any,
) {
	if c.quiet {
		c.spend(problemCost / 5)
		return
	}
	message := fmt.Sprintf(format, args...)
	if c.spend(problemCost + len(message)/8 + c.pathCost()) {
		c.problems = append(c.problems,
			Violation{
				Path: c.segments(), Property: strings.Clone(property), Pos: pos,
				Keyword: keyword, Message: message,
			})
	}
}

// fail records a problem with v and returns false.
func (c *checkState) fail(v gaby.Value, keyword, format string, args ...any) bool {
	var pos gaby.Position
	if !c.quiet {
		pos = v.Position()
	}
	c.report("", pos, keyword, format, args...)
	return false
}

// failAt records a problem with a property and returns false.
func (c *checkState) failAt(
	property string, pos gaby.Position, keyword, format string, args ...any,
) bool {
	c.report(property, pos, keyword, format, args...)
	return false
}

// hint sets the hint of the last recorded problem.
func (c *checkState) hint(format string, args ...any) {
	if !c.quiet && len(c.problems) > 0 {
		c.problems[len(c.problems)-1].Hint = fmt.Sprintf(format, args...)
	}
}

// suggest sets a hint with the names that typed may be a misspelling of. It reports
// whether there are any.
func (c *checkState) suggest(typed string, names []string) (found bool) {
	if len(typed) > 100 || !c.spendOnHint(5*len(names)) {
		return false
	}
	similar := configkit.Suggest(typed, names)
	if len(similar) > 0 {
		c.hint("%s", configkit.DidYouMean("", similar))
	}
	return len(similar) > 0
}

// pathCost returns the cost of recording the current path.
func (c *checkState) pathCost() int {
	n := len(c.path) / 2
	for i := range c.path {
		n += len(c.path[i].key) / bytesPerCost
	}
	return n
}

func (c *checkState) segments() []string {
	all := make([]string, len(c.path), len(c.path)+1)
	for i, s := range c.path {
		if all[i] = strings.Clone(s.key); !s.isKey {
			all[i] = strconv.Itoa(s.index)
		}
	}
	return all
}

// at checks a property or an element.
func (c *checkState) at(where segment, v gaby.Value, s *Schema) bool {
	c.path = append(c.path, where)
	valid := s.check(c, v, nil)
	c.path = c.path[:len(c.path)-1]
	return valid
}

// asks reports whether a value is valid, without recording problems.
func (c *checkState) asks(v gaby.Value, s *Schema, ev *evaluated) bool {
	before := c.quiet
	c.quiet = true
	valid := s.check(c, v, ev)
	c.quiet = before
	return valid
}

// check checks a value, and adds the properties and elements that the schema evaluated to ev,
// unless ev is nil.
func (s *Schema) check(c *checkState, v gaby.Value, ev *evaluated) (valid bool) {
	if c.depth >= maxDepth {
		c.spend(math.MaxInt / 2)
	}
	if !c.spend(1 + v.Length()/bytesPerCost) {
		return true
	}
	c.depth++
	entered := len(c.scope) == 0 || c.scope[len(c.scope)-1] != s.resource
	if entered {
		c.scope = append(c.scope, s.resource)
	}
	if s.unevaluatedItems != nil || s.unevaluatedProperties != nil {
		c.spend(problemCost)
		own := evaluated{}
		valid = s.checkAll(c, v, &own)
		valid = s.checkUnevaluated(c, v, &own) && valid
		c.merge(ev, &own)
	} else {
		valid = s.checkAll(c, v, ev)
	}
	if entered {
		c.scope = c.scope[:len(c.scope)-1]
	}
	c.depth--
	return valid
}

// checkAll checks all keywords except unevaluatedItems and unevaluatedProperties.
func (s *Schema) checkAll(c *checkState, v gaby.Value, ev *evaluated) bool {
	if s.rejectsAll {
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
func (s *Schema) wrongType(c *checkState, v gaby.Value, t types) bool {
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

// readAs returns the type that text would have without quotes.
func readAs(text string) types {
	switch text {
	case "true", "false":
		return booleanType
	}
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		return integerType
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil &&
		strings.Trim(text, "0123456789.eE+-") == "" {
		return fractionType
	}
	return stringType
}
