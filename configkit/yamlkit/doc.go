// Package yamlkit visits, reads and edits the resources of documents: it has visitors for resources
// and paths, getters and setters. Package yamlpath defines the paths, package resourcetypes what is
// registered about resource types.
//
// # Invariants
//
//   - A document is visited only if paths are requested for its resource type. It is then checked
//     as a whole before anything else.
//   - Documents that are not resources are skipped.
//   - All problems are reported, joined; each is an *api.Failure with position, resource and path.
//   - Nothing is compiled, decoded or allocated per visited node.
//
// Layer: configkit.
package yamlkit
