package gaby

import (
	"slices"
)

// CountChanges tells whether anything at or below the place is not what it was when the document was read, and counts the single
// values there that are other ones, new or gone. Values that only moved and comments are not counted.
func (d *YamlDoc) CountChanges() (values int, changed bool) {
	if d == nil || !d.Changed() {
		return 0, false
	}
	doc, e := d.v.d, d.v.d.edits
	from, to := int32(0), doc.nsrc
	if !d.whole() {
		if from = d.v.slot; !doc.source(from) {
			return leaves(d.v), true
		}
		to = int32(doc.n[from].next)
	}
	inside := func(i int32) bool { return i >= from && i < to }
	for i := range e.comments {
		changed = changed || inside(i)
	}
	touched := slices.DeleteFunc(e.places(), func(i int32) bool { return !inside(i) })
	slices.Sort(touched)
	touched = slices.Compact(touched)
	gone := doc.goneBelow(touched)
	c := counter{d: doc}
	end := int32(0)
	for _, i := range touched {
		for len(gone) > 0 && gone[0].from <= i {
			end, gone = max(end, gone[0].to), gone[1:]
		}
		if i < end {
			continue // counted with what is gone
		}
		changed = true
		if value, ok := e.values.get(i); ok {
			c.replaced(i, value)
		} else {
			c.rearranged(i, e.kids.value(i))
		}
	}
	return c.n, changed
}

// goneBelow are the source nodes that edits at the places have done away with, in order.
func (d *document) goneBelow(touched []int32) []span {
	var spans []span
	for _, i := range touched {
		if d.edits.values.has(i) {
			spans = append(spans, span{i + 1, int32(d.n[i].next)})
			continue
		}
		for _, k := range d.removed(i, d.edits.kids.value(i)) {
			spans = append(spans, span{k, int32(d.n[k].next)})
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return int(a.from) - int(b.from) })
	return spans
}

// removed are the entries that collection i has in the source and not among kids.
func (d *document) removed(i int32, kids []int32) []int32 {
	left := make(map[int32]bool, len(kids))
	for _, k := range kids {
		left[k] = true
	}
	return slices.DeleteFunc(slices.Clone(d.entries(i)), func(k int32) bool { return left[k] })
}

// counter counts the values that edits of a document are about.
type counter struct {
	d *document
	n int
}

// replaced counts for slot i, which has another value now.
func (c *counter) replaced(i, value int32) {
	d := c.d
	if d.n[i].kind == scalarNode && d.n[value].kind == scalarNode {
		if d.scalarTag(i) != d.scalarTag(value) || d.text(i) != d.text(value) {
			c.n++
		}
		return
	}
	c.n += max(d.sourceLeaves(i), leaves(Value{d: d, slot: i, origin: origin{-1, -1}}))
}

// rearranged counts for the entries of collection i that are new or gone.
func (c *counter) rearranged(i int32, kids []int32) {
	for _, k := range kids {
		if !c.d.source(k) {
			c.n += leaves(Value{d: c.d, slot: k, origin: origin{i, -1}})
		}
	}
	for _, k := range c.d.removed(i, kids) {
		c.n += c.d.sourceLeaves(k)
	}
}

// sourceLeaves counts the single values that the source has at and below node i.
func (d *document) sourceLeaves(i int32) int {
	n, next := 0, int32(d.n[i].next)
	for ; i < next; i++ {
		if int32(d.n[i].next) == i+1 {
			n++
		}
	}
	return n
}

// leaves counts the single values at and below a place; an alias and an empty collection are one.
func leaves(v Value) int {
	if v.Elsewhere() || !v.First().Exists() {
		return 1
	}
	n := 0
	for c := v.First(); c.Exists(); c = c.Next() {
		n += leaves(c)
	}
	return n
}
