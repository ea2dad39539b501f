package krm

import (
	"bytes"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm/edit"
)

// Update makes the item equal to a changed copy of it, by the smallest edits: what did not change
// keeps its text.
func (item *Item) Update(changed *gaby.YamlDoc, provider configkit.ResourceProvider) error {
	h, err := item.Doc.Header()
	if err != nil {
		return err
	}
	if bytes.Equal([]byte(item.Doc.Content()), []byte(changed.Content())) {
		return nil
	}
	t := api.ResourceType(h.APIVersion + "/" + h.Kind)
	return edit.Apply(item.Doc, changed.Value(), provider.MergeKeys(t), isTransport)
}
