package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Link makes a symbolic link, and its directories. rel is as for Write. The target is only text:
// nothing follows it, and whether it leads out of the directory is not checked. The link replaces a
// file or another link atomically; a link that is right already is not touched. Link waits as Write
// does.
func (t *Tree) Link(ctx context.Context, rel, target string) error {
	name, err := t.parent(rel)
	if err != nil {
		return err
	}
	switch info, err := t.root.Lstat(name); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return WithoutPath(err)
	case info.IsDir():
		return errDirectory
	case info.Mode()&fs.ModeSymlink != 0:
		if now, err := t.root.Readlink(name); err == nil && now == target {
			return nil
		}
	}
	for range 100 {
		temporary := filepath.Join(filepath.Dir(name), temporaryName("", 0))
		err := t.root.Symlink(target, temporary)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return WithoutPath(err)
		}
		if err = ctx.Err(); err == nil {
			err = t.root.Rename(temporary, name)
		}
		if err != nil {
			_ = t.root.Remove(temporary)
			return WithoutPath(err)
		}
		t.dirs.add(filepath.Join(t.root.Name(), filepath.Dir(name)), t.sync)
		return nil
	}
	return ErrNoTemporary
}

var errDirectory = errors.New("a directory has this name")

// parent returns the name of a path for the root, and creates its directories.
func (t *Tree) parent(rel string) (string, error) {
	name := filepath.FromSlash(rel)
	if !filepath.IsLocal(name) {
		return "", fmt.Errorf("%q leads out of the directory", rel)
	}
	if err := t.root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return "", WithoutPath(err)
	}
	return name, nil
}

// Directory makes a directory, and those above it. rel is as for Write. It takes from the directory
// the permissions that perm, those of the directory it is a copy of, does not have: what only its
// owner could list stays so. The owner keeps all, because files follow.
func (t *Tree) Directory(rel string, perm fs.FileMode) error {
	name, err := t.parent(rel + "/.")
	if err != nil {
		return err
	}
	info, err := t.root.Stat(name)
	if err != nil {
		return WithoutPath(err)
	}
	if less := info.Mode().Perm() & (perm.Perm() | 0o700); less != info.Mode().Perm() {
		return WithoutPath(t.root.Chmod(name, info.Mode()&^fs.ModePerm|less))
	}
	return nil
}

// Chmod gives a file other permissions.
// rel is as for Write. The error is ErrChanged or one of the file system.
func (t *Tree) Chmod(rel string, perm fs.FileMode) error {
	name := filepath.FromSlash(rel)
	info, err := t.root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		return ErrChanged
	}
	if err == nil {
		err = t.root.Chmod(name, info.Mode()&^fs.ModePerm|perm.Perm())
	}
	return WithoutPath(err)
}

// Unchanged returns an error if a file has another content than data, or a symbolic link another
// target. rel is as for Write. The error is ErrChanged or one of the file system.
func (t *Tree) Unchanged(rel string, data []byte) error {
	now, err := t.Content(rel)
	if err == nil && string(now) != string(data) {
		return ErrChanged
	}
	return WithoutPath(err)
}

// Copy copies an open file as Write writes one, without holding it in memory. info describes it.
func (t *Tree) Copy(ctx context.Context, rel string, from *os.File, info fs.FileInfo) error {
	name, err := t.parent(rel)
	if err != nil {
		return err
	}
	switch now, err := t.root.Lstat(name); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return WithoutPath(err)
	case sameFile(now, info):
		return ErrSource
	case now.IsDir():
		return errDirectory
	case now.Mode().IsRegular() && now.Size() == info.Size() && permits(now.Mode(), info.Mode()) &&
		t.equals(name, from):
		return nil
	}
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return WithoutPath(err)
	}
	r := &atomicFile{in: t.root, path: name, perm: info.Mode().Perm(), sync: t.sync, from: from}
	return t.locked(ctx, r, nil)
}

// equals reports whether a file of the tree has the content of another file.
func (t *Tree) equals(name string, other *os.File) bool {
	f, err := t.root.Open(name)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // nothing was written
	a, b := make([]byte, copyBytes), make([]byte, copyBytes)
	for {
		n, errA := io.ReadFull(f, a)
		k, errB := io.ReadFull(other, b)
		if n != k || string(a[:n]) != string(b[:k]) {
			return false
		}
		if errA != nil || errB != nil {
			return ended(errA) && ended(errB)
		}
	}
}

// copyBytes is how much of a file is compared at a time.
const copyBytes = 64 << 10

func ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
