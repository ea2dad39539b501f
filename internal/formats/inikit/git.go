package inikit

import (
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
	for p.at < len(p.Text) {
		var err error
		switch c := p.Text[p.at]; {
		case isSpace(c):
			p.at++
		case isMark(c):
			p.at = p.NextLine(p.at)
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

// take consumes bytes for which is returns true, and returns their span.
func (p *parser) take(is func(byte) bool) formatkit.Span {
	from := p.at
	for p.at < len(p.Text) && is(p.Text[p.at]) {
		p.at++
	}
	return formatkit.NewSpan(from, p.at)
}

// next returns the byte at the current position, 0 at the end.
func (p *parser) next() byte {
	if p.at == len(p.Text) {
		return 0
	}
	return p.Text[p.at]
}

// section parses the header at the current position.
func (d git) section(p *parser) error {
	open, b := p.at, &block{}
	p.at++
	if b.KeySpan = p.take(isNameByte); b.KeySpan.Len() == 0 {
		return p.Fail(open, "a section must have a name",
			"the name is letters, digits, - and dots; further names follow it in double quotes")
	}
	b.path = segments(p.Raw(b.KeySpan))
	p.at = p.SkipBlanks(p.at)
	if p.at > b.KeySpan.To && p.next() == '"' {
		name, ok := d.subsection(p)
		if !ok {
			return p.Fail(open, "unclosed quote", "")
		}
		b.path = append(b.path, name)
		b.KeySpan.To = p.at
	}
	if p.next() != ']' {
		return p.Fail(open, "unclosed section header",
			"it is [section] or [section \"name\"], the section of letters, digits, - and dots")
	}
	p.at++
	b.Span = formatkit.NewSpan(p.at, p.at)
	// a header can follow another one on its line
	start := max(p.LineStart(open), p.before)
	p.take(isBlank)
	p.RestOfLine(&b.Node, p.at, marks)
	if b.Remark.Len() > 0 || p.AtLineEnd(p.at) {
		p.at = p.NextLine(p.at)
	} else {
		p.at = b.Span.To
	}
	p.add(b, start, p.at)
	return nil
}

// subsection parses the name in quotes at the current position.
func (git) subsection(p *parser) (string, bool) {
	var b strings.Builder
	for p.at++; p.at < len(p.Text); p.at++ {
		switch c := p.Text[p.at]; {
		case isLineEnd(c):
			return "", false
		case c == '"':
			p.at++
			return b.String(), true
		case c == '\\' && p.at+1 < len(p.Text) && !isLineEnd(p.Text[p.at+1]):
			p.at++
			b.WriteByte(p.Text[p.at])
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}

// line parses the key at the current position, with its value.
func (d git) line(p *parser) error {
	n := &formatkit.Node{KeySpan: p.take(isKeyByte)}
	begin := n.KeySpan.From
	n.Span = formatkit.NewSpan(p.at, p.at)
	if p.at == begin || !isLetter(p.Text[begin]) {
		return p.Fail(begin, "a key must be letters, digits and -, the first a letter", "")
	}
	p.at = p.SkipBlanks(p.at)
	switch {
	case p.AtLineEnd(p.at):
	case isMark(p.Text[p.at]):
		p.RestOfLine(n, p.at, marks)
	case p.Text[p.at] == '=':
		n.Sign = formatkit.NewSpan(p.at, p.at+1)
		p.at++
		if err := d.value(p, n); err != nil {
			return err
		}
	default:
		return p.Fail(p.at, "a key must be followed by = and its value", "")
	}
	eol := p.LineEnd(p.at)
	p.at = p.NextLine(p.at)
	n.Entry = formatkit.NewSpan(p.LineStart(begin), p.at)
	if n.Entry.From < p.before { // it shares the line with a header
		n.Entry = formatkit.NewSpan(p.before, eol)
	}
	p.key(n)
	return nil
}

// value parses the value at the current position, to the end of its last line.
func (git) value(p *parser, n *formatkit.Node) error {
	n.Span = formatkit.NewSpan(-1, p.at)
	var tokens formatkit.Tokens
	empty, quoted := true, -1 // whether the value is empty so far, and the offset of an open quote
	add := func(length int, text string) {
		from := p.at - n.Span.From
		tokens = append(tokens, formatkit.Token{From: from, To: from + length, Text: text})
		empty = empty && text == ""
		p.at += length
	}
	filled := 0 // the number of tokens without the blanks at the end
	for p.at < len(p.Text) && !isLineEnd(p.Text[p.at]) {
		c := p.Text[p.at]
		if quoted < 0 && isMark(c) {
			p.RestOfLine(n, p.at, marks)
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
			length, text := escape(p.Text[p.at:])
			if length < 0 {
				return p.Fail(p.at, "unknown escape sequence",
					`write \\ for a backslash; others are \", \n, \t and \b`)
			}
			add(length, text)
		default:
			_, length := utf8.DecodeRune(p.Text[p.at:])
			add(length, string(p.Text[p.at:p.at+length]))
		}
		if !blank {
			filled, n.Span.To = len(tokens), p.at
		}
	}
	n.Syntax = tokens[:filled]
	if n.Span.From < 0 {
		// the blanks between the sign and the end of the line, without the last one before a
		// comment
		n.Span = formatkit.NewSpan(n.Sign.To, p.at)
		if n.Remark.Len() > 0 {
			n.Span.To = max(n.Sign.To, n.Remark.From-1)
		}
	}
	if quoted >= 0 {
		return p.Fail(quoted, "unclosed quote", "")
	}
	return nil
}

// escape decodes the escape sequence or the continued line end that text, which begins with a
// backslash, begins with. The length is negative if it is neither.
func escape(text formatkit.Text) (length int, meaning string) {
	if isLineEnd(text[1]) {
		return text.NextLine(1), ""
	}
	if i := strings.IndexByte(`\"ntb`, text[1]); i >= 0 {
		return 2, "\\\"\n\t\b"[i : i+1]
	}
	return -1, ""
}

func isLineEnd(c byte) bool { return c == '\n' || c == '\r' }

// header implements dialect.
func (git) header(path []string) string {
	last := len(path) - 1
	if last == 0 {
		return path[0]
	}
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path[last])
	return strings.Join(path[:last], ".") + ` "` + quoted + `"`
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
