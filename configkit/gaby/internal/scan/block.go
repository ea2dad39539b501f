package scan

import (
	"bytes"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
)

// blockContext describes which block collections may begin after an indicator.
type blockContext uint8

const (
	// atLineStart: pos is at a line start, as at the root of a document without "---".
	atLineStart blockContext = 1 << iota
	// compactOK: a block collection may begin on this line, after a dash or the colon of an
	// explicit key.
	compactOK
	// sameColumn: a list may begin in the column of the enclosing map, as the value of its entry.
	sameColumn
)

// value scans the value of entry e. pos is directly after the colon, the dash or "---". indent is
// the column of the enclosing block collection (-1 at the root); lines of the value below the first
// must be indented deeper.
func (s *scanner) value(e int32, indent int, where blockContext) {
	start := s.pos
	blockAllowed := where&(compactOK|atLineStart) != 0
	if where&atLineStart != 0 {
		s.pos = s.bol - 1 // nextLine begins at a newline
		if s.nextLine(); s.pos >= s.end {
			s.empty(e, start)
			return
		}
	}
	// An anchor and a tag can come in either order, with newlines before the value. Each turn skips
	// blanks and newlines and reads at most one of the two.
	propsLine := -1 // start of the line of an anchor or tag
	for {
		p := s.skipBlanks(s.pos)
		if p >= s.end || s.src[p] == '\n' || s.src[p] == '\r' || s.src[p] == '#' {
			s.gap()
			col := s.pos - s.bol
			if s.pos >= s.end || col <= indent && (col < indent || where&sameColumn == 0 ||
				!s.dash()) {
				s.empty(e, start)
				return
			}
			blockAllowed = true
		} else {
			if where&compactOK != 0 && bytes.IndexByte(s.src[s.pos:p], '\t') >= 0 {
				// the column of a block collection would depend on the width of the tab
				blockAllowed = false
			}
			s.pos = p
		}
		c := s.src[s.pos]
		if c != '&' && c != '!' {
			break
		}
		if propsLine >= 0 && propsLine != s.bol {
			s.unsupported(s.pos, "an anchor and a tag on different lines")
		}
		propsLine = s.bol
		s.props(e)
		start = s.pos
		blockAllowed = false
	}
	s.content(e, indent, blockAllowed, propsLine == s.bol)
}

// dash reports whether a list item begins at pos.
func (s *scanner) dash() bool { return s.src[s.pos] == '-' && s.blankAt(s.pos+1) }

// empty records a value without text at p, which is null.
func (s *scanner) empty(e int32, p int) {
	n := &s.n[e]
	n.Kind, n.Style = ScalarNode, scalar.NoStyle
	n.Val, n.ValEnd = uint32(p), uint32(p)
	n.Next = uint32(len(s.n))
}

// content scans the value that begins at pos. blockAllowed says that a block collection may begin
// here, afterProps that an anchor or tag precedes it on the same line.
//
// The first byte tells all values apart except two: quoted and plain text may be a scalar or the
// first key of a map. A colon after it on the same line decides.
func (s *scanner) content(e int32, indent int, blockAllowed, afterProps bool) {
	p := s.pos
	c := s.src[p]
	switch c {
	case '-', '?':
		if s.blankAt(p + 1) {
			if !blockAllowed {
				s.failHint(p, "a block list or map cannot begin here", "begin it on a new line")
			}
			if c == '-' {
				s.blockList(e, p-s.bol)
			} else {
				s.blockMap(e, p-s.bol)
			}
			return
		}
	case '|', '>':
		s.blockScalar(e, indent)
		return
	case '"', '\'':
		end, multi := s.quoted(p)
		if s.colonAfter(end) {
			s.keyHere(p, blockAllowed, afterProps, multi)
			s.blockMap(e, p-s.bol)
			return
		}
		s.scalar(e, p, end, quoteStyle(c), multi)
		s.pos = end
		s.gap()
		return
	case '[', '{':
		s.flowCollection(e)
		if s.colonAfter(s.pos) {
			s.unsupported(p, "a collection as a key")
		}
		s.gap()
		return
	case '*':
		if s.colonAfter(s.nameEnd(p + 1)) {
			s.unsupported(p, "an alias as a key")
		}
		end := s.alias(e)
		s.pos = end
		s.gap()
		return
	case ':':
		if s.blankAt(p + 1) {
			s.unsupported(p, "an empty key")
		}
	default:
		if scalar.Class[c]&scalar.NotPlain != 0 {
			s.failHint(p, "a value cannot begin with "+string(rune(c)), "put the text in quotes")
		}
	}
	// This is plain text: a key if a colon ends it on this line, else a scalar that may continue on
	// the lines below.
	end, stop := s.plainLine(p)
	if stop < s.end && s.src[stop] == ':' {
		s.keyHere(p, blockAllowed, afterProps, false)
		s.blockMap(e, p-s.bol)
		return
	}
	end, multi := s.plainRest(end, stop, indent)
	s.scalar(e, p, end, scalar.PlainStyle, multi)
}

// keyHere refuses a map that begins at p where it cannot.
func (s *scanner) keyHere(p int, blockAllowed, afterProps, multi bool) {
	switch {
	case multi:
		s.fail(p, "a key must be on one line")
	case afterProps:
		s.unsupported(p, "an anchor or tag on a key")
	case !blockAllowed:
		s.failHint(p, "a map cannot begin on this line", `put text with ": " in quotes`)
	}
}

// quoteStyle returns the style of text quoted with c.
func quoteStyle(c byte) scalar.Style {
	if c == '"' {
		return scalar.DoubleStyle
	}
	return scalar.SingleStyle
}

// colonAfter reports whether the token that ended at p is a key: blanks and a colon follow on its
// line.
func (s *scanner) colonAfter(p int) bool {
	p = s.skipBlanks(p)
	return p < s.end && s.src[p] == ':' && s.blankAt(p+1)
}

// scalar records the scalar src[start:end] as the value of entry e.
func (s *scanner) scalar(e int32, start, end int, st scalar.Style, multi bool) {
	n := &s.n[e]
	n.Kind, n.Style = ScalarNode, st
	n.Val, n.ValEnd = uint32(start), uint32(end)
	n.Next = uint32(len(s.n))
	if multi {
		n.Flags |= MultiLine
	}
	if st == scalar.SingleStyle || st == scalar.DoubleStyle {
		for _, p := range s.tree.Separators {
			if int(p) > start && int(p) < end {
				s.quotedSep++
			}
		}
	}
}

// blockMap scans a block map whose first key is at pos, in column col. The map ends at content in
// another column: further left it belongs to a collection around it, further right it is an error.
func (s *scanner) blockMap(i int32, col int) {
	s.down()
	m := &s.n[i]
	m.Kind, m.Style = MapNode, scalar.PlainStyle
	m.Val = uint32(s.pos)
	last := 0
	merge := false
	var keys keySet
	for {
		e := int32(len(s.n))
		if !s.plainEntry(col) {
			s.push()
			s.key(e, col)
			where := sameColumn
			if s.n[e].Flags&ExplicitKey != 0 {
				where |= compactOK
			}
			s.value(e, col, where)
		}
		n := &s.n[e]
		last = int(max(n.ValEnd, n.KeyEnd))
		keys.add(s.src, n)
		if n.KeyStyle == scalar.PlainStyle && n.KeyEnd-n.Key == 2 && s.src[n.Key] == '<' &&
			s.src[n.Key+1] == '<' {
			merge = true
		}
		if s.pos >= s.end {
			break
		}
		if c := s.pos - s.bol; c != col {
			if c > col {
				s.failHint(s.pos, "wrong indentation",
					"the keys of a map must begin in the same column")
			}
			break
		}
		if s.dash() {
			s.fail(s.pos, "a list item where a key was expected")
		}
	}
	// The slab may have moved while the entries were scanned.
	m = &s.n[i]
	m.ValEnd = uint32(last)
	m.Next = uint32(len(s.n))
	if merge {
		m.Flags |= HasMerge
		s.checkMerge(i)
	}
	if keys.doubt {
		s.checkDuplicates(i)
	}
	s.depth--
}

// key scans the key of entry e including its colon.
func (s *scanner) key(e int32, col int) {
	p := s.pos
	n := &s.n[e]
	n.Key = uint32(p)
	c := s.src[p]
	var end int
	switch {
	case c == '"' || c == '\'':
		q, multi := s.quoted(p)
		if multi {
			s.fail(p, "a key must be on one line")
		}
		n.KeyStyle = quoteStyle(c)
		n.KeyEnd = uint32(q)
		end = q
		if q = s.skipBlanks(q); q >= s.end || s.src[q] != ':' {
			s.failHint(p, "a key without a colon", `a key is followed by ": "`)
		}
		s.pos = q + 1
		if !s.blankAt(q + 1) {
			s.failHint(q, "a colon without a blank after it", `a key is followed by ": "`)
		}
	case c == '?' && s.blankAt(p+1):
		s.complexKey(e, col)
		return
	case c == '&', c == '!':
		s.unsupported(p, "an anchor or tag on a key")
	case c == '*':
		s.unsupported(p, "an alias as a key")
	case c == '[', c == '{':
		s.unsupported(p, "a collection as a key")
	case c == ':' && s.blankAt(p+1):
		s.unsupported(p, "an empty key")
	case scalar.Class[c]&scalar.NotPlain != 0:
		s.failHint(p, "a key cannot begin with "+string(rune(c)), "put the key in quotes")
	default:
		var stop int
		end, stop = s.plainLine(p)
		if stop >= s.end || s.src[stop] != ':' {
			s.failHint(p, "a key without a colon", `a key is followed by ": "`)
		}
		n.KeyStyle = scalar.PlainStyle
		n.KeyEnd = uint32(end)
		s.pos = stop + 1
	}
	if end-p > 1000 {
		s.unsupported(p, "a key of more than 1,000 bytes")
	}
}

// complexKey scans "? key" and the ":" on the line below.
func (s *scanner) complexKey(e int32, col int) {
	p := s.pos
	q := p + 1
	for q < s.end && s.src[q] == ' ' {
		q++
	}
	if q >= s.end || s.src[q] == '\n' || s.src[q] == '\r' || s.src[q] == '\t' {
		s.unsupported(p, "an explicit key without text on its line")
	}
	n := &s.n[e]
	n.Flags |= ExplicitKey
	n.Key = uint32(q)
	switch c := s.src[q]; {
	case c == '"' || c == '\'':
		end, multi := s.quoted(q)
		if multi {
			s.unsupported(q, "an explicit key over several lines")
		}
		n.KeyStyle, n.KeyEnd = quoteStyle(c), uint32(end)
		if s.colonAfter(end) {
			s.unsupported(q, "a collection as a key")
		}
		s.pos = end
	case scalar.Class[c]&scalar.NotPlain != 0 ||
		(c == '-' || c == '?' || c == ':') && s.blankAt(q+1):
		s.unsupported(q, "an explicit key that is not plain or quoted text")
	default:
		end, stop := s.plainLine(q)
		if stop < s.end && s.src[stop] == ':' {
			s.unsupported(q, "a collection as a key")
		}
		n.KeyStyle, n.KeyEnd = scalar.PlainStyle, uint32(end)
		s.pos = end
	}
	s.gap()
	if s.pos < s.end {
		c := s.pos - s.bol
		if c > col {
			s.unsupported(q, "an explicit key over several lines")
		}
		if c == col && s.src[s.pos] == ':' && s.blankAt(s.pos+1) {
			s.pos++
			return // the value may be a compact collection, as after a dash
		}
	}
	s.unsupported(p, "an explicit key without a value")
}

// blockList scans a block list whose first dash is at pos, in column col.
func (s *scanner) blockList(i int32, col int) {
	s.down()
	m := &s.n[i]
	m.Kind, m.Style = ListNode, scalar.PlainStyle
	m.Val = uint32(s.pos)
	last := 0
	for {
		e := int32(len(s.n))
		if !s.plainItem(col) {
			s.push()
			n := &s.n[e]
			n.Key, n.KeyEnd = uint32(s.pos), uint32(s.pos+1)
			s.pos++
			s.value(e, col, compactOK)
		}
		n := &s.n[e]
		last = int(max(n.ValEnd, n.KeyEnd))
		if s.pos >= s.end {
			break
		}
		if c := s.pos - s.bol; c != col {
			if c > col {
				s.failHint(s.pos, "wrong indentation",
					"the items of a list must begin in the same column")
			}
			break
		}
		if !s.dash() {
			// the next key of the map that has this list as a value; blockMap checks the column
			break
		}
	}
	m = &s.n[i]
	m.ValEnd = uint32(last)
	m.Next = uint32(len(s.n))
	s.depth--
}

// down enters one level of nesting and enforces the limit.
func (s *scanner) down() {
	s.depth++
	if s.depth > s.limits.Depth {
		s.fail(s.pos, "too many maps and lists inside each other")
	}
}
