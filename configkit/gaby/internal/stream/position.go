package stream

import (
	"bytes"
	"unicode/utf8"
)

// BlockSize is the distance in bytes between the offsets whose positions are recorded.
const BlockSize = 4096

// Block records the position of the beginning of a block of a text, so that a position costs the
// same wherever it is, even on one long line.
type Block struct {
	Start  int // offset of the first byte of a character
	BOL    int // offset of the beginning of its line
	Line   int // newlines before it
	Column int // characters before it in its line
}

// Blocks are the blocks of a text, none before the first position that is not in the first block.
type Blocks struct{ list []Block }

// Of returns the block of src that byte p is in. src is the same text for all calls.
func (b *Blocks) Of(src []byte, p int) Block {
	if p < BlockSize {
		return Block{}
	}
	if b.list == nil {
		b.list = make([]Block, 1, len(src)/BlockSize+1)
		for start := BlockSize; start <= len(src); start += BlockSize {
			whole := start
			for whole < min(start+utf8.UTFMax-1, len(src)) && !utf8.RuneStart(src[whole]) {
				whole++
			}
			b.list = append(b.list, b.list[len(b.list)-1].Next(src, whole))
		}
	}
	if block := b.list[p/BlockSize]; block.Start <= p {
		return block
	}
	return b.list[p/BlockSize-1]
}

// Next returns the Block at start, which is at or after b.Start. A byte order mark at the beginning
// of a line is not a character.
func (b Block) Next(src []byte, start int) Block {
	passed := src[b.Start:start]
	next := Block{
		Start: start, BOL: b.BOL, Line: b.Line + bytes.Count(passed, []byte{'\n'}),
		Column: b.Column,
	}
	if feed := bytes.LastIndexByte(passed, '\n'); feed >= 0 {
		next.BOL, next.Column, passed = b.Start+feed+1, 0, passed[feed+1:]
	}
	if next.Column == 0 {
		passed = bytes.TrimPrefix(passed, []byte("\xef\xbb\xbf"))
	}
	next.Column += utf8.RuneCount(passed)
	return next
}
