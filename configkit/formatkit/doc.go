// Package formatkit is the common part of the formats other than YAML. It converts their texts to
// documents and writes edits back into them.
//
// A format implements [Language]. Its parser returns a tree of nodes, which hold the values that
// functions see and the spans of their text. The tree becomes a document (see gaby.Native) that
// functions use like any other. To print a document, formatkit visits its edits, and the language
// turns each into splices of the text. Bytes outside of splices are copied. The result is parsed
// again and compared with the document, so that no edit is ever written as something else.
//
// Invariants of this package:
//
//   - A converter has no state. What printing needs to know is in the document.
//   - A text without edits is printed byte by byte, without asking the language.
//   - The spelling of values is up to the language. How entries are added to and removed from
//     brackets (brackets.go) and lines (lines.go) is implemented here, once.
//
// Layer: configkit.
package formatkit
