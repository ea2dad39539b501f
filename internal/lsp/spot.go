package lsp

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// spot is an entry of a document at an offset of its text.
type spot struct {
	docs   gaby.Container // of the text, as far as they can be read
	doc    *gaby.YamlDoc
	entry  gaby.Value
	parent gaby.Value // the map or list around it; missing at the root
	key    bool       // the offset is in the key of the entry
}

// spotAt returns the innermost entry at an offset, whose key or scalar is there.
func spotAt(text []byte, offset int) (s spot, ok bool) {
	all, _ := gaby.ParseAll(text) // those before a mistake are returned
	for _, doc := range all {
		if doc.Check() != nil {
			continue
		}
		s.docs = append(s.docs, doc)
		if e, known := doc.Value().Extent(); known && e.From <= offset && offset <= e.To {
			s.doc, s.entry = doc, doc.Value()
		}
	}
	if s.doc == nil {
		return s, false
	}
	for s.entry.Kind() == gaby.Map || s.entry.Kind() == gaby.List {
		next := gaby.Value{}
		for e := range s.entry.Entries() {
			at, known := e.Extent()
			switch {
			case !known:
			case s.entry.Kind() == gaby.Map && at.Key <= offset && offset <= at.KeyEnd:
				s.parent, s.entry, s.key = s.entry, e, true
				return s, true
			case at.From <= offset && offset <= at.To:
				next = e
			}
		}
		if !next.Exists() {
			return s, false
		}
		s.parent, s.entry = s.entry, next
	}
	return s, s.entry.Kind() == gaby.Scalar
}

// path returns the path of the entry in its document, which may be an item of a List.
func (s spot) path() []string {
	return s.entry.Segments()[len(s.doc.Value().Segments()):]
}

// typeOf returns the type of a resource, as far as it is written.
func typeOf(doc *gaby.YamlDoc) api.ResourceType {
	root := doc.Value()
	return api.ResourceType(root.Get("apiVersion").Text() + "/" + root.Get("kind").Text())
}
