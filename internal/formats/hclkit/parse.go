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

// form is the syntax that a node remembers.
type form struct {
	notation notation
	// of a block: from brace to brace; empty for attributes outside of blocks
	braces formatkit.Span
	labels formatkit.Span // of a block: its type and labels, up to the opening brace
}

func formOf(n *formatkit.Node) *form { return n.Syntax.(*form) }

// parser converts the syntax tree of hclsyntax to nodes.
type parser struct{ text []byte }

// Parse implements formatkit.Language.
func (language) Parse(text []byte) ([]formatkit.Document, error) {
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
			at = min(d.Subject.Start.Byte, len(p.text))
		}
		return formatkit.Fail(p.text, at,
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
	tokens, _ := hclsyntax.LexConfig(p.text, "", hcl.InitialPos)
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
				return formatkit.Fail(p.text, t.Range.Start.Byte,
					"expressions are nested too deep", "")
			}
			continue
		case hclsyntax.TokenNewline, hclsyntax.TokenComment:
			continue
		}
		if prefixes = 0; open > limit || choices > limit {
			return formatkit.Fail(p.text, t.Range.Start.Byte,
				"blocks or expressions are nested too deep", "")
		}
	}
	return nil
}

func span(r hcl.Range) formatkit.Span { return formatkit.Span{From: r.Start.Byte, To: r.End.Byte} }

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
		items = append(items, item{
			attribute: a,
			span:      formatkit.Span{From: a.NameRange.Start.Byte, To: a.Expr.Range().End.Byte},
		})
	}
	for _, b := range body.Blocks {
		items = append(items, item{
			block: b,
			span:  formatkit.Span{From: b.TypeRange.Start.Byte, To: b.CloseBraceRange.End.Byte},
		})
	}
	slices.SortFunc(items, func(a, b item) int { return a.span.From - b.span.From })
	return items
}

// documents returns a document for each top-level block and for each run of attributes between
// blocks. An empty text is one empty document.
func (p parser) documents(body *hclsyntax.Body) []formatkit.Document {
	var documents []formatkit.Document
	var attributes *formatkit.Node
	start := 0
	for _, it := range itemsOf(body) {
		if it.attribute != nil && attributes != nil {
			p.attribute(attributes, it, start)
			start = attributes.Kids[len(attributes.Kids)-1].Entry.To
			attributes.Entry.To = start
			continue
		}
		root := &formatkit.Node{Kind: gaby.Map, Comma: -1, Syntax: &form{notation: asBlock}}
		documents = append(documents, formatkit.Document{Root: root, Start: start})
		if it.attribute != nil {
			attributes = root
			p.attribute(root, it, start)
			root.Entry = root.Kids[0].Entry
			root.Head = root.Kids[0].Head
			root.Span = formatkit.Span{From: it.span.From, To: it.span.From}
		} else {
			attributes = nil
			p.block(root, it, start)
			p.labels(root, it.block)
			p.body(root, it.block.Body)
		}
		start = root.Entry.To
	}
	if documents == nil {
		root := &formatkit.Node{Kind: gaby.Map, Comma: -1, Syntax: &form{notation: asBlock}}
		root.Entry = formatkit.Span{From: len(p.text), To: len(p.text)}
		documents = append(documents, formatkit.Document{Root: root})
	}
	return documents
}

// lines sets the span of the lines of entry n, which is at the span at, and its comments above. The
// entry before it ends at before.
func (p parser) lines(n *formatkit.Node, at formatkit.Span, before int) {
	from := formatkit.LineStart(p.text, at.From)
	if from < before || !formatkit.Blank(bytes.TrimPrefix(p.text[from:at.From], []byte("\ufeff"))) {
		n.Entry, n.Head = at, at.From // it shares the line with a brace or another entry
		return
	}
	n.Entry = formatkit.Span{From: from, To: formatkit.NextLine(p.text, at.To)}
	if bytes.HasPrefix(p.text[from:], []byte("\ufeff")) {
		n.Entry.From += len("\ufeff")
	}
	if before != formatkit.LineStart(p.text, before) {
		// the entry before it, or the opening brace, is on the same line
		before = formatkit.NextLine(p.text, before)
	}
	n.Head, n.Comments.Head = formatkit.CommentsAbove(p.text, before, n.Entry.From, mark)
}

// block sets the spans and comments of a block.
func (p parser) block(n *formatkit.Node, it item, before int) {
	b := it.block
	f := formOf(n)
	f.braces = formatkit.Span{From: b.OpenBraceRange.Start.Byte, To: b.CloseBraceRange.End.Byte}
	f.labels = formatkit.Span{From: b.TypeRange.Start.Byte, To: b.OpenBraceRange.Start.Byte}
	n.KeySpan, n.Span = span(b.TypeRange), f.braces
	p.lines(n, it.span, before)
	n.Remark, n.Comments.Line = formatkit.RestOfLine(p.text, f.braces.From+1, mark)
	if n.Comments.Line == "" {
		_, n.Comments.Line = formatkit.RestOfLine(p.text, f.braces.To, mark)
	}
}

// labels adds the entries for type and labels of a top-level block.
func (p parser) labels(root *formatkit.Node, b *hclsyntax.Block) {
	line := formatkit.Span{From: b.TypeRange.Start.Byte, To: b.OpenBraceRange.End.Byte}
	add := func(in *formatkit.Node, key, value string, at formatkit.Span) {
		in.Kids = append(in.Kids, &formatkit.Node{
			Kind: gaby.Scalar, Key: key, Value: value, KeySpan: at, Span: at, Entry: line,
			Head: line.From, Comma: -1, Syntax: &form{notation: asLabel},
		})
	}
	add(root, blockKey, b.Type, span(b.TypeRange))
	in, keys := root, []string{typeKey, nameKey}[max(0, 2-len(b.Labels)):]
	if last := len(b.Labels) - 1; last > 1 {
		at := formatkit.Span{From: b.LabelRanges[0].Start.Byte, To: b.LabelRanges[last].End.Byte}
		in, keys = &formatkit.Node{
			Kind: gaby.List, Key: labelsKey, KeySpan: at, Span: at, Entry: line,
			Head: line.From, Comma: -1, Syntax: &form{notation: asLabel},
		}, make([]string, len(b.Labels))
		root.Kids = append(root.Kids, in)
	}
	for i, label := range b.Labels {
		add(in, keys[i], label, span(b.LabelRanges[i]))
	}
}

// body adds the attributes and blocks of a block.
func (p parser) body(n *formatkit.Node, body *hclsyntax.Body) {
	before := formOf(n).braces.From + 1
	groups := map[string]*formatkit.Node{}
	for _, it := range itemsOf(body) {
		if it.attribute != nil {
			p.attribute(n, it, before)
			before = n.Kids[len(n.Kids)-1].Entry.To
			continue
		}
		list := p.group(n, it.block, groups)
		kid := &formatkit.Node{
			Kind: gaby.Map, Comma: -1, Syntax: &form{notation: asBlock},
		}
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
				Kind: kind, Key: key, KeySpan: at, Span: formatkit.Span{From: at.From, To: at.From},
				Comma:  -1,
				Syntax: &form{notation: asBlocks},
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
		Key: a.Name, KeySpan: span(a.NameRange), Sign: span(a.EqualsRange), Comma: -1,
		Syntax: &form{notation: asAttribute},
	}
	in.Kids = append(in.Kids, n)
	p.value(n, a.Expr)
	p.lines(n, formatkit.Span{From: it.span.From, To: n.Span.To}, before)
	n.Remark, n.Comments.Line = formatkit.RestOfLine(p.text, n.Span.To, mark)
}

// value sets n to the value of an expression.
func (p parser) value(n *formatkit.Node, e hclsyntax.Expression) {
	n.Kind, n.Span = gaby.Scalar, span(e.Range())
	if at := n.Span.To; at > n.Span.From && bytes.HasPrefix(p.text[n.Span.From:], []byte("<<")) &&
		p.text[at-1] == '\n' {
		n.Span.To = len(bytes.TrimRight(p.text[:at], "\r\n"))
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
	n.Value = scalar(string(p.text[n.Span.From:n.Span.To]), e)
}

func (p parser) tuple(n *formatkit.Node, e *hclsyntax.TupleConsExpr) {
	n.Kind = gaby.List
	after := n.Span.From + 1
	for _, item := range e.Exprs {
		kid := &formatkit.Node{Comma: -1, Syntax: &form{}}
		n.Kids = append(n.Kids, kid)
		p.value(kid, item)
		kid.KeySpan = formatkit.Span{From: kid.Span.From, To: kid.Span.From}
		after = kid.Bracketed(p.text, after, kid.Span, mark)
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
		sign := formatkit.Gap(p.text, at.To, mark)
		kid := &formatkit.Node{
			Key: keys[i], KeySpan: at, Sign: formatkit.Span{From: sign, To: sign + 1}, Comma: -1,
			Syntax: &form{},
		}
		n.Kids = append(n.Kids, kid)
		p.value(kid, item.ValueExpr)
		entry := formatkit.Span{From: at.From, To: kid.Span.To}
		after = kid.Bracketed(p.text, after, entry, mark)
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
	raw := string(p.text[k.Range().Start.Byte:k.Range().End.Byte])
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

// mark returns the length of the comment mark that line begins with, or 0 if it is not a comment.
func mark(line []byte) int {
	switch {
	case line[0] == '#':
		return 1
	case bytes.HasPrefix(line, []byte("//")):
		return 2
	}
	return 0
}
