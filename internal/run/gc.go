package run

import (
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/fctl-dev/fctl/internal/hugepages"
	"github.com/fctl-dev/fctl/internal/report"
)

// Below largeUnit bytes a run is over before collecting unused memory often pays, below mediumUnit bytes before preparing any;
// spareMemory is what a run takes beside the texts. More than mostPrepared bytes are not asked for at once, which a system may refuse.
const (
	mediumUnit   = 1 << 20
	largeUnit    = 4 << 20
	spareMemory  = 18 << 20
	mostPrepared = 512 << 20
)

// How much memory, in percent of what is in use, may become unused before it is collected: a run is short. With mutations, which are
// many small things that all stay, collecting is expensive. With the defaults of the run-time system, set-namespace on 10,000
// resources takes 15 % more CPU time.
const (
	collectLess      = 200
	collectMutations = 800
)

// memory has the run-time system collect early enough for large units to be worked on in about twice their size: the text and the
// result stay in memory, the trees of the documents come and go. A diff compares the two, line by line, and what happened to
// every resource is as large as the resources: these take as much again.
type memory struct {
	several, more bool
	collect       int // percent, see above

	mu    sync.Mutex
	limit int64
}

// newMemory is called before the first unit is read. A nil memory leaves the process as it is.
func newMemory(several bool, format report.Format) *memory {
	collect := collectLess
	if format == report.Mutations {
		collect = collectMutations
	}
	debug.SetGCPercent(collect)
	return &memory{several: several, more: format == report.Diff || format == report.Mutations, collect: collect}
}

// expect tells that a file of n bytes is going to be read. It can be called concurrently.
func (m *memory) expect(n int64) {
	if m == nil || n < mediumUnit || m.several {
		return
	}
	if m.more {
		n *= 2
	}
	first := m.collect * (4 << 20) / 100 // bytes in use at which memory is first collected
	debug.SetGCPercent(-1)
	hugepages.Prepare(int(min(2*n, mostPrepared)) + first)
	go func() { // while the file is read; the buffers for it would have memory collected several times
		runtime.GC()
		debug.SetGCPercent(m.collect)
	}()
}

// hold tells that a unit of n bytes is worked on. It can be called concurrently.
func (m *memory) hold(n int) {
	if m == nil || n < largeUnit {
		return
	}
	texts := int64(n)
	if m.several {
		texts += aheadBytes
	}
	limit := texts*21/10 + spareMemory
	if m.more {
		limit += 4 * texts
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if limit > m.limit {
		m.limit = limit
		debug.SetMemoryLimit(limit)
	}
}
