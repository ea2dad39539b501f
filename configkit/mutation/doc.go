// Package mutation computes, applies, combines and merges mutations. A mutation list says what
// functions changed in the resources of a unit, path by path.
//
// Compute compares two states of a unit. Patch applies mutations, Reset replaces mutated values by
// placeholders. Chain and Add combine lists. Merge performs a three-way merge by value; package
// textmerge merges the text around the values.
//
// # Invariants
//
//   - Applying what Compute returns to the earlier state gives the later state.
//   - Resources and list elements are found by their identity (name, merge key), and by position
//     only if they have none.
//   - A merge with nothing to do changes no byte, and repeating a merge changes nothing.
package mutation
