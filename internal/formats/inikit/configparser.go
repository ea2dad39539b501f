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

// skipSpace returns the offset of the first character of text[from:to] that is not a blank, or to.
func skipSpace(text []byte, from, to int) int {
	return to - len(bytes.TrimLeftFunc(text[from:to], isPythonSpace))
}

// trimRight returns the end of text[from:to] without the blanks at its end.
func trimRight(text []byte, from, to int) int {
	return from + len(bytes.TrimRightFunc(text[from:to], isPythonSpace))
}

// parse implements dialect.
func (d configparser) parse(p *parser) ([]*block, error) {
	p.open()
	for p.at < len(p.text) {
		start := p.at
		eol := formatkit.LineEnd(p.text, p.at)
		p.at = skipSpace(p.text, start, eol)
		var err error
		switch {
		case p.at == eol || isMark(p.text[p.at]):
			p.at = formatkit.NextLine(p.text, p.at)
		case p.text[p.at] == '[':
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
	closed := bytes.LastIndexByte(p.text[p.at:eol], ']')
	if closed < 0 {
		return p.fail(p.at, "unclosed section header", "write ] after the name")
	}
	closed += p.at
	name := formatkit.Span{From: p.at + 1, To: closed}
	if name.Len() == 0 {
		return p.fail(p.at, "a section must have a name", "")
	}
	b := &block{name: name, closed: closed + 1, path: segments(string(p.text[name.From:name.To]))}
	p.at = formatkit.NextLine(p.text, eol)
	p.add(b, start, p.at)
	b.comments = formatkit.CommentsOnLines(b.comments.Head)
	return nil
}

// line parses a key on the line from start to eol, and the lines that continue its value.
func (d configparser) line(p *parser, start, eol int) error {
	if bytes.HasPrefix(p.text[p.at:], []byte("\ufeff")) {
		return p.fail(p.at, "a byte order mark can only begin the text", "take it out")
	}
	n := &formatkit.Node{Syntax: &line{}}
	indent := utf8.RuneCount(p.text[start:p.at])
	sign := bytes.IndexAny(p.text[p.at:eol], "=:")
	if sign < 0 { // a key without a value
		n.KeySpan = formatkit.Span{From: p.at, To: trimRight(p.text, p.at, eol)}
		n.Span = formatkit.Span{From: n.KeySpan.To, To: n.KeySpan.To}
		if next, _ := continuation(p.text, eol, indent); next >= 0 {
			return p.fail(
				next,
				"the line is indented deeper than the key above it, which has no value to go "+
					"on with",
				"indent it as that key, or write a sign after that key")
		}
	} else {
		sign += p.at
		n.KeySpan = formatkit.Span{From: p.at, To: trimRight(p.text, p.at, sign)}
		n.Sign = formatkit.Span{From: sign, To: sign + 1}
		if n.KeySpan.Len() == 0 {
			return p.fail(p.at, "a key cannot be empty", "")
		}
		eol = d.value(p, n, eol, indent)
	}
	n.Key = string(p.text[n.KeySpan.From:n.KeySpan.To])
	p.at = formatkit.NextLine(p.text, eol)
	n.Entry = formatkit.Span{From: start, To: p.at}
	p.key(n)
	n.Comments = formatkit.CommentsOnLines(n.Comments.Head)
	return nil
}

// value parses the value after the sign of a key that is indented by indent characters. It returns
// the end of the last line of the value.
func (d configparser) value(p *parser, n *formatkit.Node, eol, indent int) int {
	f := n.Syntax.(*line)
	from, to := skipSpace(p.text, n.Sign.To, eol), trimRight(p.text, n.Sign.To, eol)
	next, _ := continuation(p.text, eol, indent)
	switch {
	case from < eol:
		if length := formatkit.BeforeRemark(string(p.text[from:to])); length > 0 && next < 0 {
			f.rest = formatkit.Span{From: from + length, To: to}
			to = from + length
		}
		n.Span = formatkit.Span{From: from, To: to}
	case next >= 0:
		from, to = n.Sign.To, n.Sign.To
		n.Span = formatkit.Span{From: from, To: to}
	default:
		from, to = eol, eol
		n.Span = formatkit.Span{From: n.Sign.To, To: eol}
	}
	start := n.Span.From
	tokens := characters(p.text, from, to, start)
	for next >= 0 {
		// Everything between two lines of the value means the line ends between them.
		begin, blank := continuation(p.text, eol, indent)
		tokens = append(tokens, formatkit.Token{
			From: to - start, To: begin - start,
			Text: strings.Repeat("\n", 1+blank),
		})
		eol = formatkit.LineEnd(p.text, begin)
		from, to = begin, trimRight(p.text, begin, eol)
		tokens = append(tokens, characters(p.text, from, to, start)...)
		n.Span.To = to
		next, _ = continuation(p.text, eol, indent)
	}
	f.tokens = tokens
	return eol
}

// continuation returns the offset of the text on the next line that continues the value of a key
// indented by indent characters, and the number of blank lines before it. The offset is negative if
// the value is not continued.
func continuation(text []byte, eol, indent int) (at, blank int) {
	for at = formatkit.NextLine(text, eol); at < len(text); at = formatkit.NextLine(text, at) {
		start, end := at, formatkit.LineEnd(text, at)
		at = skipSpace(text, start, end)
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

// characters splits text[from:to] into one token per character. Offsets are relative to start.
func characters(text []byte, from, to, start int) []formatkit.Token {
	var out []formatkit.Token
	for from < to {
		_, n := utf8.DecodeRune(text[from:])
		out = append(out, formatkit.Token{
			From: from - start, To: from - start + n,
			Text: string(text[from : from+n]),
		})
		from += n
	}
	return out
}

// header implements dialect.
func (configparser) header(path []string) (string, bool) {
	name := strings.Join(path, ".")
	p := &parser{text: []byte("[" + name + "]\n")}
	p.open()
	err := configparser{}.section(p, 0, len(p.text)-1)
	return name, err == nil && !strings.ContainsAny(name, "\r\n\x00") &&
		joined(p.blocks[1].path) == joined(path)
}

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

// quoted implements dialect. The dialect has no quotes.
func (configparser) quoted(string) []string { return nil }

// hasLineComments implements dialect.
func (configparser) hasLineComments() bool { return false }
