package where

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/knowledge/quantity"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/lang/pattern"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// Limits of where-expressions.
const (
	maxWhereTerms  = 64
	maxWhereValues = 256
	maxWhereKey    = 128 // characters of a key in a path
	maxWhereDigits = 10  // of a number
	maxWhereDepth  = 32  // parentheses in parentheses
)

// whereParser is a hand-written parser. pos is a byte offset.
type whereParser struct {
	text       string
	pos        int
	depth      int        // of the parentheses that are open
	terms      int        // read so far
	attributes Attributes // the operands, or nil for paths of resources
}

// fail returns an error at a byte offset.
func (p *whereParser) fail(at int, format string, args ...any) *Error {
	return &Error{
		Text: p.text, Column: utf8.RuneCountInString(p.text[:at]) + 1,
		Msg: fmt.Sprintf(format, args...),
	}
}

// hint sets the hint of an error and returns it.
func (e *Error) hint(hint string) *Error {
	e.Hint = hint
	return e
}

// rest returns the text from a byte offset on, abbreviated for messages.
func (p *whereParser) rest(at int) string {
	const enough = 40
	rest := p.text[at:]
	if utf8.RuneCountInString(rest) > enough {
		return string([]rune(rest)[:enough]) + "..."
	}
	return rest
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func (p *whereParser) blanks() {
	for p.pos < len(p.text) && isBlank(p.text[p.pos]) {
		p.pos++
	}
}

// peek returns the next byte, 0 at the end.
func (p *whereParser) peek() byte {
	if p.pos == len(p.text) {
		return 0
	}
	return p.text[p.pos]
}

// accept consumes a byte if it is the next one. It reports whether it did.
func (p *whereParser) accept(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.pos++
	return true
}

// word consumes a keyword that is followed by a blank, a parenthesis, a quote or the end.
func (p *whereParser) word(word string) bool {
	rest, ok := strings.CutPrefix(p.text[p.pos:], word)
	if !ok || rest != "" && !isBlank(rest[0]) && strings.IndexByte("()'", rest[0]) < 0 {
		return false
	}
	p.pos += len(word)
	return true
}

// term parses a term.
func (p *whereParser) term() (whereTerm, error) {
	t := whereTerm{offset: p.pos}
	read := p.path
	if p.attributes != nil {
		read = p.attribute
	}
	if err := read(&t); err != nil {
		return t, err
	}
	end := p.pos
	p.blanks()
	if p.pos > end && p.word("IS") {
		return t, p.null(&t)
	}
	at := p.pos
	if err := p.operator(&t, p.pos > end); err != nil {
		return t, err
	}
	if err := p.operand(&t, at); err != nil || t.attribute == nil {
		return t, err
	}
	return t, p.test(&t)
}

// null parses the rest of IS [NOT] NULL.
func (p *whereParser) null(t *whereTerm) error {
	t.op = nullOp
	p.blanks()
	if p.word("NOT") {
		t.negate = true
		p.blanks()
	}
	if !p.word("NULL") {
		return p.fail(p.pos, "invalid operator at `%s`", p.rest(p.pos))
	}
	return nil
}

// resourceFields returns the names of the fields below ConfigHub, in the order of whereField.
func resourceFields() []string {
	return []string{
		"ResourceName", "ResourceNameWithoutScope", "ResourceType", "ResourceCategory",
		"ResourceNameStableCore",
	}
}

// path parses a path or a ConfigHub field.
func (p *whereParser) path(t *whereTerm) error {
	start := p.pos
	if c := p.peek(); !isLetter(c) && c != '*' {
		return p.spelling(start, p.badPath(start, start, ""))
	}
	for {
		if err := p.segment(); err != nil {
			return err
		}
		if p.peek() == '[' {
			return p.spelling(start, p.badPath(p.pos, start, ""))
		}
		if !p.accept('.') {
			break
		}
	}
	if p.accept('#') {
		if p.take(func(c byte) bool {
			return isLetter(c) || isDigit(c) || c == '_' || c == '-' || c == '.'
		}) == 0 {
			return p.badPath(p.pos, start, ": nothing follows the #")
		}
	}
	text := p.text[start:p.pos]
	if name, ok := strings.CutPrefix(text, "ConfigHub."); ok {
		fields := resourceFields()
		for i, field := range fields {
			if name == field {
				t.field = nameField + whereField(i)
				return nil
			}
		}
		err := p.fail(start, "unsupported WhereResource path: %s", text)
		err.UnknownField = true
		if hint := configkit.DidYouMean("ConfigHub.", configkit.Suggest(name, fields)); hint != "" {
			return err.hint(hint)
		}
		return err.hint("there are ConfigHub." + strings.Join(fields, ", ConfigHub."))
	}
	path, err := yamlpath.Parse(text)
	if err != nil {
		e := err.(*yamlpath.Error)
		return p.badPath(start+len(runesPrefix(text, e.Column-1)), start, ": "+e.Msg).hint(e.Hint)
	}
	if path.Optional() >= 0 {
		for i := range path.Segments()[path.Optional():] {
			if path.Optional() == 0 || path.Segments()[path.Optional()+i].Kind != yamlpath.Plain {
				return p.badPath(start, start, ": write a path before .| and keys after it")
			}
		}
	}
	t.path = path
	return nil
}

// badPath returns an error at a byte offset of the path that begins at start.
func (p *whereParser) badPath(at, start int, why string) *Error {
	return p.fail(at, "invalid path at `%s`%s", p.rest(start), why)
}

// spelling adds a hint to the error about a path that begins at start if the path is in the
// notation of another tool.
func (p *whereParser) spelling(start int, err *Error) error {
	end, brackets := start, 0
	for ; end < len(p.text); end++ {
		c := p.text[end]
		if brackets == 0 && (isBlank(c) || strings.IndexByte("=!<>~", c) >= 0) {
			break
		}
		switch c {
		case '[':
			brackets++
		case ']':
			brackets--
		}
	}
	e, ok := errors.AsType[*yamlpath.Error](yamlpath.CheckSpelling(p.text[start:end]))
	if !ok {
		return err
	}
	spelled := whereParser{text: strings.TrimPrefix(e.Hint, "write ")}
	if spelled.path(&whereTerm{}) != nil || spelled.pos < len(spelled.text) {
		return err // the keys have characters that expressions do not allow
	}
	return err.hint(e.Hint)
}

// runesPrefix returns the first n runes of s.
func runesPrefix(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// segment consumes one segment of a path. It only delimits the segment; yamlpath.Parse interprets
// it.
func (p *whereParser) segment() error {
	start := p.pos
	p.accept('|')
	switch {
	case p.accept('*'):
		if p.accept('@') {
			p.parameter()
		} else if p.peek() == '?' {
			return p.lookup(start, false)
		}
	case p.peek() == '?':
		return p.lookup(start, true)
	case p.accept('@'):
		p.key()
		p.parameter()
	default:
		digits, n := p.take(isDigit), 0
		if digits == 0 || isKeyByte(p.peek()) {
			n = p.key()
		}
		switch {
		case digits > maxWhereDigits && n == 0:
			return p.badPath(start, start,
				fmt.Sprintf(": an index has more than %d digits", maxWhereDigits))
		case digits+n == 0:
			return p.badPath(start, start, "")
		case n > maxWhereKey:
			return p.badPath(start, start,
				fmt.Sprintf(": a key has more than %d characters", maxWhereKey))
		}
	}
	return nil
}

// lookup consumes ?key[:param]=value. After a * the value is optional.
func (p *whereParser) lookup(start int, valued bool) error {
	p.pos++
	if n := p.key(); n == 0 || n > maxWhereKey {
		return p.badPath(start, start, ": a lookup is ?key=value")
	}
	p.parameter()
	if p.peek() != '=' {
		if valued {
			return p.badPath(start, start, ": a lookup is ?key=value")
		}
		return nil
	}
	if !valued && (p.pos+1 == len(p.text) || strings.IndexByte(" \t\r\n'(", p.text[p.pos+1]) >= 0) {
		return nil // the = is the operator
	}
	p.pos++
	p.take(func(c byte) bool {
		return !isBlank(c) && strings.IndexByte(".='\"<>!()|#,", c) < 0
	})
	return nil
}

// parameter consumes an optional :parameter.
func (p *whereParser) parameter() {
	if p.accept(':') {
		p.take(isKeyByte)
	}
}

// key consumes a key, including the escapes ~0 to ~2, and returns its length. Any other ~ is an
// operator.
func (p *whereParser) key() int {
	start := p.pos
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		if c == '~' && p.pos+1 < len(p.text) && p.text[p.pos+1] >= '0' && p.text[p.pos+1] <= '2' {
			p.pos += 2
			continue
		}
		if !isKeyByte(c) {
			break
		}
		p.pos++
	}
	return p.pos - start
}

// take consumes bytes for which is returns true, and returns their number.
func (p *whereParser) take(is func(byte) bool) int {
	start := p.pos
	for p.pos < len(p.text) && is(p.text[p.pos]) {
		p.pos++
	}
	return p.pos - start
}

func isLetter(c byte) bool  { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool   { return '0' <= c && c <= '9' }
func isKeyByte(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' || c == '-' || c == '/' }

// operator parses an operator. Operators that are words need a blank before them.
func (p *whereParser) operator(t *whereTerm, afterBlank bool) error {
	start := p.pos
	if afterBlank {
		not := p.word("NOT")
		if not {
			p.blanks()
		}
		switch {
		case p.word("LIKE"):
			t.op, t.negate, t.text = matchOp, not, "like"
			return nil
		case p.word("ILIKE"):
			t.op, t.negate, t.text = matchOp, not, "ilike"
			return nil
		case p.word("IN"):
			t.op, t.negate = inOp, not
			return nil
		}
		p.pos = start
	}
	for _, known := range []struct {
		sign   string
		op     whereOp
		negate bool
		match  string
	}{
		{"<=", greaterOp, true, ""},
		{">=", lessOp, true, ""},
		{"<", lessOp, false, ""},
		{">", greaterOp, false, ""},
		{"=", equalOp, false, ""},
		{"!=", equalOp, true, ""},
		{"!~~*", matchOp, true, "ilike"},
		{"!~~", matchOp, true, "like"},
		{"!~*", matchOp, true, "iregexp"},
		{"!~", matchOp, true, "regexp"},
		{"~~*", matchOp, false, "ilike"},
		{"~~", matchOp, false, "like"},
		{"~*", matchOp, false, "iregexp"},
		{"~", matchOp, false, "regexp"},
		{"?", keyOp, false, ""},
	} {
		if known.op == keyOp && p.attributes == nil {
			break
		}
		if strings.HasPrefix(p.text[start:], known.sign) {
			p.pos += len(known.sign)
			t.op, t.negate, t.text = known.op, known.negate, known.match
			return nil
		}
	}
	err := p.fail(start, "invalid operator at `%s`", p.rest(start))
	word := p.text[start:]
	if i := strings.IndexAny(word, " ('"); i >= 0 {
		word = word[:i]
	}
	switch upper := strings.ToUpper(word); upper {
	case "LIKE", "ILIKE", "IN", "NOT", "IS":
		if upper != word {
			return err.hint(upper + " is written in capitals")
		}
	}
	return err.hint(
		"there are =, !=, <, <=, >, >=, LIKE, NOT LIKE, ILIKE, NOT ILIKE, ~~, !~~, ~, ~*, !~, " +
			"!~*, IN, NOT IN, IS NULL, IS NOT NULL")
}

// operand parses the operand of an operator that began at offset op.
func (p *whereParser) operand(t *whereTerm, op int) error {
	sign := strings.TrimSpace(p.text[op:p.pos])
	if a := t.attribute; a != nil && !a.kind.has(t.op) {
		return p.fail(op, "%s cannot be compared with %s", a.name, sign)
	}
	p.blanks()
	start := p.pos
	if t.op == inOp {
		return p.values(t)
	}
	match := t.text
	t.text = ""
	if start == len(p.text) {
		return p.fail(start, "no operand found at `%s`", p.rest(t.offset))
	}
	kind, err := p.value(t)
	if err != nil {
		for _, operator := range []struct{ elsewhere, here string }{
			{"==", "="}, {"!==", "!="}, {"<>", "!="}, {"=<", "<="}, {"=>", ">="}, {"=~", "~"},
		} {
			if strings.HasPrefix(p.text[op:], operator.elsewhere) {
				return err.(*Error).hint(operator.elsewhere + " is written " + operator.here)
			}
		}
		return err
	}
	switch {
	case kind == boolLiteral && t.op != equalOp:
		return p.fail(op, "invalid boolean operator `%s`", sign).
			hint("true and false are compared with = and !=")
	case kind != textLiteral && t.op == matchOp:
		return p.fail(op, "invalid operator at `%s`", p.rest(op)).
			hint(sign + " needs a text in single quotes")
	case kind != textLiteral && t.field != pathField && t.attribute == nil:
		return p.fail(start, "ConfigHub fields are text").hint("put the operand in single quotes")
	}
	t.literal = kind
	switch match {
	case "like", "ilike":
		if t.re, err = likePattern(t.text, match == "ilike"); err != nil {
			return p.fail(start, "%v", err).hint(limit.HintOf(err))
		}
	case "regexp", "iregexp":
		prefix := ""
		if match == "iregexp" {
			prefix = "(?i)"
		}
		if t.re, err = pattern.Compile(prefix + t.text); err != nil {
			return p.fail(start, "%v", err).hint(limit.HintOf(err))
		}
	}
	if kind == textLiteral && t.op != matchOp && t.field == pathField && leadsToQuantity(t.path) {
		if amount, ok := quantity.Parse(t.text); ok {
			t.amount = &amount
		}
	}
	return nil
}

// value parses a literal of the kind that the operand of the term has.
func (p *whereParser) value(t *whereTerm) (literalKind, error) {
	start := p.pos
	kind, err := p.literal(t)
	if a := t.attribute; err == nil && a != nil && kind != a.kind.literal() {
		err = p.fail(start, "%s is compared with %s", a.name, a.kind.literals())
	}
	return kind, err
}

// literal parses a number, a boolean or a string.
func (p *whereParser) literal(t *whereTerm) (literalKind, error) {
	start := p.pos
	if p.text[start] == '\'' {
		text, err := p.quoted()
		t.text = text
		return textLiteral, err
	}
	p.take(func(c byte) bool { return !isBlank(c) && strings.IndexByte("'(),", c) < 0 })
	word := p.text[start:p.pos]
	switch {
	case word == "true" || word == "false":
		t.truth = word == "true"
		return boolLiteral, nil
	case word != "" && strings.Trim(word, "0123456789") == "":
		if len(word) > maxWhereDigits {
			return 0, p.fail(
				start, "invalid operand at `%s`: a number has at most %d digits", p.rest(start),
				maxWhereDigits,
			)
		}
		n, err := strconv.Atoi(word)
		t.number = n
		return intLiteral, err
	}
	err := p.fail(start, "no operand found at `%s`", p.rest(start))
	if first := p.text[start]; !isKeyByte(first) && first != '.' {
		return 0, err.hint("put strings in single quotes")
	}
	if _, isNumber := quantity.Parse(word); isNumber && strings.Trim(word, "+-.0123456789") == "" {
		return 0, err.hint(
			"numbers have neither sign nor fraction; in single quotes it is a text or, in " +
				"requests and limits, an amount")
	}
	if lower := strings.ToLower(word); lower == "true" || lower == "false" {
		return 0, err.hint(configkit.DidYouMean("", []string{lower}) + " In single quotes it is a text")
	}
	return 0, err.hint(configkit.DidYouMean("",
		[]string{"'" + word + "', in single quotes"}))
}

// quoted parses a string in single quotes. There are no escapes.
func (p *whereParser) quoted() (string, error) {
	start := p.pos
	end := strings.IndexByte(p.text[start+1:], '\'')
	if end < 0 {
		return "", p.fail(start, "the text that begins here has no end: a ' is missing")
	}
	text := p.text[start+1 : start+1+end]
	excluded := "\"\\\n\r\t"
	if p.attributes != nil {
		excluded = `\`
	}
	if i := strings.IndexAny(text, excluded); i >= 0 {
		return "", p.fail(start+1+i, "%q is not allowed in a text", text[i])
	}
	p.pos = start + end + 2
	return text, nil
}

// values parses the list of IN.
func (p *whereParser) values(t *whereTerm) error {
	start := p.pos
	invalid := func() error {
		return p.fail(p.pos, "invalid IN clause at `%s`", p.rest(start)).
			hint("IN has a list: IN ('a', 'b')")
	}
	if start == len(p.text) {
		return p.fail(start, "no operand found at `%s`", p.rest(t.offset))
	}
	if p.text[start] != '(' {
		return invalid()
	}
	p.pos++
	for {
		p.blanks()
		if p.pos == len(p.text) || p.text[p.pos] == ',' || p.text[p.pos] == ')' {
			return invalid()
		}
		from := p.pos
		if _, err := p.value(t); err != nil {
			return p.fail(from, "invalid IN clause at `%s`: %s", p.rest(start), err.(*Error).Msg).
				hint(err.(*Error).Hint)
		}
		value := p.text[from:p.pos]
		if value[0] == '\'' {
			value = t.text
		}
		if len(t.list) == maxWhereValues {
			return p.fail(from, "IN has more than %d values", maxWhereValues)
		}
		t.list = append(t.list, value)
		p.blanks()
		if p.pos == len(p.text) {
			return invalid()
		}
		p.pos++
		switch p.text[p.pos-1] {
		case ',':
		case ')':
			t.text, t.number, t.truth = "", 0, false
			return nil
		default:
			p.pos--
			return invalid()
		}
	}
}

// likePattern translates a LIKE pattern into a regular expression: % matches any characters, _
// matches one.
func likePattern(text string, anyCase bool) (*regexp.Regexp, error) {
	var b strings.Builder
	b.WriteString("(?s")
	if anyCase {
		b.WriteByte('i')
	}
	b.WriteString(")^")
	for _, r := range text {
		switch r {
		case '%':
			b.WriteString(".*")
		case '_':
			b.WriteByte('.')
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	b.WriteByte('$')
	return pattern.Compile(b.String())
}

// leadsToQuantity reports whether p ends in resources.requests.x or resources.limits.x and has
// something before that.
func leadsToQuantity(p *yamlpath.Path) bool {
	n := len(p.Segments())
	return n > 3 && p.EmbeddedPath() == "" && p.Segments()[n-3].Key == "resources" &&
		(p.Segments()[n-2].Key == "requests" || p.Segments()[n-2].Key == "limits")
}
