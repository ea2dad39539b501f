package gaby

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
)

// Native implements the language of a text that is not YAML, of which a document is a view. The
// document is read and edited like any other. Its creator must query what became of the nodes, see
// [YamlDoc.NativeValue], and write that to the text.
type Native interface {
	// Scalar returns the value that is read back once value was written: nil, a string, bool, int,
	// int64, uint64 or float64. value is one of these as well. The error says why the language
	// cannot hold it.
	Scalar(value any) (any, error)
	// Number returns the value that is read where text is written, which is a number in YAML. It
	// returns nil if the language does not allow the text.
	Number(text string) any
	// CheckValue returns an error if the language cannot hold the value that an edit put at a path
	// of the document.
	CheckValue(root Value, path []string) error
	// CheckComment returns an error if the language cannot hold a line comment at a path.
	CheckComment(root Value, path []string, text string) error
}

// DeleteChecker is a Native that does not allow everything to be deleted.
type DeleteChecker interface {
	// CheckDelete returns an error if the value at a path cannot be deleted.
	CheckDelete(path []string) error
}

// native is the additional state of a document that is a view of a text in another language. All
// its nodes are [IsNew]: their content is in newNodes.
type native struct {
	language Native
	at       []nativeSpan // for each node
	remarks  []Comments
}

// nativeSpan holds the offsets of a node in the text.
type nativeSpan struct {
	key, value uint32 // offsets in src
	remark     int32  // index of its comments, -1 for none
}

// A NativeText is a text in a language other than YAML of which documents are made.
type NativeText struct{ unit *unit }

// NewNativeText prepares a text. Its documents begin at the offsets starts, in ascending order from
// 0; each extends to the next.
func NewNativeText(text []byte, starts ...int) *NativeText {
	return &NativeText{&unit{text: text, starts: starts}}
}

// Position returns the position of the byte at offset at of the text.
func (t *NativeText) Position(at int) Position {
	d := document{src: t.unit.text, unit: &unit{text: t.unit.text, starts: []int{0}}}
	return d.position(at)
}

// A NativeBuilder makes a document node by node, in document order: a node is followed by its
// children. Nodes are numbered in this order; the root is 0.
type NativeBuilder struct {
	d     *document
	start int
	open  []int32
	keys  []map[string]bool // of the open maps
}

// Document begins document i of the text.
func (t *NativeText) Document(i int, language Native) *NativeBuilder {
	limits := DefaultLimits()
	start, end := t.unit.starts[i], len(t.unit.text)
	if i+1 < len(t.unit.starts) {
		end = t.unit.starts[i+1]
	}
	src := t.unit.text[start:end:end]
	return &NativeBuilder{start: start, d: &document{
		src: src, bodyEnd: len(src), unit: t.unit, index: i, limits: &limits, scanned: true,
		native: &native{language: language},
	}}
}

// A NativeNode is a value of a text with its key.
type NativeNode struct {
	Kind  Kind // Map, List or Scalar
	Key   string
	Value any // of a scalar: nil, a string, bool, int, int64, uint64 or float64
	// Written is the text of a scalar. YAML that is made of a decimal fraction has it.
	Written  []byte
	KeyAt    int // offset of the key in the text, for a list item of its value
	ValueAt  int
	Comments Comments
}

// Begin adds a node inside the last one that was begun and not ended.
func (b *NativeBuilder) Begin(n *NativeNode) {
	d := b.d
	i := int32(len(d.n))
	f := newNode{key: n.Key}
	out := scan.Node{Key: uint32(i), Val: uint32(i), Flags: scan.IsNew}
	switch n.Kind {
	case Map:
		out.Kind, out.Style = scan.MapNode, scalar.PlainStyle
	case List:
		out.Kind, out.Style = scan.ListNode, scalar.PlainStyle
	default:
		f.tag, f.text = scalarText(n.Value)
		f.spell(n.Written)
	}
	if k := len(b.open); k > 0 && d.n[b.open[k-1]].Kind == scan.MapNode {
		out.KeyStyle = scalar.DoubleStyle
		if b.keys[k-1] == nil {
			b.keys[k-1] = map[string]bool{}
		}
		if b.keys[k-1][n.Key] {
			d.n[b.open[k-1]].Flags |= scan.HasDuplicates
			d.duplicates = true
		}
		b.keys[k-1][n.Key] = true
	}
	at := nativeSpan{
		key: uint32(n.KeyAt - b.start), value: uint32(n.ValueAt - b.start),
		remark: -1,
	}
	if n.Comments != (Comments{}) {
		at.remark = int32(len(d.native.remarks))
		d.native.remarks = append(d.native.remarks, n.Comments)
	}
	d.n, d.newNodes = append(d.n, out), append(d.newNodes, f)
	d.native.at = append(d.native.at, at)
	b.open, b.keys = append(b.open, i), append(b.keys, nil)
}

// End ends the last node that was begun and not ended.
func (b *NativeBuilder) End() {
	last := len(b.open) - 1
	b.d.n[b.open[last]].Next = uint32(len(b.d.n))
	b.open, b.keys = b.open[:last], b.keys[:last]
}

// Doc returns the document, whose root must have ended.
func (b *NativeBuilder) Doc() *YamlDoc {
	b.d.nsrc = int32(len(b.d.n))
	return &YamlDoc{v: b.d.cursor(0)}
}

// scalarText returns the tag and the text of a scalar value.
func scalarText(value any) (scalar.Tag, string) {
	t, err := toTree(value)
	if err != nil || t.kind != scan.ScalarNode {
		panic("gaby: no scalar of a native text")
	}
	return t.tag, t.text
}

// spell lets a decimal fraction have the text that it is written with: 1.20 may be a version, while
// 1_000, 0x1F and 1e3 are ways to write a number.
func (f *newNode) spell(written []byte) {
	if f.tag == scalar.FloatTag && len(bytes.Trim(written, "-.0123456789")) == 0 &&
		scalar.Resolve(string(written)) == f.tag &&
		scalar.Same(f.tag, string(written), f.text) {
		f.text, f.style = string(written), scalar.PlainStyle
	}
}

// Native returns the language of the text that the document is a view of, nil for a YAML document.
func (d *YamlDoc) Native() Native {
	if d == nil || d.v.d.native == nil {
		return nil
	}
	return d.v.d.native.language
}

// NativeEntry is an entry of a map or list after the edits.
type NativeEntry struct {
	Node  int // number of the node, -1 for one made by an edit
	Value Value
}

// NativeValue returns the present value of a node of the text, and whether an edit replaced it.
// Changed entries of a map or list do not count as a replacement.
func (d *YamlDoc) NativeValue(node int) (v Value, replaced bool) {
	doc, i := d.v.d, int32(node)
	return doc.cursor(i), doc.at(i) != i
}

// NativeNode returns the number of the node of the text at the slot of the value, -1 if an edit
// made the slot.
func (v Value) NativeNode() int {
	if v.d == nil || !v.d.source(v.slot) {
		return -1
	}
	return int(v.slot)
}

// NativeEntries returns the present entries of a map or list of the text, and whether edits added,
// removed or moved some.
func (d *YamlDoc) NativeEntries(node int) (entries []NativeEntry, changed bool) {
	doc, i := d.v.d, int32(node)
	kids, changed := doc.editedKids(i)
	if !changed {
		kids = doc.entries(i)
	}
	entries = make([]NativeEntry, len(kids))
	for k, kid := range kids {
		entries[k] = NativeEntry{Node: -1, Value: doc.entry(i, kid)}
		entries[k].Value.pos = int32(k)
		if doc.source(kid) {
			entries[k].Node = int(kid)
		}
	}
	return entries, changed
}

// HasNativeEntries reports whether a map or list of the text has the entries that it was read with.
func (d *YamlDoc) HasNativeEntries(node int) bool {
	_, changed := d.v.d.editedKids(int32(node))
	return !changed
}

// NativeComment returns the line comment that an edit gave an entry ("" if it was removed), and
// whether there was such an edit.
func (d *YamlDoc) NativeComment(node int) (text string, changed bool) {
	return d.v.d.pendingComment(int32(node))
}

// normalizeNative replaces the scalars of t by the values that the document's language reads back
// once they are written. A number that comes from a text keeps its spelling if the language has it.
// An error comes with the path, within t, of the scalar it is about.
func (e *editContext) normalizeNative(t *tree) (path []string, err error) {
	if e.d.native == nil {
		return nil, nil
	}
	for k, kid := range t.kids {
		if path, err := e.normalizeNative(kid); err != nil {
			key := strconv.Itoa(k)
			if t.kind == scan.MapNode {
				key = t.keys[k]
			}
			return append([]string{key}, path...), err
		}
	}
	if t.kind != scan.ScalarNode {
		return nil, nil
	}
	language, given := e.d.native.language, *t
	value, err := language.Scalar(scalar.Data(t.tag, t.text))
	if err != nil {
		return nil, err
	}
	t.tag, t.text = scalarText(value)
	if !given.isSpelled() {
		return nil, nil
	}
	read, own := scalarText(language.Number(given.text))
	switch {
	case read == scalar.NullTag && t.tag == scalar.FloatTag &&
		strings.Trim(given.text, "+-0123456789") == "":
		return nil, &EditError{Msg: "the format has no integer of this size"}
	case read == scalar.StrTag: // the language has texts only
		t.tag, t.text = read, own
	case read == t.tag && scalar.Same(read, own, t.text):
		t.text = given.text
	default:
		t.style = scalar.NoStyle
	}
	return nil, nil
}

// isSpelled reports whether t is a number that comes from a text, so that it has a spelling.
func (t *tree) isSpelled() bool {
	return t.style != scalar.NoStyle && (t.tag == scalar.IntTag || t.tag == scalar.FloatTag)
}

// Spelling returns the text of a number that an edit took from another text. Other values have
// none: it is up to the language how to write them.
func (v Value) Spelling() (text string, ok bool) {
	if v.Kind() != Scalar || v.d.n[v.node()].Flags&scan.IsNew == 0 {
		return "", false
	}
	t := v.tree()
	return t.text, t.isSpelled()
}

// nearest returns the value that segments lead to, or the last one on the way if something is
// missing.
func nearest(v Value, segments []string) Value {
	for _, s := range segments {
		c := v.child(s)
		if !c.Exists() {
			break
		}
		v = c
	}
	return v
}

// checkNative checks that the document's language can hold the value that was put at the path of e
// below v.
func (e *editContext) checkNative(v Value) error {
	if e.d.native == nil || v.slot != 0 && !e.base.Exists() {
		return nil // writing the text detects it
	}
	return e.d.native.language.CheckValue(e.d.cursor(0),
		slices.Concat(e.base.Segments(), e.path))
}

// refused returns an error of the language as an *EditError at v.
func (e *editContext) refused(v Value, err error) error {
	reported := EditError{Msg: err.Error()}
	if own, ok := errors.AsType[*EditError](err); ok {
		reported = *own
	}
	if reported.Pos.Line == 0 {
		reported.Pos = v.Position()
	}
	if reported.Path == "" {
		reported.Path = e.dotted()
	}
	return &reported
}
