package inikit

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/configkit/formatkit"
)

// git is the dialect of git-config, see https://git-scm.com/docs/git-config#_syntax.
type git struct{}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// isKeyByte reports whether c can be part of a key. Names of sections can contain dots as well.
func isKeyByte(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' || c == '-' }

func isNameByte(c byte) bool { return isKeyByte(c) || c == '.' }

func isSpace(c byte) bool { return isBlank(c) || isLineEnd(c) }

// parse implements dialect.
func (d git) parse(p *parser) ([]*block, error) {
	p.open()
	for p.at < len(p.text) {
		var err error
		switch c := p.text[p.at]; {
		case isSpace(c):
			p.at++
		case isMark(c):
			p.at = formatkit.NextLine(p.text, p.at)
		case c == '[':
			err = d.section(p)
		default:
			err = d.line(p)
		}
		if err != nil {
			return nil, err
		}
	}
	return p.blocks, nil
}

// section parses the header at the current position.
func (d git) section(p *parser) error {
	open := p.at
	p.at++
	from := p.at
	for p.at < len(p.text) && isNameByte(p.text[p.at]) {
		p.at++
	}
	b := &block{path: segments(string(p.text[from:p.at]))}
	if p.at == from {
		return p.fail(open, "a section must have a name",
			"the name is letters, digits, - and dots; further names follow it in double quotes")
	}
	b.name = formatkit.Span{From: from, To: p.at}
	blanks := p.at
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t') {
		p.at++
	}
	if p.at > blanks && p.at < len(p.text) && p.text[p.at] == '"' {
		name, ok := d.subsection(p)
		if !ok {
			return p.fail(open, "unclosed quote", "")
		}
		b.path = append(b.path, name)
		b.name.To = p.at
	}
	if p.at == len(p.text) || p.text[p.at] != ']' {
		return p.fail(open, "unclosed section header",
			"it is [section] or [section \"name\"], the section of letters, digits, - and dots")
	}
	p.at++
	b.closed = p.at
	eol := formatkit.LineEnd(p.text, p.at)
	rest := p.at + len(p.text[p.at:eol]) - len(bytes.TrimLeft(p.text[p.at:eol], " \t\f\v"))
	// a header can follow another one on its line
	start := max(formatkit.LineStart(p.text, open), p.before)
	switch {
	case rest < eol && isMark(p.text[rest]):
		b.comment = formatkit.Span{From: rest, To: eol}
		p.at = formatkit.NextLine(p.text, eol)
	case rest == eol:
		p.at = formatkit.NextLine(p.text, eol)
	}
	p.add(b, start, p.at)
	return nil
}

// subsection parses the name in quotes at the current position.
func (git) subsection(p *parser) (string, bool) {
	var b strings.Builder
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case isLineEnd(c):
			return "", false
		case c == '"':
			p.at++
			return b.String(), true
		case c == '\\' && p.at+1 < len(p.text) && !isLineEnd(p.text[p.at+1]):
			p.at++
			b.WriteByte(p.text[p.at])
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}

// line parses the key at the current position, with its value.
func (d git) line(p *parser) error {
	n := &formatkit.Node{Syntax: &line{}}
	begin := p.at
	for p.at < len(p.text) && isKeyByte(p.text[p.at]) {
		p.at++
	}
	n.KeySpan = formatkit.Span{From: begin, To: p.at}
	n.Key = string(p.text[begin:p.at])
	n.Span = formatkit.Span{From: p.at, To: p.at}
	if n.Key == "" || !isLetter(n.Key[0]) {
		return p.fail(begin, "a key must be letters, digits and -, the first a letter", "")
	}
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t') {
		p.at++
	}
	switch {
	case p.at == formatkit.LineEnd(p.text, p.at):
	case isMark(p.text[p.at]):
		n.Remark = formatkit.Span{From: p.at, To: formatkit.LineEnd(p.text, p.at)}
	case p.text[p.at] == '=':
		n.Sign = formatkit.Span{From: p.at, To: p.at + 1}
		p.at++
		if err := d.value(p, n); err != nil {
			return err
		}
	default:
		return p.fail(p.at, "a key must be followed by = and its value", "")
	}
	eol := formatkit.LineEnd(p.text, p.at)
	p.at = formatkit.NextLine(p.text, p.at)
	n.Entry = formatkit.Span{From: formatkit.LineStart(p.text, begin), To: p.at}
	if n.Entry.From < p.before { // it shares the line with a header
		n.Entry = formatkit.Span{From: p.before, To: eol}
	}
	p.key(n)
	return nil
}

// value parses the value at the current position, to the end of its last line.
func (git) value(p *parser, n *formatkit.Node) error {
	f := n.Syntax.(*line)
	n.Span = formatkit.Span{From: -1, To: p.at}
	empty, quoted := true, -1 // whether the value is empty so far, and the offset of an open quote
	add := func(length int, text string) {
		f.tokens = append(f.tokens, formatkit.Token{
			From: p.at - n.Span.From,
			To:   p.at - n.Span.From + length, Text: text,
		})
		empty = empty && text == ""
		p.at += length
	}
	filled := 0 // the number of tokens without the blanks at the end
	for p.at < len(p.text) && !isLineEnd(p.text[p.at]) {
		c := p.text[p.at]
		if quoted < 0 && isMark(c) {
			n.Remark = formatkit.Span{From: p.at, To: formatkit.LineEnd(p.text, p.at)}
			p.at = n.Remark.To
			break
		}
		blank := quoted < 0 && isBlank(c)
		if n.Span.From < 0 && !blank {
			n.Span.From = p.at
		}
		switch {
		case blank && n.Span.From < 0:
			p.at++
		case blank && empty:
			add(1, "")
		case c == '"':
			if quoted < 0 {
				quoted = p.at
			} else {
				quoted = -1
			}
			add(1, "")
		case c == '\\':
			length, text := escape(p.text[p.at:])
			if length < 0 {
				return p.fail(p.at, "unknown escape sequence",
					`write \\ for a backslash; others are \", \n, \t and \b`)
			}
			add(length, text)
		default:
			_, length := utf8.DecodeRune(p.text[p.at:])
			add(length, string(p.text[p.at:p.at+length]))
		}
		if !blank {
			filled, n.Span.To = len(f.tokens), p.at
		}
	}
	f.tokens = f.tokens[:filled]
	if n.Span.From < 0 {
		// the blanks between the sign and the end of the line, without the last one before a
		// comment
		n.Span = formatkit.Span{From: n.Sign.To, To: p.at}
		if n.Remark.Len() > 0 {
			n.Span.To = max(n.Sign.To, n.Remark.From-1)
		}
	}
	if quoted >= 0 {
		return p.fail(quoted, "unclosed quote", "")
	}
	return nil
}

// escape decodes the escape sequence or the continued line end that text, which begins with a
// backslash, begins with. The length is negative if it is neither.
func escape(text []byte) (length int, meaning string) {
	if isLineEnd(text[1]) {
		return formatkit.NextLine(text, 1), ""
	}
	if i := strings.IndexByte(`\"ntb`, text[1]); i >= 0 {
		return 2, "\\\"\n\t\b"[i : i+1]
	}
	return -1, ""
}

func isLineEnd(c byte) bool { return c == '\n' || c == '\r' }

// header implements dialect.
func (git) header(path []string) (string, bool) {
	last := len(path) - 1
	name := path[0]
	if last > 0 {
		quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path[last])
		name = strings.Join(path[:last], ".") + ` "` + quoted + `"`
	}
	p := &parser{text: []byte("[" + name + "]\n")}
	p.open()
	err := git{}.section(p)
	return name, err == nil && !strings.Contains(name, "\x00") && p.at == len(p.text) &&
		joined(p.blocks[1].path) == joined(path)
}

// isKey implements dialect.
func (git) isKey(key string) bool {
	for i := range len(key) {
		if !isKeyByte(key[i]) {
			return false
		}
	}
	return key != "" && isLetter(key[0])
}

// spell implements dialect.
func (git) spell(text string, _ style) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`).
		Replace(text)
}

// quoted implements dialect.
func (d git) quoted(text string) []string { return []string{`"` + d.spell(text, style{}) + `"`} }

// hasLineComments implements dialect.
func (git) hasLineComments() bool { return true }
