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

// ResourceNameStableCore returns what the provider knows of it, or else the name without its scope.
func (p Nameless) ResourceNameStableCore(doc *gaby.YamlDoc) api.ResourceName {
	if known, ok := p.ResourceProvider.(interface {
		ResourceNameStableCore(doc *gaby.YamlDoc) api.ResourceName
	}); ok {
		return known.ResourceNameStableCore(doc)
	}
	info, err := p.ResourceInfo(doc)
	if err != nil {
		return ""
	}
	return info.ResourceNameWithoutScope
}
