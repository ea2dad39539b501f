package gaby

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
)

// YamlDoc is a document, or a slot of one. A nil *YamlDoc means "not found": all methods that read
// accept it.
//
// A slot is the position of a value, not the value: it shows the values that later edits put there.
// Documents are independent of each other, but one document, with all its slots, must not be used
// from several goroutines at a time.
type YamlDoc struct{ v Value }

// Value returns a cursor at d, the zero Value if the document cannot be read.
func (d *YamlDoc) Value() Value {
	if d == nil || !d.v.d.ready() {
		return Value{}
	}
	return d.v
}

// Check scans the whole document if that has not happened yet. The error is a *[SyntaxError]. If
// the document has an error, reads find nothing, unless the error is [ErrUnsupported] and yaml.v3
// reads the text: then Check returns nil, the document can be read, and edits return the error.
func (d *YamlDoc) Check() error {
	if d == nil || d.v.d.ready() {
		return nil
	}
	return d.v.d.err
}

// Search returns the value that segments name: keys of maps, decimal indexes of lists. It is nil if
// there is none.
func (d *YamlDoc) Search(segments ...string) *YamlDoc {
	v := d.Value()
	for _, s := range segments {
		v = v.child(s)
	}
	return v.Doc()
}

// child returns the entry that a path segment names.
func (v Value) child(segment string) Value {
	switch v.Kind() {
	case Map:
		return v.Get(segment)
	case List:
		if i, ok := listIndex(segment); ok {
			return v.Index(i)
		}
	}
	return Value{}
}

// listIndex parses a decimal list index.
func listIndex(segment string) (int, bool) {
	if segment == "" || segment[0] < '0' || segment[0] > '9' {
		return 0, false
	}
	i, err := strconv.Atoi(segment)
	return i, err == nil
}

// DotPathToSlice splits a path at its dots. In a segment ~1 is a dot and ~0 a tilde. The empty path
// has no segments.
func DotPathToSlice(path string) []string {
	if path == "" {
		return nil
	}
	segments := strings.Split(path, ".")
	for i, s := range segments {
		if strings.Contains(s, "~") {
			segments[i] = strings.ReplaceAll(strings.ReplaceAll(s, "~1", "."), "~0", "~")
		}
	}
	return segments
}

// Path is [YamlDoc.Search] for a dotted path. The empty path is d itself.
func (d *YamlDoc) Path(path string) *YamlDoc { return d.Search(DotPathToSlice(path)...) }

// Exists reports whether segments name a value. A null value exists.
func (d *YamlDoc) Exists(segments ...string) bool { return d.Search(segments...) != nil }

// ExistsP is [YamlDoc.Exists] for a dotted path.
func (d *YamlDoc) ExistsP(path string) bool { return d.Path(path) != nil }

// Children returns the values of a map or the items of a list in document order, nil for anything
// else.
func (d *YamlDoc) Children() []*YamlDoc {
	var l []*YamlDoc
	for _, c := range d.Value().All() {
		l = append(l, c.Doc())
	}
	return l
}

// ChildrenMap returns the values of a map by key, empty for anything else.
func (d *YamlDoc) ChildrenMap() map[string]*YamlDoc {
	m := map[string]*YamlDoc{}
	v := d.Value()
	if v.Kind() != Map {
		return m
	}
	for _, c := range v.All() {
		m[c.Key()] = c.Doc()
	}
	return m
}

// Data returns the value as Go data, see [Value.Data].
func (d *YamlDoc) Data() any { return d.Value().Data() }

// IsArray reports whether the value is a list.
func (d *YamlDoc) IsArray() bool { return d.Value().Kind() == List }

// IsMap reports whether the value is a map.
func (d *YamlDoc) IsMap() bool { return d.Value().Kind() == Map }

// IsNull reports whether the value exists and is null.
func (d *YamlDoc) IsNull() bool { return d.Value().IsNull() }

// IsNull reports whether the value is null. A missing value is not.
func (v Value) IsNull() bool {
	if v.Kind() != Scalar {
		return false
	}
	return v.d.scalarTag(v.node()) == scalar.NullTag
}

// Len returns the number of entries of a map or list, 0 for anything else.
func (d *YamlDoc) Len() int { return d.Value().Len() }

// Position returns the position of the value in the text of the unit.
func (d *YamlDoc) Position() Position {
	if d == nil {
		return Position{}
	}
	if !d.v.d.ready() {
		return d.v.d.position(d.v.d.contentStart())
	}
	return d.v.Position()
}

// FirstLine returns the line at which d begins in the text of the unit. For a document it is that
// of its separator or of what else precedes the content; for a value inside a document it includes
// the comments above.
func (d *YamlDoc) FirstLine() int {
	switch {
	case d == nil:
		return 0
	case d.whole():
		return d.v.d.unit.linesBefore(d.v.d.index) + 1
	case d.v.owner < 0 || !d.v.d.source(d.v.slot) || d.v.d.readOnly != nil || d.v.d.native != nil:
		return d.v.KeyPosition().Line
	}
	return d.v.d.position(d.v.d.headStart(d.v.slot)).Line
}

// contentStart returns the offset of the first token of the document, found without scanning.
func (d *document) contentStart() int {
	p := d.bodyStart
	for p < d.bodyEnd {
		switch d.src[p] {
		case ' ', '\t', '\n', '\r':
			p++
		case '#':
			p = d.lineEnd(p)
		default:
			return p
		}
	}
	return d.bodyStart
}

// IsDocument reports whether d is a document rather than a slot of one. The items of a list of
// resources are slots.
func (d *YamlDoc) IsDocument() bool { return d != nil && d.whole() }

// whole reports whether d is a document rather than a slot of one.
func (d *YamlDoc) whole() bool { return d.v.owner < 0 && d.v.slot == 0 }

// Bytes returns the text: for a document its own bytes with the edits, for a value inside one its
// text without the indentation it has there.
func (d *YamlDoc) Bytes() []byte {
	if d == nil {
		return nil
	}
	if d.whole() {
		var out chunks
		d.v.d.print(&out, false)
		out.flush()
		return bytes.Join(out.list, nil)
	}
	return append([]byte(d.v.YAML()), '\n')
}

// BytesWithNewline returns the text of a document with a final newline. A block scalar at its end
// keeps its value.
func (d *YamlDoc) BytesWithNewline() []byte {
	var out chunks
	d.v.d.print(&out, true)
	if !out.empty() && !out.endsIn("\n") {
		out.text([]byte(d.v.d.lineEnding()))
	}
	out.flush()
	return bytes.Join(out.list, nil)
}

// String returns the text, see [YamlDoc.Bytes].
func (d *YamlDoc) String() string { return string(d.Bytes()) }

// HasDuplicateKeys reports whether a map in the text of the document repeats a key.
func (d *YamlDoc) HasDuplicateKeys() bool { return d != nil && d.v.d.ready() && d.v.d.duplicates }

// Changed reports whether the document was edited.
func (d *YamlDoc) Changed() bool { return d != nil && d.v.d.changed() }
