// Package schemas has the schemas of Kubernetes' resources: those built into several releases of Kubernetes, those of
// CustomResourceDefinitions, and those that users have in files.
//
// The rules of this room: schemas.zip is made by `make gen-schemas` (internal/schemagen) and holds nothing but what decides about
// validity; of it only the definitions that a resource needs are ever unpacked and compiled, when it needs them.
package schemas
