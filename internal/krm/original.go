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

// documentText returns the text of the document of the first of some items. The first item of a
// kubectl List has the text of the whole list, others have nil. So has a list of which some items
// are left out, and lists that follow each other: together they are not one document.
func documentText(items []*Item) []byte {
	item := items[0]
	f, first := item.file, item.Index
	switch {
	case f == nil:
		return nil
	case item.Doc.IsDocument():
		return item.Doc.Bytes()
	case first < 0 || first >= len(f.docs) || first > 0 && !f.docs[first-1].IsDocument():
		return nil
	}
	list := f.docs[first:]
	for i, doc := range list {
		if doc.IsDocument() {
			list = list[:i]
			break
		}
		if i >= len(items) || items[i] != f.items[first+i] {
			return nil
		}
	}
	text := list.Bytes()
	if _, err := gaby.ParseYAML(text); err != nil {
		return nil
	}
	return text
}

// Restore gives items that came through a pipe the text that they had in their files, and returns
// notes about texts that cannot be used.
func Restore(items []*Item, provider configkit.ResourceProvider) (notes []string) {
	sent := make([]*gaby.YamlDoc, len(items))
	for i, item := range items {
		sent[i] = item.Doc
	}
	return restore(items, sent, provider)
}

// restore gives items the texts that their resources had before the pipe. The first resource of a
// list has that of all; entries that are elsewhere now, or gone, leave
// the list.
func restore(items []*Item, sent []*gaby.YamlDoc, provider configkit.ResourceProvider,
) (notes []string) {
	var at map[string]int // if there is a list
	for i, item := range items {
		word := Annotation(sent[i], TextAnnotation)
		if word == "" {
			continue
		}
		docs, err := doctext.Decode(word)
		if err == nil && docs[0].IsDocument() {
			err = equalize(docs[0], sent[i], provider)
			if err == nil {
				item.Doc = docs[0]
			}
		} else if err == nil {
			if at == nil {
				at = make(map[string]int, len(items))
				for k, other := range items {
					at[placeKey(other)] = k
				}
			}
			err = restoreList(docs, items, sent, at, i, provider)
		}
		if err != nil {
			notes = append(notes, fmt.Sprintf("%s: the annotation %s is not used: %s", item,
				TextAnnotation, err))
		}
	}
	return notes
}

// restoreList is restore for the entries of a list, of which items[first] was the first one.
func restoreList(docs gaby.Container, items []*Item, sent []*gaby.YamlDoc, at map[string]int,
	first int, provider configkit.ResourceProvider,
) error {
	place := Item{Path: items[first].Path, Index: items[first].Index}
	found := make([]*Item, len(docs))
	for j, doc := range docs {
		k, ok := at[placeKey(&place)]
		place.Index++
		if !ok {
			continue
		}
		was, _ := doc.Header()
		if is, err := sent[k].Header(); err != nil || is != was {
			continue
		}
		if err := equalize(doc, sent[k], provider); err != nil {
			return err
		}
		found[j] = items[k]
	}
	if found[0] == nil {
		return errors.New("it is a list with another resource")
	}
	for j, item := range found {
		if item != nil {
			item.Doc, item.read = docs[j], nil // no entry of the list that was read
		}
	}
	return nil
}

// equalize edits the document that a resource had before a pipe so that it is equal to what came
// out: the annotation adds to its text and never to its values.
func equalize(doc, resource *gaby.YamlDoc, provider configkit.ResourceProvider) error {
	for _, a := range annotations(doc).All() {
		if isTransport(a.Key()) {
			return fmt.Errorf("it has the annotation %s", a.Key())
		}
	}
	h, err := resource.Header()
	if err != nil {
		return err
	}
	keys := provider.MergeKeys(api.ResourceType(h.APIVersion + "/" + h.Kind))
	if err := printed.Apply(doc, resource.Value(), keys, isTransport); err != nil {
		return err
	}
	// Whoever wrote the text may have known one that edits do not make equal.
	mark := doc.Checkpoint()
	if err := printed.Apply(doc, resource.Value(), keys, isTransport); err != nil {
		return err
	}
	if doc.Checkpoint() != mark {
		return errors.New("its values cannot be changed to those of the resource")
	}
	return nil
}
