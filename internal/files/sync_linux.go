package files

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncAll makes everything durable that was written to the file system of a directory.
func syncAll(root *os.Root) error {
	f, err := root.Open(".")
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	return unix.Syncfs(int(f.Fd()))
}

// canSyncAll says that one call can replace the syncs of many files.
const canSyncAll = true
