package settings

import (
	"os"
	"path/filepath"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/files"
)

// topOf returns the directory that the files of a repository are in: the top of the git repository
// that dir is in, or dir itself, without symbolic links.
func topOf(dir string) string {
	if full, err := filepath.Abs(dir); err == nil {
		dir = full
	}
	dirs, _ := files.Above(dir)
	top := dirs[len(dirs)-1]
	if _, err := os.Lstat(filepath.Join(top, ".git")); err != nil {
		return dirs[0]
	}
	return top
}

// CheckPath returns an error for a path in an untrusted repository that a link leads out of it: a
// stranger may have put the link where a command expects a file. Other paths are the user's.
func (s *Settings) CheckPath(path string) error {
	if !s.Untrusted {
		return nil
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil //nolint:nilerr // opening the path reports the problem
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	given, real := resolve(here, path), resolve(files.RealPath(here), real)
	if rel, err := filepath.Rel(here, given); err == nil && filepath.IsLocal(rel) {
		given = filepath.Join(files.RealPath(here), rel) // here may be a link itself
	}
	for _, top := range s.tops {
		if isBelow(given, top) && !isBelow(real, top) {
			f := diag.Untrusted("a link leads out of the repository, to %s", real)
			f.Pos = api.Position{File: diag.FileName(path)}
			return f
		}
	}
	return nil
}

func isBelow(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
