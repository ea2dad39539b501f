package inikit

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/configkit/nativekit"
)

// configparser is the dialect of Python's module of that name.
type configparser struct{}

// parse implements dialect.
func (d configparser) parse(p *parser) ([]*block, error) {
	p.open()
	for p.at < len(p.text) {
		start := p.at
		for p.at < len(p.text) && isBlank(p.text[p.at]) {
			p.at++
		}
		eol := nativekit.LineEnd(p.text, p.at)
		var err error
		switch {
		case p.at == eol || isMark(p.text[p.at]):
			p.at = nativekit.NextLine(p.text, p.at)
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

// section reads the header that begins here, on a line from start to eol. What stands behind it counts as little as it does to Python.
func (configparser) section(p *parser, start, eol int) error {
	comment := nativekit.Span{}
	closed := bytes.IndexByte(p.text[p.at:eol], ']')
	if closed < 0 {
		return p.fail(p.at, "the section header is not closed", "write ] behind the name")
	}
	end := commentAt(p.text, p.at+closed+1, eol)
	if end < eol {
		comment = nativekit.Span{From: end, To: eol}
	}
	closed = bytes.LastIndexByte(p.text[p.at:end], ']')
	name := nativekit.Span{From: p.at + 1, To: p.at + closed}
	for name.Len() > 0 && isBlank(p.text[name.From]) {
		name.From++
	}
	for name.Len() > 0 && isBlank(p.text[name.To-1]) {
		name.To--
	}
	if name.Len() == 0 {
		return p.fail(p.at, "a section must have a name", "")
	}
	b := &block{name: name, closed: p.at + closed + 1, comment: comment, path: segments(string(p.text[name.From:name.To]))}
	if comment.Len() == 0 {
		b.closed += len(bytes.TrimRight(p.text[b.closed:eol], " \t\f\v"))
	}
	p.at = nativekit.NextLine(p.text, eol)
	p.add(b, start, p.at)
	return nil
}

// commentAt is where the comment on a line begins, behind a blank and not in a word in double quotes, or the line's end.
func commentAt(text []byte, at, eol int) int {
	for ; at < eol; at++ {
		c, starts := text[at], at > 0 && isBlank(text[at-1])
		switch {
		case isMark(c) && starts:
			return at
		case c == '"' && (starts || at > 0 && (text[at-1] == '=' || text[at-1] == ':')):
			at += max(bytes.IndexByte(text[at+1:eol], '"')+1, 0)
		}
	}
	return eol
}

// line reads the key that begins here, on a line from start to eol, with the lines that go on with its value.
func (d configparser) line(p *parser, start, eol int) error {
	if bytes.HasPrefix(p.text[p.at:], []byte("\ufeff")) {
		return p.fail(p.at, "a byte order mark can only begin the text", "take it out")
	}
	f := &line{}
	n := &nativekit.Node{Form: f}
	end := commentAt(p.text, p.at, eol)
	sign := bytes.IndexAny(p.text[p.at:eol], "=:")
	if sign < 0 || p.at+sign > end { // a key without a value
		n.KeySpan = nativekit.Span{From: p.at, To: trimRight(p.text, p.at, end)}
		n.Span = nativekit.Span{From: n.KeySpan.To, To: n.KeySpan.To}
		if end < eol {
			f.comment = nativekit.Span{From: end, To: eol}
		}
		if next, _ := continuation(p.text, eol, p.at-start); next >= 0 {
			return p.fail(next, "the line is indented deeper than the key above it, which has no value to go on with", "indent it as that key, or write a sign behind that key")
		}
	} else {
		sign += p.at
		n.KeySpan = nativekit.Span{From: p.at, To: trimRight(p.text, p.at, sign)}
		f.sign = nativekit.Span{From: sign, To: sign + 1}
		if n.KeySpan.Len() == 0 {
			return p.fail(p.at, "a key cannot be empty", "")
		}
		eol = d.value(p, n, eol, p.at-start)
	}
	n.Key = string(p.text[n.KeySpan.From:n.KeySpan.To])
	p.at = nativekit.NextLine(p.text, eol)
	n.Entry = nativekit.Span{From: start, To: p.at}
	p.key(n)
	return nil
}

// trimRight is where text[from:to] ends without the blanks at its end.
func trimRight(text []byte, from, to int) int {
	for to > from && isBlank(text[to-1]) {
		to--
	}
	return to
}

// value reads the value behind the sign of a key that is indented by so many characters, and returns where its last line ends.
func (d configparser) value(p *parser, n *nativekit.Node, eol, indent int) int {
	f := n.Form.(*line)
	from := f.sign.To
	for from < eol && isBlank(p.text[from]) {
		from++
	}
	next, _ := continuation(p.text, eol, indent)
	if next < 0 && from < eol && d.inQuotes(p, n, from, eol) {
		return eol
	}
	end := commentAt(p.text, f.sign.To, eol)
	if end < eol {
		f.comment = nativekit.Span{From: end, To: eol}
	}
	from = min(from, end)
	to := trimRight(p.text, from, end)
	n.Span = nativekit.Span{From: from, To: to}
	if to == from {
		n.Span = emptyValue(f, end)
		if next >= 0 {
			from, to = f.sign.To, f.sign.To
			n.Span.To = f.sign.To
		}
	}
	start := n.Span.From
	pieces := characters(p.text, from, to, start)
	for next >= 0 {
		// All up to the next line of the value stands for line ends.
		begin, blank := continuation(p.text, eol, indent)
		pieces = append(pieces, nativekit.Piece{From: to - start, To: begin - start, Text: strings.Repeat("\n", 1+blank)})
		eol = nativekit.LineEnd(p.text, begin)
		end = commentAt(p.text, begin, eol)
		f.comment = nativekit.Span{}
		if end < eol {
			f.comment = nativekit.Span{From: end, To: eol}
		}
		from, to = begin, trimRight(p.text, begin, end)
		pieces = append(pieces, characters(p.text, from, to, start)...)
		n.Span.To = to
		next, _ = continuation(p.text, eol, indent)
	}
	f.pieces = pieces
	return eol
}

// continuation is where the text of the next line begins that goes on with the value of a key that is indented by so many
// characters, and how many blank lines come before. It is negative when there is none.
func continuation(text []byte, eol, indent int) (at, blank int) {
	for at = nativekit.NextLine(text, eol); at < len(text); at = nativekit.NextLine(text, at) {
		start := at
		for at < len(text) && isBlank(text[at]) {
			at++
		}
		switch {
		case at == nativekit.LineEnd(text, at):
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

// characters are the pieces of text[from:to], counted from start.
func characters(text []byte, from, to, start int) []nativekit.Piece {
	var out []nativekit.Piece
	for from < to {
		_, n := utf8.DecodeRune(text[from:])
		out = append(out, nativekit.Piece{From: from - start, To: from - start + n, Text: string(text[from : from+n])})
		from += n
	}
	return out
}

// inQuotes reads a value that stands as a whole in quotes. It reports false when it does not.
func (configparser) inQuotes(p *parser, n *nativekit.Node, from, eol int) bool {
	quote := p.text[from]
	if quote != '"' && quote != '\'' {
		return false
	}
	length := bytes.IndexByte(p.text[from+1:eol], quote)
	if length < 0 {
		return false
	}
	to := from + length + 2
	f := n.Form.(*line)
	end := commentAt(p.text, to, eol)
	if trimRight(p.text, to, end) > to {
		return false
	}
	if end < eol {
		f.comment = nativekit.Span{From: end, To: eol}
	}
	n.Span = nativekit.Span{From: from, To: to}
	f.pieces = characters(p.text, from+1, to-1, from)
	return true
}

// header implements dialect.
func (configparser) header(path []string) (string, bool) {
	name := strings.Join(path, ".")
	p := &parser{text: []byte("[" + name + "]\n")}
	p.open()
	err := configparser{}.section(p, 0, len(p.text)-1)
	return name, err == nil && !strings.ContainsAny(name, "\r\n\x00") && joined(p.blocks[1].path) == joined(path)
}

// isKey implements dialect.
func (configparser) isKey(key string) bool {
	if key == "" || strings.ContainsAny(key, "=:\r\n\x00") || key[0] == '[' || isMark(key[0]) || strings.HasPrefix(key, "\ufeff") {
		return false
	}
	return trimRight([]byte(key), 0, commentAt([]byte(key), 0, len(key))) == len(key) && !isBlank(key[0])
}

// spell implements dialect: lines are indented, but for blank ones.
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

// quoted implements dialect.
func (configparser) quoted(text string) []string { return []string{`"` + text + `"`, "'" + text + "'"} }
