package gaby

import (
	"bytes"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/stream"
)

// headStart returns the offset at which the lines of entry slot begin, including the comments
// directly above it at its indentation. Commented-out items of the list above, and remarks before
// these, belong to the entry above. Commented-out entries of the collection of slot belong to no
// entry.
func (d *document) headStart(slot int32) int {
	start := d.entryStart(slot)
	bol := d.lineStart(start)
	col := start - bol
	floor := d.endBefore(slot)
	items, keys := false, false
	isItem := d.n[slot].KeyStyle == scalar.NoStyle
	for bol > floor {
		above := d.lineStart(bol - 1)
		line := d.src[above : bol-1]
		if len(line) <= col || line[col] != '#' || len(bytes.TrimLeft(line[:col], " ")) > 0 ||
			above < floor {
			break
		}
		items = items || stream.CommentedDash(line[col:]) >= 0
		keys = keys || !isItem && stream.CommentedKey(line[col:]) >= 0
		bol = above
	}
	if items {
		if above := d.entryAbove(slot); above > 0 {
			bol = max(bol, d.commentsEnd(above, true))
		}
	}
	if slot > 0 && (items && isItem || keys) {
		bol = stream.CommentedEnd(d.src, bol, start-col, isItem)
	}
	return bol
}

// endBefore returns the end of the last token before entry slot: a value, a key or a dash.
func (d *document) endBefore(slot int32) int {
	if slot == 0 {
		return d.bodyStart
	}
	before := d.n[slot-1]
	if int32(before.Next) <= slot { // not the collection around the entry
		return int(max(before.KeyEnd, before.ValEnd))
	}
	return int(before.KeyEnd)
}

// entryAbove returns the entry before slot in its collection, 0 if slot is the first.
func (d *document) entryAbove(slot int32) int32 {
	above := int32(0)
	for j := slot - 1; j > 0 && int32(d.n[j].Next) <= slot; j-- {
		if int32(d.n[j].Next) == slot {
			above = j
		}
	}
	return above
}

// entryEnd returns the end of the lines of entry slot, including the newline.
func (d *document) entryEnd(slot int32) int {
	n := &d.n[slot]
	end := int(max(n.ValEnd, n.KeyEnd))
	if end > 0 && d.src[end-1] == '\n' { // a block scalar that keeps its newlines
		return end
	}
	end = d.lineEnd(end)
	return min(end+1, len(d.src))
}

// ownedEnd returns the end of the lines of entry slot and of the comments below it that belong to
// its value: those indented deeper than the entry and, directly below the key of a list or of no
// value, commented-out items at its indentation.
func (d *document) ownedEnd(slot int32) int { return d.commentsEnd(slot, false) }

// commentsEnd returns the end of the comments below entry slot that belong to its value. With all,
// commented-out items belong to it even after blank lines and remarks at its indentation.
func (d *document) commentsEnd(slot int32, all bool) int {
	end := d.entryEnd(slot)
	col := d.column(d.entryStart(slot))
	n := &d.n[slot]
	dash := -1 // offset of the dash from the "#" of the current commented-out item, -1 for none
	hasItems := n.KeyStyle != scalar.NoStyle &&
		(n.Kind == scan.ListNode || n.Kind == scan.ScalarNode && n.Style == scalar.NoStyle)
	all = all && hasItems
	attached := hasItems
	remark := false // the lines from end on begin with a remark
	// end advances only past lines that belong to the value. Remarks before a commented-out item
	// are included when that item is found; remarks at the end stay outside.
	for p := end; p < d.bodyEnd; p = stream.NextLineStart(d.src, p) {
		line := bytes.TrimRight(d.src[p:d.lineEnd(p)], "\r")
		text := bytes.TrimLeft(line, " \t")
		indent := len(line) - len(text)
		if len(text) == 0 {
			attached = all
			continue
		}
		if text[0] != '#' || indent < col {
			break
		}
		if indent == col {
			if at := stream.CommentedDash(text); at >= 0 {
				dash, remark = at, false
			} else if dash < 0 || len(text) <= dash ||
				len(bytes.TrimLeft(text[1:dash+1], " ")) > 0 {
				dash, remark = -1, true
			}
			if !attached || remark && !all {
				break
			}
		}
		if !remark {
			end = stream.NextLineStart(d.src, p)
		}
	}
	return end
}
