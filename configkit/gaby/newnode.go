package gaby

import "github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"

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
