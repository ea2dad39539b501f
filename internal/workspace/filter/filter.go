// Package filter implements the filters of a workspace, which select entities by their attributes:
//
//	Labels.tier = 'web' AND LEN(Annotations) > 0
//	MergeSourceID = 'b6e0...' IS NOT FALSE
//
// A filter is a conjunction of clauses in three-valued logic: comparing a missing attribute (NULL)
// is UNKNOWN, and an entity is selected if every clause is TRUE. IS [NOT] TRUE and IS [NOT] FALSE
// turn UNKNOWN into an answer.
//
// Filters that select resources inside a unit are another language with the same look: package
// where.
package filter

import (
	"regexp"
	"strings"
)

// MaxLength is the maximum length of a filter in bytes.
const MaxLength = 4096

// Kind is the type of an attribute.
type Kind int

// The kinds of attributes.
const (
	Text Kind = iota
	Number
	Bool
	ID   // a text that is only compared as a whole
	Map  // a map of texts: Labels.key, Labels ? 'key', LEN(Labels)
	List // LEN(List) only
)

// Value is the value of an attribute. The zero Value is NULL.
type Value struct {
	Present bool
	Text    string // Text and ID
	Number  int64  // Number, and the length of a List
	Bool    bool
	Map     map[string]string
}

// TextValue returns a text, or NULL if it is empty.
func TextValue(s string) Value { return Value{Present: s != "", Text: s} }

// NumberValue returns a number.
func NumberValue(n int64) Value { return Value{Present: true, Number: n} }

// BoolValue returns a truth value.
func BoolValue(b bool) Value { return Value{Present: true, Bool: b} }

// MapValue returns a map.
func MapValue(m map[string]string) Value { return Value{Present: true, Map: m} }

// Schema gives the kind of each attribute that filters of one entity type know.
type Schema map[string]Kind

// Truth is the value of a clause.
type Truth int

// The truth values.
const (
	False Truth = iota
	Unknown
	True
)

func truth(b bool) Truth {
	if b {
		return True
	}
	return False
}

// Expr is a parsed filter. It is immutable and safe for concurrent use.
type Expr struct {
	clauses []clause
}

// Match reports whether every clause is TRUE. get returns the value of an attribute.
func (e *Expr) Match(get func(attribute string) Value) bool {
	if e == nil {
		return true
	}
	for i := range e.clauses {
		if e.clauses[i].truth(get) != True {
			return false
		}
	}
	return true
}

// And returns a filter that both filters select. Nil selects everything.
func And(a, b *Expr) *Expr {
	switch {
	case a == nil || len(a.clauses) == 0:
		return b
	case b == nil || len(b.clauses) == 0:
		return a
	}
	return &Expr{append(append([]clause{}, a.clauses...), b.clauses...)}
}

// operator compares two values. Negated operators are the negation of others.
type operator struct {
	name   string
	negate bool
}

// clause compares an attribute with literals.
type clause struct {
	attribute string
	key       string // of a map
	length    bool   // LEN(attribute)
	kind      Kind   // of the operand, after key and length
	op        operator
	texts     []string
	numbers   []int64
	truthy    bool
	pattern   *regexp.Regexp
	// tested says that IS TRUE and the like asks for test, or with testNot that IS NOT does.
	tested  bool
	test    Truth
	testNot bool
}

func (c *clause) truth(get func(string) Value) Truth {
	t := c.compare(c.operand(get(c.attribute)))
	if c.tested {
		return truth((t == c.test) != c.testNot)
	}
	return t
}

// operand returns the value that the clause compares.
func (c *clause) operand(v Value) Value {
	switch {
	case c.length && v.Map != nil:
		return NumberValue(int64(len(v.Map)))
	case c.length && v.Text != "":
		return NumberValue(int64(len(v.Text)))
	case c.length:
		return NumberValue(v.Number)
	case c.key != "":
		text, ok := v.Map[c.key]
		return Value{Present: ok, Text: text}
	}
	return v
}

func (c *clause) compare(v Value) Truth {
	if c.op.name == "NULL" {
		return truth(v.Present == c.op.negate)
	}
	if !v.Present {
		return Unknown
	}
	var holds bool
	switch {
	case c.op.name == "?":
		_, holds = v.Map[c.texts[0]]
	case c.pattern != nil:
		holds = c.pattern.MatchString(v.Text)
	case c.kind == Bool:
		holds = v.Bool == c.truthy
	case c.kind == Number:
		holds = compareAny(c.op.name, v.Number, c.numbers)
	default:
		holds = compareAny(c.op.name, v.Text, c.texts)
	}
	return truth(holds != c.op.negate)
}

// compareAny compares a value with a literal or, for IN, with several.
func compareAny[T string | int64](op string, v T, literals []T) bool {
	for _, l := range literals {
		switch op {
		case "=", "IN":
			if v == l {
				return true
			}
		case "<":
			return v < l
		case "<=":
			return v <= l
		}
	}
	return false
}

// like returns the regular expression of a LIKE pattern, in which % is any text and _ a character.
func like(pattern string, ignoreCase bool) string {
	var b strings.Builder
	b.WriteString("(?s")
	if ignoreCase {
		b.WriteString("i")
	}
	b.WriteString(")^")
	for _, r := range pattern {
		switch r {
		case '%':
			b.WriteString(".*")
		case '_':
			b.WriteString(".")
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	b.WriteString("$")
	return b.String()
}
