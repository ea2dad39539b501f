package gaby

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/stream"
)

// A patch replaces src[from:to] with text. The patches of a document do not overlap.
//
// Printing has three steps: collect makes patches and rearrangements from the edits, sorted puts
// them in order, and write copies the source with them applied. Text outside a patch is only
// copied.
//
// Setting a to 2 and adding c to
//
//	a: 1 # first
//	b: 1
//
// gives two patches: one replaces the byte "1" after "a: ", the other inserts "c: 3\n" after the
// line of b. The comment is in neither of them, so it stays.
type patch struct {
	from, to int
	text     string
	// Of insertions at the same offset, those of inner values come first: depth is the slot of the
	// value. Those of one value follow order.
	depth int32
	order order
}

// order is the position of an insertion in the text of an entry.
type order uint8

const (
	atValue   order = iota // on the line of the key or dash
	atComment              // after the text on that line
	below                  // on the lines below
)

// compare orders patches by offset: insertions first, those of inner values before those of the
// values around them.
func (a patch) compare(b patch) int {
	insertion := func(p patch) int {
		if p.from == p.to {
			return 0
		}
		return 1
	}
	return cmp.Or(a.from-b.from, insertion(a)-insertion(b), int(b.depth)-int(a.depth),
		int(a.order)-int(b.order))
}

// sorted makes the patches and rearrangements and puts them in order.
func (p *printer) sorted() []patch {
	p.collect()
	slices.SortStableFunc(p.patches, patch.compare)
	slices.SortFunc(p.moves, func(a,
		b rearrangement,
	) int {
		return a.ranges[0].from - b.ranges[0].from
	})
	at := 0
	for i := range p.patches {
		t := &p.patches[i]
		// its offset was removed together with the blank lines after it
		if t.from < at && t.from == t.to {
			t.from, t.to = at, at
		}
		at = t.to
	}
	return p.patches
}

// unendedText returns the text, with its edits, of a document without a final newline. With more it
// ends in a newline.
//
// The text is printed as if it had the newline, so that every entry ends in one; afterwards the
// newline is removed again unless something needs it.
func (p *printer) unendedText(more bool) []byte {
	d := p.d
	leaf := d.nsrc - 1
	openText := d.isBlockScalar(leaf) && !strings.HasSuffix("\n"+d.text(leaf), "\n")
	defer p.endLine()()
	p.follows = more
	var text []byte
	at := 0
	for _, t := range p.sorted() {
		at = t.to
	}
	for _, m := range p.moves {
		at = max(at, m.ranges[len(m.ranges)-1].to)
	}
	p.write(func(from, to int) { text = append(text, d.src[from:to]...) },
		func(t string) { text = append(text, t...) })
	blanks := p.endsInBlanks(at)
	if more && (openText || !blanks) || !blanks && p.needsLineEnd() {
		return text
	}
	text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
	if more {
		text = bytes.TrimRight(text, " \t") // the line above is the last line of the content
	}
	return text
}

// A printer turns the edits of a document into patches.
type printer struct {
	d       *document
	e       *emitter
	patches []patch
	gone    []span // nodes whose text is replaced or removed as a whole
	unended int    // length of a text without final newline, -1 for other texts
	moves   []rearrangement
	follows bool // lines follow the value that is last in the source
}

// endLine appends the missing newline to the source until the returned function is called.
func (p *printer) endLine() func() {
	d := p.d
	src, bodyEnd := d.src, d.bodyEnd
	p.unended = len(src)
	if last := d.nsrc - 1; d.isBlockScalar(last) && int(d.n[last].ValEnd) >= len(src) {
		p.e.unended = last
	}
	d.src = append(src[:len(src):len(src)], p.e.lineEnd...)
	if bodyEnd == len(src) {
		d.bodyEnd = len(d.src)
	}
	return func() { d.src, d.bodyEnd = src, bodyEnd }
}

// endsInBlanks reports whether the source ends in a line of blanks without a newline, and the last
// patch, which ends at at, leaves it there. Such a line belongs to no value, and neither does the
// newline appended to it.
func (p *printer) endsInBlanks(at int) bool {
	from := p.d.lineStart(p.unended)
	return at <= from && from < p.unended &&
		len(bytes.TrimLeft(p.d.src[from:p.unended], " \t")) == 0
}

// needsLineEnd reports whether the last value is a block scalar that would lose a newline of its
// text without the one after it.
func (p *printer) needsLineEnd() bool {
	d := p.d
	i := d.at(0)
	for d.n[i].Kind == scan.MapNode || d.n[i].Kind == scan.ListNode {
		kids := d.kids(i)
		if len(kids) == 0 {
			return false
		}
		i = d.at(kids[len(kids)-1])
	}
	n := &d.n[i]
	if n.Flags&scan.IsNew != 0 {
		return n.Kind == scan.ScalarNode && strings.HasSuffix(d.text(i), "\n")
	}
	return d.isBlockScalar(i) && i != d.nsrc-1
}

// span is a half-open range of nodes. A subtree of the source is one: it begins at its root and
// ends at the next of its root.
type span struct{ from, to int32 }

// covered returns the nodes of the source in a range whose value or children edits changed, sorted,
// and the nodes whose text goes with another node: all nodes below a replaced value, and removed
// entries. The caller does not change touched.
func (d *document) covered(in span) (touched []int32, gone []span) {
	if d.cache.edited == nil {
		d.cache.edited = d.edits.nodes()
		slices.Sort(d.cache.edited)
		d.cache.edited = slices.Compact(d.cache.edited)
	}
	touched = within(d.cache.edited, in)
	for _, i := range touched {
		if d.edits.values.has(i) {
			gone = append(gone, span{i + 1, int32(d.n[i].Next)})
		}
		if kids, ok := d.edits.kids.get(i); ok {
			for _, slot := range d.removed(i, kids) {
				gone = append(gone, span{slot, int32(d.n[slot].Next)})
			}
		}
	}
	return touched, merged(gone)
}

// within returns the sorted nodes that are in a range.
func within(nodes []int32, in span) []int32 {
	first, _ := slices.BinarySearch(nodes, in.from)
	end, _ := slices.BinarySearch(nodes, in.to)
	return nodes[first:end:end]
}

// collect makes the patches and rearrangements for all edits. Edits inside a range that is replaced
// or removed as a whole need no patch.
func (p *printer) collect() {
	d := p.d
	var touched []int32
	touched, p.gone = d.covered(span{0, d.nsrc})
	for slot := range d.edits.comments {
		if d.source(slot) {
			touched = append(touched, slot)
		}
	}
	for slot := range d.edits.expanded {
		touched = append(touched, slot)
	}
	slices.Sort(touched)
	touched = slices.Compact(touched)
	for _, i := range touched {
		if p.isGone(i) {
			continue
		}
		rewritten := p.rewrite(i)
		if rewritten && d.valueSpan(i).inside {
			continue // the patch includes the line comment
		}
		if !rewritten {
			p.dropAnchor(i)
		}
		if text, ok := d.edits.comments[i]; ok {
			p.comment(i, text)
		}
	}
	if p.follows && p.unended >= 0 {
		p.stripUnended()
	}
}

// rewrite makes the patches for the value or the children of source node i. It reports whether all
// of the value's text is replaced, including an anchor.
func (p *printer) rewrite(i int32) bool {
	if p.d.edits.values.has(i) {
		p.replace(i)
		return true
	}
	kids, ok := p.d.edits.kids.get(i)
	return ok && p.children(i, kids)
}

// merged sorts ranges and joins those that touch.
func merged(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return int(a.from) - int(b.from) })
	var out []span
	for _, s := range spans {
		if n := len(out); n > 0 && s.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}

// isGone reports whether node i is in a range that is replaced or removed as a whole.
func (p *printer) isGone(i int32) bool {
	_, ok := p.goneAround(i)
	return ok
}

// goneAround returns the range in gone that contains node i, if there is one.
func (p *printer) goneAround(i int32) (span, bool) {
	k := sort.Search(len(p.gone), func(k int) bool { return p.gone[k].to > i })
	if k == len(p.gone) || p.gone[k].from > i {
		return span{}, false
	}
	return p.gone[k], true
}

// add adds a patch for the value of slot depth.
func (p *printer) add(depth int32, from, to int, text string) {
	p.patches = append(p.patches, patch{from: from, to: to, text: text, depth: depth})
}

// replace makes the patches for a value that an edit put in place of source node i.
func (p *printer) replace(i int32) {
	d := p.d
	r := d.deref(d.at(i))
	s := d.valueSpan(i)
	if d.n[i].Flags&scan.InFlow != 0 {
		p.replaceFlow(s, i)
		return
	}
	n := &d.n[r]
	if n.Kind != scan.ScalarNode {
		p.putCollection(s, r, d.kids(r))
		return
	}
	c := scalar.Context{
		Indent: s.indent + 2, Parent: s.indent, LineEnd: p.e.lineEnd, Keep: s.keep,
		Old: d.styleFor(i, r),
	}
	if s.indent == -2 {
		c.Parent, c.Indent = -1, 2
	}
	// Comments below that are indented deeper than the entry would become the text of a block
	// scalar.
	c.NoBlock = p.unsafeBelow(stream.NextLineStart(d.src, s.tail), c.Parent)
	if d.isBlockScalar(i) {
		if at := d.blockTextIndent(i); at > 0 {
			c.Indent = at
		}
	}
	// Of a text over several lines only the words that differ are replaced, so that its line breaks
	// stay where the user put them.
	if d.scalarTag(r) == scalar.StrTag && p.replaceWords(i, d.text(r)) {
		return
	}
	var text string
	if d.cloneOf(r).value > 0 {
		e := *p.e
		e.b, e.noBlock = nil, c.NoBlock
		e.scalar(r, c.Indent, c.Parent, false)
		if text = string(e.b); !d.isBlockScalar(d.cloneOf(r).value) {
			p.put(s, text, "")
			return
		}
	} else {
		text = scalar.Format(d.scalarTag(r), p.e.text(r), c)
	}
	if gap := p.breakBefore(s); i == 0 && gap != "" && !strings.HasSuffix(text, p.e.lineEnd) {
		p.add(s.slot, s.start, s.tail, text+gap)
		return
	}
	// A comment on the line of the old value stays on the first line of the new one.
	first, rest, _ := strings.Cut(text, p.e.lineEnd)
	if rest != "" || strings.HasSuffix(text, p.e.lineEnd) {
		rest = p.e.lineEnd + rest
	}
	p.put(s, first, rest)
}

// breakBefore returns the line break that a value needs after it where the root had none and a
// comment or the end of the document follows at the beginning of the line.
func (p *printer) breakBefore(s valueSpan) string {
	d := p.d
	if s.slot == 0 && s.start == s.tail && s.tail < len(d.src) && d.column(s.start) == 0 &&
		(d.src[s.tail] == '#' || stream.IsMarker(d.src, s.tail)) {
		return p.e.lineEnd
	}
	return ""
}

// unsafeBelow reports whether lines from at up to the next content would become part of a block
// scalar that an entry in column col writes before them: comments and blank lines that are indented
// deeper. Entries that are removed do not count as content.
func (p *printer) unsafeBelow(at, col int) bool {
	d := p.d
	for at < d.bodyEnd {
		eol := d.lineEnd(at)
		line := bytes.TrimRight(d.src[at:eol], "\r")
		text := bytes.TrimLeft(line, " \t")
		indent := len(line) - len(text)
		if len(text) == 0 && indent > max(col, 0) ||
			len(text) > 0 && text[0] == '#' && indent > max(col, 0) {
			return true
		}
		if len(text) > 0 && text[0] != '#' {
			i := d.entryAt(at + indent)
			if i < 0 || !p.isGone(i) {
				return false
			}
			eol = d.entryEnd(i) - 1
		}
		at = eol + 1
	}
	return false
}

// entryAt returns the source entry that begins at p, -1 if there is none.
func (d *document) entryAt(p int) int32 {
	i := int32(sort.Search(int(d.nsrc)-1,
		func(k int) bool { return d.entryStart(int32(k+1)) >= p })) + 1
	if i < d.nsrc && d.entryStart(i) == p {
		return i
	}
	return -1
}

// blockTextIndent returns the column of the text of block scalar i, 0 if it has no text.
func (d *document) blockTextIndent(i int32) int {
	n := &d.n[i]
	p := stream.NextLineStart(d.src, int(n.Val))
	h := scalar.ReadBlockHeader(d.src, int(n.Val))
	if h.Indent > 0 {
		return max(d.blockParent(i), 0) + h.Indent
	}
	for p < int(n.ValEnd) {
		c := p
		for c < len(d.src) && d.src[c] == ' ' {
			c++
		}
		if c < len(d.src) && d.src[c] != '\n' && d.src[c] != '\r' {
			return c - p
		}
		p = stream.NextLineStart(d.src, p)
	}
	return 0
}

// put writes a value in place of the old one: first on the line of its key or dash, and rest, which
// begins with a newline, below.
func (p *printer) put(s valueSpan, first, rest string) {
	d := p.d
	if s.anchor != "" {
		first = strings.TrimRight(s.anchor+" "+first, " ")
	}
	if s.inside {
		if c, ok := d.commentOf(s); ok {
			first = strings.TrimLeft(first+" "+c, " ")
		}
		from := s.head
		if first != "" && s.slot != 0 {
			first = " " + first
		}
		p.add(s.slot, from, s.tail, first+rest)
		return
	}
	switch {
	case first == "": // the value begins on the next line: nothing is left on this one
		p.add(s.slot, s.head, s.tail, "")
	case s.start == s.tail: // there was no text
		p.add(s.slot, s.head, s.head, " "+first)
	default:
		p.add(s.slot, s.start, s.tail, first)
	}
	if rest != "" {
		end := d.blockEnd(s.tail)
		p.patches = append(p.patches, patch{
			from: end, to: end, text: rest, depth: s.slot,
			order: below,
		})
	}
}

// putCollection writes map or list r with the given children in place of the old value.
func (p *printer) putCollection(s valueSpan, r int32, kids []int32) {
	d := p.d
	n := &d.n[r]
	old := &d.n[s.slot]
	e := *p.e
	e.b = nil
	if e.flowCopy(r, "", s.indent) {
		p.put(s, string(e.b), "")
		return
	}
	if len(kids) == 0 {
		if gap := p.breakBefore(s); gap != "" {
			p.add(s.slot, s.start, s.tail, empty(n.Kind)+gap)
			return
		}
		p.put(s, empty(n.Kind), "")
		return
	}
	if old.Style == scalar.FlowStyle && (p.d.flowStyle().quoted || p.e.flowFits(r, d.column(s.start))) {
		p.put(s, p.flowText(r, s.slot), "")
		return
	}
	e.noBlock = p.unsafeBelow(stream.NextLineStart(d.src, s.tail), max(s.indent, 0))
	tag := strings.TrimRight(e.tag(r), " ")
	isListItem := s.slot != 0 && old.KeyStyle == scalar.NoStyle
	switch {
	case s.slot == 0:
		e.entries(r, 0, false)
		text := string(e.b)
		if d.column(s.start) > 0 { // after "---"
			p.put(s, "", e.lineEnd+text)
			return
		}
		p.add(s.slot, s.start, s.tail, text+p.breakBefore(s))
		return
	case isListItem:
		if _, commented := d.commentOf(s); s.anchor != "" || tag != "" ||
			commented && (s.inside || d.cloneOf(r).value > 0) {
			e.entries(r, s.indent+2, false)
			p.put(s, tag, e.lineEnd+string(e.b))
			return
		}
		indent := s.indent + 2
		if !s.inside && s.start != s.tail {
			indent = d.column(s.start)
		}
		e.entries(r, indent, true)
		first, rest, more := strings.Cut(string(e.b), e.lineEnd)
		if more {
			rest = e.lineEnd + rest
		}
		p.put(s, first, rest)
		return
	}
	by := 2
	if n.Kind == scan.ListNode {
		by = d.listIndent()
	}
	e.entries(r, s.indent+by, false)
	p.put(s, tag, e.lineEnd+string(e.b))
}
