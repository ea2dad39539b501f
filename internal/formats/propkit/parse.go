package propkit

import (
	"unicode/utf8"

	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// marks begin comments, which have lines of their own.
const marks formatkit.Marks = "# !"

// Parse implements formatkit.Language.
func (language) Parse(text formatkit.Text) ([]*formatkit.Node, error) {
	p := parser{Text: text, at: text.Begin(), latin1: !utf8.Valid(text)}
	var leaves []*formatkit.Node
	for p.skipBlankLines() {
		leaf, err := p.entry()
		if err != nil {
			return nil, err
		}
		leaves = append(leaves, leaf)
	}
	return []*formatkit.Node{formatkit.Nest(leaves)}, nil
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
	formatkit.Text
	at     int
	before int // where the previous entry ends
	latin1 bool
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\f' }

// skipBlankLines skips blank lines, comments and the indentation of the next entry. It reports
// whether there is one.
func (p *parser) skipBlankLines() bool {
	for p.skipBlanks(); p.at < len(p.Text); p.skipBlanks() { // also a backslash alone on its line
		switch {
		case p.AtLineEnd(p.at):
			p.at++
		case marks.Begin(p.Text[p.at:]):
			p.at = p.LineEnd(p.at)
		default:
			return true
		}
	}
	return false
}

// entry parses the entry at the current position.
func (p *parser) entry() (*formatkit.Node, error) {
	n := &formatkit.Node{Kind: gaby.Scalar}
	from := p.at
	key, err := p.scan(func(c byte) bool { return c == '=' || c == ':' || isBlank(c) })
	if err != nil {
		return nil, err
	}
	n.Key, n.KeySpan = key.Text(), formatkit.NewSpan(from, p.at)
	n.Sign = formatkit.NewSpan(p.at, p.at)
	p.skipBlanks()
	if p.at < len(p.Text) && (p.Text[p.at] == '=' || p.Text[p.at] == ':') {
		n.Sign = formatkit.NewSpan(p.at, p.at+1)
		p.at++
		p.skipBlanks()
	}
	from = p.at
	value, err := p.scan(func(byte) bool { return false })
	if err != nil {
		return nil, err
	}
	n.Span = formatkit.NewSpan(from, p.at)
	n.Value = typed(p.Raw(n.Span), value)
	if length := formatkit.BeforeRemark(p.Raw(n.Span)); length > 0 {
		n.Rest = formatkit.NewSpan(from+length, p.at)
		n.Span.To = n.Rest.From
		n.Value = formatkit.Typed(p.Raw(n.Span))
	}
	n.Entry = formatkit.NewSpan(p.LineStart(n.KeySpan.From), p.NextLine(p.at))
	p.CommentsAbove(n, p.before, marks)
	n.Comments = formatkit.CommentsOnLines(p.comment(n.Comments.Head))
	p.at, p.before = n.Entry.To, n.Entry.To
	return n, nil
}

// typed returns the value of the tokens of raw. Blanks after a number, true or false are ignored,
// so that it keeps its type, unless they are escaped, which means that they are intended.
func typed(raw string, tokens formatkit.Tokens) any {
	last := len(tokens)
	for last > 0 && (tokens[last-1].Text == "" ||
		tokens[last-1].To-tokens[last-1].From == 1 && isBlank(raw[tokens[last-1].From])) {
		last--
	}
	value := formatkit.Typed(tokens[:last].Text())
	if _, isText := value.(string); isText {
		return tokens.Text()
	}
	return value
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
	for p.at < len(p.Text) {
		if n := continuation(p.Text[p.at:]); n > 0 {
			p.at += n
		} else if isBlank(p.Text[p.at]) {
			p.at++
		} else {
			return
		}
	}
}

// continuation returns the length of a backslash at the end of a line, with the line end and the
// indentation of the next line. It is 0 if text does not begin with one.
func continuation(text formatkit.Text) int {
	switch {
	case len(text) == 0 || text[0] != '\\':
		return 0
	case len(text) == 1:
		return 1 // at the end of the text it is ignored
	case !text.AtLineEnd(1):
		return 0
	}
	n := text.NextLine(1)
	for n < len(text) && isBlank(text[n]) {
		n++
	}
	return n
}

// scan reads to the end of the logical line or to the first unescaped character for which stop
// returns true. The offsets of the tokens are relative to the current position.
func (p *parser) scan(stop func(c byte) bool) (formatkit.Tokens, error) {
	var out formatkit.Tokens
	from := p.at
	for p.at < len(p.Text) && !p.AtLineEnd(p.at) && !stop(p.Text[p.at]) {
		token, n := next(p.Text[p.at:], p.latin1)
		if n < 0 {
			return nil, p.Fail(p.at, `\u is not followed by four hexadecimal digits`,
				`write \\u for a backslash and u`)
		}
		out = append(out, formatkit.Token{From: p.at - from, To: p.at - from + n, Text: token})
		p.at += n
	}
	return out, nil
}
