// Package mutationpath names values of resources so that mutations find them again: map entries by
// key, elements of lists with merge keys by those, other elements by a digest of their value.
//
// The text of a path is part of stored mutations, so its format must not change.
//
// Layer: configkit.
package mutationpath
