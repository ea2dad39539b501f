package configkit

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// AttributeDescription describes an attribute for functions that read and write it, and for users.
type AttributeDescription struct {
	Name api.AttributeName
	// What the values are, to follow "Get" and "Set": "the size of caches".
	Description string
	// Parameters are the parameters of the setter: one for each %s of the paths, in order, then the
	// value.
	Parameters []api.FunctionParameter
	// Functions says which functions the attribute has.
	Functions AttributeFunctions
	// Upsert says that the setter creates missing values.
	Upsert bool
	// File and Pos say where the attribute is described. They are zero if only its paths are
	// registered.
	File string
	Pos  gaby.Position
}

// AttributeFunctions names the functions that get and set the values at the paths of an attribute:
// get-NAME and set-NAME. Without a name, the attribute has none.
type AttributeFunctions struct {
	Name string
	// FormerName is the deprecated NAME of both functions, or "".
	FormerName string
	// ReadOnly says that there is only get-NAME.
	ReadOnly bool
	// ExampleValue is the value in the example of set-NAME. If it is "", the example of the
	// parameter for the value is used.
	ExampleValue string
}

// ExclusiveFields lists fields of a map of which only one may be present.
type ExclusiveFields struct {
	Path    api.UnresolvedPath // of the map; "" is the whole resource
	Members []string
	// Discriminator is a field whose value selects the allowed member. Values missing in
	// AllowedMember allow none.
	Discriminator string
	AllowedMember map[string]string
}
