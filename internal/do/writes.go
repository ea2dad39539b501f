package do

import "sync"

// Writes coordinates the writing of files with the handling of signals.
type Writes struct {
	// orderly is locked during a run that must not be cut short. An interrupted run finishes the
	// files it has begun, and a server the requests.
	orderly sync.Mutex
	// one is locked for reading while a file is written.
	one sync.RWMutex
}

// Begin begins a run that must not be cut short, such as one that writes files. End ends it.
func (w *Writes) Begin() { w.orderly.Lock() }

// End ends a run that must not be cut short.
func (w *Writes) End() { w.orderly.Unlock() }

// Write calls write, which writes one file. After Abandon it blocks forever.
func (w *Writes) Write(write func() error) error {
	w.one.RLock()
	defer w.one.RUnlock()
	return write()
}

// Wait waits for the run that must not be cut short to end, and lets no other begin.
func (w *Writes) Wait() {
	w.orderly.Lock()
	w.Abandon() // files outside of such a run
}

// Abandon waits for the files that are being written at this moment, so that no temporary file is
// left. No file is written after it.
func (w *Writes) Abandon() { w.one.Lock() }
