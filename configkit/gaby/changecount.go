package gaby

import (
	"maps"
	"slices"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
)

// CountChanges reports whether anything at or below d differs from what was read, and counts the
// scalars there (and empty collections) that are changed, new or removed. Moved values and comments
// are not counted.
func (d *YamlDoc) CountChanges() (values int, changed bool) {
	if d == nil || !d.Changed() {
		return 0, false
	}
	doc, e := d.v.d, d.v.d.edits
	in := span{0, doc.nsrc}
	if !d.whole() {
		if in.from = d.v.slot; !doc.source(in.from) {
			return d.v.Leaves(), true
		}
		in.to = int32(doc.n[in.from].Next)
	}
	if doc.cache.commented == nil {
		doc.cache.commented = slices.Sorted(maps.Keys(e.comments))
	}
	changed = len(within(doc.cache.commented, in)) > 0
	touched, gone := doc.covered(in)
	c := counter{d: doc}
	end := int32(0)
	for _, i := range touched {
		for len(gone) > 0 && gone[0].from <= i {
			end, gone = gone[0].to, gone[1:]
		}
		if i < end {
			continue // counted with the removed range
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

// removed returns the entries of collection i in the source that are not in kids.
func (d *document) removed(i int32, kids []int32) []int32 {
	kept := keptOf(d, kids)
	return slices.DeleteFunc(slices.Clone(d.entries(i)), func(slot int32) bool {
		_, found := slices.BinarySearch(kept, slot)
		return found
	})
}

// counter counts the values that edits of a document changed.
type counter struct {
	d *document
	n int
}

// replaced counts slot i, which has another value.
func (c *counter) replaced(i, value int32) {
	d := c.d
	if d.n[i].Kind == scan.ScalarNode && d.n[value].Kind == scan.ScalarNode {
		if d.scalarTag(i) != d.scalarTag(value) || d.text(i) != d.text(value) {
			c.n++
		}
		return
	}
	c.n += max(d.sourceLeaves(i), d.cursor(i).Leaves())
}

// rearranged counts the new and the removed entries of collection i.
func (c *counter) rearranged(i int32, kids []int32) {
	for _, k := range kids {
		if !c.d.source(k) {
			c.n += c.d.entry(i, k).Leaves()
		}
	}
	for _, k := range c.d.removed(i, kids) {
		c.n += c.d.sourceLeaves(k)
	}
}

// sourceLeaves counts the scalars and empty collections in the source at and below node i.
func (d *document) sourceLeaves(i int32) int {
	n, next := 0, int32(d.n[i].Next)
	for ; i < next; i++ {
		if int32(d.n[i].Next) == i+1 {
			n++
		}
	}
	return n
}

// Leaves counts the scalars at and below v. An alias, and an empty map or list, count as one.
func (v Value) Leaves() int {
	if v.IsAliased() || !v.First().Exists() {
		return 1
	}
	n := 0
	for _, c := range v.All() {
		n += c.Leaves()
	}
	return n
}
