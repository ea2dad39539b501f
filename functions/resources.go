package functions

import (
	"errors"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/api"
)

// Resources are the resources in the data of a unit, each with its text. Documents that are no resources are left out.
func (e *Executor) Resources(t api.ToolchainType, data []byte) (api.ResourceList, error) {
	h, err := e.handler(t)
	if err != nil {
		return nil, err
	}
	documents, err := h.Converter().NativeToDocuments(data)
	if err != nil {
		return nil, err
	}
	resources := make(api.ResourceList, 0, len(documents))
	for _, doc := range documents {
		info, err := h.ResourceProvider().ResourceInfo(doc)
		if _, none := errors.AsType[*configkit.NoResourceError](err); none {
			continue
		}
		if err != nil {
			return nil, err
		}
		resources = append(resources, api.Resource{ResourceInfo: info, ResourceBody: doc.String()})
	}
	return resources, nil
}
