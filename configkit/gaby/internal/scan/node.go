package scan

import (
	"bytes"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
)

// A Node is one value of a document together with the key or dash before it: an entry of a map, an
// item of a list, or the root. The nodes of a document are in one slab. Those that come from the
// text are in document order: the first child of node i is i+1, its next sibling is n[i].next, and
// its subtree is the range from i to n[i].next. Nodes made by edits follow. Offsets
// count bytes from the beginning of the document.
type Node struct {
	// Key is the span of the key of a map entry, with its quotes, or of the dash of a block list
	// item. For a flow list item it is empty, at the value.
	Key, KeyEnd uint32
	// Val is the span of the value without anchor and tag, for a collection from its first to its
	// last token. It is empty, after the colon, for a missing value.
	Val, ValEnd uint32
	Next        uint32 // index of the first node after this node's subtree
	Kind        Kind
	Style       scalar.Style
	KeyStyle    scalar.Style
	Flags       Flags
}

// Kind is the kind of a node.
type Kind uint8

// The kinds of nodes.
const (
	ScalarNode Kind = iota
	MapNode
	ListNode
	AliasNode
)

// Flags are properties of a node that few nodes have, as bits.
type Flags uint8

// The flags.
const (
	HasProps    Flags = 1 << iota // has an anchor or tag, see Tree.Props
	MultiLine                     // the text of the scalar spans several lines
	ExplicitKey                   // the key is written "? key"
	// IsNew marks a node that is not in the source: key and val are its index in a list of their
	// own.
	IsNew
	HasMerge      // a map with a "<<" key
	HasDuplicates // a map with a repeated key
	InFlow        // an entry of a flow collection
	EmptyInFlow   // a missing value in a flow collection, {a} or {a: }
)

// Props holds the anchor and the tag before a value.
type Props struct {
	Start       uint32 // offset of the first of the two
	Anchor, Tag string // without "&"; tag as written
}

// KeyBytes returns the decoded key of source node n. The result must not be modified.
func KeyBytes(src []byte, n *Node) []byte {
	raw := src[n.Key:n.KeyEnd]
	switch n.KeyStyle {
	case scalar.SingleStyle, scalar.DoubleStyle:
		return scalar.Unquote(raw)
	}
	if n.Flags&InFlow != 0 && bytes.IndexByte(raw, '\n') >= 0 {
		return scalar.FoldPlain(raw)
	}
	return raw
}
