package gaby

import (
	"slices"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
)

// KeyOrder returns the keys that the map at a path below root may have, in the order in which they
// are written, or nil if that is not known.
type KeyOrder func(root Value, path []string) []string

// OrderKeys makes edits put new keys of maps where order says. Without it, and for keys that order
// does not know, they follow the other keys of the map.
func (c Container) OrderKeys(order KeyOrder) {
	for _, d := range c {
		d.v.d.order = order
	}
}

// AppendKeys makes edits append new keys, for a function that writes several in an order of its
// own. restore makes them use the order of OrderKeys again.
func (c Container) AppendKeys() (restore func()) {
	orders := make([]KeyOrder, len(c))
	for i, d := range c {
		orders[i], d.v.d.order = d.v.d.order, nil
	}
	return func() {
		for i, d := range slices.Backward(c) { // items of a list share a document
			d.v.d.order = orders[i]
		}
	}
}

// isItem reports whether a value is an item of a list.
func (d *document) isItem(v Value) bool {
	return v.owner >= 0 && d.n[v.owner].Kind == scan.ListNode
}

// positionOf returns the index among the entries of map m at which a new key belongs: after all
// entries that are written before it, or if there are none before the first that is written after
// it.
func (d *document) positionOf(m Value, key string, kids []int32) int {
	if d.order == nil || len(kids) == 0 {
		return len(kids)
	}
	keys := d.order(d.cursor(0), m.Segments())
	at := slices.Index(keys, key)
	if at < 0 {
		return len(kids)
	}
	entry := func(key string) int {
		return slices.IndexFunc(kids, func(kid int32) bool { return d.keyIs(kid, key) })
	}
	last := -1
	for _, before := range keys[:at] {
		last = max(last, entry(before))
	}
	if last >= 0 {
		return last + 1
	}
	for _, after := range keys[at+1:] {
		// The first key of a list item stays on the line of the dash.
		if i := entry(after); i > 0 || i == 0 && !d.isItem(m) {
			return i
		}
	}
	return len(kids)
}
