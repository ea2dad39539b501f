// Package jsonschema checks values of documents against JSON Schemas (drafts 4, 6, 7, 2019-09 and 2020-12) and against the
// schemas of Kubernetes, which are a dialect of theirs.
//
// The rules of this room: values and schemas are gaby's, so that everything that is found has a position; nothing is fetched,
// schemas that others refer to come from the function that the caller gives; nothing is made before a schema is compiled. A
// schema that cannot be understood is refused when it is compiled, never passed over. What a check may cost is limited, because
// schemas are input too.
//
// Each kind of value has a file with the keywords about it, compiling and checking side by side; what they have in common is in
// schema.go (reading a schema), check.go (checking a value), references.go and unevaluated.go.
package jsonschema
