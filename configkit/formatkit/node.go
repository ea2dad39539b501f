package formatkit

import (
	"iter"
	"slices"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Span is a range of bytes of a text.
type Span struct{ From, To int }

// NewSpan returns the span between two offsets.
func NewSpan(from, to int) Span { return Span{from, to} }

// Len returns the length in bytes.
func (s Span) Len() int { return s.To - s.From }

// Node is a value of a text with its key: what functions see of it, and its spans.
type Node struct {
	Kind     gaby.Kind // Map, List or Scalar
	Key      string    // of an entry of a map, decoded
	Value    any       // of a scalar: nil, a string, bool, int, int64, uint64 or float64
	Kids     []*Node
	Comments gaby.Comments

	Parent *Node // set once the document is made
	Start  int   // of a root: where its document begins, which ends where the next one begins

	KeySpan Span // the key as it is written
	Sign    Span // what separates key and value; may be empty
	Span    Span // the value as it is written; empty for a map or list without text of its own
	// Entry is the span of the entry: key and value in brackets, or whole lines with their ends.
	Entry Span
	Head  int // where the comments above begin; Entry.From if there are none
	Comma int // in brackets: the offset of the comma after the entry, 0 if there is none
	// Remark is the line comment as it is written, with its mark. It is set by languages that
	// write it with LineComment.
	Remark Span
	Rest   Span // the text after a number, see BeforeRemark
	// Syntax is for the language to store how the node is written.
	Syntax any

	number int
}

// End returns the end of an entry in brackets, with its comma.
func (n *Node) End() int { return max(n.Span.To, n.Comma+1) }

// NodeOf returns the node of a value, or nil if the value is not in a text of this package.
func NodeOf(v gaby.Value) *Node {
	if s, ok := v.Doc().Native().(*source); ok && v.NativeNode() >= 0 {
		return s.nodes[v.NativeNode()]
	}
	return nil
}

// Get returns the entry of a map with a key, or nil. If the key is repeated the
// last entry is returned.
func (n *Node) Get(key string) *Node {
	for _, kid := range slices.Backward(n.Kids) {
		if kid.Key == key {
			return kid
		}
	}
	return nil
}

// Without returns the entries of a map or list that are not among entries.
func (n *Node) Without(entries []Entry) []*Node {
	kept := keptIn(entries)
	return slices.DeleteFunc(slices.Clone(n.Kids), func(kid *Node) bool { return kept[kid] })
}

// keptIn returns the nodes that stay where they are.
func keptIn(entries []Entry) map[*Node]bool {
	kept := map[*Node]bool{}
	for _, e := range entries {
		if e.Node != nil {
			kept[e.Node] = true
		}
	}
	return kept
}

// All returns n and everything below it, in the order of the tree.
func (n *Node) All() iter.Seq[*Node] {
	return func(yield func(*Node) bool) { n.all(yield) }
}

func (n *Node) all(yield func(*Node) bool) bool {
	return yield(n) && !slices.ContainsFunc(n.Kids, func(kid *Node) bool { return !kid.all(yield) })
}

// Lines returns the scalars in n that have lines of their own, in the order of the tree.
func (n *Node) Lines() []*Node {
	var lines []*Node
	for leaf := range n.All() {
		if leaf.Kind == gaby.Scalar && leaf.Entry.Len() > 0 {
			lines = append(lines, leaf)
		}
	}
	return lines
}
