package gaby

import (
	"bytes"
	"sync"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/stream"
)

// A document is one YAML document: its bytes in the unit, the tree over them, and the edits made since. Offsets of nodes count
// from the beginning of src.
type document struct {
	src     []byte // from the separator (or what precedes the first document) to the next separator
	body    int    // where the content begins: behind the separator
	bodyEnd int    // where it ends: at a "..." line or the end of src
	unit    *unit  // the text src is a part of
	index   int    // place of the document in the unit
	limits  *Limits
	odd     bool // see part

	scanned bool
	err     error // of the scan

	n          []node
	nsrc       int32 // nodes below come from the source, the others from edits
	props      map[int32]props
	aliases    map[int32]int32 // alias node -> the node it stands for
	separators []uint32        // U+2028 and U+2029 in the source
	readOnly   *SyntaxError    // set when the document was read by yaml.v3 because the scanner does not support it
	readOnlyAt []entryPositions
	native     *native // set when src is a text in another language, see Native
	noLibrary  bool    // the error lies outside of the content, which alone would read as something else

	fresh     []fresh // content of the nodes that do not stand in the source
	edits     *edits
	past      *past // set in a state the document was in before
	cache     cache
	header    Header
	hasHeader bool

	blocks []textBlock // of lineBlock bytes each; made for the first position asked for
}

// A unit is a text with the places where its documents, or its parts, begin. How many lines stand in front of each is counted for
// all of them at once, on the first question for a position; documents are used by several goroutines.
type unit struct {
	text   []byte
	starts []int
	once   sync.Once
	lines  []int // line feeds in front of each document

	detached bool // of no file: there are no positions in it

	whole *unit // the text this one is a part of, if it is
	part  int
	arena *Arena
}

func (u *unit) setStarts(parts []stream.Part) {
	u.starts = make([]int, len(parts))
	for i, p := range parts {
		u.starts[i] = p.Start
	}
}

func (u *unit) linesBefore(i int) int {
	u.once.Do(func() {
		u.lines = make([]int, len(u.starts))
		at, n := 0, 0
		if u.whole != nil {
			n = u.whole.linesBefore(u.part)
		}
		for k, start := range u.starts {
			n += bytes.Count(u.text[at:start], []byte{'\n'})
			u.lines[k], at = n, start
		}
	})
	return u.lines[i]
}

// ready scans the document when that has not happened, and reports whether it can be read.
func (d *document) ready() bool {
	if !d.scanned {
		d.scanned = true
		d.err = d.scan()
		if d.err != nil {
			d.readWithLibrary()
		}
	}
	return d.n != nil
}

// source reports whether node i stands in the source.
func (d *document) source(i int32) bool { return i < d.nsrc }

// at returns the node that holds the value of slot i: the one an edit put there, or i itself.
func (d *document) at(i int32) int32 {
	if d.edits != nil {
		if r, ok := d.edits.values.get(i); ok {
			return r
		}
	}
	return i
}

// deref follows an alias to the node it stands for.
func (d *document) deref(i int32) int32 {
	for d.n[i].kind == aliasNode {
		i = d.at(d.aliases[i])
	}
	return i
}

func (d *document) keyText(i int32) string {
	n := &d.n[i]
	if n.flags&isNew != 0 {
		return d.fresh[n.key].key
	}
	return scalar.View(keyBytes(d.src, n))
}

// keyIs reports whether the key of node i is k.
func (d *document) keyIs(i int32, k string) bool {
	n := &d.n[i]
	if n.flags&isNew != 0 {
		return d.fresh[n.key].key == k
	}
	if n.keyStyle == scalar.PlainStyle && n.flags&inFlow == 0 {
		return int(n.keyEnd-n.key) == len(k) && string(d.src[n.key:n.keyEnd]) == k
	}
	return string(keyBytes(d.src, n)) == k
}

// text returns the decoded text of scalar node i.
func (d *document) text(i int32) string {
	n := &d.n[i]
	if n.flags&isNew != 0 {
		return d.fresh[n.val].text
	}
	return scalar.View(d.textBytes(i))
}

// textBytes is text without a copy where the source holds the text as it is. The result must not be modified.
func (d *document) textBytes(i int32) []byte {
	n := &d.n[i]
	if n.flags&isNew != 0 {
		return []byte(d.fresh[n.val].text)
	}
	raw := d.src[n.val:n.valEnd]
	switch n.style {
	case scalar.SingleStyle, scalar.DoubleStyle:
		return scalar.Unquote(raw)
	case scalar.LiteralStyle, scalar.FoldedStyle:
		return scalar.DecodeBlock(d.src[:d.bodyEnd], int(n.val), int(n.valEnd), d.blockParent(i))
	}
	if n.flags&multiLine != 0 {
		return scalar.FoldPlain(raw)
	}
	return raw
}

// blockParent returns the column of the collection around block scalar i, -1 at the root.
func (d *document) blockParent(i int32) int {
	n := &d.n[i]
	if i == 0 {
		return -1
	}
	p := int(n.key)
	if n.flags&explicitKey != 0 {
		p = d.questionMark(p)
	}
	return d.column(p)
}

// column returns the distance in bytes of p from its line start.
func (d *document) column(p int) int { return p - d.lineStart(p) }

// lineStart returns the start of the line of p; the first line begins behind a byte order mark.
func (d *document) lineStart(p int) int {
	i := bytes.LastIndexByte(d.src[:p], '\n') + 1
	if i == 0 && bytes.HasPrefix(d.src, []byte("\xef\xbb\xbf")) && p >= 3 {
		i = 3
	}
	return i
}

// LineEnd returns the place of the line feed of p's line, or the end of the content.
func (d *document) lineEnd(p int) int {
	if i := bytes.IndexByte(d.src[p:], '\n'); i >= 0 {
		return p + i
	}
	return len(d.src)
}

// questionMark returns the place of the "?" in front of the explicit key at p.
func (d *document) questionMark(p int) int {
	p--
	for p > 0 && d.src[p] != '?' {
		p--
	}
	return p
}

// scalarTag returns the tag of scalar node i.
func (d *document) scalarTag(i int32) scalar.Tag {
	n := &d.n[i]
	if n.flags&isNew != 0 {
		return d.fresh[n.val].tag
	}
	if n.flags&hasProps != 0 {
		if written := d.props[i].tag; written != "" && written != "!" {
			return scalar.ParseTag(written)
		}
	}
	if n.style == scalar.NoStyle {
		return scalar.NullTag
	}
	if n.style == scalar.PlainStyle {
		return scalar.Resolve(d.text(i))
	}
	return scalar.StrTag
}

// keyBytes returns the decoded key of source node n. The result must not be modified.
func keyBytes(src []byte, n *node) []byte {
	raw := src[n.key:n.keyEnd]
	switch n.keyStyle {
	case scalar.SingleStyle, scalar.DoubleStyle:
		return scalar.Unquote(raw)
	}
	if n.flags&inFlow != 0 && bytes.IndexByte(raw, '\n') >= 0 {
		return scalar.FoldPlain(raw)
	}
	return raw
}
