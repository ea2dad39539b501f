package files

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Above returns dir and the directories above it, the nearest first, up to the top of the git
// repository or the home directory, whichever comes first. Outside of both it returns all, and
// reports that nothing bounds them. Symbolic links are resolved, as git does: the directories above
// must not depend on how the directory was reached.
func Above(dir string) (dirs []string, bounded bool) {
	home, _ := os.UserHomeDir()
	home = RealPath(home)
	for at := RealPath(dir); ; at = filepath.Dir(at) {
		dirs = append(dirs, at)
		// .git is a file in a worktree and in a submodule
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil || at == home {
			return dirs, true
		}
		if at == filepath.Dir(at) {
			return dirs, false
		}
	}
}

// RealPath returns a path with its symbolic links resolved, or the path itself if that fails.
func RealPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// UntrustedPart returns which part of a file in a directory is not trusted: the file, the link to
// it or its directory; "" if all are trusted. info describes the file itself.
func UntrustedPart(dir, name string, info fs.FileInfo) string {
	if !IsTrusted(info) {
		return "it"
	}
	if target, err := os.Stat(filepath.Join(dir, name)); err == nil && !IsTrusted(target) {
		return "the file it leads to"
	}
	if in, err := os.Stat(dir); err != nil || !IsTrusted(in) {
		return "its directory"
	}
	return ""
}
