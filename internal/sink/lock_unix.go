//go:build unix

package sink

import (
	"context"
	"errors"
	"io"
	"math"

	"golang.org/x/sys/unix"
)

// lock is an open file, locked if its file system supports locks. The lock lasts until release or
// the end of the process.
type lock struct {
	fd   int
	open bool
	held bool
}

// take locks the open file fd, which may be closed afterwards. It waits for other processes until
// ctx is cancelled.
func (l *lock) take(ctx context.Context, fd uintptr) (err error) {
	if l.fd, err = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0); err != nil {
		return err
	}
	l.open = true
	err = flock(l.fd, unix.LOCK_EX|unix.LOCK_NB)
	if err == unix.EWOULDBLOCK { //nolint:errorlint // system calls return nothing else
		err = l.wait(ctx)
	}
	l.held = err == nil
	return ctx.Err()
}

// wait waits for the lock. When ctx is cancelled, the goroutine that is still waiting releases the
// file.
func (l *lock) wait(ctx context.Context) error {
	done := make(chan error, 1)
	go func(fd int) { done <- flock(fd, unix.LOCK_EX) }(l.fd)
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
	if l.open {
		_ = unix.Close(l.fd)
	}
	*l = lock{}
}

// names reports whether a path names the locked file.
func (l *lock) names(path string, followLinks bool) (bool, error) {
	var own, at unix.Stat_t
	stat := unix.Lstat
	if followLinks {
		stat = unix.Stat
	}
	if err := errors.Join(unix.Fstat(l.fd, &own), stat(path, &at)); err != nil {
		return false, nil //nolint:nilerr // opening the file again reports why
	}
	if at.Mode&unix.S_IFMT == unix.S_IFLNK {
		return false, ErrChanged
	}
	return own.Dev == at.Dev && own.Ino == at.Ino, nil
}

// reader returns a reader of the locked file. It reads from the lock's file descriptor, not from
// the path.
func (l *lock) reader(string) (io.ReadCloser, error) {
	return io.NopCloser(io.NewSectionReader(l, 0, math.MaxInt64)), nil
}

// ReadAt implements io.ReaderAt.
func (l *lock) ReadAt(p []byte, at int64) (int, error) {
	n, err := unix.Pread(l.fd, p, at)
	switch {
	case err != nil:
		return 0, err
	case n == 0 && len(p) > 0:
		return 0, io.EOF
	}
	return n, nil
}
