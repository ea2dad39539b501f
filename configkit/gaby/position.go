package gaby

import (
	"bytes"
	"unicode/utf8"
)

// lineBlock is the distance in bytes between the offsets whose positions are recorded.
const lineBlock = 4096

// textBlock records the position of the beginning of a block of the text, so that a position costs
// the same wherever it is, even on one long line.
type textBlock struct {
	start  int // offset of the first byte of a character
	bol    int // offset of the beginning of its line
	line   int // newlines before it
	column int // characters before it in its line
}

// position returns the position of byte p of src, the zero Position if the text is not from a file.
func (d *document) position(p int) Position {
	if d.unit.detached {
		return Position{}
	}
	at := d.block(p).next(d.src, p)
	return Position{Line: d.unit.linesBefore(d.index) + at.line + 1, Column: at.column + 1}
}

// block returns the block of the text that byte p is in.
func (d *document) block(p int) textBlock {
	if p < lineBlock {
		return textBlock{}
	}
	if d.blocks == nil {
		d.blocks = blocksOf(d.src)
	}
	if block := d.blocks[p/lineBlock]; block.start <= p {
		return block
	}
	return d.blocks[p/lineBlock-1]
}

// blocksOf returns the positions of the blocks of src.
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

// next returns the textBlock at start, which is at or after b.start. A byte order mark at the
// beginning of a line is not a character.
func (b textBlock) next(src []byte, start int) textBlock {
	passed := src[b.start:start]
	next := textBlock{
		start: start, bol: b.bol, line: b.line + bytes.Count(passed, []byte{'\n'}),
		column: b.column,
	}
	if feed := bytes.LastIndexByte(passed, '\n'); feed >= 0 {
		next.bol, next.column, passed = b.start+feed+1, 0, passed[feed+1:]
	}
	if next.column == 0 {
		passed = bytes.TrimPrefix(passed, []byte("\xef\xbb\xbf"))
	}
	next.column += utf8.RuneCount(passed)
	return next
}
