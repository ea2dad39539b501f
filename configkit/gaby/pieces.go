package gaby

import (
	"bytes"
	"unsafe"
)

// pieces gathers a text as runs of source text, which are not copied, and what edits put between them.
type pieces struct {
	list     [][]byte
	unit     *unit // the text the last run is of
	from, to int   // that run, still growing; empty when there is none
}

// source adds src[from:to] of d.
func (p *pieces) source(d *document, from, to int) {
	if from == to {
		return
	}
	if d.unit == nil {
		p.text(d.src[from:to:to])
		return
	}
	at := d.unit.starts[d.index]
	if from, to = at+from, at+to; p.unit == d.unit && p.to == from {
		p.to = to
		return
	}
	p.flush()
	p.unit, p.from, p.to = d.unit, from, to
}

// text adds text that is no run of source text.
func (p *pieces) text(b []byte) {
	if len(b) > 0 {
		p.flush()
		p.list = append(p.list, b)
	}
}

func (p *pieces) flush() {
	if p.from < p.to {
		p.list = append(p.list, p.unit.text[p.from:p.to:p.to])
	}
	p.unit, p.from, p.to = nil, 0, 0
}

// empty reports whether nothing was added.
func (p *pieces) empty() bool { return len(p.list) == 0 && p.from == p.to }

// endsInLine reports whether the last byte added is a line feed.
func (p *pieces) endsInLine() bool {
	if p.from < p.to {
		return p.unit.text[p.to-1] == '\n'
	}
	last := p.list[len(p.list)-1]
	return last[len(last)-1] == '\n'
}

// bytesOf is text as bytes that must not be modified.
func bytesOf(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }

// Pieces is Bytes in pieces, which must not be modified: runs of the source, not copied, with what edits put between them. The
// text of documents without edits that stand one behind the other is one piece.
func (c Container) Pieces() [][]byte {
	var out pieces
	marks := c.dropItems()
	var last *document
	c.eachDocument(func(d *document) {
		if last != nil {
			last.print(&out, true)
		}
		if !out.empty() && !last.adjoins(d) {
			if !out.endsInLine() {
				out.text([]byte(d.lineEnding()))
			}
			if d.native != nil || !startsWithMarker(d.src) {
				out.text([]byte("---" + d.lineEnding()))
			}
		}
		last = d
	})
	if last != nil {
		last.print(&out, false)
	}
	for d, m := range marks {
		d.rollback(m)
	}
	out.flush()
	return out.list
}

// Bytes returns the text of the documents, one after the other. Documents that were not edited are their source text. Between
// documents that come from different texts a separator is put where there is none.
func (c Container) Bytes() []byte { return bytes.Join(c.Pieces(), nil) }

// String returns the text of the documents, see [Container.Bytes].
func (c Container) String() string { return string(c.Bytes()) }

// Text is Bytes without a copy where the result is a run of the source. The result must not be modified.
func (c Container) Text() []byte {
	p := c.Pieces()
	if len(p) == 1 {
		return p[0]
	}
	return bytes.Join(p, nil)
}

// SamePieces reports whether pieces are the text. Runs of the text that stand where they stood are not compared.
func SamePieces(list [][]byte, text []byte) bool {
	for _, p := range list {
		if len(p) > len(text) {
			return false
		}
		if unsafe.SliceData(p) != unsafe.SliceData(text) && !bytes.Equal(p, text[:len(p)]) {
			return false
		}
		text = text[len(p):]
	}
	return len(text) == 0
}

// print adds the text of the document with its edits. A text that ends in a block scalar without a line end stays what it is when more
// is to follow.
func (d *document) print(out *pieces, more bool) {
	if d.native != nil {
		out.text([]byte(Value{d: d, origin: origin{-1, -1}}.YAML() + "\n"))
		return
	}
	unended := len(d.src) > 0 && d.src[len(d.src)-1] != '\n'
	if !d.changed() && !(more && unended && d.ready() && d.readOnly == nil && d.isBlockScalar(d.nsrc-1)) {
		out.source(d, 0, len(d.src))
		return
	}
	p := printer{d: d, e: d.emitter(), unended: -1}
	if unended {
		d.edit()
		out.text(p.unendedText(more))
		return
	}
	p.sorted()
	p.write(func(from, to int) { out.source(d, from, to) }, func(t string) { out.text(bytesOf(t)) })
}
