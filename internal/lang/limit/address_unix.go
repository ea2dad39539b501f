//go:build linux || darwin

package limit

import (
	"math"
	"syscall"
)

// addressSpace returns the limit that ulimit -v sets, or [math.MaxInt64].
func addressSpace() int64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil ||
		limit.Cur > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(limit.Cur)
}
