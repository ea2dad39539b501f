//go:build !unix

package files

import (
	"io/fs"
	"os"
)

func keepAttributes(f *os.File, _ string, like fs.FileInfo) error {
	return WithoutPath(f.Chmod(like.Mode().Perm()))
}

func sameFile(a, b fs.FileInfo) bool { return os.SameFile(a, b) }

func sameOwner(fs.FileInfo, fs.FileInfo) bool { return true }

// identity is empty because files have no inode number here.
func identity(fs.FileInfo) string { return "" }

// Names returns the number of hard links, which is not known here.
func Names(fs.FileInfo) int { return 1 }
