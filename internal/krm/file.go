package krm

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm/doctext"
)

// InputFile is a file that items were read from.
type InputFile struct {
	Path string // slash-separated, relative to the root
	Name string // in messages

	open string // the path to open
	info fs.FileInfo
	data []byte
	docs gaby.Container
	// items has the item of each document, nil for documents that are not items.
	items []*Item
	// noResource counts the documents that are not resources.
	noResource int
}

// Items returns the items of the file in order.
func (f *InputFile) Items() []*Item {
	items := make([]*Item, 0, len(f.items))
	for _, item := range f.items {
		if item != nil {
			items = append(items, item)
		}
	}
	return items
}

// parse splits the file into documents and makes items of them. all says that documents that are
// maps but not resources are items as well.
func (f *InputFile) parse(all bool) error {
	docs, err := gaby.ParseAll(f.data)
	if err != nil {
		return located(f.Name, err)
	}
	f.docs, f.items = docs, make([]*Item, len(docs))
	var problems []error
	items := make([]Item, len(docs))
	for i, doc := range docs {
		h, err := doc.Header()
		if err != nil {
			problems = append(problems, located(f.Name, err))
			continue
		}
		if !isResource(h) && !(all && doc.IsMap()) {
			if !doc.IsNull() {
				f.noResource++
			}
			if v := doc.Value(); v.SourceStyle().Plain && doctext.FollowsMarker(doc.Source()) {
				problems = append(problems, located(f.Name, at(v.Position(),
					"%q after --- is not a comment", v.Text())))
			}
			continue
		}
		items[i] = Item{Doc: doc, Path: f.Path, Index: i, file: f}
		f.items[i] = &items[i]
		if doc.MayContain(LegacyPathAnnotation[:len("config.kubernetes.io/")]) {
			own, err := readLocation(doc)
			if err != nil {
				problems = append(problems, located(f.Name, err))
				continue
			}
			items[i].transport = own.newer || own.legacy
		}
	}
	return errors.Join(problems...)
}

// isResource reports whether a header is that of a resource. A Kustomization needs no name.
func isResource(h gaby.Header) bool {
	return h.APIVersion != "" && h.Kind != "" &&
		(h.Name != "" || h.GenerateName != "" || configkit.IsKustomization(h))
}

// located converts an error about a file to a failure with the position in the file.
func located(name string, err error) error {
	if failure, ok := errors.AsType[*api.Failure](err); ok {
		if failure.Pos.File == "" {
			in := *failure
			in.Pos.File = name
			return &in
		}
		return err
	}
	f := &api.Failure{
		Class: api.FailureInput, Pos: api.Position{File: name}, Message: err.Error(), Err: err,
	}
	if syntax, ok := errors.AsType[*gaby.SyntaxError](err); ok {
		f.Pos.Line, f.Pos.Column = syntax.Pos.Line, syntax.Pos.Column
		f.Message, f.Hint = syntax.Msg, syntax.Hint
	} else if edit, ok := errors.AsType[*gaby.EditError](err); ok {
		f.Pos.Line, f.Pos.Column = edit.Pos.Line, edit.Pos.Column
		f.Path, f.Message, f.Hint = edit.Path, edit.Msg, edit.Hint
	} else if _, ok := errors.AsType[*configkit.NoResourceError](err); ok {
		f.Message = "not a resource"
	}
	return f
}

// fault returns the failure for what a function did to a resource.
func fault(resource, format string, args ...any) *api.Failure {
	return &api.Failure{
		Class: api.FailureFunction, Resource: resource, Message: fmt.Sprintf(format, args...),
	}
}

// fileDocument is a document of a file that is written.
type fileDocument struct {
	doc   *gaby.YamlDoc
	item  *Item // nil for a document that is not an item
	index int
}

// text returns the text of a file with the given documents in order, and the comments between
// documents that are removed. kept are the documents that are not removed but may be in another
// file. The text has no parts if nothing is left.
func (f *InputFile) text(entries []fileDocument, kept map[*gaby.YamlDoc]bool) [][]byte {
	var parts [][][]byte
	var run gaby.Container
	flush := func() {
		if len(run) > 0 {
			parts = append(parts, run.Chunks())
			run = nil
		}
	}
	ending := ""
	if f != nil {
		ending = doctext.LineEnding(f.data)
	}
	removed := 0                   // documents of the file whose comments were handled
	comments := func(before int) { // which may be after the last document
		for ; f != nil && removed < min(before, len(f.docs)); removed++ {
			if doc := f.docs[removed]; !kept[doc] {
				if left := doc.Left(); left != nil {
					flush()
					parts = append(parts, gaby.Container{left}.Chunks())
				}
			}
		}
	}
	for _, e := range entries {
		if e.item == nil || e.item.file == f {
			comments(e.index)
		}
		if e.item == nil || f == nil || e.item.file == f {
			run = append(run, e.doc)
			continue
		}
		flush()
		parts = append(parts, [][]byte{doctext.WithLineEnding(e.doc.Bytes(), ending)})
	}
	flush()
	if f != nil {
		comments(len(f.docs))
	}
	return gaby.Join(parts)
}
