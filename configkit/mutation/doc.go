// Package mutation computes, applies, combines and merges mutations: lists of what functions changed in the resources of a unit, by path.
//
// Compute compares two states of a unit, Patch applies mutations, Reset undoes them to placeholders, Chain and Add combine lists, and
// Merge merges three states by their values. Package textmerge merges the texts around them.
//
// # Invariants
//
//   - Applying what Compute returns to the state before gives the state after.
//   - Resources and elements of lists are found by what identifies them, not by their position, where they have something.
//   - A merge that finds nothing to do changes no byte; merging again changes nothing.
package mutation
