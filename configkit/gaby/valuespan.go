package gaby

import (
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
)

// valueSpan is the position of a source value in the text, with what surrounds it on its lines.
type valueSpan struct {
	slot  int32
	head  int // offset after the colon or dash, or where the root's value begins
	start int // offset of the value with its anchor and tag
	tail  int // end of the value, without what follows on its last line
	// indent is the column of the entry that has the value, -2 at the root (so that its children
	// are in column 0).
	indent int
	inside bool   // a block scalar or block collection: its line comment is between head and tail
	keep   bool   // a block scalar that keeps its trailing newlines; one of them follows tail
	anchor string // with its "&"
}

// valueSpan returns the span of the value of source node i.
func (d *document) valueSpan(i int32) valueSpan {
	n := &d.n[i]
	s := valueSpan{slot: i, start: int(n.Val), tail: int(n.ValEnd), indent: -2, head: int(n.Val)}
	if n.Flags&scan.HasProps != 0 {
		s.start = int(d.props[i].Start)
		s.head = s.start
		if a := d.props[i].Anchor; a != "" && !d.isExpanded(i) {
			s.anchor = "&" + a
		}
	}
	switch {
	case n.KeyStyle != scalar.NoStyle:
		s.head = d.colonEnd(i)
		s.indent = d.column(d.entryStart(i))
	case i != 0 && n.Flags&scan.InFlow == 0:
		s.head = int(n.KeyEnd)
		s.indent = d.column(int(n.Key))
	}
	switch {
	case d.isBlockScalar(i):
		s.inside = true
		// includes blanks and a comment after the header
		s.tail = max(s.tail, d.blockEnd(int(n.Val)))
		if s.tail > 0 && d.src[s.tail-1] == '\n' {
			s.keep = true
			s.tail--
			if s.tail > 0 && d.src[s.tail-1] == '\r' {
				s.tail--
			}
		}
	case (n.Kind == scan.MapNode || n.Kind == scan.ListNode) && n.Style == scalar.PlainStyle:
		s.inside = true
		s.tail = d.blockEnd(s.tail)
	}
	return s
}

// blockEnd returns the end, without newline, of the last line of a block collection whose last
// token ends at p.
func (d *document) blockEnd(p int) int {
	if p > 0 && d.src[p-1] == '\n' { // a block scalar that keeps its newlines
		p--
	} else {
		p = d.lineEnd(p)
	}
	if p > 0 && p <= len(d.src) && d.src[p-1] == '\r' {
		p--
	}
	return p
}

// entryStart returns the offset of entry i of a block collection: of its key, "?" or dash.
func (d *document) entryStart(i int32) int {
	if d.n[i].Flags&scan.ExplicitKey != 0 {
		return d.questionMark(int(d.n[i].Key))
	}
	return int(d.n[i].Key)
}

// colonEnd returns the offset after the colon of map entry i, or after its key if it has no colon.
func (d *document) colonEnd(i int32) int {
	n := &d.n[i]
	p := int(n.KeyEnd)
	if n.Flags&scan.ExplicitKey != 0 {
		return scan.AfterGap(d.src, p, d.bodyEnd) + 1
	}
	if q := d.skipBlanks(p); q < len(d.src) && d.src[q] == ':' {
		return q + 1
	}
	return p
}
