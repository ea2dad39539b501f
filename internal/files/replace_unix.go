//go:build unix

package files

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Names returns the number of hard links to a file.
func Names(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Nlink)
	}
	return 1
}

// identity identifies a file among all files of the system.
func identity(info fs.FileInfo) string {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprint(stat.Dev, stat.Ino)
	}
	return ""
}

// sameFile is os.SameFile for every FileInfo that has a Stat_t.
func sameFile(a, b fs.FileInfo) bool {
	x, ok1 := a.Sys().(*syscall.Stat_t)
	y, ok2 := b.Sys().(*syscall.Stat_t)
	return ok1 && ok2 && x.Dev == y.Dev && x.Ino == y.Ino
}

func sameOwner(a, b fs.FileInfo) bool {
	x, ok1 := a.Sys().(*syscall.Stat_t)
	y, ok2 := b.Sys().(*syscall.Stat_t)
	return ok1 && ok2 && x.Uid == y.Uid && x.Gid == y.Gid
}

// keepAttributes gives a new file the mode, the owner and, on Linux, the extended attributes of the
// file at path.
func keepAttributes(f *os.File, path string, like fs.FileInfo) error {
	if err := keepOwner(f, like); err != nil {
		return err
	}
	return keepExtended(int(f.Fd()), path)
}

func keepOwner(f *os.File, like fs.FileInfo) error {
	info, err := f.Stat()
	if err != nil {
		return WithoutPath(err)
	}
	own, ok1 := info.Sys().(*syscall.Stat_t)
	other, ok2 := like.Sys().(*syscall.Stat_t)
	if !ok1 || !ok2 {
		return WithoutPath(f.Chmod(like.Mode()))
	}
	if own.Uid != other.Uid || own.Gid != other.Gid {
		uid, gid := -1, -1 // leave what is equal: setting it may not be permitted
		if own.Uid != other.Uid {
			uid = int(other.Uid)
		}
		if own.Gid != other.Gid {
			gid = int(other.Gid)
		}
		if err := f.Chown(uid, gid); err != nil {
			return fmt.Errorf("its owner cannot be kept: %w", WithoutPath(err))
		}
	} else if own.Mode == other.Mode {
		return nil
	}
	return WithoutPath(f.Chmod(like.Mode())) // chown may have cleared mode bits
}
