package inikit

import (
	"slices"
	"sort"
	"strings"

	"github.com/fctl-dev/fctl/configkit/formatkit"
)

// layout is how a text is written, which new lines follow. Each part is determined once.
type layout struct {
	mark    string   // of the first comment, # if there is none
	apart   string   // what separates sections
	written []*block // those that have a delimiter
	sorted  []*block // the same in the order of the text
	// delimiters has the delimiter of the keys of each of them.
	delimiters map[*block]formatkit.Delimiter
	extents    map[*formatkit.Node]extent // of maps
}

// extent is where the lines of a map are.
type extent struct {
	header int    // the first header with its comments, the end of the text if there is none
	last   int    // the end of the last line
	indent string // of the headers
}

func (e editor) layout() *layout {
	if e.Notes == nil {
		l := &layout{
			mark: e.mark(), apart: e.Apart(e.heads()),
			delimiters: map[*block]formatkit.Delimiter{}, extents: map[*formatkit.Node]extent{},
		}
		for _, b := range e.blocks(e.Root) {
			if keys := written(b.keys); len(keys) > 0 {
				l.written = append(l.written, b)
				l.delimiters[b] = e.DelimiterLike(keys[len(keys)-1], keys)
			}
		}
		l.sorted = slices.Clone(l.written)
		slices.SortStableFunc(l.sorted, func(a, b *block) int { return a.end - b.end })
		e.Notes = l
	}
	return e.Notes.(*layout)
}

// mark returns the mark of the first comment in the text, or # if there is none.
func (e editor) mark() string {
	for at := 0; at < len(e.Text); at = e.NextLine(at) {
		l := strings.TrimLeft(
			string(e.Text[at:e.LineEnd(at)]), " \t")
		if l != "" && isMark(l[0]) {
			return l[:1]
		}
	}
	return "#"
}

// blocks returns the blocks of a map and of all maps inside it.
func (e editor) blocks(n *formatkit.Node) []*block {
	var blocks []*block
	for in := range n.All() {
		if s, ok := in.Syntax.(*section); ok {
			blocks = append(blocks, s.blocks...)
		}
	}
	return blocks
}

// heads returns the offsets of the first 100 sections.
func (e editor) heads() []int {
	var heads []int
	for _, b := range e.blocks(e.Root) {
		if b.Entry.Len() > 0 && len(heads) < 100 {
			heads = append(heads, b.Head)
		}
	}
	return heads
}

// extent returns where the lines of a map and of all maps inside it are.
func (e editor) extent(n *formatkit.Node) extent {
	l := e.layout()
	at, known := l.extents[n]
	if known {
		return at
	}
	at.header = len(e.Text)
	for _, b := range e.blocks(n) {
		at.last = max(at.last, e.AfterComments(b.end, marks))
		if b.Entry.Len() > 0 {
			at.header = min(at.header, b.Head)
			at.indent = e.Indent(b.KeySpan.From)
		}
	}
	l.extents[n] = at
	return at
}

// delimiter returns how the keys of a section are written or, if it has none, those of the last
// section before at. New keys are aligned if the existing ones are.
func (e editor) delimiter(blocks []*block, at int, keys []string) formatkit.Delimiter {
	l := e.layout()
	for _, b := range slices.Backward(blocks) {
		if d, ok := l.delimiters[b]; ok {
			return d
		}
	}
	d := formatkit.Delimiter{Before: " ", Sign: "=", After: " "}
	if isGit(e.dialect) {
		d.Indent = "\t"
	}
	if len(l.written) > 0 {
		near := l.written[0]
		if near.end <= at {
			after := sort.Search(len(l.sorted), func(i int) bool { return l.sorted[i].end > at })
			near = l.sorted[after-1]
		}
		d = l.delimiters[near]
	}
	return d.Elsewhere(keys)
}

// written returns the keys whose value is on their line, from which the delimiter can be taken.
func written(keys []*formatkit.Node) []*formatkit.Node {
	var out []*formatkit.Node
	for _, n := range keys {
		if tokens := tokensOf(n); len(tokens) > 0 && !strings.HasPrefix(tokens[0].Text, "\n") {
			out = append(out, n)
		}
	}
	return out
}
