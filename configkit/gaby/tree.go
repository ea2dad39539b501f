package gaby

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"sort"
	"strconv"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
)

// A tree is a value on its way into a document: the caller's value, with keys in the order they
// will have. Every edit converts its value to a tree first, so comparing it with the document and
// building nodes from it need to know one type only, and a value that cannot be written is refused
// before anything changes.
type tree struct {
	kind  scan.Kind
	tag   scalar.Tag
	text  string
	style scalar.Style // style of a scalar that comes from another document
	keys  []string
	kids  []*tree
	head  string // comment above the entry, see Comments
	line  string // comment after it on its line
}

// maxTreeDepth stops the conversion of Go data that contains itself.
const maxTreeDepth = 1000

// Entries is a map with an order, as [YamlDoc.Set] takes it. No key occurs twice.
type Entries []Entry

// Entry is a key of a map with its value.
type Entry struct {
	Key   string
	Value any
}

// toTree converts Go data. Keys of Go maps are sorted; a *YamlDoc, Value or Entries keeps its
// order. The error reports a value that cannot be written to a document.
func toTree(value any) (*tree, error) { return convert(value, 0) }

// convert is toTree at a nesting depth.
func convert(value any, depth int) (*tree, error) {
	if depth > maxTreeDepth {
		return nil, fmt.Errorf("a value with more than %d maps and lists inside each other",
			maxTreeDepth)
	}
	switch v := value.(type) {
	case nil:
		return &tree{tag: scalar.NullTag, text: "null"}, nil
	case string:
		return stringTree(v)
	case bool:
		return &tree{tag: scalar.BoolTag, text: strconv.FormatBool(v)}, nil
	case int:
		return &tree{tag: scalar.IntTag, text: strconv.Itoa(v)}, nil
	case float64:
		return &tree{tag: scalar.FloatTag, text: formatFloat(v)}, nil
	case json.Number:
		if t := scalar.Resolve(v.String()); t == scalar.IntTag || t == scalar.FloatTag {
			return &tree{tag: t, text: v.String(), style: scalar.PlainStyle}, nil
		}
		return nil, fmt.Errorf("%q is not a number", v.String())
	case *YamlDoc:
		return v.Value().tree(), nil
	case Value:
		return v.tree(), nil
	case commented:
		t := v.tree()
		t.comment(v.Value)
		if v.own {
			comments := v.Comments()
			t.head, t.line = comments.Head, comments.Line
		}
		return t, nil
	case map[string]any:
		t := &tree{kind: scan.MapNode}
		for k := range v {
			t.keys = append(t.keys, k)
		}
		sort.Strings(t.keys) // the order of a Go map must not reach the document
		return t, t.fill(depth, func(i int) any { return v[t.keys[i]] }, len(t.keys))
	case Entries:
		t := &tree{kind: scan.MapNode}
		for _, e := range v {
			t.keys = append(t.keys, e.Key)
		}
		return t, t.fill(depth, func(i int) any { return v[i].Value }, len(v))
	case []any:
		t := &tree{kind: scan.ListNode}
		return t, t.fill(depth, func(i int) any { return v[i] }, len(v))
	}
	return convertReflect(reflect.ValueOf(value), depth)
}

// convertReflect converts the less common Go types.
func convertReflect(v reflect.Value, depth int) (*tree, error) {
	switch v.Kind() {
	case reflect.String:
		return stringTree(v.String())
	case reflect.Bool:
		return convert(v.Bool(), depth)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &tree{tag: scalar.IntTag, text: strconv.FormatInt(v.Int(), 10)}, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &tree{tag: scalar.IntTag, text: strconv.FormatUint(v.Uint(), 10)}, nil
	case reflect.Float32, reflect.Float64:
		return convert(v.Float(), depth)
	case reflect.Slice, reflect.Array:
		t := &tree{kind: scan.ListNode}
		return t, t.fill(depth, func(i int) any { return v.Index(i).Interface() }, v.Len())
	case reflect.Map:
		if v.Type().Key().Kind() == reflect.String {
			t := &tree{kind: scan.MapNode}
			for _, k := range v.MapKeys() {
				t.keys = append(t.keys, k.String())
			}
			sort.Strings(t.keys)
			return t, t.fill(depth, func(i int) any {
				return v.MapIndex(reflect.ValueOf(t.keys[i]).Convert(v.Type().Key())).Interface()
			}, len(t.keys))
		}
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return convert(nil, depth)
		}
		return convert(v.Elem().Interface(), depth+1)
	}
	return nil, fmt.Errorf("a value of type %s cannot be written to a document", v.Type())
}

// fill checks the keys and converts the n values of a map or list.
func (t *tree) fill(depth int, value func(int) any, n int) error {
	for _, k := range t.keys {
		if err := checkKey(k); err != nil {
			return err
		}
	}
	for i := range n {
		kid, err := convert(value(i), depth+1)
		if err != nil {
			return err
		}
		t.kids = append(t.kids, kid)
	}
	return nil
}

// maxKey is the maximum length in bytes of a key as written. YAML allows 1,024 characters for a key
// on the line of its colon (YAML 1.2, 7.4.2).
const maxKey = 1000

// checkKey returns an error for a key that YAML readers would not accept.
func checkKey(key string) error {
	if !utf8.ValidString(key) {
		return fmt.Errorf("the key %.40q is not valid UTF-8", key)
	}
	if len(key) > maxKey/6 && len(scalar.Double(key)) > maxKey { // a byte is written as at most six
		return fmt.Errorf("the key %.40q... is written with more than 1,000 bytes, "+
			"which YAML readers do not accept", key)
	}
	return nil
}

// stringTree converts a string, which must be valid UTF-8.
func stringTree(s string) (*tree, error) {
	if !utf8.ValidString(s) {
		return nil, fmt.Errorf("the text %.40q is not UTF-8", s)
	}
	return &tree{text: s}, nil
}

// formatFloat formats f so that it reads back as a float.
func formatFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return ".nan"
	case math.IsInf(f, 1):
		return ".inf"
	case math.IsInf(f, -1):
		return "-.inf"
	}
	s := strconv.FormatFloat(f, 'g', -1, 64)
	for i := 0; i < len(s); i++ {
		if s[i] == '.' {
			return s
		}
		if s[i] == 'e' { // YAML 1.1 requires a point
			return s[:i] + ".0" + s[i:]
		}
	}
	return s + ".0"
}

// tree copies the value, with aliases and "<<" expanded.
func (v Value) tree() *tree {
	switch v.Kind() {
	case Missing:
		return &tree{tag: scalar.NullTag, text: "null"}
	case Map:
		t := &tree{kind: scan.MapNode}
		for _, c := range v.All() {
			t.keys = append(t.keys, c.Key())
			t.kids = append(t.kids, c.tree())
		}
		return t
	case List:
		t := &tree{kind: scan.ListNode}
		for _, c := range v.All() {
			t.kids = append(t.kids, c.tree())
		}
		return t
	}
	i := v.node()
	t := &tree{tag: v.d.scalarTag(i), text: v.d.text(i)}
	switch {
	case v.d.n[i].Flags&scan.IsNew != 0:
		t.style = v.d.newNodes[v.d.n[i].Val].style
	case !v.d.flowStyle().quoted || v.d.n[i].Style == scalar.PlainStyle:
		// the quotes of JSON and KYAML do not express a style
		t.style = v.d.n[i].Style
	}
	switch t.tag {
	case scalar.NullTag:
		t.text = "null"
	case scalar.BinaryTag, scalar.OtherTag, scalar.MergeTag, scalar.TimestampTag:
		t.tag = scalar.StrTag
	}
	return t
}

// WithComments wraps v so that the comments of its entries come along when it is written to a
// document.
func WithComments(v Value) any { return commented{v, false} }

// WithOwnComments is WithComments that also brings the comments of v's own entry, for a path with
// no value yet.
func WithOwnComments(v Value) any { return commented{v, true} }

// commented is a value that is written with its comments; own includes those of its own entry.
type commented struct {
	Value
	own bool
}

// comment adds the comments of the entries of v, of which t is a copy.
func (t *tree) comment(v Value) {
	for k, c := range v.All() {
		comments := c.Comments()
		t.kids[k].head, t.kids[k].line = comments.Head, comments.Line
		t.kids[k].comment(c)
	}
}

// build appends the nodes of t to the slab and returns the index of its root. A line comment
// becomes a pending comment of the new node.
func (d *document) build(key string, t *tree) int32 {
	i := int32(len(d.n))
	f := uint32(len(d.newNodes))
	d.grown += nodeSize + len(key) + len(t.text) + len(t.head) + len(t.line)
	d.newNodes = append(d.newNodes,
		newNode{key: key, text: t.text, tag: t.tag, style: t.style, head: t.head})
	d.n = append(d.n, scan.Node{
		Key: f, Val: f, Kind: t.kind, Flags: scan.IsNew, Next: uint32(i + 1),
	})
	if t.line != "" {
		remember(&d.edit().comments, i, t.line)
	}
	if t.kind == scan.ScalarNode {
		return i
	}
	kids := make([]int32, 0, len(t.kids))
	for k, kid := range t.kids {
		name := ""
		if t.kind == scan.MapNode {
			name = t.keys[k]
		}
		kids = append(kids, d.build(name, kid))
	}
	d.edit().kids.set(i, kids)
	return i
}

// equal reports whether node i holds the value t.
func (d *document) equal(i int32, t *tree) bool {
	n := &d.n[i]
	if n.Kind != t.kind {
		return false
	}
	if t.kind == scan.ScalarNode {
		return d.equalScalar(i, t)
	}
	v := d.cursor(i)
	if v.Len() != len(t.kids) {
		return false
	}
	for k, c := range v.All() {
		if t.kind == scan.MapNode {
			c = v.Get(t.keys[k])
		}
		if !c.Exists() || !d.equal(c.node(), t.kids[k]) {
			return false
		}
	}
	return true
}

// equalScalar reports whether scalar node i holds the value t.
func (d *document) equalScalar(i int32, t *tree) bool {
	have := d.scalarTag(i)
	if t.tag == scalar.StrTag && (have == scalar.TimestampTag || have == scalar.BinaryTag ||
		have == scalar.MergeTag || have == scalar.OtherTag) {
		// Functions see these as strings, binary data as its decoded or its written text. Writing
		// the same string again is not a change.
		return d.text(i) == t.text || scalar.Data(have, d.text(i)) == t.text
	}
	if have != t.tag {
		return false
	}
	switch have {
	case scalar.StrTag, scalar.OtherTag:
		return d.text(i) == t.text
	case scalar.NullTag:
		return true
	}
	return scalar.Same(have, d.text(i), t.text)
}
