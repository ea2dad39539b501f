//go:build !unix

package sink

import (
	"io/fs"
	"os"
)

const openFlag = 0

// lock is nothing where a file that is open cannot be removed.
type lock struct{}

func lockFile(*os.File) (l *lock, ours bool) { return nil, true }

func (*lock) release() {}

func sweep(path string) bool { return os.Remove(path) == nil }

func keepAttributes(f *os.File, _ *lock, _ string, like fs.FileInfo) error {
	return reason(f.Chmod(like.Mode().Perm()))
}

func sameFile(a, b fs.FileInfo) bool { return os.SameFile(a, b) }

// Names is how many names a file has, as far as that is known.
func Names(fs.FileInfo) int { return 1 }
