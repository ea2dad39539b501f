//go:build unix

package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// lock is an open file, locked if its file system supports locks. The lock lasts until release or
// the end of the process.
type lock struct {
	file *os.File
	held bool
}

// take locks the open file fd, which may be closed afterwards, for one process alone or shared. It
// waits for other processes until ctx is cancelled.
func (l *lock) take(ctx context.Context, fd uintptr, exclusive bool) error {
	how := unix.LOCK_SH
	if exclusive {
		how = unix.LOCK_EX
	}
	own, err := unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return err
	}
	l.file = os.NewFile(uintptr(own), "")
	err = flock(own, how|unix.LOCK_NB)
	if err == unix.EWOULDBLOCK { //nolint:errorlint // system calls return nothing else
		err = l.wait(ctx, own, how)
	}
	l.held = err == nil
	return ctx.Err()
}

// wait waits for the lock. When ctx is cancelled, the goroutine that is still waiting releases the
// file.
func (l *lock) wait(ctx context.Context, fd, how int) error {
	done := make(chan error, 1)
	go func() { done <- flock(fd, how) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		go func(l lock) {
			<-done //nolint:errcheck // locked or not
			l.release()
		}(*l)
		*l = lock{}
		return ctx.Err()
	}
}

func flock(fd, how int) error {
	for {
		if err := unix.Flock(fd, how); err != unix.EINTR {
			return err
		}
	}
}

func (l *lock) release() {
	if l.file != nil {
		_ = l.file.Close()
	}
	*l = lock{}
}

// names reports whether a path, described by stat, names the locked file.
func (l *lock) names(path string, stat func(string) (fs.FileInfo, error)) (bool, error) {
	own, err := l.file.Stat()
	at, atErr := stat(path)
	switch {
	case errors.Join(err, atErr) != nil: // opening the file again reports why
		return false, nil
	case at.Mode()&fs.ModeSymlink != 0:
		return false, ErrChanged
	}
	return sameFile(own, at), nil
}

// reader returns a reader of the locked file. It reads from the open file, not from the path.
func (l *lock) reader(fileSystem, string) (io.ReadCloser, error) {
	return io.NopCloser(io.NewSectionReader(l.file, 0, math.MaxInt64)), nil
}

// maxHeld returns how many files one Batch keeps locked: half of the files that a process may have
// open.
func maxHeld() int {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return int(min(limit.Cur/2, 1<<16))
}

// canLock says that locks keep processes apart.
const canLock = true
