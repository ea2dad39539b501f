// Package mutation computes, applies and merges mutations. A mutation list says what functions
// changed in the resources of a unit, path by path.
//
// Compute compares two states of a unit. Patch applies mutations, Reset replaces mutated values by
// placeholders. Chain computes what a chain of functions did. Merge performs a three-way merge by
// value; package textmerge merges the text around the values.
//
// # Changes
//
// Inside the package a list of mutations is a list of resourceChange values, the typed form in
// which changes are computed, subtracted and applied. A path (internal/mutationpath) names list
// elements by identity: by merge key or, in lists without merge keys, by a digest of the element's
// value before the change.
//
//   - find.go finds the resource and the element that a change is about; pair.go finds which
//     documents of two units are the same resource.
//   - diff.go and align.go compare their values. Lists with merge keys are compared by key, all
//     other lists by an alignment of their elements with the least cost.
//   - follow.go follows a path from one state of a resource to another.
//   - patch.go and target.go apply changes to documents in place.
//   - json.go converts changes to and from package api.
//
// # Merge
//
// Merge computes the changes of the source and those of the target since base. From the source's
// changes it subtracts what the target has decided for itself (subtract.go, movedvalues.go). What
// is left is applied to the target, except where values are protected (protect.go) or exclude each
// other (exclusive.go). Whatever cannot be applied is a conflict; conflictpos.go finds its position
// in the texts. Finally the merge is repeated: a list that changes again is reset to the target's
// value, so that a merge is idempotent.
//
// # Chain
//
// Chain computes the changes of a chain of functions as a whole, and then which function each of
// them came from (record.go, blame.go). It follows elements whose keys or indexes change on the way
// (moves.go).
//
// # Invariants
//
//   - Applying what Compute returns to the earlier state gives the later state.
//   - Resources and list elements are found by their identity (name, merge key), and by position
//     only if they have none.
//   - A merge with nothing to do changes no byte, and repeating a merge changes nothing.
//
// Layer: configkit.
package mutation
