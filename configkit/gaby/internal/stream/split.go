// Package stream looks at the text of a unit before it is scanned: it finds documents, places to cut between them, and the header of
// a document.
//
// Invariants: nothing here makes nodes. Split is exact. Cut and ScanHeader are certain or give up; then the scanner decides.
package stream

import (
	"bytes"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
)

// ListSuffix ends the kind of a list of resources: List itself, whose items say what they are, or that of the items with it,
// as in RoleBindingList.
const ListSuffix = "List"

// Part is one document found by split: the span of its bytes and of its content.
type Part struct {
	Start, End    int
	Body, BodyEnd int
	List          bool  // may be a list of resources
	keys          uint8 // which of apiVersion, kind and metadata there are in the first column, as bits
	Odd           bool  // one of them is there twice, or may be in another spelling: a separator may be missing
}

// see looks at a line that begins with content.
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
	if len(line) > len(key) && string(line[:len(key)]) == key && (line[len(key)] == ':' || scalar.IsBlank(line[len(key)])) {
		p.Odd = p.Odd || p.keys&bit != 0
		p.keys |= bit
		if key == "kind" && !p.List {
			rest, _, _ := bytes.Cut(line, []byte{'\n'})
			p.List = bytes.Contains(rest, []byte(ListSuffix))
		}
	}
}

// Split finds the documents of text by its lines that begin with "---" or "...". Nothing inside a document can begin a line
// with these: YAML forbids it even in quoted and literal text. They are appended to parts.
func Split(text []byte, parts []Part) []Part {
	p := 0
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		p = 3
	}
	cur := Part{Body: p, BodyEnd: -1}
	var content, closed bool // of cur: has content; a "..." line was passed
	restart := 0             // where the bytes of the next document begin, once closed
	finish := func(end int) {
		cur.End = end
		if cur.BodyEnd < 0 {
			cur.BodyEnd = end
		}
		parts = append(parts, cur)
	}
	begin := func() { // content behind "..." without "---" is a document too
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
			cur.List = content // Header decides
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
				cur.List = true // flow style: Header decides
			}
			content = true
		}
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

// NextLineStart returns the offset after the line that p is in.
func NextLineStart(text []byte, p int) int {
	if i := bytes.IndexByte(text[p:], '\n'); i >= 0 {
		return p + i + 1
	}
	return len(text)
}

// nextOuterLine is the start of the next line that is not indented with spaces.
func nextOuterLine(text []byte, p int) int {
	for p < len(text) {
		if p = NextLineStart(text, p); p < len(text) && text[p] != ' ' {
			break
		}
	}
	return p
}

// IsMarker reports whether a document marker stands at p, the start of a line.
func IsMarker(text []byte, p int) bool {
	if p+3 > len(text) || text[p] != '-' && text[p] != '.' || text[p+1] != text[p] || text[p+2] != text[p] {
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

// LineHasContent reports whether there is more than blanks and a comment from p to the end of its line.
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
