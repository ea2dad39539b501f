//go:build !linux

package workspace

import "errors"

// syncAll is not available.
func (s *Store) syncAll() error { return errors.ErrUnsupported }

// canSyncAll says that one call can replace the syncs of many files.
const canSyncAll = false
