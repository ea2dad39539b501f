package cli

import "runtime/debug"

// Below largeUnit bytes a run is over before collecting unused memory often pays; spareMemory is what a run takes beside the texts.
const (
	largeUnit   = 4 << 20
	spareMemory = 18 << 20
)

// smallUnits has the run-time system collect less often: many small units leave little behind, however much they take.
const smallUnits = 400

// limitMemory has the run-time system collect early enough for a unit of n bytes to be worked on in about twice its size: the text
// and the result stay in memory, the trees of the documents come and go. A diff compares the two, line by line, and takes as much
// again.
func limitMemory(n int, asDiff bool) {
	if n < largeUnit {
		return
	}
	limit := int64(n)*21/10 + spareMemory
	if asDiff {
		limit += 4 * int64(n)
	}
	debug.SetMemoryLimit(limit)
}
