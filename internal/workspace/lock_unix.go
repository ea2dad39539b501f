//go:build unix

package workspace

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lockPoll is how often a busy lock is tried again.
const lockPoll = 20 * time.Millisecond

// flock locks an open file, shared or exclusively. It waits for other processes until ctx ends. The
// lock lasts until the file is closed.
func flock(ctx context.Context, f *os.File, exclusive bool) error {
	how := unix.LOCK_SH
	if exclusive {
		how = unix.LOCK_EX
	}
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		if err != unix.EWOULDBLOCK && err != unix.EINTR {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockPoll):
		}
	}
}
