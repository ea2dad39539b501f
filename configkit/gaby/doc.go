// Package gaby is the YAML document: it reads text, answers questions about it, takes edits and prints the text back with
// nothing changed but what was edited.
//
// A document is the source bytes, a tree of spans over them, and the edits made since. The tree is made by one scanner (scan.go)
// in one pass the first time the document is visited; its nodes are fixed-size records without pointers in one slab, in document
// order. Edits never touch the source: they say that a node has another value or other children, and printing (print.go) turns
// them into replacements of byte ranges. Scalars are resolved only when they are read, by the rules of go.yaml.in/yaml/v3.
//
// Rules of the room:
//
//   - The scanner never guesses. What it does not know for certain is [ErrUnsupported], with a position; such a document can be
//     read (through yaml.v3) but not edited.
//   - Bytes outside an edit are never produced, only copied.
//   - Nothing here knows Kubernetes, except that the items of lists of resources are documents of their own.
//   - Source text given to this package must not be modified afterwards.
//
// The names follow ConfigKit's gaby, so that functions written for it port by changing an import path.
package gaby
