package gaby

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
	c.dropItems()
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
	return dst
}

// adjoins reports whether next follows d in the text both come from.
func (d *document) adjoins(next *document) bool {
	return d.unit == next.unit && d.index+1 == next.index
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

// dropItems removes from the text of lists the items that are no longer in c.
func (c Container) dropItems() {
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
	for d, items := range present {
		at := owner[d].owner
		var kids []int32
		for _, slot := range d.kids(at) {
			if items[slot] || !d.source(slot) {
				kids = append(kids, slot)
			}
		}
		if len(kids) != len(d.kids(at)) {
			d.edit()
			d.setKids(at, kids)
		}
	}
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
