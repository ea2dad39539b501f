// Package hugepages asks for large pages of memory behind long buffers that are about to be filled, which takes a thousand times fewer
// page faults. It is no more than advice, and does nothing on systems other than Linux.
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
