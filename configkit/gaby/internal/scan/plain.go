package scan

import (
	"encoding/binary"
	"math/bits"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
)

// This file is a fast path for almost all lines of almost all documents: a plain key with a plain
// value, or with a collection below it. Its functions record the same nodes as the general scanner.
// They leave anything unusual to it, including every error, and then have changed nothing.
//
// Without the fast path, set-container-image on 10,000 resources takes 12 % more CPU time; without
// examining eight bytes at a time, 11 %.

// plainEntry scans the entry of a block map in column col that begins at pos. It reports false, and
// has done nothing, if the general scanner has to do it.
func (s *scanner) plainEntry(col int) bool {
	src, p := s.src[:s.end], s.pos
	colon := s.plainKey(p)
	if colon < 0 {
		return false
	}
	if src[colon+1] == ' ' {
		return s.plainScalar(p, colon, colon+2, col, scalar.PlainStyle)
	}
	// The colon ends the line, so a block collection must begin on the next one. Anything else
	// there, such as a comment or a scalar, is left to the general scanner.
	q := nextContent(src, colon+2)
	if q < 0 {
		return false
	}
	list := src[q] == '-' && s.blankAt(q+1)
	inner := q - colon - 2
	if list && inner < col || !list && (inner <= col || s.plainKey(q) < 0) {
		return false
	}
	e := int32(len(s.n))
	n := s.more()
	n.Key, n.KeyEnd = uint32(p), uint32(colon)
	n.KeyStyle, n.Flags = scalar.PlainStyle, 0
	s.pos, s.bol = q, colon+2
	if list {
		s.blockList(e, inner)
	} else {
		s.blockMap(e, inner)
	}
	return true
}

// plainItem scans the item of a block list in column col whose dash is at pos, with the same result
// as plainEntry.
func (s *scanner) plainItem(col int) bool {
	src, p := s.src[:s.end], s.pos
	v := p + 2
	if v >= len(src) || src[p+1] != ' ' {
		return false
	}
	if s.plainKey(v) >= 0 {
		e := int32(len(s.n))
		n := s.more()
		n.Key, n.KeyEnd = uint32(p), uint32(p+1)
		n.KeyStyle, n.Flags = scalar.NoStyle, 0
		s.pos = v
		s.blockMap(e, v-s.bol)
		return true
	}
	return s.plainScalar(p, p+1, v, col, scalar.NoStyle)
}

// plainScalar scans the value at v of the entry in column col whose key or dash is known, with the
// same result as plainEntry.
func (s *scanner) plainScalar(key, keyEnd, v, col int, keyStyle scalar.Style) bool {
	feed := s.plainValue(v)
	if feed < 0 {
		return false
	}
	q := nextContent(s.src[:s.end], feed+1)
	if q < 0 || q-feed-1 > col {
		return false
	}
	n := s.more()
	n.Key, n.KeyEnd, n.Val, n.ValEnd, n.Next = uint32(key), uint32(keyEnd), uint32(v), uint32(feed),
		uint32(len(s.n))
	n.Kind, n.Style, n.KeyStyle, n.Flags = ScalarNode, scalar.PlainStyle, keyStyle, 0
	s.pos, s.bol = q, feed+1
	return true
}

// more appends a node without clearing it: setting every field is faster than appending a zero
// node.
func (s *scanner) more() *Node {
	if len(s.n) == cap(s.n) {
		s.push()
	} else {
		s.n = s.n[:len(s.n)+1]
	}
	return &s.n[len(s.n)-1]
}

// plainKey returns the offset of the colon that ends a plain key at p and is followed by a space or
// newline, or -1.
func (s *scanner) plainKey(p int) int {
	src := s.src[:s.end]
	if !beginsPlain(src[p]) {
		return -1
	}
	colon := nextStop(src, p+1)
	if colon+2 >= len(src) || src[colon] != ':' || scalar.Class[src[colon+1]]&scalar.EndsKey == 0 ||
		scalar.IsBlank(src[colon-1]) || colon-p > 1000 {
		return -1
	}
	return colon
}

// plainValue returns the offset of the newline that ends plain text at p without trailing blanks,
// or -1.
func (s *scanner) plainValue(p int) int {
	src := s.src[:s.end]
	if p >= len(src) || !beginsPlain(src[p]) {
		return -1
	}
	feed := nextStop(src, p+1)
	// a colon inside an image name or address
	for feed+1 < len(src) && src[feed] == ':' && scalar.Class[src[feed+1]]&scalar.NotPlain == 0 {
		feed = nextStop(src, feed+1)
	}
	if feed >= len(src) || src[feed] != '\n' {
		return -1
	}
	switch src[feed-1] {
	case ' ', '\t', '\r':
		return -1
	}
	return feed
}

// beginsPlain reports whether c can begin plain text and, whatever follows it, nothing else.
func beginsPlain(c byte) bool {
	return scalar.Class[c]&(scalar.NotPlain|scalar.StopsFlow) == 0 && c != '-'
}

// The loops over plain text examine eight bytes as one number: ones has the lowest bit of each byte
// set, high the highest. A byte of x that is zero sets its highest bit in (x-ones)&^x. The borrow
// can also set that bit in higher bytes that are one, so only the lowest hit is certain (Anderson,
// "Bit Twiddling Hacks": https://graphics.stanford.edu/~seander/bithacks.html#ZeroInWord).
const (
	ones = 0x0101010101010101
	high = 0x8080808080808080
)

// nextStop returns the offset of the next newline, colon or number sign at or after p, or the end.
func nextStop(src []byte, p int) int {
	for ; p+8 <= len(src); p += 8 {
		// Little-endian: the lowest byte is the first of the text, and the lowest hit is certain.
		w := binary.LittleEndian.Uint64(src[p:])
		feed, colon, hash := w^'\n'*ones, w^':'*ones, w^'#'*ones
		if stops := ((feed-ones)&^feed | (colon-ones)&^colon |
			(hash-ones)&^hash) & high; stops != 0 {
			return p + bits.TrailingZeros64(stops)/8
		}
	}
	for p < len(src) && src[p] != '\n' && src[p] != ':' && src[p] != '#' {
		p++
	}
	return p
}

// nextContent returns the offset of the first byte that is not a space in the line that begins at
// p, or -1 if that may not be content.
func nextContent(src []byte, p int) int {
	p = skipSpaces(src, p)
	if p >= len(src) || scalar.Class[src[p]]&scalar.EndsContent != 0 {
		return -1
	}
	return p
}

// skipSpaces returns the offset of the first byte at or after p that is not a space, or the end.
func skipSpaces(src []byte, p int) int {
	for ; p+8 <= len(src); p += 8 {
		if other := binary.LittleEndian.Uint64(src[p:]) ^ ' '*ones; other != 0 {
			return p + bits.TrailingZeros64(other)/8
		}
	}
	for p < len(src) && src[p] == ' ' {
		p++
	}
	return p
}
