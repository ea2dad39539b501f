package krm

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm/doctext"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
)

// Stream is resources that were read from one text: a ResourceList, or documents.
type Stream struct {
	List *ResourceList
	// Wrapped says that the text is a ResourceList. The result is then one as well.
	Wrapped bool
	Notes   []string
}

// ReadStream reads resources from a text called name in messages. A text whose only document is a
// ResourceList or List is unwrapped.
func ReadStream(text []byte, name string) (*Stream, error) {
	if !utf8.Valid(text) {
		return nil, located(name, at(doctext.Position(text, doctext.InvalidByte(text)),
			"the text is not UTF-8"))
	}
	docs, err := gaby.ParseAll(text)
	if err != nil {
		return nil, located(name, err)
	}
	if isOneList(text, docs) {
		list, err := Parse(text)
		if err != nil {
			return nil, located(name, err)
		}
		return &Stream{List: list, Wrapped: true, Notes: list.Notes()}, nil
	}
	s := &Stream{List: &ResourceList{}}
	f := &InputFile{Name: name, data: text}
	if err := f.parse(true); err != nil {
		return nil, err
	}
	for _, item := range f.items {
		if item == nil {
			continue
		}
		if err := item.Doc.Check(); err != nil {
			return nil, located(name, err)
		}
		item.file = nil
		item.Path, item.Index = "", 0
		if item.Doc.MayContain("config.kubernetes.io/") {
			if item.read, err = readLocation(item.Doc); err != nil {
				return nil, located(name, err)
			}
			item.Path, item.Index = item.read.path, item.read.index
		}
		if h, _ := item.Doc.Header(); h.Kind == Kind {
			s.Notes = append(s.Notes, "a ResourceList beside other documents is not unwrapped")
		}
		s.List.Items = append(s.List.Items, item)
	}
	return s, nil
}

// isOneList reports whether the only document of text is a ResourceList, or a List with items.
func isOneList(text []byte, docs gaby.Container) bool {
	if len(docs) == 0 || !bytes.Contains(text, []byte("List")) {
		return false
	}
	doc, err := gaby.ParseYAML(text)
	if err != nil {
		syntax, ok := errors.AsType[*gaby.SyntaxError](err)
		return ok && !syntax.Unsupported && len(docs) == 1 &&
			docs[0].MayContain("kind: "+Kind) // Parse reports the error
	}
	kind := doc.Value().Get("kind")
	return kind.EqualText(Kind) || kind.EqualText("List") && doc.Value().Get("items").Exists()
}

// Bytes returns the text with these items and results: a ResourceList if one was read, else
// documents.
func (s *Stream) Bytes(items []*Item, results []fnresult.Result) ([]byte, error) {
	if !s.Wrapped {
		return Unwrap(items), nil
	}
	s.List.Items = items
	s.List.Results = append(s.List.Results, results...)
	return s.List.Bytes()
}

// Unwrap returns the resources as documents, without annotations for transport.
func Unwrap(items []*Item) []byte {
	docs := make(gaby.Container, 0, len(items))
	for _, item := range items {
		doc := item.Doc
		if !doc.IsDocument() && item.read != nil { // an entry of a ResourceList
			fresh, err := gaby.ParseYAML([]byte(doc.Value().YAML() + "\n"))
			if err == nil && cleanAnnotations(fresh) == nil {
				fresh.DropPositions()
				doc = fresh
			} // what cannot be cleaned stays as it is, rather than be lost
		}
		docs = append(docs, doc)
	}
	return docs.Bytes()
}

// WithoutLocal returns the resources that are applied to a cluster.
func WithoutLocal(items []*Item) []*Item {
	var kept []*Item
	for _, item := range items {
		h, err := item.Doc.Header()
		if !IsLocalConfig(item.Doc) && (err != nil || isResource(h)) &&
			(h.Kind != KptfileName || Annotation(item.Doc, LocalConfigAnnotation) == "false") {
			kept = append(kept, item)
		}
	}
	return kept
}
