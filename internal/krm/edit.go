package krm

import (
	"bytes"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm/printed"
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
	return printed.Apply(item.Doc, changed.Value(), provider.MergeKeys(t), isTransport)
}

// Sent returns a copy of the resource as a program gets it: with annotations for path and index.
func (item *Item) Sent() (*gaby.YamlDoc, error) {
	text, err := item.wire(0, &wireOptions{version: true})
	if err != nil {
		return nil, err
	}
	return gaby.ParseYAML(text)
}

// Take makes the item equal to a changed copy of what was sent, which may have another path and
// index.
func (item *Item) Take(changed *gaby.YamlDoc, provider configkit.ResourceProvider) error {
	return item.take(&Item{Doc: changed}, provider, false)
}

// Generated makes an item of a resource that a function made. Its annotations may say the path and
// index.
func Generated(doc *gaby.YamlDoc) (*Item, error) {
	at, err := readLocation(doc)
	if err != nil {
		return nil, err
	}
	return added(&Item{Doc: doc, Path: at.path, Index: at.index, read: at})
}
