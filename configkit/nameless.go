package configkit

import (
	"errors"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Nameless is a provider for which a document that lacks nothing but a name is a resource, whose name is empty. A Kustomization needs
// none.
type Nameless struct{ ResourceProvider }

// ResourceInfo is that of the provider, or else what it knows of a document without a name.
func (p Nameless) ResourceInfo(doc *gaby.YamlDoc) (api.ResourceInfo, error) {
	info, err := p.ResourceProvider.ResourceInfo(doc)
	if none, ok := errors.AsType[*NoResourceError](err); ok && none.Info != nil {
		return *none.Info, nil
	}
	return info, err
}
