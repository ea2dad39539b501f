//go:build !linux

package files

import (
	"errors"
	"os"
)

// syncAll is not available.
func syncAll(*os.Root) error { return errors.ErrUnsupported }

// canSyncAll says that one call can replace the syncs of many files.
const canSyncAll = false
