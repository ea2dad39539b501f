package run

import (
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/fctl-dev/fctl/internal/hugepages"
	"github.com/fctl-dev/fctl/internal/report"
)

// Sizes in bytes for GC tuning. Units below mediumUnit end before any preparation pays off, units
// below largeUnit before more frequent collections do. spareMemory is what a run takes besides the
// texts. At most mostPrepared bytes are requested at once, because a system may refuse more.
const (
	mediumUnit   = 1 << 20
	largeUnit    = 4 << 20
	spareMemory  = 18 << 20
	mostPrepared = 512 << 20
)

// GOGC percentages: how much garbage, relative to the live heap, may accumulate before it is
// collected. They are higher than the default because a run is short. With the default,
// set-namespace on 10,000 resources takes 15 % more CPU time. Mutations are many small objects that
// all stay alive, which makes collections expensive.
const (
	collectLess      = 200
	collectMutations = 800
)

// memory tunes the garbage collector so that a run on a large unit takes about twice the size of
// the unit: the text and the result stay in memory, while the trees of the documents come and go. A
// diff, which compares both texts line by line, and mutations, which are as large as the resources,
// take as much again.
type memory struct {
	several, more bool
	collect       int // GOGC, in percent

	mu    sync.Mutex
	limit int64
}

// newMemory sets GOGC; call it before the first unit is read. A nil memory leaves the process as it
// is.
func newMemory(several bool, format report.Format) *memory {
	collect := collectLess
	if format == report.Mutations {
		collect = collectMutations
	}
	debug.SetGCPercent(collect)
	return &memory{
		several: several, more: format == report.Diff || format == report.Mutations,
		collect: collect,
	}
}

// expect prepares the heap for reading a file of n bytes. It can be called concurrently.
func (m *memory) expect(n int64) {
	if m == nil || n < mediumUnit || m.several {
		return
	}
	if m.more {
		n *= 2
	}
	// heap size in bytes at the first collection: GOGC percent of 4 MiB
	first := m.collect * (4 << 20) / 100
	debug.SetGCPercent(-1)
	hugepages.Prepare(int(min(2*n, mostPrepared)) + first)
	// The collector is off while the file is read: its buffers would trigger several collections.
	go func() {
		runtime.GC()
		debug.SetGCPercent(m.collect)
	}()
}

// hold sets the memory limit for running the chain on a unit of n bytes. It can be called
// concurrently.
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
