package gaby

import (
	"bytes"
	"math"
	"slices"
	"sort"
	"strconv"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
)

// ArrayRearrangeP makes the list at path consist of the items with the given indexes, in this
// order. Items left out are removed; the others keep their text, including comments.
//
// Errors: *[NotFoundError] for a missing path, *[EditError] if path is not a list, an index is
// wrong or repeated, or aliases are in the way.
func (d *YamlDoc) ArrayRearrangeP(indexes []int, path string) error {
	segments := DotPathToSlice(path)
	e, err := d.newEditor(segments)
	if err != nil {
		return err
	}
	v := d.Search(segments...).Value()
	switch {
	case !v.Exists():
		return &NotFoundError{Path: path}
	case v.Kind() != List:
		return e.fail(v, "not a list", "")
	case v.below() != 0:
		return e.failAlias(v)
	}
	owner := v.node()
	have := e.d.kids(owner)
	kids := make([]int32, len(indexes))
	stays := make([]bool, len(have))
	for k, i := range indexes {
		if i < 0 || i >= len(have) {
			return e.fail(v, "the list has no item "+strconv.Itoa(i), "")
		}
		if stays[i] {
			return e.fail(v, "item "+strconv.Itoa(i)+" cannot be in the list twice", "")
		}
		stays[i] = true
		kids[k] = have[i]
	}
	if slices.Equal(kids, have) {
		return nil
	}
	moves := !slices.IsSorted(indexes)
	if err := e.checkArrangement(v, have, stays, moves); err != nil {
		return err
	}
	if err := e.checkEditable(v, false); err != nil {
		return err
	}
	e.d.setKids(owner, kids)
	return nil
}

// hasAliases reports whether source node i contains an alias.
func (d *document) hasAliases(i int32) bool {
	for alias := range d.aliases {
		if d.source(i) && alias >= i && alias < int32(d.n[i].Next) && !d.isExpanded(alias) {
			return true
		}
	}
	return false
}

// A rearrangement changes the order of ranges of the source. The text between them stays: if the
// entries a and b of a list change places, a blank line between them is still between them.
type rearrangement struct {
	list   int32
	ranges []textRange // in source order
	order  []int       // index of the range for each position
}

// textRange is a half-open range of offsets.
type textRange struct{ from, to int }

// keptOf returns the children that are in the source, in source order.
func keptOf(d *document, kids []int32) []int32 {
	kept := d.inSource(kids)
	slices.Sort(kept)
	return kept
}

// inSource returns the children that are in the source.
func (d *document) inSource(kids []int32) []int32 {
	return slices.DeleteFunc(slices.Clone(kids), func(slot int32) bool { return !d.source(slot) })
}

// inSourceOrder reports whether the children that are in the source have the same order there.
func (d *document) inSourceOrder(kids []int32) bool {
	return slices.IsSorted(d.inSource(kids))
}

// ReorderKeys puts the entries of the map that segments name in the order of keys, which must be
// all its keys. The lines of an entry and the comments directly above move with it; entries that
// edits added go anywhere. It reports whether that can be done by moving lines; if not, it does
// nothing.
func (d *YamlDoc) ReorderKeys(keys []string, segments ...string) bool {
	e, err := d.newEditor(segments)
	if err != nil {
		return false
	}
	v := d.Search(segments...).Value()
	if v.Kind() != Map || v.below() != 0 || d.Native() != nil ||
		e.d.n[v.node()].Flags&scan.HasDuplicates != 0 || len(keys) == 0 {
		return false
	}
	owner := v.node()
	have := e.d.kids(owner)
	of := make(map[string]int32, len(have))
	for _, kid := range have {
		of[e.d.keyText(kid)] = kid
	}
	kids := make([]int32, 0, len(keys))
	for _, key := range keys {
		kid, ok := of[key]
		if !ok {
			return false
		}
		delete(of, key)
		kids = append(kids, kid)
	}
	p := printer{d: e.d, e: e.d.emitter(), unended: -1}
	moves := !e.d.inSourceOrder(kids)
	if len(of) > 0 || e.checkEditable(v, moves) != nil ||
		moves && (slices.ContainsFunc(kids, e.d.hasAliases) || !p.movable(owner, kids)) {
		return false
	}
	if !slices.Equal(kids, have) {
		e.d.setKids(owner, kids)
	}
	return true
}

// movable reports whether the entries of source list or map i can be printed in another order by
// moving their lines.
func (p *printer) movable(i int32, kids []int32) bool {
	d := p.d
	n := &d.n[i]
	have := d.entries(i)
	first := d.entryStart(have[0])
	if n.Flags&(scan.HasMerge|scan.InFlow) != 0 || n.Style != scalar.PlainStyle {
		return false
	}
	if len(bytes.TrimLeft(d.src[d.lineStart(first):first], " \t")) > 0 && kids[0] != have[0] {
		return false // it is on the line of a dash
	}
	var open, ended, unsafe bool
	for _, slot := range kids {
		if !d.source(slot) {
			continue
		}
		leaf := int32(d.n[slot].Next) - 1
		if d.isBlockScalar(leaf) { // it would take in lines that it ends up before
			ended = ended || scalar.ReadBlockHeader(d.src, int(d.n[leaf].Val)).Chomp == '+' &&
				leaf != p.e.unended
			open = true
		}
		unsafe = unsafe || p.unsafeBelow(p.rangeOf(slot).to, d.column(first))
	}
	return !ended && !(open && unsafe)
}

// rangeOf returns the lines that move with entry slot.
func (p *printer) rangeOf(slot int32) textRange {
	d := p.d
	return textRange{d.headStart(slot), d.ownedEnd(slot)}
}

// rearrange records how the entries of source collection i change their order.
func (p *printer) rearrange(i int32, kids []int32) {
	d := p.d
	r := rearrangement{list: i}
	kept := keptOf(d, kids)
	for _, slot := range kept {
		r.ranges = append(r.ranges, p.rangeOf(slot))
	}
	for _, slot := range kids {
		if d.source(slot) {
			index, _ := slices.BinarySearch(kept, slot)
			r.order = append(r.order, index)
		}
	}
	// If the last entry moves up, lines follow the text that ends the source.
	if last := kept[len(kept)-1]; last != kids[len(kids)-1] {
		p.linesFollow(last)
	}
	p.moves = append(p.moves, r)
}

// write passes the source, with the patches and rearrangements applied, to source and text.
func (p *printer) write(source func(from, to int), text func(string)) {
	w := sourceWriter{p, source, text}
	w.write(0, len(p.d.src), 0, math.MaxInt32, 0)
}

// sourceWriter applies patches and rearrangements.
type sourceWriter struct {
	*printer
	source func(from, to int)
	text   func(string)
}

// write writes src[from:to] with the rearrangements from number m on. Insertions at the boundaries
// could belong to either side: at from only those of slots less than before are written, at to only
// those of slots at least last.
//
// A rearranged range is written by a recursive call, because it can contain rearrangements itself.
// They are sorted by offset, so those inside follow the outer one.
func (w *sourceWriter) write(from, to, m int, before, last int32) {
	at := from
	for ; m < len(w.moves) && w.moves[m].ranges[0].from < to; m++ {
		r := &w.moves[m]
		if r.ranges[0].from < at {
			continue // it was inside of one that has been dealt with
		}
		w.patched(at, r.ranges[0].from, before, 0)
		for n, which := range r.order {
			w.write(r.ranges[which].from, r.ranges[which].to, m+1, 0, r.list)
			if n+1 < len(r.ranges) {
				w.patched(r.ranges[n].to, r.ranges[n+1].from, 0, 0)
			}
		}
		at, before = r.ranges[len(r.ranges)-1].to, r.list
	}
	w.patched(at, to, before, last)
}

// patched is write for text without rearrangements.
func (w *sourceWriter) patched(from, to int, before, last int32) {
	at := from
	k := sort.Search(len(w.patches), func(k int) bool { return w.patches[k].from >= from })
	for ; k < len(w.patches) && w.patches[k].from <= to; k++ {
		switch t := &w.patches[k]; {
		case t.from == to && t.to > to:
		case t.to == from && t.depth >= before, t.from == to && t.depth < last:
		default:
			w.source(at, t.from)
			w.text(t.text)
			at = t.to
		}
	}
	w.source(at, to)
}
