package inikit

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/configkit/formatkit"
)

// configparser is the dialect of Python's module configparser with its default options: comments
// have lines of their own, and quotes have no meaning. See
// https://docs.python.org/3/library/configparser.html.
type configparser struct{}

// isPythonSpace reports whether str.strip of Python removes r.
func isPythonSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// stripped returns the span of text[from:to] without the blanks at its ends.
func stripped(text []byte, from, to int) formatkit.Span {
	from = to - len(bytes.TrimLeftFunc(text[from:to], isPythonSpace))
	return formatkit.NewSpan(from, from+len(bytes.TrimRightFunc(text[from:to], isPythonSpace)))
}

// parse implements dialect.
func (d configparser) parse(p *parser) ([]*block, error) {
	for p.at < len(p.Text) {
		start := p.at
		eol := p.LineEnd(p.at)
		p.at = stripped(p.Text, start, eol).From
		var err error
		switch {
		case p.at == eol || isMark(p.Text[p.at]):
			p.at = p.NextLine(p.at)
		case p.Text[p.at] == '[':
			err = d.section(p, start, eol)
		default:
			err = d.line(p, start, eol)
		}
		if err != nil {
			return nil, err
		}
	}
	return p.blocks, nil
}

// section parses a header on the line from start to eol. Text after the closing bracket is
// ignored, as by Python.
func (configparser) section(p *parser, start, eol int) error {
	length := bytes.LastIndexByte(p.Text[p.at:eol], ']')
	switch {
	case length < 0:
		return p.Fail(p.at, "unclosed section header", "write ] after the name")
	case length == 1:
		return p.Fail(p.at, "a section must have a name", "")
	}
	b, closed := &block{}, p.at+length
	b.KeySpan = formatkit.NewSpan(p.at+1, closed)
	b.Span = formatkit.NewSpan(closed+1, closed+1)
	b.path = segments(p.Raw(b.KeySpan))
	p.at = p.NextLine(eol)
	p.add(b, start, p.at)
	b.Comments = formatkit.CommentsOnLines(b.Comments.Head)
	return nil
}

// line parses a key on the line from start to eol, and the lines that continue its value.
func (d configparser) line(p *parser, start, eol int) error {
	if bytes.HasPrefix(p.Text[p.at:], []byte("\ufeff")) {
		return p.Fail(p.at, "a byte order mark can only begin the text", "take it out")
	}
	n := &formatkit.Node{}
	indent := utf8.RuneCount(p.Text[start:p.at])
	sign := bytes.IndexAny(p.Text[p.at:eol], "=:")
	if sign < 0 { // a key without a value
		n.KeySpan = stripped(p.Text, p.at, eol)
		n.Span = formatkit.NewSpan(n.KeySpan.To, n.KeySpan.To)
		if next, _ := continuation(p.Text, eol, indent); next >= 0 {
			return p.Fail(
				next,
				"the line is indented deeper than the key above it, which has no value to go "+
					"on with",
				"indent it as that key, or write a sign after that key")
		}
	} else {
		sign += p.at
		n.KeySpan = stripped(p.Text, p.at, sign)
		n.Sign = formatkit.NewSpan(sign, sign+1)
		if n.KeySpan.Len() == 0 {
			return p.Fail(p.at, "a key cannot be empty", "")
		}
		eol = d.value(p, n, eol, indent)
	}
	p.at = p.NextLine(eol)
	n.Entry = formatkit.NewSpan(start, p.at)
	p.key(n)
	n.Comments = formatkit.CommentsOnLines(n.Comments.Head)
	return nil
}

// value parses the value after the sign of a key that is indented by indent characters. It returns
// the end of the last line of the value.
func (d configparser) value(p *parser, n *formatkit.Node, eol, indent int) int {
	at := stripped(p.Text, n.Sign.To, eol)
	next, blank := continuation(p.Text, eol, indent)
	switch length := formatkit.BeforeRemark(p.Raw(at)); {
	case length > 0 && next < 0:
		n.Rest = formatkit.NewSpan(at.From+length, at.To)
		at.To = n.Rest.From
		n.Span = at
	case at.Len() > 0:
		n.Span = at
	case next >= 0:
		at = formatkit.NewSpan(n.Sign.To, n.Sign.To)
		n.Span = at
	default:
		n.Span = formatkit.NewSpan(n.Sign.To, eol)
	}
	start := n.Span.From
	tokens := characters(p.Text, at, start)
	for next >= 0 {
		// Everything between two lines of the value means the line ends between them.
		tokens = append(tokens, formatkit.Token{
			From: at.To - start, To: next - start, Text: strings.Repeat("\n", 1+blank),
		})
		eol = p.LineEnd(next)
		at = stripped(p.Text, next, eol)
		tokens = append(tokens, characters(p.Text, at, start)...)
		n.Span.To = at.To
		next, blank = continuation(p.Text, eol, indent)
	}
	n.Syntax = tokens
	return eol
}

// continuation returns the offset of the text on the next line that continues the value of a key
// indented by indent characters, and the number of blank lines before it. The offset is negative if
// the value is not continued.
func continuation(text formatkit.Text, eol, indent int) (at, blank int) {
	for at = text.NextLine(eol); at < len(text); at = text.NextLine(at) {
		start, end := at, text.LineEnd(at)
		at = stripped(text, start, end).From
		switch {
		case at == end:
			blank++
		case isMark(text[at]):
		case utf8.RuneCount(text[start:at]) > indent:
			return at, blank
		default:
			return -1, 0
		}
	}
	return -1, 0
}

// characters splits a span into one token per character. Offsets are relative to start.
func characters(text []byte, at formatkit.Span, start int) formatkit.Tokens {
	var out formatkit.Tokens
	for at.From < at.To {
		_, n := utf8.DecodeRune(text[at.From:])
		from := at.From - start
		out = append(out, formatkit.Token{
			From: from, To: from + n, Text: string(text[at.From : at.From+n]),
		})
		at.From += n
	}
	return out
}

// header implements dialect.
func (configparser) header(path []string) string { return strings.Join(path, ".") }

// isKey implements dialect.
func (configparser) isKey(key string) bool {
	if key == "" || strings.ContainsAny(key, "=:\r\n\x00") || key[0] == '[' || isMark(key[0]) ||
		strings.HasPrefix(key, "\ufeff") {
		return false
	}
	return strings.TrimFunc(key, isPythonSpace) == key
}

// spell implements dialect. It indents the lines of a value, except blank ones.
func (configparser) spell(text string, s style) string {
	var b strings.Builder
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if i > 0 {
			b.WriteString(s.lineEnd)
			if l != "" || i == len(lines)-1 {
				b.WriteString(s.indent)
			}
		}
		b.WriteString(l)
	}
	return b.String()
}
