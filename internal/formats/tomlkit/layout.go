package tomlkit

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/formatkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// layout is how a text is written, which new lines follow. Each part is determined once.
type layout struct {
	deeper string // the indentation of keys relative to their header
	apart  string // what separates tables
	inline inlineStyle
	tables map[*formatkit.Node]*table
}

// table is how a table or an array of tables is written.
type table struct {
	// lines are its keys that are on lines of their own, in the order of the text.
	lines     []*formatkit.Node
	delimiter formatkit.Delimiter // of the last of these
	raw       string              // of the last string of these: two single quotes, or empty
	isLiteral bool                // a key is in single quotes
	sections  map[gaby.Kind]notation
	header    formatkit.Span // the last one of a table in it
	// start is the beginning of the first line inside the table, which is where the first key of a
	// table goes that has neither keys nor a header.
	start int
	last  int // the end of the last line
}

func (e editor) layout() *layout {
	if e.Notes == nil {
		l := &layout{inline: e.findInline(), tables: map[*formatkit.Node]*table{}}
		e.Notes = l
		l.deeper, l.apart = e.deeper(), e.Apart(e.heads())
	}
	return e.Notes.(*layout)
}

func (e editor) table(n *formatkit.Node) *table {
	tables := e.layout().tables
	if t, known := tables[n]; known {
		return t
	}
	t := &table{
		sections: map[gaby.Kind]notation{}, start: len(e.Text), last: formOf(n).end,
	}
	tables[n] = t
	for _, kid := range n.Kids {
		f := formOf(kid)
		switch f.notation {
		case inValue:
			t.lines = append(t.lines, kid)
		case byDots:
			t.lines = append(t.lines, e.table(kid).lines...)
		}
		if kid.Kind == gaby.Map ||
			kid.Kind == gaby.List && len(kid.Kids) > 0 && kid.Kids[0].Kind == gaby.Map {
			t.sections[kid.Kind] = f.notation
		}
		if f.header.Len() > 0 {
			t.header = f.header
		}
		t.isLiteral = t.isLiteral || strings.HasPrefix(e.Raw(kid.KeySpan), "'")
		t.start, t.last = min(t.start, e.first(kid)), max(t.last, e.last(kid))
	}
	t.last = e.afterComments(t.last)
	slices.SortFunc(t.lines, func(a, b *formatkit.Node) int { return a.Entry.From - b.Entry.From })
	if len(t.lines) > 0 {
		t.delimiter = e.DelimiterLike(t.lines[len(t.lines)-1], t.lines)
	}
	for _, line := range t.lines {
		if line.Kind != gaby.Scalar || line.Span.Len() == 0 {
			continue
		}
		switch e.Text[line.Span.From] {
		case '\'':
			t.raw = "''"
		case '"':
			t.raw = ""
		}
	}
	return t
}

// first returns the beginning of the first line of a table or value.
func (e editor) first(n *formatkit.Node) int {
	if formOf(n).notation == inValue || formOf(n).notation == byHeader {
		return n.Head
	}
	return e.table(n).start
}

// last returns the end of the last line of a table or value.
func (e editor) last(n *formatkit.Node) int {
	if formOf(n).notation == inValue {
		return n.Entry.To
	}
	return e.table(n).last
}

// indentOf returns the indentation of a header.
func (e editor) indentOf(header formatkit.Span) string {
	return e.Indent(e.LineEnd(header.From))
}

// deeper returns the indentation of keys relative to their header, taken from the first table that
// indents them.
func (e editor) deeper() string {
	for n := range e.Root.All() {
		if formOf(n).header.Len() == 0 {
			continue
		}
		if lines := e.table(n).lines; len(lines) > 0 {
			indent := e.Indent(lines[0].KeySpan.From)
			if more, ok := strings.CutPrefix(indent, e.indentOf(formOf(n).header)); ok &&
				more != "" {
				return more
			}
		}
	}
	return ""
}

// heads returns the offsets of the first 100 tables with headers.
func (e editor) heads() []int {
	var heads []int
	for n := range e.Root.All() {
		if formOf(n).header.Len() > 0 && len(heads) < 100 {
			heads = append(heads, n.Head)
		}
	}
	return heads
}

// inlineStyle describes how inline tables are written, taken from the first one of the text whose
// first entry is on its line.
type inlineStyle struct{ pad, sign string }

// findInline returns the style of the inline tables of the text.
func (e editor) findInline() inlineStyle {
	for n := range e.Root.All() {
		if n.Kind != gaby.Map || len(n.Kids) == 0 || formOf(n).notation != inValue ||
			formOf(n.Kids[0]).notation != inValue {
			continue
		}
		kid := n.Kids[0]
		pad := string(e.Text[n.Span.From+1 : kid.Entry.From])
		sign := string(e.Text[kid.KeySpan.To:kid.Span.From])
		if strings.Trim(pad, " ") == "" && strings.Trim(sign, " ") == "=" {
			return inlineStyle{pad, sign}
		}
	}
	return inlineStyle{" ", " = "}
}
