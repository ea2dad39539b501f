package gaby

import "bytes"

// Bytes returns the text of the documents, one after the other. Documents that were not edited are their source text. Between
// documents that come from different texts a separator is put where there is none.
func (c Container) Bytes() []byte { return c.AppendTo(nil) }

// String returns the text of the documents, see [Container.Bytes].
func (c Container) String() string { return string(c.Bytes()) }

// AppendTo appends the text of the documents to dst.
func (c Container) AppendTo(dst []byte) []byte {
	base := len(dst)
	size := 0
	c.eachDocument(func(d *document) { size += len(d.src) + 16 })
	if cap(dst)-base < size {
		dst = append(make([]byte, 0, base+size), dst...)
	}
	marks := c.dropItems()
	var last *document
	c.eachDocument(func(d *document) {
		if len(dst) > base && !last.adjoins(d) {
			if dst[len(dst)-1] != '\n' {
				dst = append(dst, d.lineEnding()...)
			}
			if !startsWithMarker(d.src) {
				dst = append(dst, "---"+d.lineEnding()...)
			}
		}
		dst = d.appendTo(dst)
		last = d
	})
	for d, m := range marks {
		d.rollback(m)
	}
	return dst
}

// adjoins reports whether next follows d in the text both come from.
func (d *document) adjoins(next *document) bool {
	return d.unit == next.unit && d.index+1 == next.index
}

// Text is Bytes without a copy where nothing was edited: the source text of documents that stand one behind the other in it. The
// result must not be modified.
func (c Container) Text() []byte {
	if text, ok := c.source(); ok {
		return text
	}
	return c.Bytes()
}

// source returns the text the documents of c come from, when that is all there is in it and nothing was edited.
func (c Container) source() ([]byte, bool) {
	var first, last *document
	items := 0 // of the list the last document is
	for i, doc := range c {
		d := doc.v.d
		switch {
		case d.unit == nil || d.changed():
			return nil, false
		case i == 0:
			first = d
		case d == last:
			items++
			continue
		case !last.adjoins(d) || items > 0 && !last.isListOf(items):
			return nil, false
		}
		last, items = d, 0
		if !doc.whole() {
			items = 1
		}
	}
	if first == nil || items > 0 && !last.isListOf(items) {
		return nil, false
	}
	u := first.unit
	end := len(u.text)
	if last.index+1 < len(u.starts) {
		end = u.starts[last.index+1]
	}
	return u.text[u.starts[first.index]:end:end], true
}

// isListOf reports whether d is a v1/List of n items.
func (d *document) isListOf(n int) bool {
	return Value{d: d, owner: -1, pos: -1}.Get("items").Len() == n
}

// Release forgets everything about the documents but their source text: trees and edits. It is for streams that are printed part
// by part and would not fit into memory with all their trees. Places inside the documents must not be used any more.
func (c Container) Release() {
	for _, doc := range c {
		d := doc.v.d
		if doc.whole() {
			*d = document{src: d.src, body: d.body, bodyEnd: d.bodyEnd, unit: d.unit, index: d.index, limits: d.limits}
		}
	}
}

// Join puts separators between the texts of consecutive parts of a stream, see [Container.Shards], where there are none. Parts
// without text are dropped.
func Join(parts [][]byte) [][]byte {
	joined := make([][]byte, 0, len(parts))
	for _, part := range parts {
		if len(part) == 0 {
			continue
		}
		if n := len(joined); n > 0 {
			before := joined[n-1]
			ending := "\n"
			if bytes.Contains(before, []byte("\r\n")) {
				ending = "\r\n"
			}
			if before[len(before)-1] != '\n' {
				joined = append(joined, []byte(ending))
			}
			if !startsWithMarker(part) {
				joined = append(joined, []byte("---"+ending))
			}
		}
		joined = append(joined, part)
	}
	return joined
}

// startsWithMarker reports whether text begins with a document separator, behind directives and comments.
func startsWithMarker(text []byte) bool {
	for p := 0; p < len(text); p = nextLineStart(text, p) {
		if isMarker(text, p) && text[p] == '-' {
			return true
		}
		if c := text[p]; c != '#' && c != '%' && c != '\n' && c != '\r' && c != '.' {
			return false
		}
	}
	return false
}

// Changed reports whether some document of c was edited. That documents were added or removed it cannot tell.
func (c Container) Changed() bool {
	for _, doc := range c {
		if doc.v.d.changed() {
			return true
		}
	}
	return false
}

// eachDocument calls f for every document behind c, once for all items of a list.
func (c Container) eachDocument(f func(*document)) {
	seen := map[*document]bool{}
	for _, doc := range c {
		d := doc.v.d
		if doc.whole() {
			f(d)
		} else if !seen[d] {
			seen[d] = true
			f(d)
		}
	}
}

// dropItems removes from lists the items that are not in c, and returns the moments to roll the lists back to.
func (c Container) dropItems() map[*document]Mark {
	present := map[*document]map[int32]bool{}
	owner := map[*document]Value{}
	for _, doc := range c {
		if doc.whole() {
			continue
		}
		d := doc.v.d
		if present[d] == nil {
			present[d] = map[int32]bool{}
			owner[d] = doc.v
		}
		present[d][doc.v.slot] = true
	}
	marks := map[*document]Mark{}
	for d, items := range present {
		at := owner[d].owner
		var kids []int32
		for _, slot := range d.kids(at) {
			if items[slot] || !d.source(slot) {
				kids = append(kids, slot)
			}
		}
		if len(kids) != len(d.kids(at)) {
			marks[d] = Mark(len(d.edit().log))
			d.setKids(at, kids)
		}
	}
	return marks
}

// Shards splits c into consecutive parts whose documents have about the given number of bytes, for parallel work: no two parts
// share a document.
func (c Container) Shards(size int) []Container {
	var shards []Container
	from, sum := 0, 0
	for i, doc := range c {
		if i > from && sum >= size && c[i-1].v.d != doc.v.d {
			shards = append(shards, c[from:i:i])
			from, sum = i, 0
		}
		if i == from || c[i-1].v.d != doc.v.d {
			sum += len(doc.v.d.src)
		}
	}
	if from < len(c) {
		shards = append(shards, c[from:])
	}
	return shards
}
