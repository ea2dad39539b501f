package krm

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm/doctext"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
	"github.com/fctl-dev/fctl/internal/krm/resourcelist"
	"github.com/fctl-dev/fctl/internal/strict"
)

// Bytes returns the list as text. A list that was parsed is its text with the edits; of any other
// the items are written with annotations for path and index. A V1Alpha1 list has no results.
func (l *ResourceList) Bytes() ([]byte, error) {
	if l.text != nil {
		return l.edited()
	}
	return l.wire(&wireOptions{})
}

// Source returns the list as the source of a pipeline: the items are written with annotations for
// path, index and indentation, and text says that they get their TextAnnotation.
func (l *ResourceList) Source(text bool) ([]byte, error) {
	o := &wireOptions{seqIndent: true, version: true}
	if text {
		o.text = func(id int) []byte { return documentText(l.Items[id:]) }
	}
	return l.wire(o)
}

// version returns the apiVersion to print.
func (l *ResourceList) version() string {
	if l.Version == "" {
		return V1
	}
	return l.Version
}

// results returns the results to print.
func (l *ResourceList) results() []fnresult.Result {
	if l.Version == V1Alpha1 {
		return nil
	}
	return l.Results
}

// edited returns the text of a parsed list with the changes made since.
func (l *ResourceList) edited() ([]byte, error) {
	doc := l.text.Doc
	mark := doc.Checkpoint()
	defer doc.Rollback(mark)
	for _, item := range l.Items {
		if err := item.writePosition(); err != nil {
			return nil, err
		}
	}
	if err := l.arrange(); err != nil {
		return nil, err
	}
	switch results := l.results(); {
	case len(results) > 0:
		if _, err := doc.Set(fnresult.Data(results), "results"); err != nil {
			return nil, err
		}
	case l.text.HasResults:
		if err := doc.Delete("results"); err != nil {
			return nil, err
		}
	}
	return doc.Bytes(), nil
}

// arrange makes the items of the text those of the list, in their order.
func (l *ResourceList) arrange() error {
	if slices.Equal(l.Items, l.text.items) {
		return nil
	}
	doc := l.text.Doc
	if l.text.NoItems {
		if _, err := doc.Set([]any{}, "items"); err != nil {
			return err
		}
	}
	at := make(map[*Item]int, len(l.text.items))
	for i, item := range l.text.items {
		at[item] = i
	}
	var kept []int
	for _, item := range l.Items {
		if i, ok := at[item]; ok {
			kept = append(kept, i)
		}
	}
	if err := doc.ArrayRearrangeP(kept, "items"); err != nil {
		return err
	}
	for i, item := range l.Items {
		if _, ok := at[item]; ok {
			continue
		}
		if err := doc.ArrayInsertP(gaby.WithComments(item.Doc.Value()), i, "items"); err != nil {
			return err
		}
		fresh := *item
		fresh.Doc = doc.Search("items", strconv.Itoa(i))
		if err := fresh.writePosition(); err != nil {
			return err
		}
	}
	return nil
}

// writePosition sets the annotations of path and index if these are not what was read. An item that
// goes to the end of its file has no index: who reads the list gives it one.
func (item *Item) writePosition() error {
	was := location{}
	if item.read != nil {
		was = *item.read
	}
	if item.Path == was.path && max(item.Index, 0) == was.index {
		return nil
	}
	index := item.indexText()
	both := !was.newer && !was.legacy
	var set annotationSet
	if was.newer || both {
		set = append(set, annotation{PathAnnotation, item.Path},
			annotation{IndexAnnotation, index})
	}
	if was.legacy || both {
		set = append(set, annotation{LegacyPathAnnotation, item.Path},
			annotation{LegacyIndexAnnotation, index})
	}
	return set.write(item.Doc)
}

// indexText returns the index as an annotation has it, "" for an item that goes to the end of its
// file.
func (item *Item) indexText() string {
	if item.Index < 0 {
		return ""
	}
	return strconv.Itoa(item.Index)
}

// annotation is a key and a value; an empty value means that the annotation is removed.
type annotation struct{ key, value string }

type annotationSet []annotation

// write sets and removes annotations.
func (s annotationSet) write(doc *gaby.YamlDoc) error {
	if !annotations(doc).Exists() {
		var entries gaby.Entries // one edit is cheaper than one for each
		for _, a := range s {
			if a.value != "" {
				entries = append(entries, gaby.Entry{Key: a.key, Value: a.value})
			}
		}
		if len(entries) == 0 {
			return nil
		}
		_, err := doc.Set(entries, "metadata", "annotations")
		return err
	}
	for _, a := range s {
		segments := []string{"metadata", "annotations", a.key}
		if a.value == "" {
			if doc.Exists(segments...) {
				if err := doc.Delete(segments...); err != nil {
					return err
				}
			}
			continue
		}
		if _, err := doc.Set(a.value, segments...); err != nil {
			return err
		}
	}
	return nil
}

// wireOptions says what is sent to a function beside the resources.
type wireOptions struct {
	ids       bool // number the items, to find them in the output
	seqIndent bool // say how lists are indented
	version   bool // leave %YAML directives out; without it they are an error
	// text returns the text that an item keeps in an annotation; it may be nil.
	text func(id int) []byte
}

// wire writes the list for a function.
func (l *ResourceList) wire(o *wireOptions) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("apiVersion: " + l.version() + "\nkind: " + Kind + "\n")
	if len(l.Items) == 0 {
		b.WriteString("items: []\n")
	} else {
		b.WriteString("items:\n")
	}
	var problems []error
	for i, item := range l.Items {
		text, err := item.wire(i, o)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		doctext.WriteIndented(&b, "- ", text)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	if l.FunctionConfig != nil {
		b.WriteString("functionConfig:\n")
		text, err := l.configText()
		if err != nil {
			return nil, err
		}
		doctext.WriteIndented(&b, "  ", text)
	}
	results, err := resourcelist.Results(l.results())
	if err != nil {
		return nil, err
	}
	b.Write(results)
	return b.Bytes(), nil
}

// configText returns the text of the functionConfig. One that is an item has the annotations which
// say where it is.
func (l *ResourceList) configText() ([]byte, error) {
	item := l.config
	if item == nil || item.Doc != l.FunctionConfig {
		item = &Item{Doc: l.FunctionConfig}
	}
	return item.wire(0, &wireOptions{})
}

// wire returns the text of the item with the annotations for transport.
func (item *Item) wire(id int, o *wireOptions) ([]byte, error) {
	set := make(annotationSet, 0, 7)
	if item.Path != "" {
		index := item.indexText()
		set = append(set, annotation{LegacyIndexAnnotation, index},
			annotation{LegacyPathAnnotation, item.Path},
			annotation{IndexAnnotation, index}, annotation{PathAnnotation, item.Path})
	}
	if o.seqIndent {
		if indent := doctext.SeqIndent(item.Doc.Value()); indent != "" {
			set = append(set, annotation{SeqIndentAnnotation, indent})
		}
	}
	if o.ids {
		set = append(set, annotation{idAnnotation, strconv.Itoa(id)})
	}
	doc := item.Doc
	if o.text != nil {
		if text := o.text(id); text != nil {
			set = append(set, annotation{TextAnnotation, doctext.Encode(text)})
		}
	}
	if err := doc.Check(); err != nil {
		return nil, item.located(err)
	}
	if err := doctext.UniqueKeys(doc.Value()); err != nil {
		return nil, item.located(err)
	}
	mark := doc.Checkpoint()
	if err := set.write(doc); err == nil && doc.IsDocument() {
		text := doc.BytesWithNewline()
		doc.Rollback(mark)
		if doctext.HasDirective(text, o.version) {
			return nil, item.located(at(doc.Position(),
				"a document with YAML directives (%%) cannot be sent to a function"))
		}
		return text, nil
	}
	doc.Rollback(mark)
	// The annotations cannot be written to the text (it has aliases, or can only be read), or the
	// text is part of another: send a copy.
	fresh, err := gaby.ParseYAML([]byte(doc.Value().YAML() + "\n"))
	if err == nil {
		err = errors.Join(complete(fresh, doc), set.write(fresh))
	}
	if err != nil {
		return nil, item.located(err)
	}
	return fresh.BytesWithNewline(), nil
}

// complete adds the apiVersion and kind that a resource lacks because the list around it, such as a
// RoleBindingList, has them for all items.
func complete(fresh, doc *gaby.YamlDoc) error {
	h, _ := doc.Header()
	for _, field := range []struct{ key, value string }{
		{"kind", h.Kind}, {"apiVersion", h.APIVersion},
	} {
		if field.value == "" || fresh.Exists(field.key) {
			continue
		}
		if _, err := fresh.Set(field.value, field.key); err != nil {
			return err
		}
		if err := fresh.MoveKeyAfter("", field.key); err != nil {
			return err
		}
	}
	return nil
}

// Located adds the position of the item to an error that has none.
func (item *Item) Located(err error) error {
	failure, ok := errors.AsType[*api.Failure](err)
	if !ok || failure.Pos.File != "" || item.file == nil {
		return err
	}
	in := *failure
	in.Pos = item.Doc.Position()
	in.Pos.File = item.file.Name
	return &in
}

// fileName returns the name of the item's file in messages.
func (item *Item) fileName() string {
	if item.file == nil {
		return ""
	}
	return item.file.Name
}

// Directory returns the directory of the item's file to open, "" if it is not from a file.
func (item *Item) Directory() string {
	if item.file == nil {
		return ""
	}
	return filepath.Dir(item.file.open)
}

// reader returns a reader of the item's text.
func (item *Item) reader() *strict.Reader {
	if item.file == nil {
		return &strict.Reader{Resource: item.String()}
	}
	return &strict.Reader{File: item.file.Name}
}

// located adds the file of the item to an error.
func (item *Item) located(err error) error {
	if item.file != nil {
		return located(item.file.Name, err)
	}
	return fmt.Errorf("%s: %w", item, err)
}

// String returns the name of the item in messages: kind, name and file.
func (item *Item) String() string {
	name := item.name()
	if item.Path != "" {
		name += " in " + item.Path
		if item.Index > 0 {
			name += "[" + strconv.Itoa(item.Index) + "]"
		}
	}
	return name
}
