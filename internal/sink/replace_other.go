//go:build !unix

package sink

import (
	"io/fs"
	"os"
)

const openFlag = 0

// lock has nothing to do where a file that is open cannot be removed.
func lock(*os.File) (release func(), ours bool) { return func() {}, true }

func sweep(path string) bool { return os.Remove(path) == nil }

func keepAttributes(f *os.File, like fs.FileInfo) error {
	return reason(f.Chmod(like.Mode().Perm()))
}

func sameFile(a, b fs.FileInfo) bool { return os.SameFile(a, b) }

// Names is how many names a file has, as far as that is known.
func Names(fs.FileInfo) int { return 1 }
