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
	cur := Part{Body: p, BodyEnd: -1}
	var content, closed bool // state of cur: has content; a "..." line was seen
	restart := 0             // once closed: offset at which the next document begins
	finish := func(end int) {
		cur.End = end
		if cur.BodyEnd < 0 {
			cur.BodyEnd = end
		}
		parts = append(parts, cur)
	}
	begin := func() { // content after "..." without "---" begins a document too
		if !closed {
			return
		}
		if content {
			finish(restart)
			cur = Part{Start: restart}
		}
		cur.Body, cur.BodyEnd, closed, content = restart, -1, false, false
	}
	for p < len(text) {
		c := text[p]
		switch {
		case (c == '-' || c == '.') && IsMarker(text, p):
			if c == '.' {
				if !closed {
					cur.BodyEnd = p
				}
				closed = true
				p = NextLineStart(text, p)
				restart = p
				continue
			}
			if content {
				end := p
				if closed {
					end = restart
				}
				finish(end)
				cur = Part{Start: end, BodyEnd: -1}
			}
			cur.Body, cur.BodyEnd = p+3, -1
			content, closed = LineHasContent(text, p+3), false
			cur.List = content // the full header check decides
		case c == '#' || c == '\n' || c == '%' && (!content || closed):
		case c == ' ' || c == '\t' || c == '\r':
			if (!content || closed) && LineHasContent(text, p) {
				begin()
				content = true
			}
		default:
			begin()
			cur.see(text[p:])
			if (c == '{' || c == '"') && !content {
				// in flow style the kind may be anywhere; the full header check decides
				cur.List = true
			}
			content = true
		}
		// Inside a document only lines that do not begin with a space can matter: the others are
		// skipped by their newline.
		if content && !closed {
			p = nextOuterLine(text, p)
		} else {
			p = NextLineStart(text, p)
		}
	}
	switch {
	case content:
		finish(len(text))
	case len(parts) > 0:
		last := &parts[len(parts)-1]
		last.End = len(text)
	default:
		cur.List = false
		finish(len(text))
	}
	return parts
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
