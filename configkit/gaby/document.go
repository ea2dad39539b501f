package gaby

import (
	"bytes"
	"sync"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/stream"
)

// A document is one YAML document: its bytes in the unit, the tree over them, and the edits made
// since. Offsets count from the beginning of src.
//
// The node slab has two parts. The first nsrc nodes come from the source and never change. Edits
// append nodes after them and record in edits which slot has which value or children. A slot is a
// source or new node regarded as a position in its collection; at(slot) is the node that holds its
// present value.
//
// In the document "a: 1", node 0 is the map and node 1 the entry a. After a was set to 2, node 2
// holds the scalar 2, and edits.values has 1 -> 2: slot 1 is still the entry a, with its key,
// comment and position, and at(1) is 2.
type document struct {
	// from the separator (or what precedes the first document) to the next separator
	src        []byte
	bodyStart  int   // offset of the content, after the separator
	bodyEnd    int   // end of the content: a "..." line or the end of src
	unit       *unit // the text that src is a part of
	index      int   // index of the document in the unit
	limits     *Limits
	suspicious bool // a separator may be missing, see stream.Part.Odd

	scanned bool
	err     error // of the scan

	n          []scan.Node
	nsrc       int32 // nodes before it come from the source, the others from edits
	props      map[int32]scan.Props
	aliases    map[int32]int32 // alias node -> the node it refers to
	separators []uint32        // U+2028 and U+2029 in the source
	// readOnly is set if yaml.v3 read the document because the scanner does not support it.
	readOnly   *SyntaxError
	readOnlyAt []entryPositions
	native     *native // set if src is in another language, see Native
	// noLibrary says that the error is outside the content, which by itself would read as something
	// else.
	noLibrary  bool
	duplicates bool // a map repeats a key

	order     KeyOrder              // of the keys of maps, may be nil
	allow     func(bytes int) error // see LimitGrowth, may be nil
	grown     int                   // bytes of new values that allow does not know yet
	newNodes  []newNode             // content of the nodes that are not in the source
	edits     *edits
	snapshot  *snapshotEdits // set in a snapshot, see Container.Before
	cache     cache
	header    Header
	implied   Header // see Imply
	hasHeader bool

	blocks stream.Blocks // made for the first position
}

// A unit is a text with the offsets at which its documents or parts begin. The lines before each
// are counted for all of them at once, on the first request for a position. That is done under a
// sync.Once because several goroutines use the documents of a unit.
type unit struct {
	text   []byte
	starts []int
	once   sync.Once
	lines  []int // number of newlines before each document

	detached bool // not from a file: nothing in it has a position

	whole *unit // the text that this one is a part of, or nil
	part  int
	arena *Arena
}

// setStarts records the offsets at which the documents begin.
func (u *unit) setStarts(parts []stream.Part) {
	u.starts = make([]int, len(parts))
	for i, p := range parts {
		u.starts[i] = p.Start
	}
}

// linesBefore returns the number of newlines before document i, in the whole text if the unit is a
// part.
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

// ready scans the document if that has not happened yet, and reports whether it can be read.
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

// source reports whether node i is in the source.
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

// deref follows aliases to the node they refer to.
func (d *document) deref(i int32) int32 {
	for d.n[i].Kind == scan.AliasNode {
		i = d.at(d.aliases[i])
	}
	return i
}

// keyText returns the decoded key of node i.
func (d *document) keyText(i int32) string {
	n := &d.n[i]
	if n.Flags&scan.IsNew != 0 {
		return d.newNodes[n.Key].key
	}
	return scalar.View(scan.KeyBytes(d.src, n))
}

// keyIs reports whether the key of node i is k.
func (d *document) keyIs(i int32, k string) bool {
	n := &d.n[i]
	if n.Flags&scan.IsNew != 0 {
		return d.newNodes[n.Key].key == k
	}
	if n.KeyStyle == scalar.PlainStyle && n.Flags&scan.InFlow == 0 {
		return int(n.KeyEnd-n.Key) == len(k) && string(d.src[n.Key:n.KeyEnd]) == k
	}
	return string(scan.KeyBytes(d.src, n)) == k
}

// text returns the decoded text of scalar node i.
func (d *document) text(i int32) string {
	n := &d.n[i]
	if n.Flags&scan.IsNew != 0 {
		return d.newNodes[n.Val].text
	}
	return scalar.View(d.textBytes(i))
}

// textBytes is text without a copy if the source holds the decoded text. The result must not be
// modified.
func (d *document) textBytes(i int32) []byte {
	n := &d.n[i]
	if n.Flags&scan.IsNew != 0 {
		return []byte(d.newNodes[n.Val].text)
	}
	raw := d.src[n.Val:n.ValEnd]
	switch n.Style {
	case scalar.SingleStyle, scalar.DoubleStyle:
		return scalar.Unquote(raw)
	case scalar.LiteralStyle, scalar.FoldedStyle:
		return scalar.DecodeBlock(d.src[:d.bodyEnd], int(n.Val), int(n.ValEnd), d.blockParent(i))
	}
	if n.Flags&scan.MultiLine != 0 {
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
	p := int(n.Key)
	if n.Flags&scan.ExplicitKey != 0 {
		p = d.questionMark(p)
	}
	return d.column(p)
}

// column returns the distance in bytes of p from its line start.
func (d *document) column(p int) int { return p - d.lineStart(p) }

// lineStart returns the start of the line of p; the first line begins after a byte order mark. The
// cost does not depend on the length of the line.
func (d *document) lineStart(p int) int {
	near := max(p-stream.BlockSize/16, 0)
	if feed := bytes.LastIndexByte(d.src[near:p], '\n'); feed >= 0 {
		return near + feed + 1
	}
	block := d.blocks.Of(d.src, p)
	if feed := bytes.LastIndexByte(d.src[block.Start:p], '\n'); feed >= 0 {
		return block.Start + feed + 1
	}
	if block.BOL > 0 {
		return block.BOL
	}
	return scan.LineStart(d.src, min(p, len("\ufeff")))
}

// lineEnd returns the offset of the newline of p's line, or the end of src.
func (d *document) lineEnd(p int) int {
	if i := bytes.IndexByte(d.src[p:], '\n'); i >= 0 {
		return p + i
	}
	return len(d.src)
}

// skipBlanks returns the offset of the first byte at or after p that is not a blank.
func (d *document) skipBlanks(p int) int {
	for p < len(d.src) && scalar.IsBlank(d.src[p]) {
		p++
	}
	return p
}

// questionMark returns the offset of the "?" before the explicit key at p.
func (d *document) questionMark(p int) int {
	p--
	for p > 0 && d.src[p] != '?' {
		p--
	}
	return p
}

// scalarTag returns the tag of scalar node i. The tag "!" counts as none.
func (d *document) scalarTag(i int32) scalar.Tag {
	n := &d.n[i]
	if n.Flags&scan.IsNew != 0 {
		return d.newNodes[n.Val].tag
	}
	if n.Flags&scan.HasProps != 0 {
		if written := d.props[i].Tag; written != "" && written != "!" {
			return scalar.ParseTag(written)
		}
	}
	if n.Style == scalar.NoStyle {
		return scalar.NullTag
	}
	if n.Style == scalar.PlainStyle {
		return scalar.Resolve(d.text(i))
	}
	return scalar.StrTag
}
