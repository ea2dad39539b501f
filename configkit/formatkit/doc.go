// Package formatkit is what the formats other than YAML share: it makes documents of their texts and writes edits back into them.
//
// A format is a [Language]. Its parser gives a tree of nodes: what functions see of each value, and where its text stands. Of that
// tree a document is made (see gaby.Native), on which functions work as on any other. To print it the edits are walked over; the
// language turns each into splices of the text, and bytes outside of splices are copied. What was printed is parsed again and
// compared with what the functions made, so that an edit is never written as something else.
//
// Rules of the room:
//
//   - A converter keeps no state: what printing needs to know stands in the document.
//   - A text without edits is printed as it came, byte by byte; no language has a word in that.
//   - How a language spells things is its own matter; how entries are added to and taken from brackets (brackets.go) and lines
//     (lines.go) is said here once.
package formatkit
