// Package starter holds files that a new workspace may begin with.
//
// Layer: base.
package starter

import _ "embed" // the files

//go:embed attributes.yaml
var attributes string

// AttributesFile is where a workspace has the starter file for attributes.
const AttributesFile = "attributes/operators.yaml"

// Attributes returns a file for the folder attributes of a workspace. It says which paths of
// well-known custom resources refer to other resources, and which names they provide.
func Attributes() []byte { return []byte(attributes) }
