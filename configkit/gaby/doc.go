// Package gaby implements the YAML document: it reads text, answers questions about it, takes
// edits, and prints the text again with only the edited bytes changed.
//
// A document is the source bytes, a tree of spans over them, and the edits made since. The scanner
// (scan.go) makes the tree in one pass when the document is first visited. The nodes of the tree
// are fixed-size records without pointers in one slab, in document order. Edits never touch the
// source: they record that a node has another value or other children (journal.go), and printing
// (print.go) turns these records into replacements of byte ranges. Scalars are resolved only when
// they are read, by the rules of go.yaml.in/yaml/v3.
//
// Invariants:
//
//   - The scanner never guesses. Text it does not know for certain is [ErrUnsupported], with a
//     position; such a document can be read (through yaml.v3) but not edited.
//   - Bytes outside an edit are copied, never produced.
//   - Nothing here knows Kubernetes, except that the items of lists of resources are documents.
//   - Source text given to this package must not be modified afterwards.
//
// The names are those of ConfigKit's gaby, so that functions for it port by their import path.
//
// Layer: document.
package gaby
