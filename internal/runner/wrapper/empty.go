package wrapper

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// empty empties a directory. A missing one is empty, and where nothing can be written nothing is
// left. Mounts below it are emptied, and stay.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		problem := os.RemoveAll(path)
		if errors.Is(problem, fs.ErrPermission) {
			// A directory without permissions for its owner cannot be emptied.
			problem = filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
				if err == nil && d.IsDir() {
					err = os.Chmod(path, 0o700)
				}
				return err
			})
			problem = errors.Join(problem, os.RemoveAll(path))
		}
		if !errors.Is(problem, syscall.EROFS) && !errors.Is(problem, syscall.EBUSY) {
			err = errors.Join(err, problem)
		}
	}
	return err
}
