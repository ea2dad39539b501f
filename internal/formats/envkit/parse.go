package envkit

import (
	"bytes"
	"strings"

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

const (
	marks  formatkit.Marks = "# ;" // of comments on lines of their own
	remark formatkit.Marks = "#"   // of comments after a value
)

// Parse implements formatkit.Language.
func (language) Parse(text formatkit.Text) ([]*formatkit.Node, error) {
	p := parser{Text: text, at: text.Begin()}
	var leaves []*formatkit.Node
	for p.at < len(text) {
		p.at = p.SkipBlanks(p.at)
		if p.AtLineEnd(p.at) || marks.Begin(text[p.at:]) {
			p.at = text.NextLine(p.at)
			continue
		}
		leaf, err := p.variable()
		if err != nil {
			return nil, err
		}
		leaves = append(leaves, leaf)
	}
	return []*formatkit.Node{nest(leaves)}, nil
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
	formatkit.Text
	at     int
	before int // where the previous variable ends
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' }

// variable parses the variable on the current line, whose leading blanks are skipped already.
func (p *parser) variable() (*formatkit.Node, error) {
	form := &line{}
	n := &formatkit.Node{Kind: gaby.Scalar, Syntax: form}
	begin := p.at
	sign := bytes.IndexByte(p.Text[begin:p.LineEnd(begin)], '=')
	if sign < 0 {
		return nil, p.Fail(begin, "no '=' separator found",
			"a line is KEY=value, or a comment after #")
	}
	sign += begin
	if rest, ok := bytes.CutPrefix(p.Text[begin:sign], []byte(export)); ok && len(rest) > 0 &&
		isBlank(rest[0]) && len(bytes.TrimLeft(rest, " \t")) > 0 {
		form.export = true
		p.at = p.SkipBlanks(p.at + len(export))
	}
	n.KeySpan = p.Trim(formatkit.NewSpan(p.at, sign))
	n.Key = p.Raw(n.KeySpan)
	dot := strings.IndexByte(n.Key, '.')
	switch {
	case !isName(n.Key):
		return nil, p.Fail(p.at, "the name of a variable cannot be "+quoted(n.Key), "")
	case dot >= 0 && (!strings.HasPrefix(n.Key, block+".") || dot == len(n.Key)-1 ||
		strings.Contains(n.Key, "..") || strings.HasSuffix(n.Key, ".")):
		return nil, p.Fail(p.at+dot, "the name of a variable cannot have a dot",
			"only those of the "+block+" block do, such as "+block+".configName")
	}
	n.Sign = formatkit.NewSpan(sign, sign+1)
	p.at = p.SkipBlanks(sign + 1)
	n.Span.From = p.at
	n.Value = p.value(n, form)
	form.old.raw = p.Raw(n.Span)
	form.old.variables = variablesIn(form.old.raw)
	n.Entry = formatkit.NewSpan(p.LineStart(begin), p.NextLine(p.at))
	p.CommentsAbove(n, p.before, marks)
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
	from := p.at
	if to := from + closing(p.Text[from:]); to > from && p.endsAt(n, to) {
		n.Span.To, p.at = to, p.LineEnd(to)
		form.old.tokens = tokens(p.Raw(n.Span))
		return form.old.tokens.Text()
	}
	p.at = p.LineEnd(from)
	to := p.at
	for at := from; at < p.at; at++ {
		if p.Text[at] == '#' && isBlank(p.Text[at-1]) {
			p.RestOfLine(n, at, remark)
			to = at
			break
		}
	}
	n.Span = p.Trim(formatkit.NewSpan(from, to))
	if n.Span.Len() == 0 {
		n.Span = formatkit.NewSpan(n.Sign.To, n.Sign.To)
	}
	return p.Raw(n.Span)
}

// endsAt reports whether nothing but a comment follows a closing quote on its line.
func (p *parser) endsAt(n *formatkit.Node, quote int) bool {
	if p.EndsLine(quote) {
		return true
	}
	if quote < len(p.Text) && isBlank(p.Text[quote]) {
		p.RestOfLine(n, quote, remark)
	}
	return n.Remark.Len() > 0
}

// closing returns the length of the quoted string at the beginning of text, or 0 if text begins
// with no quote or the quote is not closed.
func closing(text []byte) int {
	if len(text) == 0 || text[0] != '\'' && text[0] != '"' {
		return 0
	}
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
func tokens(raw string) formatkit.Tokens {
	double := raw[0] == '"'
	return formatkit.Tokenize(raw[1:len(raw)-1], func(rest string) (int, string) {
		switch {
		case strings.HasPrefix(rest, "\r\n"):
			return 2, "\n"
		case double && rest[0] == '\\':
			if i := strings.IndexByte(`nrt\"$`+"`", rest[1]); i >= 0 {
				return 2, "\n\r\t\\\"$`"[i : i+1]
			}
		}
		return formatkit.Character(rest)
	})
}
