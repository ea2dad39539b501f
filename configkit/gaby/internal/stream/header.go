package stream

import (
	"bytes"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
)

// headerScanner reads the outermost keys of a block map, and those of metadata, without looking
// into the values between them. It skips a line that is indented deeper by looking for its newline,
// unless the line opens something that can swallow the lines below: quoted text, a flow collection
// or a block scalar, which it skips by their own rules. Whenever it is not certain it gives up, and
// the caller uses the full scanner.
//
// The scan stops at the third of the three keys. It need not look for a repeated key, which hints
// at a missing separator: such a key is in the first column, as no line inside a value is except in
// quoted text and flow collections, so Split sees it.
type headerScanner struct {
	src  []byte
	pos  int
	h    Header
	seen uint8 // the keys read so far, as bits
}

const seenAll = 1 | 2 | 4 // apiVersion, kind and metadata

// Header holds the fields that a header scan finds. Fields that are missing or not plain strings
// are empty.
type Header struct {
	APIVersion   string
	Kind         string
	Namespace    string
	Name         string
	GenerateName string
}

// ScanHeader reads the fields that identify the resource of a document whose content begins at
// body. It reports false if it is not certain; the header then holds what it found before it gave
// up.
func ScanHeader(src []byte, body int) (Header, bool) {
	p := headerScanner{src: src, pos: body}
	ok := p.document()
	return p.h, ok
}

// document reads the header and reports whether it is certain.
// Content on the line of the separator is rare and left to the full scanner.
func (p *headerScanner) document() bool {
	// Content on the line of the separator is left to the scanner.
	if p.pos > 0 && p.src[p.pos-1] != '\n' && LineHasContent(p.src, p.pos) &&
		!bytes.HasSuffix(p.src[:p.pos], []byte("\xef\xbb\xbf")) {
		return false
	}
	return p.blockMap(0, func(key, value []byte) bool {
		switch string(key) {
		case "apiVersion":
			p.seen |= 1
			p.h.APIVersion = scalar.View(value)
		case "kind":
			p.seen |= 2
			p.h.Kind = scalar.View(value)
		case "metadata":
			p.seen |= 4
			p.h.Name, p.h.Namespace, p.h.GenerateName = "", "", ""
			if len(value) > 0 {
				return false
			}
			return p.metadata()
		}
		return true
	})
}

// metadata reads the map that is the value of the key whose line ends at pos.
func (p *headerScanner) metadata() bool {
	q := p.pos
	for q < len(p.src) {
		bol := q
		for q < len(p.src) && p.src[q] == ' ' {
			q++
		}
		if q >= len(p.src) {
			return true
		}
		switch p.src[q] {
		case '\n', '#', '\r':
			q = NextLineStart(p.src, q)
			continue
		}
		if q == bol {
			return true // no map below the key
		}
		p.pos = bol
		return p.blockMap(q-bol, func(key, value []byte) bool {
			switch string(key) {
			case "name":
				p.h.Name = scalar.View(value)
			case "namespace":
				p.h.Namespace = scalar.View(value)
			case "generateName":
				p.h.GenerateName = scalar.View(value)
			}
			return true
		})
	}
	return true
}

// blockMap calls entry for each key in column col, from pos (a line start) to the first line that
// is indented less. The value is that of a plain or quoted scalar without escapes on the line of
// its key, else empty. An entry may move pos. blockMap reports whether it is certain.
func (p *headerScanner) blockMap(col int, entry func(key, value []byte) bool) bool {
	started := false
	for p.pos < len(p.src) {
		if col == 0 && p.seen == seenAll {
			return true
		}
		bol := p.pos
		q := bol
		for q < len(p.src) && p.src[q] == ' ' {
			q++
		}
		if q >= len(p.src) {
			p.pos = q
			return true
		}
		c := p.src[q]
		switch {
		case c == '\n' || c == '#' || c == '\r':
			p.pos = NextLineStart(p.src, q)
		case c == '\t':
			return false
		case q-bol < col:
			return true
		case q-bol > col:
			if !started {
				return false
			}
			if !p.skipLine(q, q-bol) {
				return false
			}
		case c == '-' && (q+1 == len(p.src) || scalar.IsBlank(p.src[q+1]) || p.src[q+1] == '\n' ||
			p.src[q+1] == '\r'):
			if !p.skipLine(q, col) { // a list item in the column of its key
				return false
			}
		default:
			started = true
			if !p.entry(q, col, entry) {
				return false
			}
		}
	}
	return true
}

// entry reads the key at q and, if it is a simple scalar, its value.
func (p *headerScanner) entry(q, col int, entry func(key, value []byte) bool) bool {
	k := q
	for k < len(p.src) && isPeekKey(p.src[k]) {
		k++
	}
	if k == q || k >= len(p.src) || p.src[k] != ':' {
		return false
	}
	v := k + 1
	if v < len(p.src) && !scalar.IsBlank(p.src[v]) && p.src[v] != '\n' && p.src[v] != '\r' {
		return false
	}
	for v < len(p.src) && scalar.IsBlank(p.src[v]) {
		v++
	}
	key := p.src[q:k]
	eol := len(p.src)
	if i := bytes.IndexByte(p.src[v:], '\n'); i >= 0 {
		eol = v + i
	}
	next := min(eol+1, len(p.src))
	if v >= eol || p.src[v] == '#' || p.src[v] == '\r' {
		p.pos = next
		if isWanted(key) && string(key) != "metadata" && p.continues(col) {
			return false
		}
		return entry(key, nil)
	}
	wanted := isWanted(key)
	switch c := p.src[v]; {
	case c == '|' || c == '>':
		if wanted {
			return false
		}
		return p.skipBlockScalar(v, col)
	case c == '"' || c == '\'' || c == '[' || c == '{':
		end, ok := p.skipToken(v)
		if !ok || !p.restBlank(end) {
			return false
		}
		if !wanted {
			p.pos = NextLineStart(p.src, end)
			return true
		}
		inner := p.src[v+1 : end-1]
		if c == '[' || c == '{' || end > eol || bytes.IndexByte(inner, '\\') >= 0 ||
			bytes.IndexByte(inner, '\'') >= 0 && c == '\'' {
			return false
		}
		p.pos = next
		return entry(key, inner)
	case scalar.Class[c]&(scalar.NotPlain|scalar.HighByte) != 0:
		if wanted {
			return false
		}
		p.pos = next
		if c == '&' || c == '!' { // any value may follow an anchor or a tag
			return p.skipLine(v, col)
		}
		return true
	}
	p.pos = next
	if !wanted {
		return true // further lines of plain text are indented deeper, so blockMap skips them
	}
	value := p.plain(v, eol)
	if p.continues(col) {
		return false
	}
	if scalar.Resolve(scalar.View(value)) != scalar.StrTag {
		if string(key) == "metadata" {
			return false
		}
		value = nil
	}
	return entry(key, value)
}

// plain returns the plain text at v, without the comment that may follow it on its line, which ends
// at eol.
func (p *headerScanner) plain(v, eol int) []byte {
	end := eol
	if i := bytes.IndexByte(p.src[v:eol], '#'); i > 0 {
		for i > 0 && !scalar.IsBlank(p.src[v+i-1]) {
			j := bytes.IndexByte(p.src[v+i+1:eol], '#')
			if j < 0 {
				i = eol - v
				break
			}
			i += 1 + j
		}
		end = v + i
	}
	return p.src[v:scalar.TrimBlanks(p.src, v, end)]
}

// continues reports whether the next line that is not blank is indented deeper than col, so that
// plain text may continue there.
func (p *headerScanner) continues(col int) bool {
	for q := p.pos; q < len(p.src); {
		bol := q
		for q < len(p.src) && p.src[q] == ' ' {
			q++
		}
		if q < len(p.src) && (p.src[q] == '\n' || p.src[q] == '\r') {
			q = NextLineStart(p.src, q)
			continue
		}
		return q-bol > col
	}
	return false
}

// isPeekKey reports whether b may be in a key that the header scan reads.
func isPeekKey(b byte) bool { return scalar.IsNameByte(b) || b == '.' || b == '/' }

// isWanted reports whether the value of key may be part of the header.
func isWanted(key []byte) bool {
	switch string(key) {
	case "apiVersion", "kind", "metadata", "name", "namespace", "generateName":
		return true
	}
	return false
}

// skipLine skips the line whose content begins at q, in column col, with everything that it opens.
func (p *headerScanner) skipLine(q, col int) bool {
	// Most lines open nothing, so one loop over their bytes is enough.
	src := p.src
	var seen uint8
	i := q
	for i < len(src) {
		c := peekClass[src[i]]
		if c == peekEnd {
			break
		}
		seen |= c
		i++
	}
	if seen == 0 {
		p.pos = min(i+1, len(src))
		return true
	}
	return p.skipOpening(q, i, col)
}

// skipOpening skips the line whose content is src[q:i], in column col, with everything that it
// opens. It finds the value, which follows dashes and at most one key.
func (p *headerScanner) skipOpening(q, i, col int) bool {
	src, next := p.src, min(i+1, len(p.src))
	for q < i && src[q] == '-' && (q+1 >= i || scalar.IsBlank(src[q+1])) {
		col = q - lineStartOf(src, q)
		q++
		for q < i && scalar.IsBlank(src[q]) {
			q++
		}
	}
	if q < i && (src[q] == '"' || src[q] == '\'') { // a quoted key or quoted text
		end, ok := p.skipToken(q)
		if !ok || end > i {
			return false
		}
		if r := skipBlanks(src, end, i); r >= i || src[r] != ':' {
			if p.restBlank(end) {
				p.pos = next
				return true
			}
			return false
		}
		q = end
	}
	v := q
	if v < i && src[v] != '[' && src[v] != '{' && src[v] != '|' && src[v] != '>' {
		for {
			j := bytes.IndexByte(src[v:i], ':')
			if j < 0 {
				// Without a key this is plain text, perhaps continued from the line above. Quotes
				// and brackets in it have no meaning.
				if c := src[q]; c == '&' || c == '!' || c == '*' || c == '?' {
					return false
				}
				p.pos = next
				return true
			}
			v += j + 1
			if v >= i || scalar.IsBlank(src[v]) {
				break
			}
		}
		if q < v && bytes.Contains(src[q:v], []byte(" #")) {
			p.pos = next // a comment began before the colon
			return true
		}
		col = max(col, q-lineStartOf(src, q))
		v = skipBlanks(src, v, i)
	} else if v < i && (src[v] == '[' || src[v] == '{') {
		// At the beginning of a line this may continue plain text, where brackets have no meaning.
		// It is certain only if it is closed on the same line.
		end, ok := p.skipToken(v)
		if !ok || end > i || !p.restBlank(end) {
			return false
		}
		p.pos = next
		return true
	}
	return p.skipValue(v, i, col)
}

// skipValue skips the value at v, which follows a key in column col on the line that ends at i.
func (p *headerScanner) skipValue(v, i, col int) bool {
	src, next := p.src, min(i+1, len(p.src))
	for v < i && (src[v] == '&' || src[v] == '!') { // anchor or tag
		for v < i && !scalar.IsBlank(src[v]) {
			v++
		}
		v = skipBlanks(src, v, i)
	}
	if v >= i {
		p.pos = next
		return true
	}
	switch src[v] {
	case '"', '\'', '[', '{':
		end, ok := p.skipToken(v)
		if !ok || !p.restBlank(end) {
			return false
		}
		p.pos = NextLineStart(src, end)
		return true
	case '|', '>':
		return p.skipBlockScalar(v, col)
	}
	p.pos = next
	return true
}

const peekEnd = 0x80

// peekClass marks the bytes that can open a value of several lines.
var peekClass = [256]uint8{'"': 1, '\'': 1, '[': 1, '{': 1, '|': 1, '>': 1, '\n': peekEnd}

// skipBlanks returns the offset of the first byte of src[p:end] that is not a blank or carriage
// return.
func skipBlanks(src []byte, p, end int) int {
	for p < end && (scalar.IsBlank(src[p]) || src[p] == '\r') {
		p++
	}
	return p
}

// lineStartOf returns the offset of the beginning of the line of p.
func lineStartOf(src []byte, p int) int { return bytes.LastIndexByte(src[:p], '\n') + 1 }

// restBlank reports whether only blanks and a comment follow q on its line.
func (p *headerScanner) restBlank(q int) bool {
	q = skipBlanks(p.src, q, len(p.src))
	return q >= len(p.src) || p.src[q] == '\n' || p.src[q] == '#'
}

// skipToken returns the offset after the quoted text or flow collection at q. It reports false if
// it is not certain where that ends.
func (p *headerScanner) skipToken(q int) (int, bool) {
	src := p.src
	depth := 0
	for q < len(src) {
		switch c := src[q]; c {
		case '"', '\'':
			// Inside a flow collection a quote may be a letter of plain text. It begins a quoted
			// scalar only after an indicator.
			if depth > 0 {
				switch src[lastNonBlank(src, q)] {
				case '[', '{', ',', ':':
				default:
					return 0, false
				}
			}
			q++
			for q < len(src) && src[q] != c {
				if src[q] == '\\' && c == '"' {
					q++
				}
				q++
			}
			for c == '\'' && q+1 < len(src) && src[q+1] == '\'' {
				q += 2
				for q < len(src) && src[q] != c {
					q++
				}
			}
			if q >= len(src) {
				return 0, false
			}
			if depth == 0 {
				return q + 1, true
			}
		case '[', '{':
			depth++
		case ']', '}':
			depth--
			if depth == 0 {
				return q + 1, true
			}
		case '#':
			if scalar.IsBlank(src[q-1]) || src[q-1] == '\n' {
				q = NextLineStart(src, q) - 1
			}
		}
		q++
	}
	return 0, false
}

// lastNonBlank returns the offset of the last byte before q that is not a blank or part of a
// newline, at least 0.
func lastNonBlank(src []byte, q int) int {
	q--
	for q > 0 && (scalar.IsBlank(src[q]) || src[q] == '\n' || src[q] == '\r') {
		q--
	}
	return q
}

// skipBlockScalar skips the block scalar whose indicator is at v, in a collection in column col.
// All lines indented deeper than col belong to it: text in column zero would end the map of the
// document.
func (p *headerScanner) skipBlockScalar(v, col int) bool {
	q := NextLineStart(p.src, v)
	for q < len(p.src) {
		c := q
		for c < len(p.src) && p.src[c] == ' ' {
			c++
		}
		if c < len(p.src) && c-q <= col && p.src[c] != '\n' && p.src[c] != '\r' {
			break
		}
		q = NextLineStart(p.src, c)
	}
	p.pos = q
	return true
}
