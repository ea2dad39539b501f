package hclkit

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// These are the keys of a block's type and labels. No attribute can have such a name.
const (
	blockKey  = "$block"
	typeKey   = "$type"
	nameKey   = "$name"
	labelsKey = "$labels"
)

// notation says by which syntax a value is written.
type notation uint8

const (
	inBrackets notation = iota // an entry of an object or tuple
	asAttribute
	asLabel
	asBlock  // a block with a body in braces, and the root
	asBlocks // the list of the blocks of a type, or a map of them by label
)

func notationOf(n *formatkit.Node) notation { return n.Syntax.(notation) }

// bracesOf returns the span of a block from brace to brace. It is empty, at 0, for attributes outside
// of blocks, and for what has no text of its own.
func bracesOf(n *formatkit.Node) formatkit.Span {
	if n.Span.Len() == 0 {
		return formatkit.Span{}
	}
	return n.Span
}

const marks formatkit.Marks = "# //"

// parser converts the syntax tree of hclsyntax to nodes.
type parser struct{ formatkit.Text }

// Parse implements formatkit.Language.
func (language) Parse(text formatkit.Text) ([]*formatkit.Node, error) {
	p := parser{text}
	if err := p.checkDepth(); err != nil {
		return nil, err
	}
	file, diagnostics := hclsyntax.ParseConfig(text, "", hcl.InitialPos)
	if diagnostics.HasErrors() {
		return nil, p.refused(diagnostics)
	}
	return p.documents(file.Body.(*hclsyntax.Body)), nil
}

// refused returns the first error of diagnostics, with its position.
func (p parser) refused(diagnostics hcl.Diagnostics) error {
	for _, d := range diagnostics {
		if d.Severity != hcl.DiagError {
			continue
		}
		at := 0
		if d.Subject != nil {
			at = min(d.Subject.Start.Byte, len(p.Text))
		}
		return p.Fail(at,
			lower(d.Summary)+": "+lower(strings.TrimSuffix(d.Detail, ".")), "")
	}
	return diagnostics
}

func lower(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(first)) + s[n:]
}

// checkDepth returns an error if text is nested so deep that the recursive parser of hclsyntax
// could overflow the stack. Brackets and templates count, and so do chains of prefix operators and
// of conditionals.
func (p parser) checkDepth() error {
	tokens, _ := hclsyntax.LexConfig(p.Text, "", hcl.InitialPos)
	limit := gaby.DefaultLimits().Depth
	open, prefixes, choices := 0, 0, 0
	for _, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen,
			hclsyntax.TokenOQuote, hclsyntax.TokenOHeredoc,
			hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			open++
		case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen,
			hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc,
			hclsyntax.TokenTemplateSeqEnd:
			open--
		case hclsyntax.TokenQuestion:
			choices++
		case hclsyntax.TokenEqual:
			choices = 0
		case hclsyntax.TokenBang, hclsyntax.TokenMinus:
			if prefixes++; prefixes > limit {
				return p.Fail(t.Range.Start.Byte,
					"expressions are nested too deep", "")
			}
			continue
		case hclsyntax.TokenNewline, hclsyntax.TokenComment:
			continue
		}
		if prefixes = 0; open > limit || choices > limit {
			return p.Fail(t.Range.Start.Byte,
				"blocks or expressions are nested too deep", "")
		}
	}
	return nil
}

func span(r hcl.Range) formatkit.Span { return formatkit.NewSpan(r.Start.Byte, r.End.Byte) }

// item is an attribute or a block of a body.
type item struct {
	attribute *hclsyntax.Attribute
	block     *hclsyntax.Block
	span      formatkit.Span
}

// itemsOf returns the attributes and blocks of a body in the order of the text.
func itemsOf(body *hclsyntax.Body) []item {
	items := make([]item, 0, len(body.Attributes)+len(body.Blocks))
	for _, a := range body.Attributes {
		items = append(items, item{a, nil, span(hcl.RangeBetween(a.NameRange, a.Expr.Range()))})
	}
	for _, b := range body.Blocks {
		items = append(items, item{nil, b, span(hcl.RangeBetween(b.TypeRange, b.CloseBraceRange))})
	}
	slices.SortFunc(items, func(a, b item) int { return a.span.From - b.span.From })
	return items
}

// documents returns a document for each top-level block and for each run of attributes between
// blocks. An empty text is one empty document.
func (p parser) documents(body *hclsyntax.Body) []*formatkit.Node {
	var documents []*formatkit.Node
	var root *formatkit.Node
	start, inRun := 0, false
	begin := func() {
		root = &formatkit.Node{Kind: gaby.Map, Syntax: asBlock, Start: start}
		documents = append(documents, root)
	}
	for _, it := range itemsOf(body) {
		if it.block != nil || !inRun {
			begin()
		}
		if inRun = it.attribute != nil; inRun {
			p.attribute(root, it, start)
			first, last := root.Kids[0], root.Kids[len(root.Kids)-1]
			root.Entry, root.Head = formatkit.NewSpan(first.Entry.From, last.Entry.To), first.Head
			root.Span = formatkit.NewSpan(first.KeySpan.From, first.KeySpan.From)
		} else {
			p.block(root, it, start)
			p.labels(root, it.block)
			p.body(root, it.block.Body)
		}
		start = root.Entry.To
	}
	if documents == nil {
		begin()
		root.Entry = formatkit.NewSpan(len(p.Text), len(p.Text))
	}
	return documents
}

// lines sets the span of the lines of entry n, which is at the span at, and its comments above. The
// entry before it ends at before.
func (p parser) lines(n *formatkit.Node, at formatkit.Span, before int) {
	from, first := p.StartsLine(at.From)
	if from < before || !first {
		n.Entry, n.Head = at, at.From // it shares the line with a brace or another entry
		return
	}
	n.Entry = formatkit.NewSpan(from, p.NextLine(at.To))
	if before != p.LineStart(before) {
		// the entry before it, or the opening brace, is on the same line
		before = p.NextLine(before)
	}
	p.CommentsAbove(n, before, marks)
}

// block sets the spans and comments of a block.
func (p parser) block(n *formatkit.Node, it item, before int) {
	b := it.block
	n.KeySpan = span(b.TypeRange)
	n.Span = span(hcl.RangeBetween(b.OpenBraceRange, b.CloseBraceRange))
	p.lines(n, it.span, before)
	p.RestOfLine(n, n.Span.From+1, marks)
	if n.Comments.Line == "" { // one after the block is only read
		after := formatkit.Node{}
		p.RestOfLine(&after, n.Span.To, marks)
		n.Comments.Line = after.Comments.Line
	}
}

// labels adds the entries for type and labels of a top-level block.
func (p parser) labels(root *formatkit.Node, b *hclsyntax.Block) {
	line := span(hcl.RangeBetween(b.TypeRange, b.OpenBraceRange))
	add := func(in *formatkit.Node, key, value string, at formatkit.Span) {
		in.Kids = append(in.Kids, &formatkit.Node{
			Kind: gaby.Scalar, Key: key, Value: value, KeySpan: at, Span: at, Entry: line,
			Head: line.From, Syntax: asLabel,
		})
	}
	add(root, blockKey, b.Type, span(b.TypeRange))
	in, keys := root, []string{typeKey, nameKey}[max(0, 2-len(b.Labels)):]
	if last := len(b.Labels) - 1; last > 1 {
		at := span(hcl.RangeBetween(b.LabelRanges[0], b.LabelRanges[last]))
		in, keys = &formatkit.Node{
			Kind: gaby.List, Key: labelsKey, KeySpan: at, Span: at, Entry: line,
			Head: line.From, Syntax: asLabel,
		}, make([]string, len(b.Labels))
		root.Kids = append(root.Kids, in)
	}
	for i, label := range b.Labels {
		add(in, keys[i], label, span(b.LabelRanges[i]))
	}
}

// body adds the attributes and blocks of a block.
func (p parser) body(n *formatkit.Node, body *hclsyntax.Body) {
	before := n.Span.From + 1
	groups := map[string]*formatkit.Node{}
	for _, it := range itemsOf(body) {
		if it.attribute != nil {
			p.attribute(n, it, before)
			before = n.Kids[len(n.Kids)-1].Entry.To
			continue
		}
		list := p.group(n, it.block, groups)
		kid := &formatkit.Node{Kind: gaby.Map, Syntax: asBlock}
		list.Kids = append(list.Kids, kid)
		p.block(kid, it, before)
		p.body(kid, it.block.Body)
		before = kid.Entry.To
	}
}

// group returns the list of the blocks with the type and labels of b, and creates it and its
// parents if necessary.
func (p parser) group(
	n *formatkit.Node, b *hclsyntax.Block, groups map[string]*formatkit.Node,
) *formatkit.Node {
	keys := append([]string{b.Type}, b.Labels...)
	ranges := append([]hcl.Range{b.TypeRange}, b.LabelRanges...)
	in, path := n, ""
	for i, key := range keys {
		kind := gaby.Map
		if i == len(keys)-1 {
			kind = gaby.List
		}
		path += string(rune('0'+kind)) + key + "\x00"
		next := groups[path]
		if next == nil {
			at := span(ranges[i])
			next = &formatkit.Node{
				Kind: kind, Key: key, KeySpan: at, Span: formatkit.NewSpan(at.From, at.From),

				Syntax: asBlocks,
			}
			groups[path] = next
			in.Kids = append(in.Kids, next)
		}
		in = next
	}
	return in
}

// attribute adds an attribute to the body in.
func (p parser) attribute(in *formatkit.Node, it item, before int) {
	a := it.attribute
	n := &formatkit.Node{
		Key: a.Name, KeySpan: span(a.NameRange), Sign: span(a.EqualsRange),
		Syntax: asAttribute,
	}
	in.Kids = append(in.Kids, n)
	p.value(n, a.Expr)
	p.lines(n, formatkit.NewSpan(it.span.From, n.Span.To), before)
	p.RestOfLine(n, n.Span.To, marks)
}

// value sets n to the value of an expression.
func (p parser) value(n *formatkit.Node, e hclsyntax.Expression) {
	n.Kind, n.Span = gaby.Scalar, span(e.Range())
	if at := n.Span.To; at > n.Span.From && bytes.HasPrefix(p.Text[n.Span.From:], []byte("<<")) &&
		p.Text[at-1] == '\n' {
		n.Span.To = len(bytes.TrimRight(p.Text[:at], "\r\n"))
	}
	switch e := e.(type) {
	case *hclsyntax.TupleConsExpr:
		p.tuple(n, e)
		return
	case *hclsyntax.ObjectConsExpr:
		if p.object(n, e) {
			return
		}
	}
	n.Value = scalar(string(p.Text[n.Span.From:n.Span.To]), e)
}

func (p parser) tuple(n *formatkit.Node, e *hclsyntax.TupleConsExpr) {
	n.Kind = gaby.List
	after := n.Span.From + 1
	for _, item := range e.Exprs {
		kid := &formatkit.Node{Syntax: inBrackets}
		n.Kids = append(n.Kids, kid)
		p.value(kid, item)
		kid.KeySpan = formatkit.NewSpan(kid.Span.From, kid.Span.From)
		after = kid.Bracketed(p.Text, after, kid.Span, marks)
	}
}

// object sets n to a map, and reports whether e is one: whether all its keys are
// known and different.
func (p parser) object(n *formatkit.Node, e *hclsyntax.ObjectConsExpr) bool {
	keys := make([]string, len(e.Items))
	seen := map[string]bool{}
	for i, item := range e.Items {
		key, ok := p.key(item.KeyExpr)
		if !ok || seen[key] {
			return false
		}
		keys[i], seen[key] = key, true
	}
	n.Kind = gaby.Map
	after := n.Span.From + 1
	for i, item := range e.Items {
		at := span(item.KeyExpr.Range())
		sign := p.Gap(at.To, marks)
		kid := &formatkit.Node{
			Key: keys[i], KeySpan: at, Sign: formatkit.NewSpan(sign, sign+1),
			Syntax: inBrackets,
		}
		n.Kids = append(n.Kids, kid)
		p.value(kid, item.ValueExpr)
		entry := formatkit.NewSpan(at.From, kid.Span.To)
		after = kid.Bracketed(p.Text, after, entry, marks)
	}
	return true
}

// key returns the key of an entry of an object, unless it is an expression.
func (p parser) key(e hclsyntax.Expression) (string, bool) {
	k, ok := e.(*hclsyntax.ObjectConsKeyExpr)
	if !ok || k.ForceNonLiteral {
		return "", false
	}
	if word := hcl.ExprAsKeyword(k.Wrapped); word != "" {
		return word, true
	}
	raw := string(p.Text[k.Range().Start.Byte:k.Range().End.Byte])
	switch w := k.Wrapped.(type) {
	case *hclsyntax.LiteralValueExpr:
		return raw, true
	case *hclsyntax.TemplateExpr:
		if w.IsStringLiteral() && raw[0] == '"' {
			return unquoted(raw), !strings.Contains(raw, "${") && !strings.Contains(raw, "%{")
		}
	}
	return "", false
}
