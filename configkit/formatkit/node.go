package formatkit

import (
	"slices"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Span is a range of bytes of a text.
type Span struct{ From, To int }

// Len is its length in bytes.
func (s Span) Len() int { return s.To - s.From }

// Node is one value of a text together with its key: what functions see of it, and where it stands.
type Node struct {
	Kind     gaby.Kind // Map, List or Scalar
	Key      string    // of an entry of a map, decoded
	Value    any       // of a scalar: nil, a string, bool, int, int64, uint64 or float64
	Kids     []*Node
	Comments gaby.Comments

	KeySpan Span // the key as it is written
	Span    Span // the value as it is written; empty for a map or list that has no text of its own
	// Entry is what stands for the entry: in brackets its key and value, on lines all lines of it with their ends.
	Entry Span
	Head  int // where the comments above it begin, Entry.From when there are none
	Comma int // in brackets: where the comma behind it stands, -1 for none
	// Syntax is what the language wants to remember of how it is written.
	Syntax any

	number int
}

// Get returns the entry of a map with a key, the last one when there are several, nil when there is none.
func (n *Node) Get(key string) *Node {
	for _, kid := range slices.Backward(n.Kids) {
		if kid.Key == key {
			return kid
		}
	}
	return nil
}

// Leaves calls f for the scalars of n, and for its maps and lists that are empty, in the order of the tree.
func (n *Node) Leaves(f func(*Node)) {
	if len(n.Kids) == 0 {
		f(n)
	}
	for _, kid := range n.Kids {
		kid.Leaves(f)
	}
}

// Document is one document of a text.
type Document struct {
	Root  *Node
	Start int // where its text begins; it ends where that of the next one begins
}
