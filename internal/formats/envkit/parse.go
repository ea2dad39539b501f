package envkit

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// line is the syntax of a variable.
type line struct {
	export bool
	old    old
}

// export is allowed before a name.
const export = "export"

// Parse implements formatkit.Language.
func (language) Parse(text []byte) ([]formatkit.Document, error) {
	p := parser{text: text}
	if mark := "\ufeff"; bytes.HasPrefix(text, []byte(mark)) {
		p.at = len(mark)
	}
	var leaves []*formatkit.Node
	for p.at < len(text) {
		p.skipBlanks()
		switch {
		case p.atLineEnd(), isComment(text[p.at:]) > 0:
			p.at = formatkit.NextLine(text, p.at)
		default:
			leaf, err := p.variable()
			if err != nil {
				return nil, err
			}
			leaves = append(leaves, leaf)
		}
	}
	return []formatkit.Document{{Root: nest(leaves)}}, nil
}

// nest builds the tree of variables, in which the configHub block is a map.
func nest(leaves []*formatkit.Node) *formatkit.Node {
	root := formatkit.Nest(leaves)
	for _, kid := range root.Kids {
		if kid.Kind == gaby.List {
			kid.Kind = gaby.Map // numbered keys make no list here: configHub.0
		}
	}
	return root
}

type parser struct {
	text   []byte
	at     int
	before int // where the previous variable ends
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' }

func (p *parser) skipBlanks() {
	for p.at < len(p.text) && isBlank(p.text[p.at]) {
		p.at++
	}
}

func (p *parser) atLineEnd() bool {
	return p.at == len(p.text) || p.text[p.at] == '\n' || p.text[p.at] == '\r'
}

func isComment(line []byte) int {
	if len(line) > 0 && (line[0] == '#' || line[0] == ';') {
		return 1
	}
	return 0
}

func (p *parser) fail(at int, msg, hint string) error {
	return formatkit.Fail(p.text, at, msg, hint)
}

// variable parses the variable on the current line, whose leading blanks are skipped already.
func (p *parser) variable() (*formatkit.Node, error) {
	form := &line{}
	n := &formatkit.Node{Kind: gaby.Scalar, Syntax: form}
	begin, eol := p.at, formatkit.LineEnd(p.text, p.at)
	sign := bytes.IndexByte(p.text[begin:eol], '=')
	if sign < 0 {
		return nil, p.fail(begin, "no '=' separator found",
			"a line is KEY=value, or a comment after #")
	}
	sign += begin
	if rest, ok := bytes.CutPrefix(p.text[begin:sign], []byte(export)); ok && len(rest) > 0 &&
		isBlank(rest[0]) && len(bytes.TrimLeft(rest, " \t")) > 0 {
		form.export = true
		p.at += len(export)
		p.skipBlanks()
	}
	key := bytes.TrimRight(p.text[p.at:sign], " \t")
	n.Key, n.KeySpan = string(key), formatkit.Span{From: p.at, To: p.at + len(key)}
	dot := strings.IndexByte(n.Key, '.')
	switch {
	case !isName(n.Key):
		return nil, p.fail(p.at, "the name of a variable cannot be "+quoted(n.Key), "")
	case dot >= 0 && (!strings.HasPrefix(n.Key, block+".") || dot == len(n.Key)-1 ||
		strings.Contains(n.Key, "..") || strings.HasSuffix(n.Key, ".")):
		return nil, p.fail(p.at+dot, "the name of a variable cannot have a dot",
			"only those of the "+block+" block do, such as "+block+".configName")
	}
	n.Sign = formatkit.Span{From: sign, To: sign + 1}
	p.at = sign + 1
	p.skipBlanks()
	n.Span.From = p.at
	n.Value = p.value(n, form)
	form.old.raw = string(p.text[n.Span.From:n.Span.To])
	form.old.variables = variablesIn(form.old.raw)
	n.Entry = formatkit.Span{
		From: formatkit.LineStart(p.text, begin),
		To:   formatkit.NextLine(p.text, p.at),
	}
	n.Head, n.Comments.Head = formatkit.CommentsAbove(p.text, p.before, n.Entry.From, isComment)
	p.at, p.before = n.Entry.To, n.Entry.To
	return n, nil
}

func quoted(s string) string {
	if s == "" {
		return "empty"
	}
	return "'" + s + "'"
}

// value parses the value at the current position.
func (p *parser) value(n *formatkit.Node, form *line) string {
	if !p.atLineEnd() {
		if c := p.text[p.at]; c == '\'' || c == '"' {
			if to := closing(p.text[p.at:]); to > 0 {
				end := p.at + to
				p.at = end
				if p.atRemark(n) {
					n.Span.To = end
					form.old.tokens = tokens(p.text[n.Span.From:end])
					return formatkit.Text(form.old.tokens)
				}
				p.at = n.Span.From
			}
		}
	}
	eol := formatkit.LineEnd(p.text, p.at)
	for at := p.at; at < eol; at++ {
		if p.text[at] == '#' && isBlank(p.text[at-1]) {
			n.Remark, n.Comments.Line = formatkit.RestOfLine(p.text, at, isRemark)
			break
		}
	}
	to := eol
	if n.Remark.Len() > 0 {
		to = n.Remark.From
	}
	value := bytes.TrimRight(p.text[p.at:to], " \t")
	if len(value) == 0 {
		n.Span.From = n.Sign.To
	}
	n.Span.To = n.Span.From + len(value)
	p.at = eol
	return string(value)
}

// atRemark skips a comment after a closing quote. It reports whether nothing else follows on the
// line.
func (p *parser) atRemark(n *formatkit.Node) bool {
	end := formatkit.LineEnd(p.text, p.at)
	remark, text := formatkit.RestOfLine(p.text, p.at, isRemark)
	isNext := remark.Len() > 0 && remark.From == p.at
	if isNext || remark.Len() == 0 && !formatkit.EndsLine(p.text, p.at) {
		return false
	}
	n.Remark, n.Comments.Line, p.at = remark, text, end
	return true
}

// isRemark returns the length of the mark of a comment after a value.
func isRemark(text []byte) int {
	if text[0] == '#' {
		return 1
	}
	return 0
}

// closing returns the length of the quoted string at the beginning of text, or 0 if the
// quote is not closed.
func closing(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == text[0]:
			return i + 1
		case text[i] == '\\' && text[0] == '"':
			i++
		}
	}
	return 0
}

// tokens splits the inside of a quoted string into characters and escape sequences.
func tokens(raw []byte) []formatkit.Token {
	var out []formatkit.Token
	double := raw[0] == '"'
	for at := 1; at < len(raw)-1; {
		_, n := utf8.DecodeRune(raw[at:])
		s := string(raw[at : at+n])
		switch {
		case bytes.HasPrefix(raw[at:], []byte("\r\n")):
			s, n = "\n", 2
		case double && raw[at] == '\\':
			if i := strings.IndexByte(`nrt\"$`+"`", raw[at+1]); i >= 0 {
				s, n = "\n\r\t\\\"$`"[i:i+1], 2
			}
		}
		out = append(out, formatkit.Token{From: at, To: at + n, Text: s})
		at += n
	}
	return out
}
