package filter

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/where"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/lang/pattern"
	"github.com/fctl-dev/fctl/internal/workspace/entity"
)

// Limits of filters.
const (
	maxClauses = 64
	maxValues  = 256
)

// Parse parses a filter:
//
//	expr    = [ clause { "AND" clause } ] .
//	clause  = operand op literal [ "IS" [ "NOT" ] ( "TRUE" | "FALSE" ) ]
//	        | operand "IS" [ "NOT" ] "NULL" .
//	operand = name { "." segment } | "LEN(" name ")" .
//
// The error is an *entity.Error with the code E_WHERE_PARSE or, for an attribute that the schema
// does not know, E_WHERE_ATTR. Its cause is a *where.Error, which has the column.
func Parse(text string, schema Schema) (*Expr, error) {
	p := &parser{text: text, schema: schema}
	if len(text) > MaxLength {
		return nil, p.fail(0, "the filter has more than %d bytes", MaxLength)
	}
	if !utf8.ValidString(text) {
		return nil, p.fail(0, "the filter is not valid UTF-8")
	}
	e := &Expr{}
	p.blanks()
	if p.pos == len(text) {
		return e, nil
	}
	for {
		if len(e.clauses) == maxClauses {
			return nil, p.fail(p.pos, "more than %d clauses", maxClauses)
		}
		c, err := p.clause()
		if err != nil {
			return nil, err
		}
		e.clauses = append(e.clauses, c)
		p.blanks()
		if p.pos == len(text) {
			return e, nil
		}
		if !p.word("AND") {
			return nil, p.hint(p.fail(p.pos, "AND is expected at `%s`", p.rest()),
				andHint(p.rest()))
		}
		p.blanks()
		if p.pos == len(text) {
			return nil, p.fail(p.pos, "nothing follows the AND")
		}
	}
}

func andHint(rest string) string {
	word, _, _ := strings.Cut(rest, " ")
	switch strings.ToUpper(word) {
	case "AND":
		return "keywords are written in capitals"
	case "OR", "||":
		return "filters have no OR; IN has several values"
	case "&&":
		return "&& is written AND"
	}
	return ""
}

type parser struct {
	text   string
	pos    int
	schema Schema
}

func (p *parser) fail(at int, format string, args ...any) error {
	cause := &where.Error{
		Text: p.text, Column: utf8.RuneCountInString(p.text[:at]) + 1,
		Msg: fmt.Sprintf(format, args...),
	}
	return &entity.Error{Code: entity.CodeWhereParse, Message: cause.Msg, Err: cause}
}

func (p *parser) hint(err error, text string) error {
	if e, ok := err.(*entity.Error); ok {
		e.Hint = text
	}
	return err
}

// rest returns the text that follows, abbreviated.
func (p *parser) rest() string {
	rest := []rune(p.text[p.pos:])
	if len(rest) > 40 {
		return string(rest[:40]) + "..."
	}
	return string(rest)
}

func (p *parser) blanks() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

// word consumes a keyword that is not the beginning of a longer word.
func (p *parser) word(word string) bool {
	rest, ok := strings.CutPrefix(p.text[p.pos:], word)
	if !ok || rest != "" && isNameByte(rest[0]) {
		return false
	}
	p.pos += len(word)
	return true
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		strings.IndexByte("_./-", c) >= 0
}

func (p *parser) name() string {
	start := p.pos
	for p.pos < len(p.text) && isNameByte(p.text[p.pos]) {
		p.pos++
	}
	return p.text[start:p.pos]
}

func (p *parser) clause() (clause, error) {
	var c clause
	if err := p.operand(&c); err != nil {
		return c, err
	}
	p.blanks()
	if p.word("IS") {
		return c, p.null(&c)
	}
	at := p.pos
	if err := p.operator(&c); err != nil {
		return c, err
	}
	p.blanks()
	if err := p.literals(&c, at); err != nil {
		return c, err
	}
	return c, p.test(&c)
}

// operand parses an attribute, a key of a map, or the length of an attribute.
func (p *parser) operand(c *clause) error {
	at := p.pos
	if strings.HasPrefix(p.text[p.pos:], "LEN(") {
		p.pos += len("LEN(")
		at = p.pos
		c.length = true
	}
	name := p.name()
	if name == "" {
		return p.fail(p.pos, "an attribute is expected at `%s`", p.rest())
	}
	if c.length {
		if p.pos == len(p.text) || p.text[p.pos] != ')' {
			return p.fail(p.pos, ") is expected after LEN(%s", name)
		}
		p.pos++
	}
	kind, ok := p.schema[name]
	c.attribute, c.kind = name, kind
	if !ok {
		head, key, _ := strings.Cut(name, ".")
		if kind, ok = p.schema[head]; !ok || kind != Map || key == "" {
			return p.unknown(at, name)
		}
		c.attribute, c.key, c.kind = head, key, Text
	}
	if c.length {
		if c.kind != Map && c.kind != List && c.kind != Text {
			return p.fail(at, "%s has no length", name)
		}
		c.kind = Number
	}
	return nil
}

func (p *parser) unknown(at int, name string) error {
	err := p.fail(at, "unknown attribute %s", name)
	known := slices.Sorted(maps.Keys(p.schema))
	if e, ok := err.(*entity.Error); ok {
		e.Code = entity.CodeWhereAttr
		e.Hint = configkit.DidYouMean("", configkit.Suggest(name, known))
		if e.Hint == "" {
			e.Hint = "known are " + strings.Join(known, ", ")
		}
	}
	return err
}

// null parses the rest of IS [NOT] NULL.
func (p *parser) null(c *clause) error {
	c.op.name = "NULL"
	p.blanks()
	if p.word("NOT") {
		c.op.negate = true
		p.blanks()
	}
	if !p.word("NULL") {
		return p.fail(p.pos, "NULL is expected at `%s`", p.rest())
	}
	return nil
}

// operators returns the spellings of the operators, longer ones first.
func operators() []struct {
	text string
	op   operator
} {
	return []struct {
		text string
		op   operator
	}{
		{"NOT LIKE", operator{"LIKE", true}},
		{"NOT ILIKE", operator{"ILIKE", true}},
		{"NOT IN", operator{"IN", true}},
		{"ILIKE", operator{"ILIKE", false}},
		{"LIKE", operator{"LIKE", false}},
		{"IN", operator{"IN", false}},
		{"!~~*", operator{"ILIKE", true}},
		{"!~~", operator{"LIKE", true}},
		{"~~*", operator{"ILIKE", false}},
		{"~~", operator{"LIKE", false}},
		{"!~*", operator{"~*", true}},
		{"!~", operator{"~", true}},
		{"~*", operator{"~*", false}},
		{"~", operator{"~", false}},
		{"!=", operator{"=", true}},
		{"<=", operator{"<=", false}},
		{">=", operator{"<", true}},
		{"=", operator{"=", false}},
		{"<", operator{"<", false}},
		{">", operator{"<=", true}},
		{"?", operator{"?", false}},
	}
}

func (p *parser) operator(c *clause) error {
	at := p.pos
	for _, o := range operators() {
		keyword := o.text[0] >= 'A' && o.text[0] <= 'Z'
		if keyword && p.keywords(o.text) || !keyword && strings.HasPrefix(p.text[at:], o.text) {
			if !keyword {
				p.pos += len(o.text)
			}
			c.op = o.op
			return p.suits(c, at, o.text)
		}
	}
	return p.fail(at, "an operator is expected at `%s`", p.rest())
}

// keywords consumes words with blanks between them.
func (p *parser) keywords(text string) bool {
	start := p.pos
	for word := range strings.FieldsSeq(text) {
		p.blanks()
		if !p.word(word) {
			p.pos = start
			return false
		}
	}
	return true
}

// suits reports an operator that the kind of the operand does not have.
func (p *parser) suits(c *clause, at int, text string) error {
	ok := true
	switch c.kind {
	case Bool:
		ok = c.op.name == "="
	case ID:
		ok = c.op.name == "=" || c.op.name == "IN"
	case Number:
		ok = slices.Contains([]string{"=", "<", "<=", "IN"}, c.op.name)
	case Map:
		ok = c.op.name == "?"
	case List:
		ok = false
	case Text:
		ok = c.op.name != "?"
	}
	if ok {
		return nil
	}
	return p.fail(at, "%s cannot be compared with %s", c.attribute, text)
}

// literals parses the literal, or the list of literals after IN.
func (p *parser) literals(c *clause, at int) error {
	if c.op.name != "IN" {
		if err := p.literal(c); err != nil {
			return err
		}
		return p.compile(c, at)
	}
	if p.pos == len(p.text) || p.text[p.pos] != '(' {
		return p.fail(p.pos, "a list in parentheses is expected at `%s`", p.rest())
	}
	p.pos++
	for n := 0; ; n++ {
		if n == maxValues {
			return p.fail(p.pos, "more than %d values", maxValues)
		}
		p.blanks()
		if err := p.literal(c); err != nil {
			return err
		}
		p.blanks()
		switch {
		case p.pos < len(p.text) && p.text[p.pos] == ',':
			p.pos++
		case p.pos < len(p.text) && p.text[p.pos] == ')':
			p.pos++
			return nil
		default:
			return p.fail(p.pos, ", or ) is expected at `%s`", p.rest())
		}
	}
}

func (p *parser) literal(c *clause) error {
	at := p.pos
	switch c.kind {
	case Bool:
		switch {
		case p.word("true"):
			c.truthy = true
		case !p.word("false"):
			return p.fail(at, "%s is compared with true or false", c.attribute)
		}
		return nil
	case Number:
		text := p.name()
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			p.pos = at
			return p.fail(at, "a whole number is expected at `%s`", p.rest())
		}
		c.numbers = append(c.numbers, n)
		return nil
	}
	if at == len(p.text) || p.text[at] != '\'' {
		return p.hint(p.fail(at, "a text in single quotes is expected at `%s`", p.rest()),
			"for example "+c.attribute+" = 'web'")
	}
	end := strings.IndexByte(p.text[at+1:], '\'')
	if end < 0 {
		return p.fail(at, "unclosed quote")
	}
	text := p.text[at+1 : at+1+end]
	if strings.Contains(text, `\`) {
		return p.fail(at, "a text cannot contain a backslash")
	}
	p.pos = at + end + 2
	c.texts = append(c.texts, text)
	return nil
}

// compile compiles the pattern of LIKE and of regular expressions. at is the operator.
func (p *parser) compile(c *clause, at int) (err error) {
	switch c.op.name {
	case "LIKE", "ILIKE":
		c.pattern, err = pattern.Compile(like(c.texts[0], c.op.name == "ILIKE"))
	case "~":
		c.pattern, err = pattern.Compile(c.texts[0])
	case "~*":
		c.pattern, err = pattern.Compile("(?i)" + c.texts[0])
	}
	if err != nil {
		return p.hint(p.fail(at, "%v", err), limit.HintOf(err))
	}
	return nil
}

// test parses IS [NOT] TRUE or FALSE after a comparison.
func (p *parser) test(c *clause) error {
	end := p.pos
	p.blanks()
	if !p.word("IS") {
		p.pos = end
		return nil
	}
	c.tested = true
	p.blanks()
	if p.word("NOT") {
		c.testNot = true
		p.blanks()
	}
	switch {
	case p.word("TRUE"):
		c.test = True
	case p.word("FALSE"):
		c.test = False
	default:
		return p.fail(p.pos, "TRUE or FALSE is expected at `%s`", p.rest())
	}
	return nil
}
