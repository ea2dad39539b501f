// Package yamlkit visits, reads and edits the resources of documents: visitors over resources and paths, the registry of paths by
// attribute, getters and setters. Paths are those of package yamlpath.
//
// # What belongs to it
//
// A Where is an expression over paths; its grammar is there.
// What is known about the paths of resource types is read from KnowledgeFiles into a Registry.
//
// # The rules of this room
//
//   - A document is visited only if a path is wanted of its resource type, and then it is checked whole before anything else.
//   - Documents that are not resources are passed over.
//   - All problems are reported, joined; each is an *api.Failure with position, resource and path.
//   - Nothing is compiled, decoded or allocated per visited node.
package yamlkit
