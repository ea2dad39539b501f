package scan

import (
	"bytes"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
)

// plainLine reads plain text in block context up to the end of its line. end is the offset after
// its last character that is not blank. stop is the offset of what ended it: a colon followed by a
// blank, a comment, a newline, or the end.
func (s *scanner) plainLine(p int) (end, stop int) {
	src := s.src[:s.end]
	q := nextStop(src, p)
loop:
	for ; q < len(src); q = nextStop(src, q+1) {
		switch src[q] {
		case '\n':
			break loop
		case ':':
			if s.blankAt(q + 1) {
				break loop
			}
		case '#':
			if q > p && scalar.IsBlank(src[q-1]) {
				break loop
			}
		}
	}
	return scalar.TrimBlanks(src, p, q), q
}

// plainRest continues plain text whose first line ended at end and stopped at stop with the lines
// that are indented deeper than indent, and moves to the next content. It returns the end of the
// text and whether it has several lines.
//
// A comment ends the text: lines after it would be new content. Tabs deeper than indent are blanks
// before a continuation line, so tabsFrom allows them while the lines are read.
func (s *scanner) plainRest(end, stop, indent int) (int, bool) {
	s.pos = stop
	if stop >= s.end || s.src[stop] == '#' {
		s.gap()
		return end, false
	}
	s.comment = false
	s.tabsFrom = indent + 1
	s.nextLine()
	multi := false
	for s.pos < s.end && s.pos-s.bol > indent && !s.comment {
		var stop int
		multi = true
		end, stop = s.plainLine(s.pos)
		s.pos = stop
		if stop < s.end && s.src[stop] == ':' {
			s.failHint(stop, "a map cannot begin inside plain text",
				`check the indentation, or put text with ": " in quotes`)
		}
		if stop < s.end && s.src[stop] == '#' {
			s.gap()
			break
		}
		s.nextLine()
	}
	s.tabsFrom = maxColumn
	return end, multi
}

// quoted reads quoted text from its quote at p. It returns the offset after the closing quote and
// whether the text has several lines.
func (s *scanner) quoted(p int) (end int, multi bool) {
	// Only the extent of the text is found here; it is decoded when somebody reads the value. So
	// the scanner must find each end and refuse each bad escape that decoding would.
	quote := s.src[p]
	q := p + 1
	for q < s.end {
		switch c := s.src[q]; {
		case c == quote:
			if quote == '"' || q+1 >= s.end || s.src[q+1] != '\'' {
				return q + 1, multi
			}
			q++ // '' is an escaped quote
		case c == '\n':
			multi = true
			s.bol = q + 1
		case c == '\\' && quote == '"':
			q = s.escape(q)
			if q < s.end && s.src[q] == '\n' {
				multi = true
				s.bol = q + 1
			}
		}
		q++
	}
	s.failHint(p, "unclosed "+string(rune(quote)), "close it with "+string(rune(quote)))
	return 0, false
}

// escape checks the escape sequence whose backslash is at p and returns the offset of its last
// byte.
func (s *scanner) escape(p int) int {
	p++
	if p >= s.end {
		return p
	}
	digits := 0
	switch s.src[p] {
	case '0', 'a', 'b', 't', '\t', 'n', 'v', 'f', 'r', 'e', ' ', '"', '/', '\\', 'N', '_', 'L', 'P',
		'\n':
		return p
	case '\r':
		return p + 1
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	case '\'':
		s.unsupported(p-1, `the escape \'`)
	default:
		s.failHint(p-1, "unknown escape sequence in double quotes",
			`write \\ for a backslash, or use single quotes`)
	}
	r, ok := scalar.HexRune(s.src[p+1:s.end], digits)
	if !ok {
		s.fail(p-1, "an escape sequence with too few hexadecimal digits")
	}
	if next := p + 1 + digits; digits == 4 && r >= 0xd800 && r < 0xdc00 &&
		bytes.HasPrefix(s.src[next:s.end], []byte(`\u`)) {
		// JSON writes characters beyond 16 bits as two surrogates.
		if low, ok := scalar.HexRune(s.src[next+2:s.end], 4); ok && low >= 0xdc00 && low <= 0xdfff {
			return next + 5
		}
	}
	if r < 0 || r > 0x10ffff || r >= 0xd800 && r <= 0xdfff {
		s.fail(p-1, "an escape sequence that is not a Unicode character")
	}
	return p + digits
}

// blockScalar scans a literal or folded scalar inside a collection in column indent. Lines with
// text are indented by at least depth; the first line with text that is indented less ends the
// scalar.
func (s *scanner) blockScalar(e int32, indent int) {
	p := s.pos
	st := scalar.LiteralStyle
	if s.src[p] == '>' {
		st = scalar.FoldedStyle
	}
	h := scalar.ReadBlockHeader(s.src[:s.end], p)
	q := s.skipBlanks(h.End)
	if q < s.end && s.src[q] == '#' {
		if q == h.End {
			s.unsupported(q, "a comment without a blank before it")
		}
		q = s.lineEnd(q)
	}
	if q < s.end && s.src[q] == '\r' {
		q++
	}
	if q < s.end && s.src[q] != '\n' {
		s.failHint(q, "unexpected text after the block scalar indicator",
			"begin the text on the next line")
	}
	headEnd := scalar.TrimBlanks(s.src, p, h.End)
	// The text goes from the header to the last line that has text. Blank lines after it belong to
	// the text only with "+"; with another indicator they are space before the next entry, which
	// must not be copied or deleted with the value.
	textEnd, tail := q, q // newline of the last line with text; end of the blank lines after it
	depth := 0
	if h.Indent > 0 {
		depth = max(indent, 0) + h.Indent
	} else {
		depth = s.blockIndent(q, indent)
	}
	last := headEnd
	for q < s.end {
		bol := q + 1
		c := bol
		for c < s.end && c-bol < depth && s.src[c] == ' ' {
			c++
		}
		if c >= s.end {
			break
		}
		eol := s.lineEnd(c)
		switch {
		case s.src[c] == '\n' || s.src[c] == '\r' && c+1 == eol:
		case c-bol == depth:
			textEnd = eol
			last = eol
			if s.src[eol-1] == '\r' {
				last--
			}
		case s.src[c] == '\t':
			s.failHint(c, "a tab in the indentation of a block scalar", "replace it by spaces")
		default:
			eol = -1
		}
		if eol < 0 {
			break
		}
		q = eol
		tail = eol
	}
	s.scalar(e, p, last, st, true)
	if h.Chomp == '+' { // with "+" the blank lines belong to the text
		if tail < s.end {
			tail++
		}
		if tail > last {
			s.n[e].ValEnd = uint32(tail)
		}
	}
	s.pos = textEnd
	s.bol = LineStart(s.src, textEnd)
	s.nextLine()
}

// blockIndent returns the indentation of the text of a block scalar whose header line ends at q:
// that of the first line with text or, if there is no text, that of the longest blank line but more
// than indent.
func (s *scanner) blockIndent(q, indent int) int {
	blanks := 0
	for q < s.end {
		bol := q + 1
		c := bol
		for c < s.end && s.src[c] == ' ' {
			c++
		}
		if c >= s.end {
			blanks = max(blanks, c-bol)
			break
		}
		eol := s.lineEnd(c)
		if s.src[c] == '\n' || s.src[c] == '\r' && c+1 == eol {
			blanks = max(blanks, c-bol)
			q = eol
			continue
		}
		if c == bol && indent < 0 {
			if s.src[c] == '#' { // a comment to yaml.v3, text in YAML 1.2
				s.unsupported(c, "a block scalar whose first line begins with #")
			}
			return 0
		}
		if c-bol <= indent {
			if s.src[c] == '\t' {
				s.failHint(c, "a tab in the indentation of a block scalar", "replace it by spaces")
			}
			break
		}
		// The specification forbids this, because the blank lines would be text of another
		// indentation.
		if blanks > c-bol {
			s.fail(c, "a block scalar whose first lines are blank and longer than its indentation")
		}
		return c - bol
	}
	return max(blanks, indent+1, 1)
}
