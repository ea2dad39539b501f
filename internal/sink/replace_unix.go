//go:build unix

package sink

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// openFlag has package os ask the system less about a file that it makes anyway.
const openFlag = syscall.O_NONBLOCK

// lock is the lock on a new file, and what the system says about that.
type lock struct {
	fd   int // -1: it cannot be locked
	stat syscall.Stat_t
}

// lockFile locks a new file for as long as the process lives or until the lock is released, also after f was closed. ours is false
// when somebody else locked or removed the file before. Where files cannot be locked sweep removes nothing.
func lockFile(f *os.File) (l *lock, ours bool) {
	l, ours = &lock{fd: -1}, true
	conn, err := f.SyscallConn()
	if err != nil {
		return l, ours
	}
	_ = conn.Control(func(fd uintptr) {
		if l.fd, err = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0); err != nil {
			l.fd = -1
			return
		}
		ours = !errors.Is(flock(l.fd), syscall.EWOULDBLOCK) && syscall.Fstat(l.fd, &l.stat) == nil && l.stat.Nlink > 0
	})
	if !ours {
		l.release()
	}
	return l, ours
}

func (l *lock) release() {
	if l.fd >= 0 {
		_ = syscall.Close(l.fd)
	}
}

func flock(fd int) error {
	for {
		if err := syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB); err != syscall.EINTR {
			return err
		}
	}
}

// sweep removes a file that nobody holds a lock on.
func sweep(path string) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // nothing was written
	var stat syscall.Stat_t
	if err := syscall.Fstat(int(f.Fd()), &stat); err != nil || stat.Mode&syscall.S_IFMT != syscall.S_IFREG || stat.Nlink != 1 {
		return false
	}
	if me := os.Geteuid(); me != 0 && int(stat.Uid) != me {
		return false
	}
	if flock(int(f.Fd())) != nil {
		return false
	}
	// Its writer may have given it its real name meanwhile, and a name is all that is removed here.
	now, err := os.Lstat(path)
	was, err2 := f.Stat()
	return err == nil && err2 == nil && os.SameFile(now, was) && os.Remove(path) == nil
}

// Names is how many names a file has.
func Names(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Nlink)
	}
	return 1
}

// sameFile is os.SameFile for whatever knows what the system says about a file.
func sameFile(a, b fs.FileInfo) bool {
	x, ok1 := a.Sys().(*syscall.Stat_t)
	y, ok2 := b.Sys().(*syscall.Stat_t)
	return ok1 && ok2 && x.Dev == y.Dev && x.Ino == y.Ino
}

// keepAttributes gives a new file the mode, the owner and, on Linux, the extended attributes of another at path.
func keepAttributes(f *os.File, l *lock, path string, like fs.FileInfo) error {
	if err := keepOwner(f, l, like); err != nil {
		return err
	}
	fd := l.fd
	if fd < 0 {
		fd = int(f.Fd())
	}
	return keepExtended(fd, path)
}

func keepOwner(f *os.File, l *lock, like fs.FileInfo) error {
	other, ok := like.Sys().(*syscall.Stat_t)
	if !ok || l.fd < 0 {
		return reason(f.Chmod(like.Mode()))
	}
	own := &l.stat
	if own.Uid != other.Uid || own.Gid != other.Gid {
		uid, gid := -1, -1 // what need not change may not be ours to set
		if own.Uid != other.Uid {
			uid = int(other.Uid)
		}
		if own.Gid != other.Gid {
			gid = int(other.Gid)
		}
		if err := f.Chown(uid, gid); err != nil {
			return fmt.Errorf("its owner cannot be kept: %w", reason(err))
		}
	} else if own.Mode == other.Mode {
		return nil
	}
	return reason(f.Chmod(like.Mode())) // changing the owner may have taken bits away
}
