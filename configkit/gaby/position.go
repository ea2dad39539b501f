package gaby

import (
	"bytes"
	"unicode/utf8"
)

// lineBlock is how far position looks for line feeds, and how far it counts characters.
const lineBlock = 4096

// textBlock is where a part of a text begins, so that a position costs the same wherever it is, in one long line too.
type textBlock struct {
	start  int // the first byte of a character
	line   int // line feeds before it
	column int // characters before it in its line
}

// position returns the place of byte p of src.
func (d *document) position(p int) Position {
	if d.unit.detached {
		return Position{}
	}
	var from textBlock
	if p >= lineBlock {
		if d.blocks == nil {
			d.blocks = blocksOf(d.src)
		}
		from = d.blocks[p/lineBlock]
		if from.start > p {
			from = d.blocks[p/lineBlock-1]
		}
	}
	at := from.next(d.src, p)
	return Position{Line: d.unit.linesBefore(d.index) + at.line + 1, Column: at.column + 1}
}

// blocksOf divides a text.
func blocksOf(src []byte) []textBlock {
	blocks := make([]textBlock, 1, len(src)/lineBlock+1)
	for start := lineBlock; start <= len(src); start += lineBlock {
		whole := start
		for whole < min(start+utf8.UTFMax-1, len(src)) && !utf8.RuneStart(src[whole]) {
			whole++
		}
		blocks = append(blocks, blocks[len(blocks)-1].next(src, whole))
	}
	return blocks
}

// next is the one that begins at a place further on. A byte order mark at the beginning of a line is no character.
func (b textBlock) next(src []byte, start int) textBlock {
	passed := src[b.start:start]
	next := textBlock{start: start, line: b.line + bytes.Count(passed, []byte{'\n'}), column: b.column}
	if feed := bytes.LastIndexByte(passed, '\n'); feed >= 0 {
		next.column, passed = 0, passed[feed+1:]
	}
	if next.column == 0 {
		passed = bytes.TrimPrefix(passed, []byte("\xef\xbb\xbf"))
	}
	next.column += utf8.RuneCount(passed)
	return next
}
