package gaby

import "github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"

// A node is one value of a document together with the key or dash in front of it: an entry of a map, an item of a list, or the
// root. Nodes lie in the document's slab in document order, so the first child of node i is i+1 and its next sibling is next.
type node struct {
	key, keyEnd uint32 // map entry: the key with its quotes; block list item: the dash; flow list item: empty, at the value
	val, valEnd uint32 // the value, without anchor and tag; a collection from its first to its last token; empty after the colon for no value
	next        uint32 // index of the node after this node's subtree
	kind        nodeKind
	style       scalar.Style
	keyStyle    scalar.Style
	flags       nodeFlags
}

type nodeKind uint8

const (
	scalarNode nodeKind = iota
	mapNode
	listNode
	aliasNode
)

type nodeFlags uint8

const (
	hasProps      nodeFlags = 1 << iota // anchor or tag, see document.props
	multiLine                           // scalar text runs over several lines
	explicitKey                         // "? key"
	isNew                               // not in the source: key and val are its index in document.fresh
	hasMerge                            // a map with a "<<" key
	hasDuplicates                       // a map with a repeated key
	inFlow                              // an entry of a flow collection
	emptyInFlow                         // a missing value in a flow collection, {a} or {a: }
)

// props are the anchor and the tag in front of a value.
type props struct {
	start       uint32 // of the first of them
	anchor, tag string // without & ; tag as written
}

// fresh is the content of a node that does not stand in the source: made by an edit, or read by yaml.v3.
type fresh struct {
	key  string
	text string     // of a scalar: its decoded text
	tag  scalar.Tag // of a scalar
	// want is the style a copied scalar had; used where nothing in the document says otherwise.
	want scalar.Style
	copied
	head string // comment above the entry
}
