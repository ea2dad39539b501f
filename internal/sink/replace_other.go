//go:build !unix

package sink

import (
	"io/fs"
	"os"
)

const openFlag = 0

func keepAttributes(f *os.File, _ string, like fs.FileInfo) error {
	return reason(f.Chmod(like.Mode().Perm()))
}

func sameFile(a, b fs.FileInfo) bool { return os.SameFile(a, b) }

func sameOwner(fs.FileInfo, fs.FileInfo) bool { return true }

// identity is empty where files have no number.
func identity(fs.FileInfo) string { return "" }

// Names is how many names a file has, as far as that is known.
func Names(fs.FileInfo) int { return 1 }
