package gaby

import (
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/stream"
)

// Leaver is a Native whose text may have comments that belong to none of its documents.
type Leaver interface {
	// Left returns a document of the comments that stay when the document is deleted, or nil.
	Left() *YamlDoc
}

// Delete deletes the documents for which gone returns true. A document of comments takes the place
// of one that has comments which are not its own: documents of comments only, the header of the
// file, and what is commented out above it. The comments directly above the first key go with it. A
// document that is only left out, as of a selection, need not be deleted: its comments go too.
func (c Container) Delete(gone func(*YamlDoc) bool) Container {
	stay := make(Container, 0, len(c))
	for _, doc := range c {
		if !gone(doc) {
			stay = append(stay, doc)
		} else if left := doc.Left(); left != nil {
			stay = append(stay, left)
		}
	}
	return stay
}

// Left returns a document of the comments that stay when d is deleted, see [Container.Delete], or
// nil.
func (d *YamlDoc) Left() *YamlDoc {
	if l, ok := d.Native().(Leaver); ok {
		return l.Left()
	}
	if d.Native() != nil || !d.whole() {
		return nil
	}
	doc := d.v.d
	text := stream.Join(doc.commentsBefore(), doc.commentsAfter(), doc.lineEnding())
	if !stream.HasComment(text) {
		return nil
	}
	docs := parse(&unit{text: text, detached: true}, doc.limits)
	if docs[0].Check() != nil || !docs[0].IsNull() {
		return nil
	}
	return docs[0]
}

// commentsBefore returns the text above the first key and its comments, without directives, and
// without the separator if nothing follows it.
func (d *document) commentsBefore() []byte {
	head := d.lineStart(d.contentStart())
	if d.ready() && d.nsrc > 0 {
		slot := int32(0)
		if n := &d.n[0]; n.Kind == scan.MapNode && n.Style != scalar.FlowStyle && d.nsrc > 1 {
			slot = 1
		}
		head = d.headStart(slot)
	}
	head = max(head, d.bodyStart)
	below, separator := d.bodyStart, d.lineStart(d.bodyStart)
	if separator < below {
		below = min(stream.NextLineStart(d.src, below), head)
	}
	if !stream.HasComment(d.src[below:head]) {
		head = separator
	}
	return stream.OwnText(d.src[:head], d.lineEnding())
}

// commentsAfter returns the documents of comments that end the text, and above them the resources
// that are commented out below the last value.
func (d *document) commentsAfter() []byte {
	var text []byte
	if d.ready() && d.nsrc > 0 {
		below := d.src[d.entryEnd(d.nsrc-1):d.bodyEnd]
		if at := stream.CommentedResource(below); at >= 0 {
			text = append(text, below[at:]...)
		}
	}
	if tail := stream.WithoutEnd(d.src[d.bodyEnd:]); stream.HasComment(tail) {
		text = append(text, tail...)
	}
	return text
}

// BeginsRemark reports whether a word begins remarks that look like entries: "# default: 5".
func BeginsRemark(word string) bool { return stream.BeginsRemark(word) }
