package where

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
)

const maxAttributesLength = 4096 // bytes of an expression about attributes

// Attributes are the operands of expressions that select something else than resources, such as
// the units of a workspace. They give the kind of each attribute. A term is
//
//	Term    = Operand [ WS ] Op [ WS ] Value [ WS "IS" WS [ "NOT" WS ] ( "TRUE" | "FALSE" ) ]
//	        | Operand WS "IS" WS [ "NOT" WS ] "NULL" .
//	Operand = attribute | map "." key | "LEN(" attribute ")" .
//
// where Op can also be "?", which asks whether a map has a key. Comparing a missing attribute is
// neither true nor false and selects nothing. IS TRUE and the like turn that into an answer.
type Attributes map[string]Kind

// Kind is the type of an attribute.
type Kind uint8

// The kinds of attributes.
const (
	Text Kind = iota
	Number
	Bool
	ID   // a text that is only compared as a whole
	Map  // a map of texts: Labels.key, Labels ? 'key', LEN(Labels)
	List // LEN(List) only
)

// has reports whether attributes of the kind are compared with an operator.
func (k Kind) has(op whereOp) bool {
	switch k {
	case Text:
		return op != keyOp
	case Number:
		return op != keyOp && op != matchOp
	case Bool:
		return op == equalOp
	case ID:
		return op == equalOp || op == inOp
	case Map:
		return op == keyOp
	}
	return false
}

// literal returns the kind of the literals that attributes of the kind are compared with.
func (k Kind) literal() literalKind {
	switch k {
	case Number:
		return intLiteral
	case Bool:
		return boolLiteral
	}
	return textLiteral
}

// literals returns the name of these literals.
func (k Kind) literals() string {
	switch k {
	case Number:
		return "whole numbers"
	case Bool:
		return "true and false"
	}
	return "text in single quotes"
}

// Operand is the value of an attribute. The zero Value is NULL.
type Operand struct {
	Present bool
	Text    string // Text and ID
	Number  int64  // Number, and the length of a List
	Bool    bool
	Map     map[string]string
}

// attribute is the operand of a term.
type attribute struct {
	name   string
	key    string // of a map
	length bool   // LEN(name)
	kind   Kind   // of the operand, after key and length
	// The comparison must be false, with IS FALSE, or must not be what it else must be.
	isFalse, isNot bool
}

// Parse compiles an expression about the attributes. The error is an *Error.
func (a Attributes) Parse(text string) (*Expr, error) {
	p := whereParser{text: text, attributes: a}
	if len(text) > maxAttributesLength {
		return nil, p.fail(0, "the filter has more than %d bytes", maxAttributesLength)
	}
	return p.parse()
}

// MatchAttributes reports whether an expression that Attributes compiled holds. value returns the
// value of an attribute.
func (w *Expr) MatchAttributes(value func(attribute string) Operand) bool {
	if w == nil || w.root == nil {
		return true
	}
	m := matcher{value: value}
	ok, _ := m.clause(w.root) // only documents have errors
	return ok
}

// attribute parses an attribute, a key of a map, or the length of an attribute.
func (p *whereParser) attribute(t *whereTerm) error {
	a := &attribute{length: strings.HasPrefix(p.text[p.pos:], "LEN(")}
	t.field, t.attribute = attributeField, a
	if a.length {
		p.pos += len("LEN(")
	}
	at := p.pos
	p.take(func(c byte) bool { return isKeyByte(c) || c == '.' })
	name := p.text[at:p.pos]
	if name == "" {
		return p.fail(at, "an attribute is expected at `%s`", p.rest(at))
	}
	if a.length {
		if !p.accept(')') {
			return p.fail(p.pos, ") is expected after LEN(%s", name)
		}
	}
	kind, ok := p.attributes[name]
	a.name, a.kind = name, kind
	if !ok {
		head, key, _ := strings.Cut(name, ".")
		if kind, ok = p.attributes[head]; !ok || kind != Map || key == "" {
			return p.unknown(at, name)
		}
		a.name, a.key, a.kind = head, key, Text
	}
	if a.length {
		if a.kind != Map && a.kind != List && a.kind != Text {
			return p.fail(at, "%s has no length", name)
		}
		a.kind = Number
	}
	return nil
}

func (p *whereParser) unknown(at int, name string) error {
	err := p.fail(at, "unknown attribute %s", name)
	err.UnknownField = true
	known := slices.Sorted(maps.Keys(p.attributes))
	if hint := configkit.DidYouMean("", configkit.Suggest(name, known)); hint != "" {
		return err.hint(hint)
	}
	return err.hint("known are " + strings.Join(known, ", "))
}

// test parses IS [NOT] TRUE or FALSE after a comparison.
func (p *whereParser) test(t *whereTerm) error {
	end := p.pos
	p.blanks()
	if p.pos == end || !p.word("IS") {
		p.pos = end
		return nil
	}
	p.blanks()
	if t.attribute.isNot = p.word("NOT"); t.attribute.isNot {
		p.blanks()
	}
	if t.attribute.isFalse = p.word("FALSE"); !t.attribute.isFalse && !p.word("TRUE") {
		return p.fail(p.pos, "TRUE or FALSE is expected at `%s`", p.rest(p.pos))
	}
	return nil
}

// matchAttribute reports whether the term holds for the value of its attribute.
func (t *whereTerm) matchAttribute(v Operand) bool {
	a := t.attribute
	v = a.operand(v)
	if t.op == nullOp {
		return v.Present == t.negate
	}
	return (v.Present && t.compareAttribute(v) != a.isFalse) != a.isNot
}

// operand returns the value that is compared.
func (a *attribute) operand(v Operand) Operand {
	switch {
	case a.length && v.Map != nil:
		return Operand{Present: true, Number: int64(len(v.Map))}
	case a.length && v.Text != "":
		return Operand{Present: true, Number: int64(len(v.Text))}
	case a.length:
		return Operand{Present: true, Number: v.Number}
	case a.key != "":
		text, ok := v.Map[a.key]
		return Operand{Present: ok, Text: text}
	}
	return v
}

// compareAttribute reports whether the comparison holds for a value that is present.
func (t *whereTerm) compareAttribute(v Operand) bool {
	switch {
	case t.op == keyOp:
		_, ok := v.Map[t.text]
		return ok
	case t.attribute.kind == Bool:
		return (v.Bool == t.truth) != t.negate
	case t.attribute.kind == Number && t.op == inOp:
		return t.matchText(strconv.FormatInt(v.Number, 10))
	case t.attribute.kind == Number:
		return t.compare(cmp.Compare(v.Number, int64(t.number)))
	}
	return t.matchText(v.Text)
}
