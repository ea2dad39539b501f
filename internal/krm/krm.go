// Package krm runs KRM functions: functions that get resources as a ResourceList and return them
// changed. It reads and writes the ResourceList, finds the functions that files declare, selects
// what each of them gets, and merges what it returns into the files.
//
// # Invariants
//
//   - An item is a document of the file it came from. What a function returns is turned into edits
//     of that document, so that bytes the function did not mean to change stay.
//   - A function in Go edits the documents in place; nothing is serialised for it.
//   - No file is written until all functions succeeded, and no path leads out of the root.
//   - Annotations for transport (path, index, ids) are added on the way to a function and removed
//     on the way back. They never reach a file.
//   - Input is untrusted: sizes are bounded, and problems are errors with a position, never panics.
//
// Layer: systems.
package krm

import (
	"context"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/krm/fnresult"
	"github.com/fctl-dev/fctl/internal/krm/resourcelist"
)

// The versions of ResourceList, current first. V1Alpha1 has no results in the document.
const (
	V1       = resourcelist.V1
	V1Beta1  = resourcelist.V1Beta1
	V1Alpha1 = resourcelist.V1Alpha1
)

// Kind is the kind of a ResourceList.
const Kind = resourcelist.Kind

// Function is a KRM function in Go. It edits the items of the list in place, may add and remove
// items, and appends to the results. An error means that it failed; its results still count, its
// items do not. It must not keep the list.
type Function func(ctx context.Context, list *ResourceList) error

// ResourceList is what a function gets and returns.
type ResourceList struct {
	// Version is the apiVersion. It is printed as it is; empty means V1.
	Version string
	Items   []*Item
	// FunctionConfig is nil if the function has none. It is not an item, and changes of it are
	// ignored.
	FunctionConfig *gaby.YamlDoc
	Results        []fnresult.Result
	// Stderr is text of a function in Go for people, like the standard error of a program.
	Stderr string
	// Root is the path to open of the directory of the resources, "" if they are not in one. A
	// function in Go reads no files outside of it.
	Root string
	// Checked says that somebody writes the FunctionConfig: unknown fields of it are errors, which a
	// function may otherwise ignore.
	Checked bool

	// config is the item that is the functionConfig, nil if it is not an item.
	config *Item
	text   *listText // what the list was parsed from; nil for a list made in memory
}

// Docs returns the documents of the items.
func (l *ResourceList) Docs() gaby.Container {
	docs := make(gaby.Container, len(l.Items))
	for i, item := range l.Items {
		docs[i] = item.Doc
	}
	return docs
}

// Item is one resource of a list.
type Item struct {
	// Doc is the resource: a document of its file, or an entry of the list it was parsed from.
	Doc *gaby.YamlDoc
	// Path is the slash-separated path of the file, relative to the root; empty if it has none.
	Path string
	// Index is the position of the document in the file.
	Index int

	// File is the path to open of the file of a functionConfig, and Dir its directory.
	File, Dir string

	// transport says that the file has annotations for path or index of its own.
	transport bool
	file      *InputFile // the file Doc is a document of, nil if it came from elsewhere
	read      *location  // the path and index when the list was parsed; nil for a new item
}

// NewItem makes an item of the text of one resource. path may be empty.
func NewItem(text []byte, path string, index int) (*Item, error) {
	doc, err := gaby.ParseYAML(text)
	if err != nil {
		return nil, err
	}
	doc.DropPositions()
	return &Item{Doc: doc, Path: path, Index: index}, nil
}

// location is the path and index of an item in its annotations, and which annotations there were.
type location struct {
	path          string
	index         int
	legacy, newer bool // the families of annotations that were present
	indexed       bool // an index was given
	problem       error
}

// name returns the kind and name of the item.
func (item *Item) name() string {
	h, _ := item.Doc.Header()
	name := h.Kind
	if name == "" {
		name = "document"
	}
	if h.Name != "" {
		name += " " + h.Name
	}
	return name
}
