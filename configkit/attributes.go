package configkit

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// AttributeDescription says what an attribute is, for functions that read and write it and for people.
type AttributeDescription struct {
	Name        api.AttributeName
	Description string // what the values are, as it follows "Get" and "Set": "the size of caches"
	// Parameters are those of its setter: what fills the %s of its paths, in order, and last the value.
	Parameters []api.FunctionParameter
	// Upsert tells that the setter creates what is missing.
	Upsert bool
	// File and Pos are where it is described; nowhere when it is known from its paths alone.
	File string
	Pos  gaby.Position
}

// ExclusiveFields says that of some fields of a map one alone may be present.
type ExclusiveFields struct {
	Path    api.UnresolvedPath // of the map; "" is the whole resource
	Members []string
	// Discriminator is a field whose value tells which member is allowed; a value that AllowedMember does not list allows none.
	Discriminator string
	AllowedMember map[string]string
}
