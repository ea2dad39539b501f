package gaby

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
)

// YamlDoc is a document, or a place inside one. A nil *YamlDoc is "nothing there": every method that reads works on it.
//
// A place is the spot a value stands at, not the value: it shows what edits put there later. Documents are independent of each
// other; one document, with all its places, must not be used from several goroutines at a time.
type YamlDoc struct{ v Value }

// Value returns the place as a cursor.
func (d *YamlDoc) Value() Value {
	if d == nil || !d.v.d.ready() {
		return Value{}
	}
	return d.v
}

// Check scans the whole document when that has not happened. The error is a *[SyntaxError]; readers on a document with an error
// find nothing, unless the error is [ErrUnsupported] and the text is YAML all the same: then Check returns nil, the document can
// be read, and edits return the error.
func (d *YamlDoc) Check() error {
	if d == nil || d.v.d.ready() {
		return nil
	}
	return d.v.d.err
}

// Search returns the place the segments lead to: keys of maps, decimal indexes of lists. It is nil when there is none.
func (d *YamlDoc) Search(segments ...string) *YamlDoc {
	v := d.Value()
	for _, s := range segments {
		v = v.child(s)
	}
	return v.Doc()
}

// child returns the entry a path segment names.
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

func listIndex(segment string) (int, bool) {
	if segment == "" || segment[0] < '0' || segment[0] > '9' {
		return 0, false
	}
	i, err := strconv.Atoi(segment)
	return i, err == nil
}

// DotPathToSlice splits a path at its dots. In a segment ~1 stands for a dot and ~0 for a tilde. The empty path has no segments.
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

// Path is Search for a path with dots. The empty path is the place itself.
func (d *YamlDoc) Path(path string) *YamlDoc { return d.Search(DotPathToSlice(path)...) }

// Exists reports whether the segments lead to a place. A null value exists.
func (d *YamlDoc) Exists(segments ...string) bool { return d.Search(segments...) != nil }

// ExistsP is Exists for a path with dots.
func (d *YamlDoc) ExistsP(path string) bool { return d.Path(path) != nil }

// Children returns the values of a map or the items of a list in document order, nil for anything else.
func (d *YamlDoc) Children() []*YamlDoc {
	var l []*YamlDoc
	for c := d.Value().First(); c.Exists(); c = c.Next() {
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
	for c := v.First(); c.Exists(); c = c.Next() {
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

// IsNull reports whether there is a value and it is null.
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

// Position returns the place of the value in the unit's text.
func (d *YamlDoc) Position() Position {
	if d == nil {
		return Position{}
	}
	if !d.v.d.ready() {
		return d.v.d.position(d.v.d.contentStart())
	}
	return d.v.Position()
}

// FirstLine returns the line of the unit's text at which what belongs to d begins: its separator or what else stands in front of its
// content, and of a place inside a document the comments above it.
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

// contentStart returns where the first token of the document stands, found without scanning.
func (d *document) contentStart() int {
	p := d.body
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
	return d.body
}

// IsDocument reports whether d is a document and not a place inside one. The items of a list of resources are places.
func (d *YamlDoc) IsDocument() bool { return d != nil && d.whole() }

// whole reports whether d is a document and not a place inside one.
func (d *YamlDoc) whole() bool { return d.v.owner < 0 && d.v.slot == 0 }

// Bytes returns the text. Of a document it is its own bytes with the edits made; of a place inside one its value, without the
// indentation it has there.
func (d *YamlDoc) Bytes() []byte {
	if d == nil {
		return nil
	}
	if d.whole() {
		var out pieces
		d.v.d.print(&out, false)
		out.flush()
		return bytes.Join(out.list, nil)
	}
	return append([]byte(d.v.YAML()), '\n')
}

// Ended returns the text of a document with a line end behind it. The text of a block scalar that ends it has none because of that.
func (d *YamlDoc) Ended() []byte {
	var out pieces
	d.v.d.print(&out, true)
	if !out.empty() && !out.endsInLine() {
		out.text([]byte(d.v.d.lineEnding()))
	}
	out.flush()
	return bytes.Join(out.list, nil)
}

// String returns the text, see [YamlDoc.Bytes].
func (d *YamlDoc) String() string { return string(d.Bytes()) }

// Changed reports whether edits have changed the document.
func (d *YamlDoc) Changed() bool { return d != nil && d.v.d.changed() }
