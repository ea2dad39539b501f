package propkit

import (
	"bytes"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// line is the syntax of an entry, which is on one or more lines of the text.
type line struct {
	rest formatkit.Span // the text after a number, see formatkit.BeforeRemark
}

// Parse implements formatkit.Language.
func (language) Parse(text []byte) ([]formatkit.Document, error) {
	p := parser{text: text, latin1: !utf8.Valid(text)}
	var leaves []*formatkit.Node
	if bytes.HasPrefix(text, []byte("\ufeff")) {
		p.at = len("\ufeff")
	}
	for p.skipBlankLines() {
		leaf, err := p.entry()
		if err != nil {
			return nil, err
		}
		leaves = append(leaves, leaf)
	}
	return []formatkit.Document{{Root: formatkit.Nest(leaves)}}, nil
}

// Dialect returns the encoding of a text.
func (language) Dialect(text []byte) string {
	if utf8.Valid(text) {
		return "UTF-8"
	}
	return "ISO 8859-1"
}

// parser parses a text by the rules of java.util.Properties.load, see
// https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/util/Properties.html#load(java.io.Reader).
type parser struct {
	text   []byte
	at     int
	before int // where the previous entry ends
	latin1 bool
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\f' }

func isLineEnd(b byte) bool { return b == '\n' || b == '\r' }

func isCommentMark(b byte) bool { return b == '#' || b == '!' }

// skipBlankLines skips blank lines, comments and the indentation of the next entry. It reports
// whether there is one.
func (p *parser) skipBlankLines() bool {
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case isBlank(c), isLineEnd(c):
			p.at++
		case continuation(p.text[p.at:]) > 0: // a backslash alone on its line
			p.at += continuation(p.text[p.at:])
		case isCommentMark(c):
			p.at = formatkit.LineEnd(p.text, p.at)
		default:
			return true
		}
	}
	return false
}

// entry parses the entry at the current position.
func (p *parser) entry() (*formatkit.Node, error) {
	form := &line{}
	n := &formatkit.Node{Kind: gaby.Scalar, Syntax: form}
	n.KeySpan.From = p.at
	key, err := p.scan(func(c byte) bool { return c == '=' || c == ':' || isBlank(c) })
	if err != nil {
		return nil, err
	}
	n.Key, n.KeySpan.To = formatkit.Text(key), n.KeySpan.From+end(key)
	p.at = n.KeySpan.To
	p.skipBlanks()
	n.Sign = formatkit.Span{From: n.KeySpan.To, To: n.KeySpan.To}
	if p.at < len(p.text) && (p.text[p.at] == '=' || p.text[p.at] == ':') {
		n.Sign = formatkit.Span{From: p.at, To: p.at + 1}
		p.at++
		p.skipBlanks()
	}
	n.Span.From = p.at
	value, err := p.scan(func(byte) bool { return false })
	if err != nil {
		return nil, err
	}
	n.Span.To = n.Span.From + end(value)
	n.Value = typed(p.text[n.Span.From:n.Span.To], value)
	if plain := string(p.text[n.Span.From:n.Span.To]); formatkit.BeforeRemark(plain) > 0 {
		form.rest = formatkit.Span{
			From: n.Span.From + formatkit.BeforeRemark(plain),
			To:   n.Span.To,
		}
		n.Span.To = form.rest.From
		n.Value = formatkit.Typed(string(p.text[n.Span.From:n.Span.To]))
	}
	n.Entry = formatkit.Span{
		From: formatkit.LineStart(p.text, n.KeySpan.From),
		To:   formatkit.NextLine(p.text, p.at),
	}
	n.Head, n.Comments.Head = formatkit.CommentsAbove(p.text, p.before, n.Entry.From,
		func(line []byte) int {
			if isCommentMark(line[0]) {
				return 1
			}
			return 0
		})
	n.Comments = formatkit.CommentsOnLines(p.comment(n.Comments.Head))
	p.at, p.before = n.Entry.To, n.Entry.To
	return n, nil
}

// typed returns the value of the tokens of raw. Blanks after a number, true or false are ignored,
// so that it keeps its type, unless they are escaped, which means that they are intended.
func typed(raw []byte, tokens []formatkit.Token) any {
	last := len(tokens)
	for last > 0 && (tokens[last-1].Text == "" ||
		tokens[last-1].To-tokens[last-1].From == 1 && isBlank(raw[tokens[last-1].From])) {
		last--
	}
	value := formatkit.Typed(formatkit.Text(tokens[:last]))
	if _, isText := value.(string); isText {
		return formatkit.Text(tokens)
	}
	return value
}

func end(tokens []formatkit.Token) int {
	if len(tokens) == 0 {
		return 0
	}
	return tokens[len(tokens)-1].To
}

// comment converts the text of a comment to UTF-8. There are no escapes in comments.
func (p *parser) comment(text string) string {
	if !p.latin1 {
		return text
	}
	runes := make([]rune, 0, len(text))
	for _, b := range []byte(text) {
		runes = append(runes, rune(b))
	}
	return string(runes)
}

// skipBlanks skips blanks and continued line ends.
func (p *parser) skipBlanks() {
	for p.at < len(p.text) {
		if n := continuation(p.text[p.at:]); n > 0 {
			p.at += n
		} else if isBlank(p.text[p.at]) {
			p.at++
		} else {
			return
		}
	}
}

// continuation returns the length of a backslash at the end of a line, with the line end and the
// indentation of the next line. It is 0 if text does not begin with one.
func continuation(text []byte) int {
	switch {
	case len(text) == 0 || text[0] != '\\':
		return 0
	case len(text) == 1:
		return 1 // at the end of the text it is ignored
	case !isLineEnd(text[1]):
		return 0
	}
	n := formatkit.NextLine(text, 1)
	for n < len(text) && isBlank(text[n]) {
		n++
	}
	return n
}

// scan reads to the end of the logical line or to the first unescaped character for which stop
// returns true. The offsets of the tokens are relative to the current position.
func (p *parser) scan(stop func(c byte) bool) ([]formatkit.Token, error) {
	var out []formatkit.Token
	from := p.at
	for p.at < len(p.text) && !isLineEnd(p.text[p.at]) && !stop(p.text[p.at]) {
		token, n := next(p.text[p.at:], p.latin1)
		if n < 0 {
			return nil, formatkit.Fail(p.text, p.at,
				`\u is not followed by four hexadecimal digits`, `write \\u for a backslash and u`)
		}
		out = append(out, formatkit.Token{From: p.at - from, To: p.at - from + n, Text: token})
		p.at += n
	}
	return out, nil
}
