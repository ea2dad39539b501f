package gaby

import "github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"

// A node is one value of a document together with the key or dash before it: an entry of a map, an
// item of a list, or the root. The nodes of a document are in one slab. Those that come from the
// text are in document order: the first child of node i is i+1, its next sibling is n[i].next, and
// its subtree is the range from i to n[i].next. Nodes made by edits follow; the children of their
// collections are in edits.kids. Offsets count bytes from the beginning of document.src.
type node struct {
	// key is the span of the key of a map entry, with its quotes, or of the dash of a block list
	// item. For a flow list item it is empty, at the value.
	key, keyEnd uint32
	// val is the span of the value without anchor and tag, for a collection from its first to its
	// last token. It is empty, after the colon, if there is no value.
	val, valEnd uint32
	next        uint32 // index of the first node after this node's subtree
	kind        nodeKind
	style       scalar.Style
	keyStyle    scalar.Style
	flags       nodeFlags
}

// nodeKind is the kind of a node.
type nodeKind uint8

const (
	scalarNode nodeKind = iota
	mapNode
	listNode
	aliasNode
)

// nodeFlags are properties of a node that few nodes have, as bits.
type nodeFlags uint8

const (
	hasProps    nodeFlags = 1 << iota // has an anchor or tag, see document.props
	multiLine                         // the text of the scalar spans several lines
	explicitKey                       // the key is written "? key"
	// isNew marks a node that is not in the source: key and val are its index in document.newNodes.
	isNew
	hasMerge      // a map with a "<<" key
	hasDuplicates // a map with a repeated key
	inFlow        // an entry of a flow collection
	emptyInFlow   // a missing value in a flow collection, {a} or {a: }
)

// props holds the anchor and the tag before a value.
type props struct {
	start       uint32 // offset of the first of the two
	anchor, tag string // without "&"; tag as written
}

// newNode is the content of a node that is not in the source: it was made by an edit, or read by
// yaml.v3 or from a native text.
type newNode struct {
	key  string
	text string     // decoded text of a scalar
	tag  scalar.Tag // tag of a scalar
	// style is the style that a copied scalar had. It applies only where the document does not
	// decide.
	style scalar.Style
	cloneOf
	head string // comment above the entry
}
