package gaby

import (
	"bytes"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/stream"
)

// ExpandAnchors replaces the aliases and "<<" in the value by the values they refer to, and removes
// the anchors in it that nothing refers to any more. The value of an alias is written like its
// original, with its comments; inherited entries take the position of "<<". The data stay the same.
// It returns the number of aliases, "<<" and anchors.
//
// If a value would grow beyond the limits of a document, the error is an *[EditError] and nothing
// is replaced.
func (d *YamlDoc) ExpandAnchors() (int, error) {
	if err := d.Check(); err != nil {
		return 0, err
	}
	doc, v := d.v.d, d.v
	text := doc.src
	if !d.whole() {
		if !doc.source(v.slot) {
			return 0, nil // made by an edit, so it has nothing to replace
		}
		text = text[doc.n[v.slot].Key:doc.n[v.slot].ValEnd]
	}
	if bytes.IndexByte(text, '&') < 0 && bytes.IndexByte(text, '*') < 0 &&
		!bytes.Contains(text, []byte("<<")) {
		return 0, nil
	}
	if _, err := d.newEditor(nil); err != nil {
		return 0, err
	}
	mark := d.Checkpoint()
	x := expander{d: doc}
	if err := x.run(v); err != nil {
		d.Rollback(mark)
		return 0, err
	}
	return x.count, nil
}

// An expander is one run of [YamlDoc.ExpandAnchors].
type expander struct {
	d     *document
	count int
}

// run expands v. It recovers the *EditError panics of clone.
func (x *expander) run(v Value) (err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*EditError)
			if !ok {
				panic(r)
			}
			err = e
		}
	}()
	d := x.d
	if err := d.checkExpandedSize(); err != nil {
		return err
	}
	x.expand(v.slot, len(v.Segments()))
	end := int32(d.n[v.slot].Next)
	for i := v.slot; i < end; i++ {
		if d.n[i].Kind == scan.AliasNode && !d.isExpanded(i) {
			d.setExpanded(i)
		}
	}
	for i := v.slot; i < end; i++ {
		if d.n[i].Flags&scan.HasProps != 0 && d.props[i].Anchor != "" && !d.isExpanded(i) &&
			!slices.ContainsFunc(d.referrers(i), d.isAlias) {
			d.setExpanded(i)
			x.count++
		}
	}
	return nil
}

// isAlias reports whether source node i, an alias, still is one.
func (d *document) isAlias(i int32) bool { return !d.isExpanded(i) }

// referrers returns the aliases of source node i in the source.
func (d *document) referrers(i int32) []int32 {
	if d.cache.referrers == nil {
		d.cache.referrers = map[int32][]int32{}
		for alias, target := range d.aliases {
			d.cache.referrers[target] = append(d.cache.referrers[target], alias)
		}
	}
	return d.cache.referrers[i]
}

// expand replaces the aliases and "<<" in the value of slot.
func (x *expander) expand(slot int32, depth int) {
	d := x.d
	i := d.at(slot)
	n := &d.n[i]
	switch {
	case n.Kind == scan.AliasNode:
		x.count++
		d.setValue(slot, d.clone(d.cursor(i), d.keyText(slot), -1, depth))
	case n.Flags&scan.IsNew != 0 || n.Kind == scan.ScalarNode:
	default:
		if n.Flags&scan.HasMerge != 0 {
			x.merge(i, depth)
		}
		for _, kid := range d.kids(i) {
			x.expand(kid, depth+1)
		}
	}
}

// merge gives map i copies of the entries it inherits, in place of its first "<<", and removes the
// others.
func (x *expander) merge(i int32, depth int) {
	d := x.d
	var copies []int32
	before := int32(0)
	for _, m := range slices.Clone(d.mergedEntries(i)) {
		if m.through&throughMerge == 0 {
			continue
		}
		kid := d.clone(d.entry(i, m.slot), d.keyText(m.slot), i, depth+1)
		c := &d.newNodes[d.n[kid].Val].cloneOf
		if before > 0 {
			c.lead = d.lead(c.entry, before)
		} else if d.n[c.entry].Flags&scan.InFlow == 0 {
			c.lead = uint32(d.headStart(c.entry))
		}
		before = c.entry
		copies = append(copies, kid)
	}
	var kids []int32
	for _, kid := range d.kids(i) {
		if !d.isMergeKey(kid) {
			kids = append(kids, kid)
			continue
		}
		x.count++
		kids = append(kids, copies...)
		copies = nil
	}
	if len(kids) != len(d.kids(i)) || !slices.Equal(kids, d.kids(i)) {
		d.setKids(i, kids)
	}
}

// checkExpandedSize refuses a document whose aliases expand to more text than a document may have.
// Aliases only refer backwards, so one pass in document order with running totals of bytes and
// lines gives the size of each value. Lines count because each is indented again.
func (d *document) checkExpandedSize() error {
	if d.cache.expandable {
		return nil
	}
	bytesTo, linesTo := make([]int, d.nsrc+1), make([]int, d.nsrc+1)
	for i := range d.nsrc {
		n := &d.n[i]
		from, to := int(n.Key), len(d.src)
		if i+1 < d.nsrc {
			to = max(from, int(d.n[i+1].Key))
		}
		size, lines := to-from, bytes.Count(d.src[from:to], []byte{'\n'})
		if n.Kind == scan.AliasNode {
			t := d.aliases[i]
			end := d.n[t].Next
			more := linesTo[end] - linesTo[t]
			size += bytesTo[end] - bytesTo[t] + more*(d.column(int(n.Key))+2)
			lines += more
		}
		bytesTo[i+1], linesTo[i+1] = bytesTo[i]+size, linesTo[i]+lines
		if n.Kind == scan.AliasNode && bytesTo[i+1] > d.limits.DocumentBytes {
			return &EditError{
				Pos:  d.valuePosition(i),
				Msg:  "the aliases of the document expand to more text than a document may have",
				Hint: "split the document",
			}
		}
	}
	err := d.grow(bytesTo[d.nsrc] - len(d.src))
	d.cache.expandable = err == nil
	return err
}

// dropAnchor removes the anchor of source node i from the text if an edit removed it.
func (p *printer) dropAnchor(i int32) {
	d := p.d
	if !d.isExpanded(i) || d.n[i].Flags&scan.HasProps == 0 || d.props[i].Anchor == "" {
		return
	}
	from := int(d.props[i].Start)
	for d.src[from] != '&' { // the tag comes first
		from++
	}
	to := from + 1 + len(d.props[i].Anchor)
	after := d.skipBlanks(to)
	switch {
	case after > to && after < len(d.src) && d.src[after] != '\n' && d.src[after] != '\r' &&
		d.src[after] != '#':
		to = after
	case p.beginsBelowDash(i, to):
		// The anchor kept the value from beginning on the line of the dash. Move it there.
		n := &d.n[i]
		p.add(i, int(n.KeyEnd), int(n.Val), strings.Repeat(" ",
			d.column(int(n.Val))-d.column(int(n.Key))-1))
		return
	case d.n[i].Flags&scan.EmptyInFlow == 0:
		for from > 0 && scalar.IsBlank(d.src[from-1]) {
			from--
		}
	}
	p.add(i, from, to, "")
}

// beginsBelowDash reports whether source node i is a map or list on the line below its dash and
// anchor, which ends at at, and only the anchor keeps it from beginning on the line of the dash. It
// reports false if an edit changed where the value begins.
func (p *printer) beginsBelowDash(i int32, at int) bool {
	d := p.d
	n := &d.n[i]
	if i == 0 || n.KeyStyle != scalar.NoStyle || n.Flags&scan.InFlow != 0 ||
		n.Style != scalar.PlainStyle || n.Kind != scan.MapNode && n.Kind != scan.ListNode ||
		d.props[i].Tag != "" {
		return false
	}
	edited := d.edits.kids.has(i)
	if _, commented := d.pendingComment(i); edited || commented {
		return false
	}
	val := int(n.Val)
	return len(bytes.TrimSpace(d.src[at:val])) == 0 &&
		d.lineStart(val) == stream.NextLineStart(d.src, at) &&
		d.column(val) > d.column(int(n.Key))+1
}
