package configkit

import (
	"errors"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Nameless is a provider that accepts documents lacking only a name as resources with an empty
// name. Kustomizations need none, for example.
type Nameless struct{ ResourceProvider }

// ResourceInfo returns the provider's info or, for a document without a name, what is known of it.
func (p Nameless) ResourceInfo(doc *gaby.YamlDoc) (api.ResourceInfo, error) {
	info, err := p.ResourceProvider.ResourceInfo(doc)
	if none, ok := errors.AsType[*NoResourceError](err); ok && none.Info != nil {
		return *none.Info, nil
	}
	return info, err
}
