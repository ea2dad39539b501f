// Package resolve resolves links between units: it computes what the links of a downstream unit do to
// its data.
//
// Everything here is a pure function of values: a unit's head, its links and their upstream units
// go in, the new data, mutations and link records come out. Nothing is read from or written to
// files, and there is no clock. Package workspace and the commands store the results.
//
//   - resolve.go is the frame: the phases, what is atomic, and what is recorded.
//   - merge.go, insert.go, upsert.go, transform.go and needsprovides.go are the update types.
//   - needs.go, match.go and bind.go find what a unit needs and who provides it.
//   - read.go and write.go find resources and read and write single values in them.
//   - expression.go evaluates templates and CEL; check.go checks them before anything runs.
//   - sources.go says where every value of a unit came from.
//
// # Invariants
//
//   - A link that fails changes nothing. A resolve that fails as a whole changes nothing.
//   - Resolving again without new input changes nothing.
//   - Units are edited through their documents: every byte that no link asked to change stays.
//   - Upstream units are never changed.
//
// Layer: systems.
package resolve
