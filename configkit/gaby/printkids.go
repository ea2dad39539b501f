package gaby

import (
	"bytes"
	"slices"
	"strings"
)

// children makes the patches for source collection i whose children are now kids.
func (p *printer) children(i int32, kids []int32) {
	d := p.d
	have := d.entries(i)
	if !slices.ContainsFunc(kids, d.source) {
		if d.n[i].flags&inFlow != 0 {
			p.add(i, int(d.n[i].val), int(d.n[i].valEnd), p.flowText(i))
			return
		}
		p.putCollection(d.site(i), i, kids)
		return
	}
	if d.n[i].style == flowStyle {
		p.flowChildren(i, have, kids)
		return
	}
	isMap := d.n[i].kind == mapNode
	first := d.entryStart(have[0])
	indent := d.column(first)
	inline := len(bytes.TrimLeft(d.src[d.lineStart(first):first], " ")) > 0

	// Runs of new entries belong behind the source entry in front of them.
	runs := map[int32][]int32{}
	after := int32(-1)
	kept := make([]int32, 0, len(have))
	for _, slot := range kids {
		if d.source(slot) {
			kept = append(kept, slot)
			after = slot
			continue
		}
		runs[after] = append(runs[after], slot)
	}
	k := 0
	leading := inline // still in front of the first kept entry of a collection that begins on its parent's line
	for _, slot := range have {
		if k < len(kept) && kept[k] == slot {
			if k == 0 {
				p.frontEntries(i, slot, runs[-1], inline, indent, isMap)
			}
			leading = false
			k++
			p.insertBehind(i, slot, runs[slot], indent, isMap)
			continue
		}
		if leading {
			continue // frontEntries removes it together with the place it had on the line
		}
		p.removeEntry(i, slot)
	}
}

// frontEntries writes new entries in front of kept, the first source entry that stays. When the collection begins on the line of
// its parent's dash, the entries in front of it that went have left that place to it.
func (p *printer) frontEntries(i, kept int32, front []int32, inline bool, indent int, isMap bool) {
	d := p.d
	pad := strings.Repeat(" ", indent)
	e := *p.e
	e.b = nil
	first := d.entries(i)[0]
	if !inline {
		if len(front) == 0 {
			return
		}
		for _, slot := range front {
			e.b = append(e.b, pad...)
			e.entry(slot, indent, isMap)
			e.b = append(e.b, e.lineEnd...)
		}
		at := d.headStart(first)
		p.add(i, at, at, string(e.b))
		return
	}
	for _, slot := range front {
		e.entry(slot, indent, isMap)
		e.b = append(e.b, e.lineEnd...)
		e.b = append(e.b, pad...)
	}
	from := d.entryStart(first)
	to := from
	if first != kept {
		to = p.removeLeading(i, kept)
	}
	if from != to || len(e.b) > 0 {
		p.add(i, from, to, string(e.b))
	}
}

// removeLeading takes out the entries of collection i in front of kept, which begin on the line of a dash, and returns where the
// text begins that takes their place on that line. Comments that belong to none of them stay.
func (p *printer) removeLeading(i, kept int32) int {
	d := p.d
	have := d.entries(i)
	to := d.entryEnd(have[0])
	joined := true
	for _, slot := range have[1:] {
		if slot == kept {
			break
		}
		joined = joined && len(bytes.TrimSpace(d.src[to:d.headStart(slot)])) == 0
		if joined {
			to = d.entryEnd(slot)
		} else {
			p.removeEntry(i, slot)
		}
	}
	for isBlank(d.src[to]) || d.src[to] == '\n' || d.src[to] == '\r' {
		to++
	}
	return to
}

// insertBehind writes new entries on the lines behind source entry slot.
func (p *printer) insertBehind(i, slot int32, run []int32, indent int, isMap bool) {
	if len(run) == 0 {
		return
	}
	d := p.d
	e := *p.e
	e.b = nil
	at := d.entryEnd(slot)
	e.noBlock = p.unsafeBelow(at, indent)
	for _, kid := range run {
		e.pad(indent)
		e.entry(kid, indent, isMap)
		e.b = append(e.b, e.lineEnd...)
	}
	if p.unended >= 0 && !p.stripped {
		p.stripUnended(slot)
	}
	p.add(i, at, at, string(e.b))
}

// stripUnended marks the block scalar that source entry slot ends in, if it does, as one without a last line end: at the end of the
// text it had none, and lines now follow.
func (p *printer) stripUnended(slot int32) {
	d := p.d
	leaf := int32(d.n[slot].next - 1)
	n := &d.n[leaf]
	if n.kind != scalarNode || n.style != literalStyle && n.style != foldedStyle || int(n.valEnd) < p.unended {
		return
	}
	if _, replaced := d.edits.values[leaf]; replaced || p.isGone(leaf) {
		return
	}
	p.stripped = true
	switch h := readHeader(d.src, int(n.val)); h.chomp {
	case 0:
		p.add(leaf, h.end, h.end, "-")
	case '+':
		at := int(n.val) + bytes.IndexByte(d.src[n.val:h.end], '+')
		p.add(leaf, at, at+1, "-")
	}
}

// removeEntry takes source entry slot out with its lines and its own comments.
func (p *printer) removeEntry(i, slot int32) {
	d := p.d
	from, to := d.headStart(slot), d.entryEnd(slot)
	to = d.deeperComments(to, d.column(d.entryStart(slot)))
	to = p.blanksBehind(slot, to)
	p.add(i, from, to, "")
}

// deeperComments returns the end of the comments behind p that are indented deeper than col: they stand inside the entry in front.
func (d *document) deeperComments(p, col int) int {
	for q := p; q < d.bodyEnd; q = nextLineStart(d.src, q) {
		line := bytes.TrimRight(d.src[q:d.lineEnd(q)], "\r")
		text := bytes.TrimLeft(line, " \t")
		switch {
		case len(text) == 0:
		case text[0] == '#' && len(line)-len(text) > col:
			p = nextLineStart(d.src, q)
		default:
			return p
		}
	}
	return p
}

// blanksBehind returns the end of the blank lines from at, the end of removed entry slot, that must go with it: those that would
// become part of a block scalar that stays in front. That is every line when the scalar keeps its last line ends, and up to the
// last line with blanks on it otherwise.
func (p *printer) blanksBehind(slot int32, at int) int {
	d := p.d
	j := slot - 1
	for j > 0 && p.isGone(j) {
		j--
	}
	n := &d.n[j]
	if n.kind != scalarNode || n.style != literalStyle && n.style != foldedStyle {
		return at
	}
	kept := readHeader(d.src, int(n.val)).chomp == '+'
	to := at
	for q := at; q < d.bodyEnd; q = nextLineStart(d.src, q) {
		line := bytes.TrimRight(d.src[q:d.lineEnd(q)], "\r")
		if len(bytes.TrimSpace(line)) > 0 {
			break
		}
		if kept || len(line) > 0 {
			to = nextLineStart(d.src, q)
		}
	}
	return to
}

// headStart returns where the lines of entry slot begin, the comments directly above it at its indentation included.
func (d *document) headStart(slot int32) int {
	start := d.entryStart(slot)
	bol := d.lineStart(start)
	col := start - bol
	floor := d.body
	if slot > 0 {
		floor = int(d.n[slot-1].keyEnd)
		if int32(d.n[slot-1].next) <= slot { // not the collection around it
			floor = max(floor, int(d.n[slot-1].valEnd))
		}
	}
	for bol > floor {
		above := d.lineStart(bol - 1)
		line := d.src[above : bol-1]
		if len(line) <= col || line[col] != '#' || len(bytes.TrimLeft(line[:col], " ")) > 0 || above < floor {
			break
		}
		bol = above
	}
	return bol
}

// entryEnd returns where the lines of entry slot end, line end included.
func (d *document) entryEnd(slot int32) int {
	n := &d.n[slot]
	end := int(max(n.valEnd, n.keyEnd))
	if end > 0 && d.src[end-1] == '\n' { // a block scalar that keeps its line ends
		return end
	}
	end = d.lineEnd(end)
	return min(end+1, len(d.src))
}

// flowChildren makes the patches for flow collection i, some of whose source entries stay.
func (p *printer) flowChildren(i int32, have, kids []int32) {
	d := p.d
	f := p.flowLayout(i, have)
	keptAt := slices.IndexFunc(kids, d.source)
	if keptAt > 0 { // new entries in front of the first one that stays
		var b strings.Builder
		for _, slot := range kids[:keptAt] {
			b.WriteString(p.flowEntryText(i, slot))
			b.WriteString(f.separator)
		}
		at := int(d.n[have[0]].key)
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
			b.WriteString(p.flowEntryText(i, kids[k]))
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

// flowLayout is how a flow collection is spread over lines.
type flowLayout struct {
	ownLines  bool // its last entry has a line of its own
	comma     bool // a comma follows the last entry
	separator string
}

func (p *printer) flowLayout(i int32, have []int32) flowLayout {
	d := p.d
	last := int(d.n[have[len(have)-1]].key)
	bol := d.lineStart(last)
	f := flowLayout{separator: ", ", comma: d.commaAfter(d.flowEnd(have[len(have)-1])) > 0}
	f.ownLines = bol > int(d.n[i].val) && len(bytes.TrimLeft(d.src[bol:last], " \t")) == 0
	if f.ownLines {
		f.separator = "," + p.e.lineEnd + string(d.src[bol:last])
	}
	return f
}

// insertFlow writes text, new entries each with a separator in front, behind source entry slot. more says that a source entry
// behind them stays.
func (p *printer) insertFlow(i, slot int32, text string, f flowLayout, more bool) {
	d := p.d
	at := d.flowEnd(slot)
	comma := d.commaAfter(at)
	if n := &d.n[slot]; d.src[at-1] == ':' || n.flags&emptyInFlow != 0 && n.flags&hasProps != 0 { // {a: }: "a:," would be text
		text = " " + text
	}
	if !f.ownLines {
		p.add(i, at, at, text)
		return
	}
	closing := int(d.n[i].valEnd) - 1
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

// removeFlow takes source entry have[h] out with its comma and comment; a source entry behind it stays.
func (p *printer) removeFlow(i int32, have []int32, h int) {
	d := p.d
	to := d.skipLineComment(d.commaAfter(d.flowEnd(have[h])))
	next := int(d.n[have[h+1]].key)
	for to < next && (isBlank(d.src[to]) || d.src[to] == '\n' || d.src[to] == '\r') {
		to++
	}
	p.add(i, int(d.n[have[h]].key), to, "")
}

// removeFlowTail takes out every source entry behind have[kept]. added says that new ones were written behind that.
func (p *printer) removeFlowTail(i int32, have []int32, kept int, f flowLayout, added bool) {
	d := p.d
	comma := d.commaAfter(d.flowEnd(have[kept]))
	from := d.skipLineComment(comma)
	if from != comma { // a comment needs its line end
		from = nextLineStart(d.src, from)
	}
	end := d.flowEnd(have[len(have)-1])
	if f.comma {
		end = d.commaAfter(end)
	} else if !added || !f.ownLines {
		p.add(i, comma-1, comma, "")
	}
	to := d.skipLineComment(end)
	if from == d.lineStart(from) && !lineHasContent(d.src, to) {
		to = nextLineStart(d.src, to)
	}
	p.add(i, from, to, "")
}

// flowEntryText returns the text of new entry slot of flow collection i.
func (p *printer) flowEntryText(i, slot int32) string {
	e := emitter{d: p.d, lineEnd: p.e.lineEnd}
	isMap := p.d.n[i].kind == mapNode
	switch {
	case !p.d.jsonLike():
		e.flowEntry(slot, isMap)
	case isMap:
		e.b = append(e.b, double(p.d.keyText(slot))+": "...)
		e.jsonFlow(slot)
	default:
		e.jsonFlow(slot)
	}
	return string(e.b)
}

// flowText returns the value of slot in flow style.
func (p *printer) flowText(slot int32) string {
	e := emitter{d: p.d, lineEnd: p.e.lineEnd}
	if p.d.jsonLike() {
		e.jsonFlow(slot)
	} else {
		e.flow(slot)
	}
	return string(e.b)
}

// jsonFlow is flow for a document written as JSON.
func (e *emitter) jsonFlow(slot int32) {
	i := e.d.deref(e.d.at(slot))
	n := &e.d.n[i]
	if n.kind == scalarNode {
		if e.d.scalarTag(i) == strTag {
			e.b = append(e.b, double(e.d.text(i))...)
		} else {
			e.b = append(e.b, e.text(i)...)
		}
		return
	}
	brackets := empty(n.kind)
	e.b = append(e.b, brackets[0])
	for k, kid := range e.d.kids(i) {
		if k > 0 {
			e.b = append(e.b, ", "...)
		}
		if n.kind == mapNode {
			e.b = append(e.b, double(e.d.keyText(kid))+": "...)
		}
		e.jsonFlow(kid)
	}
	e.b = append(e.b, brackets[1])
}

// flowEnd returns the end of entry slot of a flow collection, without the comma.
func (d *document) flowEnd(slot int32) int {
	n := &d.n[slot]
	return int(max(n.valEnd, n.keyEnd))
}

// commaAfter returns the place behind the comma that follows p, 0 when something else does.
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

// skipLineComment returns the end of the comment that follows p on its line, or p.
func (d *document) skipLineComment(p int) int {
	q := p
	for q < d.bodyEnd && isBlank(d.src[q]) {
		q++
	}
	if q < d.bodyEnd && d.src[q] == '#' {
		q = d.lineEnd(q)
		if d.src[q-1] == '\r' {
			q--
		}
		return q
	}
	return p
}
