// Package scan reads one YAML document in one pass into nodes, which refer to its text by offsets.
//
// It follows the grammar of YAML 1.2 (https://yaml.org/spec/1.2.2/) as go.yaml.in/yaml/v3,
// libyaml's algorithm, understands it, and refuses text that the two read differently or that is
// legal but nobody writes.
//
// The scanner is a recursive descent parser without tokens. The block side is in block.go, flow
// collections are in flow.go, scalars in scalar.go, anchors, tags and keys in props.go, and a fast
// path for ordinary lines is in plain.go. An error is a panic with an *Error that Document
// recovers.
//
// Layer: document.
package scan
