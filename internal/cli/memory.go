package cli

import "runtime/debug"

// largeUnit is the size from which the collector of unused memory is told to keep up. Below it a run is over before that pays.
const largeUnit = 16 << 20

// limitMemory has the run-time system collect early enough for a unit of n bytes to be worked on in about twice its size: the text
// and the result stay in memory, the trees of the documents come and go.
func limitMemory(n int) {
	if n >= largeUnit {
		debug.SetMemoryLimit(int64(n)*21/10 + largeUnit)
	}
}
