// Package yamlkit visits, reads and edits the resources of documents: visitors over resources and paths, getters and setters. Paths are
// those of package yamlpath, what is registered about resource types is in package resourcetypes.
//
// # Invariants
//
//   - A document is visited only if a path is wanted of its resource type, and then it is checked whole before anything else.
//   - Documents that are not resources are skipped.
//   - All problems are reported, joined; each is an *api.Failure with position, resource and path.
//   - Nothing is compiled, decoded or allocated per visited node.
package yamlkit
