package run

import "sync"

// Writes is what a signal handler has to know about the files that are being written.
type Writes struct {
	// orderly is locked while a run writes files: when it is interrupted, it finishes those it has begun.
	orderly sync.Mutex
	// one is locked for reading while a file is written.
	one sync.RWMutex
}

// Begin begins a run that writes files. End ends it.
func (w *Writes) Begin() { w.orderly.Lock() }

// End ends a run that writes files.
func (w *Writes) End() { w.orderly.Unlock() }

// Write calls write, which writes one file, unless Abandon was called before.
func (w *Writes) Write(write func() error) error {
	w.one.RLock()
	defer w.one.RUnlock()
	return write()
}

// Wait waits for the run that writes files, and lets no other one begin.
func (w *Writes) Wait() { w.orderly.Lock() }

// Abandon waits for the files that are being written at this moment, so that no temporary file stays. No file is written after it.
func (w *Writes) Abandon() { w.one.Lock() }
