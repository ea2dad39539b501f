// Package jsonschema checks values of documents against JSON Schemas and against the schemas of
// Kubernetes, which are treated as dialects. It knows drafts 7, 2019-09 and 2020-12, and reads
// drafts 4 and 6 as draft 7.
//
// The invariants of this package: values and schemas are those of gaby, so every problem has a
// position. Nothing is fetched: referenced schemas come from a function of the caller. No work
// is done before a schema is compiled. A schema that cannot be understood is an error when it
// is compiled; no part of it is silently skipped. The cost of a check is limited, because
// schemas are input too.
//
// Each kind of value has a file with its keywords, both compiling and checking. The common parts
// are in schema.go (compiling a schema), check.go (checking a value), references.go and
// unevaluated.go.
//
// Layer: knowledge.
package jsonschema
