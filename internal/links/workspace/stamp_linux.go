package workspace

import (
	"io/fs"
	"syscall"
)

// changeOf returns the time of the last change of a file, its name and permissions included, and
// its number in the file system.
func changeOf(info fs.FileInfo) (changed int64, inode uint64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctim.Nano(), st.Ino
	}
	return 0, 0
}
