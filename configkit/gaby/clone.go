package gaby

import (
	"bytes"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/stream"
)

// cloneOf records of what a node is a copy, made inside the document. A copy is written with the
// text of its original, including comments, as long as nothing in it was edited since it was made.
// That works whatever becomes of the original, because the source text never changes.
type cloneOf struct {
	entry int32  // the source entry whose key, comments and neighbours it has; 0 for none
	value int32  // the source node whose value it has; 0 for none
	up    int32  // the collection around it; -1 at the root of a copy
	lead  uint32 // offset of the lines above the entry that belong to it; 0 for none
	// whole says that the text of the value can be used as it is: it has no aliases, anchors or
	// edits. Else the copy is put together from the texts of the parts that are whole.
	whole bool
}

// cloneOf returns what node i is a copy of, the zero value if it is not a copy.
func (d *document) cloneOf(i int32) cloneOf {
	if n := &d.n[i]; n.Flags&scan.IsNew != 0 {
		return d.newNodes[n.Val].cloneOf
	}
	return cloneOf{}
}

// isTouched reports whether something in copy i was edited since it was made.
func (d *document) isTouched(i int32) bool {
	if d.cache.touched == nil {
		d.cache.touched = map[int32]bool{}
		for _, c := range d.edits.log {
			for i := c.i; i > 0 && !d.source(i) && !d.cache.touched[i]; i = d.cloneOf(i).up {
				d.cache.touched[i] = true
			}
		}
	}
	return d.cache.touched[i]
}

// isEdited reports whether source node i has another value, other children or another comment than
// in the source.
func (d *document) isEdited(i int32) bool {
	if d.edits == nil {
		return false
	}
	value, kids := d.edits.values.has(i), d.edits.kids.has(i)
	_, comment := d.edits.comments[i]
	return value || kids || comment
}

// clone appends a copy of v to the slab and returns its index: a copy of the entry, or at the root
// of a copy (up is -1) only of the value. up is the collection around it, depth the number of
// collections around it. It panics with an *EditError if that exceeds the limit.
func (d *document) clone(v Value, key string, up int32, depth int) int32 {
	if depth > d.limits.Depth {
		panic(&EditError{
			Pos: v.Position(),
			Msg: "too many maps and lists inside each other once aliases are replaced",
		})
	}
	from := v.node()
	n := d.n[from]
	f := newNode{key: key, cloneOf: cloneOf{
		up: up, value: from,
		whole: n.Flags&(scan.HasMerge|scan.HasDuplicates) == 0 && !d.isEdited(from),
	}}
	if !d.source(from) {
		original := d.cloneOf(from)
		f.value, f.whole = original.value, original.whole && !d.isTouched(from)
	}
	if up >= 0 {
		f.entry = v.slot
		if !d.source(v.slot) {
			f.entry = d.cloneOf(v.slot).entry
		}
	}
	i := int32(len(d.n))
	out := scan.Node{
		Key: uint32(len(d.newNodes)), Val: uint32(len(d.newNodes)), Kind: n.Kind,
		Flags: scan.IsNew | n.Flags&scan.HasProps, Next: uint32(i + 1),
	}
	if n.Kind == scan.ScalarNode {
		t := d.cursor(from).tree()
		f.text, f.style, f.tag = t.text, t.style, d.scalarTag(from)
	}
	if n.Flags&scan.HasProps != 0 {
		if written := d.props[from].Tag; written != "" {
			d.props[i] = scan.Props{Tag: written}
		} else {
			out.Flags &^= scan.HasProps
		}
	}
	d.n = append(d.n, out)
	d.newNodes = append(d.newNodes, f)
	if n.Kind == scan.ScalarNode {
		return i
	}
	var kids []int32
	before := int32(0)
	whole := f.whole
	// The copy is whole if all entries are: each must be a copy of one source entry with its value,
	// and not carry an anchor, which must stay unique.
	for _, e := range v.All() {
		kid := d.clone(e, e.Key(), i, depth+1)
		c := &d.newNodes[d.n[kid].Val].cloneOf
		c.lead = d.lead(c.entry, before)
		before = c.entry
		whole = whole && c.whole && c.entry == c.value &&
			(!d.source(e.slot) || d.n[e.slot].Flags&scan.HasProps == 0 ||
				d.props[e.slot].Anchor == "")
		kids = append(kids, kid)
	}
	d.newNodes[out.Val].whole = whole
	d.edit().kids.set(i, kids)
	return i
}

// lead returns the offset of the comment lines to copy with source entry s, 0 for none. If its
// predecessor in the source is copied directly before it, everything between them is included.
// before is the source entry that is copied before s, 0 for none.
func (d *document) lead(s, before int32) uint32 {
	switch {
	case s == 0 || d.n[s].Flags&scan.InFlow != 0:
		return 0
	case before > 0 && int32(d.n[before].Next) == s:
		return uint32(d.entryEnd(before))
	case before == 0 && s > 1 && int32(d.n[s-1].Next) > s: // the first entry of a collection
		head := d.valueSpan(s - 1).head
		if d.n[s-1].Flags&scan.HasProps != 0 {
			head = d.propsEnd(s - 1)
		}
		return uint32(stream.NextLineStart(d.src, head))
	}
	return uint32(d.headStart(s))
}

// leadLines writes the comment lines before copied entry slot, which will be in column indent.
// Either e.b ends in the indentation, or the entry begins on the line of the collection around it.
func (e *emitter) leadLines(slot int32, indent int) {
	c := e.d.cloneOf(slot)
	if c.lead == 0 {
		return
	}
	to := e.d.lineStart(e.d.entryStart(c.entry))
	for p := int(c.lead); p < to; p = stream.NextLineStart(e.d.src, p) {
		line := bytes.TrimSpace(e.d.src[p:e.d.lineEnd(p)])
		if len(line) == 0 {
			indented := bytes.TrimRight(e.b, " ")
			if n := len(indented); n == 0 || indented[n-1] != '\n' {
				continue // the text or the line of the outer collection begins here
			}
			e.b = indented
		}
		e.b = append(append(e.b, line...), e.lineEnd...)
		e.pad(indent)
	}
}

// clonedEntry writes copied entry slot in column indent with the text of its original. It reports
// false if that is not possible.
func (e *emitter) clonedEntry(slot int32, indent int) bool {
	d := e.d
	c := d.cloneOf(slot)
	if c.entry == 0 || c.entry != c.value || !c.whole || d.isTouched(slot) || d.at(slot) != slot ||
		d.n[c.entry].Flags&scan.InFlow != 0 {
		return false
	}
	if n := &d.n[c.entry]; n.Flags&scan.HasProps != 0 && d.props[c.entry].Anchor != "" {
		return false
	}
	if end := d.blockScalarAtEnd(c.entry); end >= 0 &&
		(e.noBlock || scalar.ReadBlockHeader(d.src, int(d.n[end].Val)).Chomp == '+') {
		return false // the text that follows would become part of it
	}
	from, to := d.entryStart(c.entry), d.entryEnd(c.entry)
	if to > from && d.src[to-1] == '\n' {
		to--
	}
	e.moved(from, to, d.column(from), indent)
	e.b = bytes.TrimRight(e.b, "\r")
	return true
}

// blockScalarAtEnd returns the block scalar that source node i ends in, -1 if it ends in something
// else.
func (d *document) blockScalarAtEnd(i int32) int32 {
	leaf := int32(d.n[i].Next - 1)
	if d.isBlockScalar(leaf) {
		return leaf
	}
	return -1
}

// isBlockScalar reports whether node i is a literal or folded scalar.
func (d *document) isBlockScalar(i int32) bool {
	n := &d.n[i]
	return n.Kind == scan.ScalarNode &&
		(n.Style == scalar.LiteralStyle || n.Style == scalar.FoldedStyle)
}

// moved writes src[from:to], whose first line is in column col and whose other lines are indented
// at least as much, indented to column indent.
func (e *emitter) moved(from, to, col, indent int) {
	for k, line := range bytes.Split(e.d.src[from:to], []byte("\n")) {
		if k > 0 {
			e.b = append(e.b, '\n')
			cut := 0
			for cut < col && cut < len(line) && line[cut] == ' ' {
				cut++
			}
			if line = line[cut:]; cut == col || len(bytes.TrimSpace(line)) > 0 {
				if len(bytes.TrimSuffix(line, []byte("\r"))) > 0 {
					e.pad(indent)
				}
			}
		}
		e.b = append(e.b, line...)
	}
}

// clonedValue writes scalar or flow collection i, a copy, with the text of its original. col is the
// column of the entry around it, -1 at the root. It reports false if that is not possible.
func (e *emitter) clonedValue(i int32, col int, flow bool) bool {
	d := e.d
	c := d.cloneOf(i)
	if c.value == 0 {
		return false
	}
	n := &d.n[c.value]
	text := d.src[n.Val:n.ValEnd]
	oneLine := bytes.IndexByte(text, '\n') < 0
	switch {
	case len(text) == 0, n.Kind != scan.ScalarNode &&
		(n.Style != scalar.FlowStyle || !c.whole || d.isTouched(i)):
		return false
	case d.isBlockScalar(c.value):
		h := scalar.ReadBlockHeader(d.src, int(n.Val))
		if flow || e.noBlock || h.Chomp == '+' {
			return false
		}
		e.b = append(append(e.b, e.tag(i)...), d.src[n.Val:h.End]...)
		e.blockText(c.value, h, col)
	case oneLine && (n.Style != scalar.PlainStyle || !flow || flowSafe(text)):
		e.b = append(append(e.b, e.tag(i)...), text...)
	case flow || oneLine:
		return false
	case n.Kind != scan.ScalarNode:
		e.b = append(e.b, e.tag(i)...)
		e.moved(int(n.Val), int(n.ValEnd), max(d.blockParent(c.value), 0), max(col, 0))
	default:
		e.b = append(e.b, e.tag(i)...)
		e.lines(text, col+2)
	}
	return true
}

// flowSafe reports whether plain text is certain to mean the same in a flow collection.
func flowSafe(text []byte) bool { return !bytes.ContainsAny(text, ",[]{}?:#&*!|>'\"%@`") }

// lines writes plain or quoted text of several lines, whose indentation has no meaning.
func (e *emitter) lines(text []byte, indent int) {
	for k, line := range bytes.Split(text, []byte("\n")) {
		line = bytes.TrimRight(line, "\r")
		if k > 0 {
			e.b = append(e.b, e.lineEnd...)
			if line = bytes.TrimLeft(line, " \t"); len(line) > 0 {
				e.pad(indent)
			}
		}
		e.b = append(e.b, line...)
	}
}

// blockText writes the text of block scalar s below its header, indented relative to an entry in
// column col as it was relative to its own.
func (e *emitter) blockText(s int32, h scalar.BlockHeader, col int) {
	d := e.d
	end := int(d.n[s].ValEnd)
	from := d.blockTextIndent(s)
	indent := max(col, 0) + from - max(d.blockParent(s), 0)
	for p := stream.NextLineStart(d.src, h.End); p < end; p = stream.NextLineStart(d.src, p) {
		line := bytes.TrimRight(d.src[p:min(d.lineEnd(p), end)], "\r")
		e.b = append(e.b, e.lineEnd...)
		if len(line) > from {
			e.pad(indent)
			e.b = append(e.b, line[from:]...)
		}
	}
}

// flowCopy writes lead and the value i if it is a copy of a flow collection; col is the column of
// the entry around it. It reports false and writes nothing for other values and for those that do
// not fit.
func (e *emitter) flowCopy(i int32, lead string, col int) bool {
	c := e.d.cloneOf(i)
	if c.value == 0 || e.d.n[c.value].Style != scalar.FlowStyle ||
		e.d.n[i].Kind == scan.ScalarNode {
		return false
	}
	at := len(e.b)
	e.b = append(e.b, lead...)
	if e.clonedValue(i, col, false) {
		return true
	}
	if !e.flowFits(i, at-bytes.LastIndexByte(e.b, '\n')) {
		e.b = e.b[:at]
		return false
	}
	e.inFlow(i)
	return true
}

// tag returns the tag that a copy has from its original, followed by a space, or "".
func (e *emitter) tag(i int32) string {
	if e.d.cloneOf(i).value == 0 || e.d.n[i].Flags&scan.HasProps == 0 {
		return ""
	}
	return e.d.props[i].Tag + " "
}

// commentText returns the text of the line comment of source entry s, "" for none.
func (d *document) commentText(s int32) string {
	if d.n[s].Flags&scan.InFlow != 0 {
		return ""
	}
	from, to := d.lineComment(s)
	return stream.CommentText(string(d.src[from:to]))
}
