// Package entity holds the entities of a workspace: spaces, units, links, invocations, filters,
// revisions, mutations and conflicts, with the field names that files and -o json use.
//
// What a user states (a definition) and what fctl records (a state) are two files. Unit and Link
// are the union of both; Definition and State split them again.
//
// The package also decodes definitions strictly. Every problem has an identifier, the file, the
// line and the column, and all problems of a file are reported together. Whether an entity fits to
// the rest of the workspace is not known here; package workspace validates that.
//
// Layer: systems.
package entity
