package semantics

import (
	"fmt"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/knowledge/jsonschema"
)

// Identities are the resources of a file, by group, kind, namespace and name, with their lines.
type Identities map[string]int

// Add adds a resource. It returns the problem that the file has it already, as applying the file
// would make one resource of the two.
func (known Identities) Add(info *api.ResourceInfo, resource gaby.Value) []jsonschema.Violation {
	metadata := resource.Get("metadata")
	name := metadata.Get("name")
	text := name.Text()
	switch {
	case text == "", strings.Contains(text, configkit.PlaceholderString):
		return nil
	case metadata.Get("annotations").Get("helm.sh/hook").Exists(): // Helm deletes it in between
		return nil
	}
	// Versions are views of one resource.
	id := configkit.GroupKind(info.ResourceType) + " " + string(info.ResourceName)
	line, twice := known[id]
	if !twice {
		known[id] = name.Position().Line
		return nil
	}
	return []jsonschema.Violation{{
		Path: []string{"metadata", "name"}, Pos: name.Position(), Keyword: "duplicate",
		Message: fmt.Sprintf("resource name %q is already used at line %d", text, line),
	}}
}
