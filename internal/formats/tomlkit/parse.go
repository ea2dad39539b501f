package tomlkit

import (
	"bytes"
	"errors"
	"strings"

	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/pelletier/go-toml/v2/unstable"
)

// notation says by which syntax a value is written.
type notation uint8

const (
	inValue  notation = iota // after an equals sign or in brackets
	byHeader                 // a table with a header of its own, and the root, which needs none
	byLonger                 // a table implied by longer headers
	byDots                   // a table implied by dotted keys
	byList                   // an array of tables
)

// form is the syntax that a node remembers.
type form struct {
	notation notation
	index    map[string]*formatkit.Node // the entries of a table
	// of a table: its name in headers; of a table of dotted keys: the dotted key
	name   string
	header formatkit.Span // of a table: the line of its header
	closed int            // where the header's brackets end
	end    int            // of a table: the end of the lines of its header and its own keys
}

func formOf(n *formatkit.Node) *form { return n.Syntax.(*form) }

// parser converts the expressions of go-toml to nodes. go-toml supplies the spans of keys and
// scalars, and the parser finds the others.
type parser struct {
	formatkit.Text     // the whole text
	base           int // the length of the byte order mark, which go-toml does not accept
	toml           unstable.Parser
	root           *formatkit.Node
	table          *formatkit.Node // the table that keys are added to
	before         int             // where the previous expression ends
	depth          int
}

// key is a part of a dotted key.
type key struct {
	name string
	span formatkit.Span
}

const marks formatkit.Marks = "#"

// parse parses a text with go-toml and builds its nodes.
func parse(text formatkit.Text) (*formatkit.Node, error) {
	p := &parser{Text: text, base: text.Begin()}
	p.root = &formatkit.Node{Kind: gaby.Map, Syntax: &form{notation: byHeader}}
	p.table, p.before = p.root, p.base
	p.toml.Reset(text[p.base:len(text):len(text)])
	for p.toml.NextExpression() {
		var err error
		switch e := p.toml.Expression(); e.Kind {
		case unstable.KeyValue:
			err = p.line(e)
		default:
			err = p.header(e)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := p.toml.Error(); err != nil {
		return nil, p.refused(err)
	}
	return p.root, nil
}

// refused converts an error of go-toml to one with a position.
func (p *parser) refused(err error) error {
	var failure *unstable.ParserError
	if !errors.As(err, &failure) {
		return err
	}
	at := min(max(len(p.Text)-cap(failure.Highlight), 0), len(p.Text))
	message, hint := failure.Message, ""
	switch {
	case strings.Contains(message, "leading zero"):
		hint = "quote it to keep the zeros, or write an octal number with 0o"
	case p.noValue(at):
		message = "a value is missing after ="
	}
	return p.Fail(at, message, hint)
}

// noValue reports whether the text at at follows a = and cannot begin a value.
func (p *parser) noValue(at int) bool {
	before := bytes.TrimRight(p.Text[:at], " \t")
	rest := p.Text[at:]
	return bytes.HasSuffix(before, []byte("=")) &&
		(len(rest) == 0 || bytes.IndexByte([]byte("\r\n#,}]"), rest[0]) >= 0)
}

func (p *parser) span(r unstable.Range) formatkit.Span {
	return formatkit.NewSpan(p.base+int(r.Offset), p.base+int(r.Offset+r.Length))
}

// keys returns the parts of the key of an expression.
func (p *parser) keys(e *unstable.Node) []key {
	var keys []key
	for it := e.Key(); it.Next(); {
		n := it.Node()
		keys = append(keys, key{string(n.Data), p.span(n.Raw)})
	}
	return keys
}

// line adds a line with a key and a value to the current table.
func (p *parser) line(e *unstable.Node) error {
	in, at := p.table, p.span(e.Raw)
	n, err := p.entry(in, e)
	if err != nil {
		return err
	}
	n.Entry = formatkit.NewSpan(p.LineStart(at.From), p.NextLine(at.To))
	p.CommentsAbove(n, p.before, marks)
	p.RestOfLine(n, at.To, marks)
	formOf(in).end, p.before = n.Entry.To, n.Entry.To
	return nil
}

// header makes the table of a header the current one.
func (p *parser) header(e *unstable.Node) error {
	keys := p.keys(e)
	last := keys[len(keys)-1]
	open := bytes.TrimRight(p.Text[:keys[0].span.From], " \t")
	to := bytes.IndexByte(p.Text[last.span.To:], ']') + last.span.To + 1
	if e.Kind == unstable.ArrayTable {
		to++
	}
	header := formatkit.NewSpan(p.LineStart(len(open)), p.NextLine(to))

	in := p.root
	for i, k := range keys[:len(keys)-1] {
		next := formOf(in).index[k.name]
		switch {
		case next == nil:
			next = p.add(in, k, gaby.Map, byLonger)
			formOf(next).name = p.raw(keys[:i+1])
		case formOf(next).notation == byList:
			next = next.Kids[len(next.Kids)-1]
		case formOf(next).notation == inValue:
			return p.Fail(k.span.From,
				"the key "+k.name+" already has a value, which is not a table", "")
		}
		in = next
		if err := p.tooDeep(in, k); err != nil {
			return err
		}
	}
	n := formOf(in).index[last.name]
	if e.Kind == unstable.ArrayTable {
		if n == nil {
			n = p.add(in, last, gaby.List, byList)
			formOf(n).name = p.raw(keys)
			n.Head = header.From
		} else if formOf(n).notation != byList {
			return p.Fail(last.span.From,
				"the key "+last.name+" is already something else than an array of tables", "")
		}
		n = p.item(n, last)
	} else {
		switch {
		case n == nil:
			n = p.add(in, last, gaby.Map, byHeader)
		case formOf(n).notation == byLonger:
			formOf(n).notation = byHeader
		default:
			return p.Fail(last.span.From, "the table "+last.name+" is defined twice", "")
		}
	}
	if err := p.tooDeep(n, last); err != nil {
		return err
	}
	n.KeySpan, n.Span = last.span, formatkit.NewSpan(last.span.From, last.span.From)
	n.Entry = header
	p.CommentsAbove(n, p.before, marks)
	p.RestOfLine(n, to, marks)
	f := formOf(n)
	f.name, f.header, f.closed, f.end = p.raw(keys), header, to, header.To
	p.table, p.before = n, header.To
	return nil
}

// tooDeep returns an error if n is nested deeper than documents may be.
func (p *parser) tooDeep(n *formatkit.Node, k key) error {
	depth := 0
	for ; n != nil; n = n.Parent {
		depth++
	}
	if limit := gaby.DefaultLimits().Depth; depth > limit {
		return p.Fail(k.span.From, "tables are nested too deep", "")
	}
	return nil
}

// raw returns a dotted key as it is written.
func (p *parser) raw(keys []key) string {
	return string(p.Text[keys[0].span.From:keys[len(keys)-1].span.To])
}

// add adds an entry to a table.
func (p *parser) add(in *formatkit.Node, k key, kind gaby.Kind, s notation) *formatkit.Node {
	n := &formatkit.Node{
		Kind: kind, Key: k.name, KeySpan: k.span,
		Span:   formatkit.NewSpan(k.span.From, k.span.From),
		Parent: in, Syntax: &form{notation: s},
	}
	f := formOf(in)
	if f.index == nil {
		f.index = map[string]*formatkit.Node{}
	}
	f.index[k.name] = n
	in.Kids = append(in.Kids, n)
	return n
}

// item adds a table to an array of tables.
func (p *parser) item(list *formatkit.Node, k key) *formatkit.Node {
	n := &formatkit.Node{
		Kind: gaby.Map, KeySpan: k.span,
		Parent: list, Syntax: &form{notation: byHeader},
	}
	list.Kids = append(list.Kids, n)
	return n
}

// entry adds a key with its value to a table.
func (p *parser) entry(in *formatkit.Node, e *unstable.Node) (*formatkit.Node, error) {
	keys := p.keys(e)
	for i, k := range keys[:len(keys)-1] {
		next := formOf(in).index[k.name]
		if next == nil {
			next = p.add(in, k, gaby.Map, byDots)
			formOf(next).name = p.raw(keys[:i+1])
		} else if formOf(next).notation != byDots {
			return nil, p.Fail(k.span.From, "the key "+k.name+" is defined twice", "")
		}
		in = next
		if err := p.tooDeep(in, k); err != nil {
			return nil, err
		}
	}
	last := keys[len(keys)-1]
	if formOf(in).index[last.name] != nil {
		return nil, p.Fail(last.span.From, "the key "+last.name+" is defined twice", "")
	}
	n := p.add(in, last, gaby.Scalar, inValue)
	sign := p.Gap(last.span.To, marks)
	n.Sign = formatkit.NewSpan(sign, sign+1)
	_, err := p.value(n, e.Value(), p.Gap(sign+1, marks))
	return n, err
}

// value parses a value that begins at from, and returns its end.
func (p *parser) value(n *formatkit.Node, e *unstable.Node, from int) (int, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > gaby.DefaultLimits().Depth {
		return 0, p.Fail(from, "arrays and inline tables are nested too deep", "")
	}
	end := from + 1
	var err error
	switch e.Kind {
	case unstable.Array:
		n.Kind = gaby.List
		for it := e.Children(); it.Next(); {
			kid := &formatkit.Node{Syntax: &form{}}
			n.Kids = append(n.Kids, kid)
			start, after := p.Gap(end, marks), end
			if end, err = p.value(kid, it.Node(), start); err != nil {
				return 0, err
			}
			kid.KeySpan = formatkit.NewSpan(start, start)
			end = kid.Bracketed(p.Text, after, formatkit.NewSpan(start, end), marks)
		}
	case unstable.InlineTable:
		n.Kind = gaby.Map
		for it := e.Children(); it.Next(); {
			pair := p.span(it.Node().Raw)
			kid, err := p.entry(n, it.Node())
			if err != nil {
				return 0, err
			}
			end = kid.Bracketed(p.Text, end, pair, marks)
		}
	default:
		span := p.span(e.Raw)
		n.Kind, n.Span = gaby.Scalar, span
		n.Value, err = p.scalar(e, span)
		return span.To, err
	}
	end = p.Gap(end, marks) + 1
	n.Span = formatkit.NewSpan(from, end)
	return end, nil
}
