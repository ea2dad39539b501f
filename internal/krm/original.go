package krm

import (
	"errors"
	"fmt"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm/doctext"
	"github.com/fctl-dev/fctl/internal/krm/printed"
)

// TextAnnotation holds the text that a resource had in its file. Programs that print resources
// again lose comments, line endings, quotes and the order of fields; who writes the resource to a
// new file takes them from here.
const TextAnnotation = "internal.config.kubernetes.io/fctl-text"

// Restore gives items that came through a pipe the text that they had in their files, and returns
// notes about texts that cannot be used.
func Restore(items []*Item, provider configkit.ResourceProvider) (notes []string) {
	for _, item := range items {
		notes = append(notes, restore(item, item.Doc, provider)...)
	}
	return notes
}

// restore gives an item the text that a resource had before the pipe.
func restore(item *Item, resource *gaby.YamlDoc, provider configkit.ResourceProvider) []string {
	doc, err := original(resource, provider)
	if err != nil {
		return []string{fmt.Sprintf("%s: the annotation %s is not used: %s", item, TextAnnotation,
			err)}
	}
	if doc != nil {
		item.Doc = doc
	}
	return nil
}

// original returns the document in the TextAnnotation of a resource that came through a pipe, with
// the edits that make it equal to the resource: the annotation adds to its text and never to its
// values. It returns nil without the annotation.
func original(resource *gaby.YamlDoc, provider configkit.ResourceProvider) (*gaby.YamlDoc, error) {
	word := Annotation(resource, TextAnnotation)
	if word == "" {
		return nil, nil
	}
	doc, err := doctext.Decode(word)
	if err != nil {
		return nil, err
	}
	for _, a := range annotations(doc).All() {
		if isTransport(a.Key()) {
			return nil, fmt.Errorf("it has the annotation %s", a.Key())
		}
	}
	h, err := resource.Header()
	if err != nil {
		return nil, err
	}
	keys := provider.MergeKeys(api.ResourceType(h.APIVersion + "/" + h.Kind))
	if err := printed.Apply(doc, resource.Value(), keys, isTransport); err != nil {
		return nil, err
	}
	// Whoever wrote the text may have known one that edits do not make equal.
	mark := doc.Checkpoint()
	if err := printed.Apply(doc, resource.Value(), keys, isTransport); err != nil {
		return nil, err
	}
	if doc.Checkpoint() != mark {
		return nil, errors.New("its values cannot be changed to those of the resource")
	}
	return doc, nil
}
