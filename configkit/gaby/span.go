package gaby

import (
	"bytes"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/stream"
)

// headStart returns where the lines of entry slot begin, the comments directly above it at its indentation included. Items of the
// list above that are commented out are not among them, nor are remarks before these.
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
	items := false
	for bol > floor {
		above := d.lineStart(bol - 1)
		line := d.src[above : bol-1]
		if len(line) <= col || line[col] != '#' || len(bytes.TrimLeft(line[:col], " ")) > 0 || above < floor {
			break
		}
		items = items || commentedDash(line[col:]) >= 0
		bol = above
	}
	if items {
		if above := d.entryAbove(slot); above > 0 {
			bol = max(bol, d.commentsEnd(above, true))
		}
	}
	return bol
}

// entryAbove returns the entry in front of slot in its collection, 0 when slot is the first.
func (d *document) entryAbove(slot int32) int32 {
	above := int32(0)
	for j := slot - 1; j > 0 && int32(d.n[j].next) <= slot; j-- {
		if int32(d.n[j].next) == slot {
			above = j
		}
	}
	return above
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

// ownedEnd returns the end of the lines of entry slot and of the comments below it that belong to its value: those that are indented
// deeper than the entry, and directly below the key of a list, or of no value, items that are commented out at its indentation.
func (d *document) ownedEnd(slot int32) int { return d.commentsEnd(slot, false) }

// commentsEnd returns the end of the comments below entry slot that belong to its value. With all, items that are commented out belong to
// it also after blank lines and remarks at its indentation.
func (d *document) commentsEnd(slot int32, all bool) int {
	end := d.entryEnd(slot)
	col := d.column(d.entryStart(slot))
	n := &d.n[slot]
	dash := -1 // how far it is from the # of the item that is commented out
	hasItems := n.keyStyle != scalar.NoStyle && (n.kind == listNode || n.kind == scalarNode && n.style == scalar.NoStyle)
	all = all && hasItems
	attached := hasItems
	remark := false // whether the lines from end on begin with a remark
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
			if at := commentedDash(text); at >= 0 {
				dash, remark = at, false
			} else if dash < 0 || len(text) <= dash || len(bytes.TrimLeft(text[1:dash+1], " ")) > 0 {
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

// commentedDash returns where the dash is in a comment such as "# - a", and -1 when the comment is not an item of a list.
func commentedDash(comment []byte) int {
	text := bytes.TrimLeft(comment[1:], " ")
	if len(text) == 0 || text[0] != '-' || len(text) > 1 && text[1] != ' ' && text[1] != '\r' {
		return -1
	}
	return len(comment) - len(text)
}
