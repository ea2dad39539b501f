package gaby

import (
	"bytes"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/stream"
)

// children makes the patches for source collection i, whose children are now kids. It reports
// whether all of its text is replaced, including an anchor.
//
// Kept source entries stay in the text. Removed ones are cut out with their lines, and runs of new
// ones are inserted after the source entry before them. The collection is written again only if
// nothing of it is kept or if entries changed their order and cannot be moved as lines.
//
// For a list with the source entries a, b and c whose children are now a, x, c and y, b is removed,
// the run x is inserted after a, and the run y after c.
func (p *printer) children(i int32, kids []int32) bool {
	d := p.d
	have := d.entries(i)
	inherited := p.inheritedRuns(i, have, kids)
	moved := !d.inSourceOrder(kids)
	printed := moved && !p.movable(i, kids)
	if printed {
		p.gone = merged(append(p.gone, span{i + 1, int32(d.n[i].Next)}))
	}
	emptied := len(kids) == 0 && len(inherited) == 0 && d.hasCommentedEntries(i, have)
	if emptied { // they stay where they are, below the key
		at, end := d.lineComment(i)
		text := " " + empty(d.n[i].Kind)
		if end > at {
			text = text[1:] + " "
		}
		p.patches = append(p.patches, patch{from: at, to: at, text: text, depth: i})
	} else if printed || !slices.ContainsFunc(kids, d.source) && len(inherited) == 0 {
		if d.n[i].Flags&scan.InFlow != 0 {
			p.add(i, int(d.n[i].Val), int(d.n[i].ValEnd), p.flowText(i, i))
			return false
		}
		p.putCollection(d.valueSpan(i), i, kids)
		return true
	}
	if d.n[i].Style == scalar.FlowStyle {
		p.flowChildren(i, have, kids)
		return false
	}
	isMap := d.n[i].Kind == scan.MapNode
	first := d.entryStart(have[0])
	indent := d.column(first)
	inline := len(bytes.TrimLeft(d.src[d.lineStart(first):first], " ")) > 0

	runs, kept := p.runs(i, kids, inherited, indent)
	if moved {
		p.rearrange(i, kids)
	}
	k := 0
	// before the first kept entry of a collection that begins on its parent's line
	leading := inline
	for _, slot := range have {
		if k < len(kept) && kept[k] == slot {
			if k == 0 {
				p.frontEntries(i, slot, runs.value(-1), inline, indent, isMap)
			}
			leading = false
			k++
			p.insertAfter(i, slot, runs.value(slot), indent, isMap)
			continue
		}
		if leading {
			continue // frontEntries removes it
		}
		p.removeEntry(i, slot)
	}
	return false
}

// hasCommentedEntries reports whether block list or map i, which is below a key, has commented-out
// entries between its entries.
func (d *document) hasCommentedEntries(i int32, have []int32) bool {
	n := &d.n[i]
	if n.Style != scalar.PlainStyle || n.KeyStyle == scalar.NoStyle ||
		n.Flags&(scan.InFlow|scan.HasProps) != 0 {
		return false
	}
	from := stream.NextLineStart(d.src, int(n.KeyEnd))
	for _, slot := range have {
		to := d.headStart(slot)
		if from < to && stream.CommentedEnd(d.src, from, to, n.Kind == scan.ListNode) > from {
			return true
		}
		from = d.ownedEnd(slot)
	}
	return false
}

// inheritedRuns finds the "<<" entries of block map i that were replaced by copies of the entries
// they inherited. It returns these copies for each.
func (p *printer) inheritedRuns(i int32, have, kids []int32) map[int32][]int32 {
	d := p.d
	if d.n[i].Flags&scan.HasMerge == 0 || d.n[i].Style == scalar.FlowStyle {
		return nil
	}
	runs := map[int32][]int32{}
	k := 0
	for _, slot := range have {
		from := k
		for k < len(kids) && !d.source(kids[k]) {
			k++
		}
		switch {
		case k < len(kids) && kids[k] == slot:
			k++
		case k > from && d.isMergeKey(slot) && d.cloneOf(kids[from]).entry > 0:
			runs[slot] = kids[from:k]
		default:
			k = from
		}
	}
	return runs
}

// replaceMerge writes the entries that were inherited in place of source entry slot, a "<<". Its
// comments stay above them.
func (p *printer) replaceMerge(slot int32, run []int32, indent int) {
	d := p.d
	s := d.valueSpan(slot)
	from, to := d.entryStart(slot), s.tail
	e := *p.e
	e.b = nil
	if start, end := d.lineComment(slot); end > start {
		e.b = append(append(e.b, d.src[start:end]...), e.lineEnd...)
		e.pad(indent)
	}
	if !s.inside { // blanks at the end of the line would become part of a scalar
		to = d.blockEnd(to)
	}
	e.noBlock = p.unsafeBelow(stream.NextLineStart(d.src, to), indent)
	for k, kid := range run {
		if k > 0 {
			e.b = append(e.b, e.lineEnd...)
			e.pad(indent)
		}
		e.entry(kid, indent, true)
	}
	p.add(slot, from, to, string(e.b))
}

// runs returns the runs of new entries of block collection i, each by the source entry before it
// (-1 for none), and the source entries that remain, in the order of the source.
func (p *printer) runs(i int32, kids []int32, inherited map[int32][]int32,
	indent int,
) (runs nodeMap[[]int32], kept []int32) {
	d := p.d
	add := func(after int32, entries ...int32) {
		runs.set(after,
			append(runs.value(after), entries...))
	}
	after := int32(-1)
	if len(inherited) == 0 {
		for _, slot := range kids {
			if d.source(slot) {
				after = slot
			} else {
				add(after, slot)
			}
		}
		return runs, keptOf(d, kids)
	}
	k := 0
	for _, slot := range d.entries(i) {
		for ; k < len(kids) && !d.source(kids[k]); k++ {
			add(after, kids[k])
		}
		if run, ok := inherited[slot]; ok {
			p.replaceMerge(slot, run, indent)
			runs.remove(after)
		} else if k < len(kids) && kids[k] == slot {
			k++
		} else {
			continue
		}
		kept = append(kept, slot)
		after = slot
	}
	add(after, kids[k:]...)
	return runs, kept
}

// frontEntries writes new entries before kept, the first source entry that remains. If the
// collection begins on the line of its parent's dash, the removed entries before kept make space
// for it on that line.
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
			e.head(slot, indent)
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

// removeLeading removes the entries of collection i before kept, which begin on the line of a dash.
// It returns the offset of the text that moves up to that line. Comments that belong to none of the
// entries stay.
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
	for scalar.IsBlank(d.src[to]) || d.src[to] == '\n' || d.src[to] == '\r' {
		to++
	}
	return to
}

// insertAfter writes new entries on the lines after source entry slot.
func (p *printer) insertAfter(i, slot int32, run []int32, indent int, isMap bool) {
	if len(run) == 0 {
		return
	}
	d := p.d
	e := *p.e
	e.b = nil
	at := d.commentsEnd(slot, true)
	e.noBlock = p.unsafeBelow(at, indent)
	for _, kid := range run {
		e.head(kid, indent)
		e.pad(indent)
		if !isMap {
			e.dash = d.dashWidth(slot)
		}
		e.entry(kid, indent, isMap)
		e.b = append(e.b, e.lineEnd...)
	}
	p.linesFollow(slot)
	p.add(i, at, at, string(e.b))
}

// dashWidth returns the number of columns from the dash of a source item to its value. It is 0 if
// the value is not on that line, is empty, or has tabs before it.
func (d *document) dashWidth(slot int32) int {
	s := d.valueSpan(slot)
	gap := d.src[s.head:max(s.head, s.start)]
	if len(gap) == 0 || len(bytes.TrimLeft(gap, " ")) > 0 {
		return 0
	}
	return 1 + len(gap)
}

// linesFollow notes that lines follow source entry slot.
func (p *printer) linesFollow(slot int32) {
	p.follows = p.follows || int32(p.d.n[slot].Next) == p.d.nsrc
}

// stripUnended adds "-" to the header of the block scalar that the source ends in, if it does: the
// scalar had no newline, and lines follow now.
func (p *printer) stripUnended() {
	d := p.d
	leaf := d.nsrc - 1
	n := &d.n[leaf]
	if !d.isBlockScalar(leaf) || int(n.ValEnd) < p.unended {
		return
	}
	if d.edits.values.has(leaf) || p.isGone(leaf) {
		return
	}
	switch h := scalar.ReadBlockHeader(d.src, int(n.Val)); h.Chomp {
	case 0:
		p.add(leaf, h.End, h.End, "-")
	case '+':
		at := int(n.Val) + bytes.IndexByte(d.src[n.Val:h.End], '+')
		p.add(leaf, at, at+1, "-")
	}
}

// removeEntry removes source entry slot with its lines and its own comments.
func (p *printer) removeEntry(i, slot int32) {
	d := p.d
	from, to := d.headStart(slot), d.ownedEnd(slot)
	to = p.blanksAfter(slot, to)
	p.add(i, from, to, "")
}

// blanksAfter returns the end of the blank lines from at, the end of removed entry slot, that must
// be removed with it: those that would become part of a block scalar before it that stays. These
// are all lines if the scalar keeps its trailing newlines, else the lines up to the last one with
// blanks on it.
func (p *printer) blanksAfter(slot int32, at int) int {
	d := p.d
	j := slot - 1
	if before, ok := p.goneAround(j); ok {
		j = max(before.from-1, 0)
	}
	if !d.isBlockScalar(j) {
		return at
	}
	kept := scalar.ReadBlockHeader(d.src, int(d.n[j].Val)).Chomp == '+'
	to := at
	for q := at; q < d.bodyEnd; q = stream.NextLineStart(d.src, q) {
		line := bytes.TrimRight(d.src[q:d.lineEnd(q)], "\r")
		if len(bytes.TrimSpace(line)) > 0 {
			break
		}
		if kept || len(line) > 0 {
			to = stream.NextLineStart(d.src, q)
		}
	}
	return to
}
