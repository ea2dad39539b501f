package yamlpath

import (
	"errors"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// ResourceInfo returns what identifies the resource of a document. It returns nil for documents
// that are not resources, and an *api.Failure for those that cannot be read.
func ResourceInfo(doc *gaby.YamlDoc, provider configkit.ResourceProvider) (*api.ResourceInfo,
	error,
) {
	info, err := provider.ResourceInfo(doc)
	if err != nil {
		if _, ok := errors.AsType[*configkit.NoResourceError](err); ok {
			return nil, nil
		}
		return nil, Locate(err, nil)
	}
	return &info, nil
}
