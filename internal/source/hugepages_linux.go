package source

import (
	"syscall"
	"unsafe"
)

// hugePage is the size of a large page of the memory on the common machines.
const hugePage = 2 << 20

// adviseHugePages asks for large pages behind a buffer of many megabytes that
// is about to be filled: a thousand times fewer page faults. It is no more than
// advice, so errors do not matter.
func adviseHugePages(buffer []byte) {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(buffer)))
	skip := int(-start & (hugePage - 1))
	if n := (len(buffer) - skip) &^ (hugePage - 1); n > 0 {
		_ = syscall.Madvise(buffer[skip:skip+n], syscall.MADV_HUGEPAGE)
	}
}
