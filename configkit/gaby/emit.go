package gaby

import (
	"bytes"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
)

// An emitter writes values that have no text in the source, or whose text cannot be kept. It writes
// block style with two spaces per level. Lists in maps are indented as the first such list of the
// document.
type emitter struct {
	d       *document
	b       []byte
	lineEnd string
	// unended is the block scalar at the end of a text without a final newline, which lacks one as
	// well; 0 for none.
	unended int32
	flow    flowStyle
	indent  string // of the line in flow style, if its entries are on lines of their own
	noBlock bool   // the text that follows in the document would become part of a block scalar
	// dash is the number of columns from the dash of the next item to its value, as its siblings
	// have it; 0 for two.
	dash int
}

// emitter returns an emitter with the document's line ending.
func (d *document) emitter() *emitter {
	return &emitter{d: d, lineEnd: d.lineEnding()}
}

// lineEnding returns the line ending of the document: that of its first line, or else of the whole
// text.
func (d *document) lineEnding() string {
	if d.native != nil {
		return "\n"
	}
	if d.cache.lineEnd == "" {
		d.cache.lineEnd = d.findLineEnding()
	}
	return d.cache.lineEnd
}

func (d *document) findLineEnding() string {
	for i, b := range d.src {
		if b == '\n' {
			if i > 0 && d.src[i-1] == '\r' {
				return "\r\n"
			}
			return "\n"
		}
	}
	u := d.unit
	for u != nil && u.whole != nil {
		u = u.whole
	}
	if u != nil && bytes.Contains(u.text, []byte("\r\n")) {
		return "\r\n" // a last line without newline, after other documents
	}
	return "\n"
}

// listIndent returns the indentation, relative to its key, of the first block list in the document
// that is a map's value. It is 0 if there is none.
func (d *document) listIndent() int {
	if d.native != nil {
		return 0
	}
	if d.cache.listIndent == nil {
		by := d.findListIndent()
		d.cache.listIndent = &by
	}
	return *d.cache.listIndent
}

func (d *document) findListIndent() int {
	for i := range d.n[:d.nsrc] {
		n := &d.n[i]
		if n.Kind == scan.ListNode && n.Style == scalar.PlainStyle && n.KeyStyle != scalar.NoStyle {
			return max(d.column(int(n.Val))-d.column(int(n.Key)), 0)
		}
	}
	return 0
}

// pad writes n spaces.
func (e *emitter) pad(n int) {
	for range n {
		e.b = append(e.b, ' ')
	}
}

// entries writes the entries of collection i in block style in column indent. With inline the first
// line is not indented. The last line has no newline.
func (e *emitter) entries(i int32, indent int, inline bool) {
	isMap := e.d.n[i].Kind == scan.MapNode
	for k, slot := range e.d.kids(i) {
		if k > 0 {
			e.b = append(e.b, e.lineEnd...)
		}
		if k > 0 || !inline {
			e.head(slot, indent)
			e.pad(indent)
		}
		e.entry(slot, indent, isMap)
	}
}

// head writes the comment above a new entry.
func (e *emitter) head(slot int32, indent int) {
	if n := &e.d.n[slot]; n.Flags&scan.IsNew != 0 && e.d.newNodes[n.Val].head != "" {
		for line := range strings.SplitSeq(e.d.newNodes[n.Val].head, "\n") {
			e.pad(indent)
			e.b = append(e.b, strings.TrimRight("# "+line, " ")...)
			e.b = append(e.b, e.lineEnd...)
		}
	}
}

// entry writes an entry of a block collection in column indent, without the indentation of its
// first line.
func (e *emitter) entry(slot int32, indent int, isMap bool) {
	dash := max(e.dash, 2)
	e.dash = 0
	e.leadLines(slot, indent)
	if e.clonedEntry(slot, indent) {
		return
	}
	from := len(e.b)
	if !isMap {
		e.b = append(e.b, '-')
		e.pad(dash - 1)
		e.item(slot, indent, indent+dash)
		if e.d.n[e.d.deref(e.d.at(slot))].Kind == scan.ScalarNode {
			e.comment(slot, from)
		}
		return
	}
	e.b = append(e.b, e.key(slot, false)...)
	e.b = append(e.b, ':')
	i := e.d.deref(e.d.at(slot))
	switch n := &e.d.n[i]; {
	case n.Kind == scan.ScalarNode:
		e.b = append(e.b, ' ')
		e.scalar(i, indent+2, indent, false)
		e.comment(slot, from)
	case e.flowCopy(i, " ", indent):
		e.comment(slot, from)
	case len(e.d.kids(i)) == 0:
		e.b = append(e.b, " "+e.tag(i)+empty(n.Kind)...)
		e.comment(slot, from)
	default:
		e.b = append(e.b, strings.TrimRight(" "+e.tag(i), " ")...)
		e.comment(slot, from)
		e.b = append(e.b, e.lineEnd...)
		by := 2
		if n.Kind == scan.ListNode {
			by = e.d.listIndent()
		}
		e.entries(i, indent+by, false)
	}
}

// comment writes the line comment of a new entry: the one an edit gave it, or that of the original
// if it is a copy. The comment goes on the line that began at from.
func (e *emitter) comment(slot int32, from int) {
	text, ok := e.d.pendingComment(slot)
	if c := e.d.cloneOf(slot); !ok && c.entry > 0 {
		text = e.d.commentText(c.entry)
	}
	if text == "" {
		return
	}
	at := len(e.b)
	i := e.d.deref(e.d.at(slot))
	if k := bytes.Index(e.b[from:], []byte(e.lineEnd)); k >= 0 &&
		(e.d.cloneOf(i).value == 0 || e.d.isBlockScalar(e.d.cloneOf(i).value)) {
		at = from + k // after the header of a block scalar
	}
	e.b = slices.Insert(e.b, at, []byte(" # "+text)...)
}

// item writes the value of a list item whose dash is in column indent and whose text is in column
// at.
func (e *emitter) item(slot int32, indent, at int) {
	i := e.d.deref(e.d.at(slot))
	switch n := &e.d.n[i]; {
	case n.Kind == scan.ScalarNode:
		e.scalar(i, at, indent, false)
	case e.flowCopy(i, "", indent):
	case len(e.d.kids(i)) == 0:
		e.b = append(e.b, e.tag(i)+empty(n.Kind)...)
	case e.tag(i) != "":
		e.b = append(e.b, strings.TrimRight(e.tag(i), " ")+e.lineEnd...)
		e.entries(i, at, false)
	default:
		e.entries(i, at, true)
	}
}

// empty returns the text of an empty collection.
func empty(k scan.Kind) string {
	if k == scan.ListNode {
		return "[]"
	}
	return "{}"
}

// key returns the text of a key: that of the original for a copy if it can be kept, else in the
// style its value needs.
func (e *emitter) key(slot int32, flow bool) string {
	if s := e.d.cloneOf(slot).entry; s > 0 && e.d.n[s].Flags&scan.ExplicitKey == 0 {
		n := &e.d.n[s]
		if text := e.d.src[n.Key:n.KeyEnd]; bytes.IndexByte(text, '\n') < 0 &&
			(!flow || n.KeyStyle != scalar.PlainStyle || flowSafe(text)) {
			return string(text)
		}
	}
	return scalar.Format(scalar.StrTag, e.d.keyText(slot), scalar.Context{Key: true, Flow: flow})
}

// scalar writes scalar i. indent is the column of the text of a block scalar, parent the column of
// the collection around it.
func (e *emitter) scalar(i int32, indent, parent int, flow bool) {
	if e.clonedValue(i, parent, flow) {
		return
	}
	n := &e.d.n[i]
	if tag := e.tag(i); tag != "" {
		e.b = append(e.b, tag+scalar.Double(e.text(i))...)
		return
	}
	tag, old := e.d.scalarTag(i), n.Style
	switch {
	case n.Flags&scan.IsNew != 0:
		old = e.d.newNodes[n.Val].style
	case e.asWritten(i):
		return
	case tag > scalar.FloatTag: // its explicit tag is lost
		tag = scalar.StrTag
	}
	e.b = append(e.b, scalar.Format(tag, e.text(i),
		scalar.Context{
			Old: old, Indent: indent, Parent: parent, Flow: flow, NoBlock: e.noBlock,
			LineEnd: e.lineEnd,
		})...)
}

// asWritten writes source scalar i with its source text if that is on one line.
func (e *emitter) asWritten(i int32) bool {
	n := &e.d.n[i]
	if n.Flags&scan.MultiLine != 0 || n.Style == scalar.NoStyle || n.Style == scalar.LiteralStyle ||
		n.Style == scalar.FoldedStyle {
		return false
	}
	if n.Flags&scan.HasProps != 0 && e.d.props[i].Tag != "" {
		e.b = append(append(e.b, e.d.props[i].Tag...), ' ')
	}
	e.b = append(e.b, e.d.src[n.Val:n.ValEnd]...)
	return true
}

// text returns the text of scalar i to be written.
func (e *emitter) text(i int32) string {
	if e.d.scalarTag(i) == scalar.NullTag {
		return "null"
	}
	if i == e.unended && i > 0 {
		return strings.TrimSuffix(e.d.text(i), "\n")
	}
	return e.d.text(i)
}

// inFlow writes the value of slot in flow style.
func (e *emitter) inFlow(slot int32) {
	i := e.d.deref(e.d.at(slot))
	n := &e.d.n[i]
	switch {
	case e.flow.quoted && n.Kind == scan.ScalarNode && e.d.scalarTag(i) == scalar.StrTag:
		e.b = append(e.b, scalar.Double(e.d.text(i))...)
		return
	case e.flow.quoted && n.Kind == scan.ScalarNode:
		e.b = append(e.b, e.text(i)...)
		return
	case n.Kind == scan.ScalarNode:
		e.scalar(i, 0, 0, true)
		return
	case e.flow.quoted:
	case e.clonedValue(i, 0, true):
		return
	default:
		e.b = append(e.b, e.tag(i)...)
	}
	brackets, kids := empty(n.Kind), e.d.kids(i)
	e.b = append(e.b, brackets[0])
	if e.flow.step != "" && len(kids) > 0 {
		e.flowLines(i, kids)
	} else {
		for k, kid := range kids {
			if k > 0 {
				e.b = append(e.b, ", "...)
			}
			e.flowEntry(kid, n.Kind == scan.MapNode)
		}
	}
	e.b = append(e.b, brackets[1])
}

// flowLines writes the entries of collection i on lines of their own. KYAML
// puts the brackets of maps beside those of their list: [{...}, {...}].
func (e *emitter) flowLines(i int32, kids []int32) {
	isMap := e.d.n[i].Kind == scan.MapNode
	if !isMap && !e.flow.json && !slices.ContainsFunc(kids, func(kid int32) bool {
		of := e.d.deref(e.d.at(kid))
		return e.d.n[of].Kind != scan.MapNode || len(e.d.kids(of)) == 0
	}) {
		for k, kid := range kids {
			if k > 0 {
				e.b = append(e.b, ", "...)
			}
			e.flowEntry(kid, false)
		}
		return
	}
	outer := e.indent
	e.indent += e.flow.step
	for k, kid := range kids {
		e.b = append(append(e.b, e.lineEnd...), e.indent...)
		e.flowEntry(kid, isMap)
		if k < len(kids)-1 || !e.flow.json {
			e.b = append(e.b, ',')
		}
	}
	e.indent = outer
	e.b = append(append(e.b, e.lineEnd...), outer...)
}

// flowEntry writes an entry of a flow collection.
func (e *emitter) flowEntry(slot int32, isMap bool) {
	switch {
	case isMap && e.flow.json:
		e.b = append(e.b, scalar.Double(e.d.keyText(slot))+": "...)
	case isMap:
		e.b = append(e.b, e.key(slot, true)+": "...)
	}
	e.inFlow(slot)
}

// flowFits reports whether a value fits in flow style at column col: on a line of at most 80
// characters, without escaped newlines in its text.
func (e *emitter) flowFits(slot int32, col int) bool {
	f := emitter{d: e.d, lineEnd: e.lineEnd}
	f.inFlow(slot)
	return col+len(f.b) <= 80 && !strings.Contains(string(f.b), `\n`)
}
