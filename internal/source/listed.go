package source

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/fctl-dev/fctl/api"
)

// Listed decides about files of a list, such as those of a git revision, as a Finder does about
// those of a directory. Only .fctlignore excludes files: the list is right about .gitignore.
type Listed struct {
	Root string // the directory that the list is about, as it is on disk
	// Toolchain is that of all files; empty takes the files of every toolchain.
	Toolchain api.ToolchainType
	Formats   Formats // says which toolchains names imply

	read map[string]ignore // by directory
}

// Skip returns why a file is skipped, empty if it is not. excluded means that it does not count as
// skipped, because an ignore file says so or because it is a file of settings. rel is its path
// below the root, with slashes.
func (l *Listed) Skip(rel string) (why SkipReason, excluded bool, err error) {
	name := path.Base(rel)
	if name == fctlIgnore || name == gitIgnore || name == settingsFile {
		return "", true, nil
	}
	in, excluded, err := l.directory(path.Dir(rel))
	if err != nil || excluded || in.ignored(l.abs(rel), false) {
		return "", true, err
	}
	return l.Formats.skip(name, l.Toolchain), false, nil
}

// directory returns the ignore files that apply to the entries of a directory, and whether it is
// excluded itself.
func (l *Listed) directory(rel string) (in ignore, excluded bool, err error) {
	if rel != "." {
		if in, excluded, err = l.directory(path.Dir(rel)); err != nil || excluded {
			return in, excluded, err
		}
		if in.ignored(l.abs(rel), true) {
			return in, true, nil
		}
	}
	if known, ok := l.read[rel]; ok {
		return known, false, nil
	}
	dir := filepath.Join(l.Root, filepath.FromSlash(rel))
	if in.fctl, err = in.fctl.read(filepath.Join(dir, fctlIgnore), l.abs(rel)); err != nil {
		return in, false, err
	}
	if l.read == nil {
		l.read = map[string]ignore{}
	}
	l.read[rel] = in
	return in, false, nil
}

// abs returns the path that patterns are matched with.
func (l *Listed) abs(rel string) string {
	root := strings.TrimSuffix(filepath.ToSlash(absolute(l.Root)), "/")
	if rel == "." {
		return root
	}
	return root + "/" + rel
}
