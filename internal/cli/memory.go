package cli

import "runtime/debug"

// Below largeUnit bytes a run is over before collecting unused memory often pays; spareMemory is what a run takes beside the texts.
const (
	largeUnit   = 4 << 20
	spareMemory = 18 << 20
)

// limitMemory has the run-time system collect early enough for a unit of n bytes to be worked on in about twice its size: the text
// and the result stay in memory, the trees of the documents come and go.
func limitMemory(n int) {
	if n >= largeUnit {
		debug.SetMemoryLimit(int64(n)*21/10 + spareMemory)
	}
}
