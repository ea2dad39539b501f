// Package stream examines the text of a unit before it is scanned: it splits it into documents,
// finds offsets to cut between documents, and reads the header of a document.
//
// Invariants: no function makes nodes. Split is exact. Cut and ScanHeader either are certain or
// give up; then the full scanner decides.
//
// Layer: document.
package stream

import (
	"bytes"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
)

// ListSuffix ends the kind of a list of resources. The kind is List, whose items have a kind of
// their own, or the kind of the items plus List, such as RoleBindingList.
const ListSuffix = "List"

// Part is a document found by Split: the span of its bytes and the span of its content.
type Part struct {
	Start, End    int
	Body, BodyEnd int
	List          bool // the document may be a list of resources
	// keys has a bit for each of apiVersion, kind and metadata that was seen in the first column.
	keys uint8
	// Odd says that one of the keys is repeated or may be spelled differently: a separator may be
	// missing.
	Odd bool
}

// see records the key of a line that begins with content in the first column.
func (p *Part) see(line []byte) {
	var key string
	var bit uint8
	switch line[0] {
	case 'a':
		key, bit = "apiVersion", 1
	case 'k':
		key, bit = "kind", 2
	case 'm':
		key, bit = "metadata", 4
	case '"', '\'', '?', '&', '!', '*', '{', '[':
		p.Odd = true
		return
	default:
		return
	}
	if len(line) > len(key) && string(line[:len(key)]) == key &&
		(line[len(key)] == ':' || scalar.IsBlank(line[len(key)])) {
		p.Odd = p.Odd || p.keys&bit != 0
		p.keys |= bit
		if key == "kind" && !p.List {
			rest, _, _ := bytes.Cut(line, []byte{'\n'})
			p.List = bytes.Contains(rest, []byte(ListSuffix))
		}
	}
}

// Split finds the documents of text by the lines that begin with "---" or "..." and appends them to
// parts. No line inside a document can begin with these: YAML forbids it even in quoted and block
// scalars.
//
// A document owns all bytes from its separator to the next one. Empty documents and documents of
// comments only are not documents of their own: their bytes belong to the document that follows, or
// at the end to the last one.
func Split(text []byte, parts []Part) []Part {
	p := 0
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		p = 3
	}
	s := splitter{parts: parts, cur: Part{Body: p, BodyEnd: -1}}
	for p < len(text) {
		c := text[p]
		switch {
		case (c == '-' || c == '.') && IsMarker(text, p):
			if c == '.' {
				if !s.closed {
					s.cur.BodyEnd = p
				}
				p = NextLineStart(text, p)
				s.closed, s.restart = true, p
				continue
			}
			s.separator(p, LineHasContent(text, p+3))
		case c == '#' || c == '\n' || c == '%' && (!s.content || s.closed):
		case c == ' ' || c == '\t' || c == '\r':
			if (!s.content || s.closed) && LineHasContent(text, p) {
				s.begin()
				s.content = true
			}
		default:
			s.begin()
			s.cur.see(text[p:])
			if (c == '{' || c == '"') && !s.content {
				// in flow style the kind may be anywhere; the full header check decides
				s.cur.List = true
			}
			s.content = true
		}
		// Inside a document only lines that do not begin with a space can matter: the others are
		// skipped by their newline.
		if s.content && !s.closed {
			p = nextOuterLine(text, p)
		} else {
			p = NextLineStart(text, p)
		}
	}
	switch {
	case s.content:
		s.finish(len(text))
	case len(s.parts) > 0:
		last := &s.parts[len(s.parts)-1]
		last.End = len(text)
	default:
		s.cur.List = false
		s.finish(len(text))
	}
	return s.parts
}

// splitter is the state of Split between two lines.
type splitter struct {
	parts   []Part
	cur     Part
	content bool // cur has content
	closed  bool // a "..." line ended cur
	restart int  // once closed: offset at which the next document begins
}

// finish adds cur, which ends at offset end.
func (s *splitter) finish(end int) {
	s.cur.End = end
	if s.cur.BodyEnd < 0 {
		s.cur.BodyEnd = end
	}
	s.parts = append(s.parts, s.cur)
}

// begin begins a document with content that follows "..." without "---".
func (s *splitter) begin() {
	if !s.closed {
		return
	}
	if s.content {
		s.finish(s.restart)
		s.cur = Part{Start: s.restart}
	}
	s.cur.Body, s.cur.BodyEnd, s.closed, s.content = s.restart, -1, false, false
}

// separator begins a document with the "---" at offset p, whose line has content or not.
func (s *splitter) separator(p int, content bool) {
	if s.content {
		end := p
		if s.closed {
			end = s.restart
		}
		s.finish(end)
		s.cur = Part{Start: end, BodyEnd: -1}
	}
	s.cur.Body, s.cur.BodyEnd = p+3, -1
	s.content, s.closed = content, false
	s.cur.List = content // the full header check decides
}

// NextLineStart returns the offset after the newline of the line of p, or the end of text.
func NextLineStart(text []byte, p int) int {
	if i := bytes.IndexByte(text[p:], '\n'); i >= 0 {
		return p + i + 1
	}
	return len(text)
}

// nextOuterLine returns the start of the next line that does not begin with a space, or the end of
// text.
func nextOuterLine(text []byte, p int) int {
	for p < len(text) {
		if p = NextLineStart(text, p); p < len(text) && text[p] != ' ' {
			break
		}
	}
	return p
}

// IsMarker reports whether a document marker ("---" or "...") is at p, which is the start of a
// line.
func IsMarker(text []byte, p int) bool {
	if p+3 > len(text) || text[p] != '-' && text[p] != '.' || text[p+1] != text[p] ||
		text[p+2] != text[p] {
		return false
	}
	if p+3 == len(text) {
		return true
	}
	switch text[p+3] {
	case ' ', '\t', '\n', '\r':
		return true
	}
	return false
}

// LineHasContent reports whether the rest of the line from p has more than blanks and a comment.
func LineHasContent(text []byte, p int) bool {
	for ; p < len(text); p++ {
		switch text[p] {
		case ' ', '\t', '\r':
		case '\n', '#':
			return false
		default:
			return true
		}
	}
	return false
}
