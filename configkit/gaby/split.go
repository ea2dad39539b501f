package gaby

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"math"
	"math/bits"
)

// Container is the list of documents of one unit, in order. The items of a list of resources, such as a v1/List or a DeploymentList,
// are documents of their own in it: views into the text of the list.
type Container []*YamlDoc

// ParseAll splits text into its documents. A document is scanned when it is first visited, so errors inside documents show only
// then (see [YamlDoc.Check]); the error returned here is a *[SyntaxError] about the text as a whole.
//
// Empty documents and documents of comments only are no elements: their bytes belong to the document that follows, or to the
// last one. Text in which there is nothing else is one null document; no text at all is no document.
func ParseAll(text []byte, opts ...Option) (Container, error) {
	limits := DefaultLimits()
	for _, o := range opts {
		o(&limits)
	}
	if len(text) == 0 {
		return nil, nil
	}
	if len(text) > math.MaxUint32/2 {
		return nil, &SyntaxError{Pos: Position{Line: 1, Column: 1}, Msg: fmt.Sprintf("%d bytes are more than one unit may have", len(text))}
	}
	return parse(&unit{text: text}, &limits), nil
}

// parse splits the text of u.
func parse(u *unit, limits *Limits) Container {
	parts := u.arena.split(u.text)
	u.setStarts(parts)
	docs, views, c := u.arena.documents(len(parts))
	for i, p := range parts {
		docs[i] = document{
			src: u.text[p.start:p.end:p.end], body: p.body - p.start, bodyEnd: p.bodyEnd - p.start,
			unit: u, index: i, limits: limits, odd: p.odd, kind: u.arena.kind(p.kind),
		}
		views[i].v = Value{d: &docs[i], origin: origin{-1, -1}}
		if p.list && bytes.Contains(docs[i].src, []byte(listSuffix)) {
			if items := listItems(&views[i]); items != nil {
				c = append(c, items...)
				continue
			}
		}
		c = append(c, &views[i])
	}
	return c
}

// ParseYAML parses text that holds exactly one document.
func ParseYAML(text []byte) (*YamlDoc, error) {
	limits := DefaultLimits()
	parts := split(text, nil)
	u := &unit{text: text}
	u.setStarts(parts[:1])
	d := &document{src: text, body: parts[0].body, bodyEnd: parts[0].bodyEnd, unit: u, limits: &limits, odd: parts[0].odd}
	if len(parts) > 1 {
		return nil, &SyntaxError{Pos: d.position(parts[1].body), Msg: "a second document where one was expected"}
	}
	doc := &YamlDoc{v: Value{d: d, origin: origin{-1, -1}}}
	return doc, doc.Check()
}

// Detach says that the text of the document, made by [ParseYAML], is not that of a file: nothing in it has a position from now on.
func (d *YamlDoc) Detach() { d.v.d.unit.detached = true }

// part is one document found by split: the span of its bytes and of its content.
type part struct {
	start, end    int
	body, bodyEnd int
	list          bool   // may be a list of resources
	keys          uint8  // which of apiVersion, kind and metadata there are in the first column, as bits
	odd           bool   // one of them is there twice, or may be in another spelling: a separator may be missing
	kind          []byte // the line of kind
}

// see looks at a line that begins with content.
func (p *part) see(line []byte) {
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
		p.odd = true
		return
	default:
		return
	}
	if len(line) > len(key) && string(line[:len(key)]) == key && (line[len(key)] == ':' || scalar.IsBlank(line[len(key)])) {
		p.odd = p.odd || p.keys&bit != 0
		p.keys |= bit
		if key == "kind" {
			p.kind, _, _ = bytes.Cut(line, []byte{'\n'})
		}
	}
}

// split finds the documents of text by its lines that begin with "---" or "...". Nothing inside a document can begin a line
// with these: YAML forbids it even in quoted and literal text. They are appended to parts.
func split(text []byte, parts []part) []part {
	p := 0
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		p = 3
	}
	cur := part{body: p, bodyEnd: -1}
	var content, closed bool // of cur: has content; a "..." line was passed
	restart := 0             // where the bytes of the next document begin, once closed
	finish := func(end int) {
		cur.end = end
		if cur.bodyEnd < 0 {
			cur.bodyEnd = end
		}
		parts = append(parts, cur)
	}
	begin := func() { // content behind "..." without "---" is a document too
		if !closed {
			return
		}
		if content {
			finish(restart)
			cur = part{start: restart}
		}
		cur.body, cur.bodyEnd, closed, content = restart, -1, false, false
	}
	for p < len(text) {
		c := text[p]
		switch {
		case (c == '-' || c == '.') && isMarker(text, p):
			if c == '.' {
				if !closed {
					cur.bodyEnd = p
				}
				closed = true
				p = nextLineStart(text, p)
				restart = p
				continue
			}
			if content {
				end := p
				if closed {
					end = restart
				}
				finish(end)
				cur = part{start: end, bodyEnd: -1}
			}
			cur.body, cur.bodyEnd = p+3, -1
			content, closed = lineHasContent(text, p+3), false
			cur.list = content // Header decides
		case c == '#' || c == '\n' || c == '%' && (!content || closed):
		case c == ' ' || c == '\t' || c == '\r':
			if (!content || closed) && lineHasContent(text, p) {
				begin()
				content = true
			}
		default:
			begin()
			cur.see(text[p:])
			if c == 'k' && !cur.list {
				cur.list = bytes.Contains(cur.kind, []byte(listSuffix))
			} else if (c == '{' || c == '"') && !content {
				cur.list = true // flow style: Header decides
			}
			content = true
		}
		if content && !closed {
			p = nextOuterLine(text, p)
		} else {
			p = nextLineStart(text, p)
		}
	}
	switch {
	case content:
		finish(len(text))
	case len(parts) > 0:
		last := &parts[len(parts)-1]
		last.end = len(text)
	default:
		cur.list = false
		finish(len(text))
	}
	return parts
}

func nextLineStart(text []byte, p int) int {
	if i := bytes.IndexByte(text[p:], '\n'); i >= 0 {
		return p + i + 1
	}
	return len(text)
}

// nextOuterLine is the start of the next line that is not indented with spaces.
func nextOuterLine(text []byte, p int) int {
	// Whether there is a line feed in eight bytes cannot be predicted. That there is none with something but a space behind it nearly always
	// can, so both are looked for at once.
	for ; p+17 <= len(text); p += 16 {
		sixteen := text[p : p+17 : p+17]
		a, b := outerFeeds(sixteen), outerFeeds(sixteen[8:])
		if a|b == 0 {
			continue
		}
		at := p + 8 + bits.TrailingZeros64(b)/8
		if a != 0 {
			at = p + bits.TrailingZeros64(a)/8
		}
		return at + 1
	}
	for p < len(text) {
		if p = nextLineStart(text, p); p < len(text) && text[p] != ' ' {
			break
		}
	}
	return p
}

// outerFeeds has the highest bit of the first of eight bytes set that is a line feed with something but a space behind it. Taking one from
// a byte that is zero borrows from the next, which may then be taken for zero, too, if it is one: that is a vertical tab behind a line
// feed, which was found itself, and an exclamation mark behind a space, which is no line feed.
func outerFeeds(text []byte) uint64 {
	feed := binary.LittleEndian.Uint64(text) ^ '\n'*ones
	space := binary.LittleEndian.Uint64(text[1:]) ^ ' '*ones
	return (feed - ones) &^ feed &^ ((space - ones) &^ space) & high
}

// isMarker reports whether a document marker stands at p, the start of a line.
func isMarker(text []byte, p int) bool {
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

// lineHasContent reports whether there is more than blanks and a comment from p to the end of its line.
func lineHasContent(text []byte, p int) bool {
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
