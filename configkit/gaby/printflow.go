package gaby

import (
	"bytes"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/stream"
)

// replaceFlow makes the patches for a value that an edit put in place of source node i, an entry of
// a flow collection.
func (p *printer) replaceFlow(s valueSpan, i int32) {
	d := p.d
	r := d.deref(d.at(i))
	text := ""
	switch {
	case d.n[r].Kind != scan.ScalarNode:
		text = p.flowText(i, i)
	case d.cloneOf(r).value > 0 && !d.flowStyle().quoted:
		e := *p.e
		e.b = nil
		e.scalar(r, 0, 0, true)
		text = string(e.b)
	default:
		c := scalar.Context{Flow: true, Old: d.styleFor(i, r)}
		if d.flowStyle().quoted {
			c.Old = scalar.DoubleStyle
		}
		text = scalar.Format(d.scalarTag(r), p.e.text(r), c)
	}
	if s.anchor != "" {
		text = s.anchor + " " + text
	}
	n := &d.n[i]
	switch {
	case s.start != s.tail:
		p.add(i, s.start, s.tail, text)
	case n.KeyStyle != scalar.NoStyle && d.colonEnd(i) == int(n.KeyEnd) &&
		bytes.IndexByte(d.src[n.Key:n.KeyEnd], '\n') >= 0:
		// not all readers accept a colon after a key of several lines
		p.add(i, int(n.Key), int(n.KeyEnd), p.e.key(i, true)+": "+text)
	case n.KeyStyle != scalar.NoStyle && d.colonEnd(i) == int(n.KeyEnd): // {a}
		p.add(i, int(n.KeyEnd), int(n.KeyEnd), ": "+text)
	default:
		p.add(i, s.head, s.head, " "+text)
	}
}

// styleFor returns the style for new scalar r in place of source node i: that of the old scalar. A
// value other than a string counts as plain even if its tag allowed quotes.
func (d *document) styleFor(i, r int32) scalar.Style {
	old := &d.n[i]
	switch {
	case old.Kind != scan.ScalarNode || old.Style == scalar.NoStyle:
		return d.newNodes[d.n[r].Val].style
	case d.scalarTag(i) != scalar.StrTag && d.scalarTag(i) != scalar.OtherTag:
		return scalar.PlainStyle
	}
	return old.Style
}

// flowStyle is how new values are written in flow collections.
type flowStyle struct {
	json   bool // as JSON
	quoted bool // as JSON or KYAML, in which strings have double quotes
	// step are the blanks by which entries on lines of their own are indented. It is "" if they are
	// on the line of their collection.
	step string
}

// flowStyle returns the style of the document. It is JSON if the outermost map has quoted keys, and
// KYAML if that has others and all strings are in double quotes.
func (d *document) flowStyle() flowStyle {
	if d.cache.flowStyle != nil {
		return *d.cache.flowStyle
	}
	var f flowStyle
	if d.native == nil && d.nsrc > 1 && d.n[0].Style == scalar.FlowStyle {
		first := int(d.n[1].Key)
		f.json = d.n[1].KeyStyle == scalar.DoubleStyle
		f.quoted = f.json || d.n[1].KeyStyle == scalar.PlainStyle &&
			!d.hasPlainStrings()
		if f.quoted && d.beginsLine(first) {
			f.step = strings.TrimPrefix(d.lineIndent(first), d.lineIndent(int(d.n[0].Val)))
		}
	}
	d.cache.flowStyle = &f
	return f
}

// hasPlainStrings reports whether a string of the source is not in double quotes.
func (d *document) hasPlainStrings() bool {
	for i := range d.nsrc {
		if n := &d.n[i]; n.Kind == scan.ScalarNode && n.Style != scalar.DoubleStyle &&
			d.scalarTag(i) == scalar.StrTag {
			return true
		}
	}
	return false
}

// lineIndent returns the blanks at the beginning of the line of p.
func (d *document) lineIndent(p int) string {
	from := d.lineStart(p)
	return string(d.src[from:d.skipBlanks(from)])
}

// beginsLine reports whether only blanks are before p on its line.
func (d *document) beginsLine(p int) bool { return d.skipBlanks(d.lineStart(p)) == p }

// flowChildren makes the patches for flow collection i, of which some source entries remain. have
// are its entries in the source, kids the present ones.
//
// Every entry but the last owns the comma after it. An entry that goes takes its comma along, and a
// new one is written after the entry before it as ", new". Only the tail is special: if the last
// source entries go, the comma before them goes instead.
func (p *printer) flowChildren(i int32, have, kids []int32) {
	d := p.d
	f := p.flowLayout(i, have)
	keptAt := slices.IndexFunc(kids, d.source)
	if keptAt > 0 { // new entries before the first one that remains
		var b strings.Builder
		for _, slot := range kids[:keptAt] {
			b.WriteString(p.flowEntryText(i, slot, f))
			b.WriteString(f.separator)
		}
		at := int(d.n[have[0]].Key)
		p.add(i, at, at, b.String())
	}
	k, lastKept, added := keptAt, -1, false
	for h, slot := range have {
		if k == len(kids) || kids[k] != slot {
			if k < len(kids) {
				p.removeFlow(i, have, h)
			}
			continue
		}
		k++
		lastKept = h
		var b strings.Builder
		for k < len(kids) && !d.source(kids[k]) {
			b.WriteString(f.separator)
			b.WriteString(p.flowEntryText(i, kids[k], f))
			k++
		}
		added = b.Len() > 0
		if added {
			p.insertFlow(i, slot, b.String(), f, k < len(kids))
		}
	}
	if lastKept < len(have)-1 {
		p.removeFlowTail(i, have, lastKept, f, added)
	}
}

// flowLayout describes how a flow collection is laid out. In
//
//	[
//	  a,
//	  b,
//	]
//
// the last entry is on a line of its own, a comma follows it, and the separator is a comma, a
// newline and the indentation of the last entry.
type flowLayout struct {
	ownLines  bool // its last entry is on a line of its own
	comma     bool // a comma follows the last entry
	separator string
	style     flowStyle // of new entries
	indent    string    // of the line on which they begin
}

// flowLayout returns the layout of flow collection i with the source entries have.
func (p *printer) flowLayout(i int32, have []int32) flowLayout {
	d := p.d
	last := int(d.n[have[len(have)-1]].Key)
	bol := d.lineStart(last)
	f := flowLayout{separator: ", ", comma: d.commaAfter(d.flowEnd(have[len(have)-1])) > 0}
	f.ownLines = bol > int(d.n[i].Val) && len(bytes.TrimLeft(d.src[bol:last], " \t")) == 0
	if f.ownLines {
		f.separator = "," + p.e.lineEnd + string(d.src[bol:last])
	}
	f.style, f.indent = d.flowStyle(), d.lineIndent(last)
	if n := &d.n[have[len(have)-1]]; !f.ownLines && bytes.IndexByte(d.src[n.Val:n.ValEnd], '\n') < 0 {
		f.style.step = ""
	}
	return f
}

// insertFlow inserts text, new entries each preceded by a separator, after source entry slot. more
// says that a later source entry remains.
func (p *printer) insertFlow(i, slot int32, text string, f flowLayout, more bool) {
	d := p.d
	at := d.flowEnd(slot)
	comma := d.commaAfter(at)
	// {a: }: "a:," would be plain text
	if n := &d.n[slot]; d.src[at-1] == ':' ||
		n.Flags&scan.EmptyInFlow != 0 && n.Flags&scan.HasProps != 0 {
		text = " " + text
	}
	if !f.ownLines {
		p.add(i, at, at, text)
		return
	}
	closing := int(d.n[i].ValEnd) - 1
	if comma == 0 {
		end := d.skipLineComment(at)
		comma := strings.Index(text, ",") + 1
		p.add(i, at, at, text[:comma])
		p.add(i, min(end, closing), min(end, closing), text[comma:])
		return
	}
	end := d.skipLineComment(comma)
	text = strings.TrimLeft(text, " ")[1:] // the comma is there already
	if more || f.comma {
		text += ","
	}
	p.add(i, end, end, text)
}

// removeFlow removes source entry have[h] with its comma and comment; a later source entry remains.
func (p *printer) removeFlow(i int32, have []int32, h int) {
	d := p.d
	to := d.skipLineComment(d.commaAfter(d.flowEnd(have[h])))
	next := int(d.n[have[h+1]].Key)
	for to < next && (scalar.IsBlank(d.src[to]) || d.src[to] == '\n' || d.src[to] == '\r') {
		to++
	}
	p.add(i, int(d.n[have[h]].Key), to, "")
}

// removeFlowTail removes all source entries after have[kept]. added says that new ones were
// inserted after that.
func (p *printer) removeFlowTail(i int32, have []int32, kept int, f flowLayout, added bool) {
	d := p.d
	comma := d.commaAfter(d.flowEnd(have[kept]))
	from := d.skipLineComment(comma)
	if from != comma { // a comment needs its newline
		from = stream.NextLineStart(d.src, from)
	}
	end := d.flowEnd(have[len(have)-1])
	if f.comma {
		end = d.commaAfter(end)
	} else if !added || !f.ownLines {
		p.add(i, comma-1, comma, "")
	}
	to := d.skipLineComment(end)
	if from == d.lineStart(from) && !stream.LineHasContent(d.src, to) {
		to = stream.NextLineStart(d.src, to)
	}
	p.add(i, from, to, "")
}

// flowEntryText returns the text of new entry slot of flow collection i.
func (p *printer) flowEntryText(i, slot int32, f flowLayout) string {
	e := emitter{d: p.d, lineEnd: p.e.lineEnd, flow: f.style, indent: f.indent}
	e.flowEntry(slot, p.d.n[i].Kind == scan.MapNode)
	return string(e.b)
}

// flowText returns the value of slot, which replaces that of source node i, in flow style. It has
// lines of its own if the old value had.
func (p *printer) flowText(slot, i int32) string {
	e := emitter{d: p.d, lineEnd: p.e.lineEnd, flow: p.d.flowStyle()}
	old := &p.d.n[i]
	e.indent = p.d.lineIndent(int(old.Val))
	isFull := (old.Kind == scan.MapNode || old.Kind == scan.ListNode) && int32(old.Next) > i+1
	if isFull && bytes.IndexByte(p.d.src[old.Val:old.ValEnd], '\n') < 0 ||
		!isFull && (old.KeyStyle == scalar.NoStyle || !p.d.beginsLine(int(old.Key))) {
		e.flow.step = ""
	}
	e.inFlow(slot)
	return string(e.b)
}

// flowEnd returns the end of entry slot of a flow collection, without its comma.
func (d *document) flowEnd(slot int32) int {
	n := &d.n[slot]
	return int(max(n.ValEnd, n.KeyEnd))
}

// commaAfter returns the offset after the comma that follows p, 0 if something else follows.
func (d *document) commaAfter(p int) int {
	for p < d.bodyEnd {
		switch d.src[p] {
		case ' ', '\t', '\r', '\n':
			p++
		case '#':
			p = d.lineEnd(p)
		case ',':
			return p + 1
		default:
			return 0
		}
	}
	return 0
}

// skipLineComment returns the end of the comment that follows p on its line, or p if none does.
func (d *document) skipLineComment(p int) int {
	q := d.skipBlanks(p)
	if q >= d.bodyEnd || d.src[q] != '#' {
		return p
	}
	if q = d.lineEnd(q); d.src[q-1] == '\r' {
		q--
	}
	return q
}
