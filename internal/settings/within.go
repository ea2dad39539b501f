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

// CheckPath returns an error for a path in an untrusted repository that a link leads out of it, or
// into .git: a stranger may have put the link where a command expects a file, or is to write one.
// Other paths are the user's.
func (s *Settings) CheckPath(path string) error {
	if !s.Untrusted {
		return nil
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	at := files.RealPath(here)
	given, real := resolve(here, path), resolve(at, files.Destination(path))
	if rel, err := filepath.Rel(here, given); err == nil && filepath.IsLocal(rel) {
		given = filepath.Join(at, rel) // here may be a link itself
	}
	if given == real {
		return nil
	}
	tops := s.tops
	for dir := given; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			tops = append(tops[:len(tops):len(tops)], dir)
		}
	}
	for _, top := range tops {
		if !isBelow(given, top) {
			continue
		}
		why := ""
		switch rel, _ := filepath.Rel(files.RealPath(top), real); {
		case !filepath.IsLocal(rel):
			why = "out of the repository, to "
		case files.HasGit(filepath.ToSlash(rel)) && !files.HasGit(filepath.ToSlash(given)):
			why = "into .git, to " // git runs hooks, and its config may have a token
		default:
			continue
		}
		f := diag.Untrusted("a link leads %s%s", why, real)
		f.Pos = api.Position{File: diag.FileName(path)}
		return f
	}
	return nil
}

func isBelow(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
