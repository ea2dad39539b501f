package gaby

import (
	"bytes"
	"unsafe"
)

// chunks collects a text as a list of byte slices: runs of source text, which are not copied, and
// the text of edits between them. Adjacent runs of one unit are merged.
type chunks struct {
	list     [][]byte
	unit     *unit // the text of the last run
	from, to int   // the last run, still growing; empty if there is none
}

// source appends src[from:to] of d.
func (p *chunks) source(d *document, from, to int) {
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

// text appends text that is not a run of source text.
func (p *chunks) text(b []byte) {
	if len(b) > 0 {
		p.flush()
		p.list = append(p.list, b)
	}
}

// flush ends the last run.
func (p *chunks) flush() {
	if p.from < p.to {
		p.list = append(p.list, p.unit.text[p.from:p.to:p.to])
	}
	p.unit, p.from, p.to = nil, 0, 0
}

// empty reports whether nothing was appended.
func (p *chunks) empty() bool { return len(p.list) == 0 && p.from == p.to }

// endsIn reports whether the last run or text has this end.
func (p *chunks) endsIn(end string) bool {
	if p.from < p.to {
		return bytes.HasSuffix(p.unit.text[p.from:p.to], bytesOf(end))
	}
	return bytes.HasSuffix(p.list[len(p.list)-1], bytesOf(end))
}

// bytesOf returns the bytes of text, which must not be modified.
func bytesOf(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }

// Chunks returns the text of [Container.Bytes] as a list of byte slices, which must not be
// modified: runs of the source, which are not copied, and the text of edits between them. The text
// of adjacent unedited documents is one chunk.
func (c Container) Chunks() [][]byte {
	var out chunks
	marks := c.dropItems()
	var last *document
	c.eachDocument(func(d *document) {
		if last != nil {
			last.print(&out, true)
		}
		if !out.empty() && !last.adjoins(d) {
			if !out.endsIn("\n") {
				out.text([]byte(d.lineEnding()))
			}
			if d.native != nil ||
				!startsWithMarker(d.src) && !out.endsIn("\n...\n") && !out.endsIn("\n...\r\n") {
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

// Bytes returns the text of the documents in order. Documents without edits are their source text.
// A separator is inserted between documents of different texts if there is none.
func (c Container) Bytes() []byte { return bytes.Join(c.Chunks(), nil) }

// String returns the text of the documents as [Container.Bytes] does.
func (c Container) String() string { return string(c.Bytes()) }

// Text is [Container.Bytes] without a copy if the result is a run of the source. The result must
// not be modified.
func (c Container) Text() []byte {
	p := c.Chunks()
	if len(p) == 1 {
		return p[0]
	}
	return bytes.Join(p, nil)
}

// SameChunks reports whether the chunks in list make up text. Chunks that are slices of text at the
// same offset are not compared.
func SameChunks(list [][]byte, text []byte) bool {
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

// print appends the text of the document with its edits. A document without edits is one run of its
// unit's text: nothing is copied, and it joins the run before it. If more follows, a document that
// ends in a block scalar without a newline is printed so that the scalar keeps its value.
func (d *document) print(out *chunks, more bool) {
	if d.native != nil {
		out.text([]byte(d.cursor(0).YAML() + "\n"))
		return
	}
	unended := len(d.src) > 0 && d.src[len(d.src)-1] != '\n'
	if !d.changed() && !(more && unended && d.ready() && d.readOnly == nil &&
		d.isBlockScalar(d.nsrc-1)) {
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
