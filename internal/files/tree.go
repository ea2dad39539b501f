package files

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrSource means that a file would replace the one it was made from.
var ErrSource = errors.New("it is the file that was read")

// Tree writes files below a directory; no path can leave it. Tree can be used concurrently.
type Tree struct {
	root *os.Root
	sync bool
	dirs dirs
}

// OpenTree opens a directory as a Tree, and creates it if it does not exist. sync says that files
// are synced to disk.
func OpenTree(dir string, sync bool) (*Tree, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, unwrapPath(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, unwrapPath(err)
	}
	return &Tree{root: root, sync: sync}, nil
}

// Write writes a file, and creates its directories. rel is its path below the root, with slashes.
// from describes the file it was made from, whose permissions it gets, less those that the umask
// takes; nil for other content. A file that has all this already is not touched. Write waits for
// other processes that write to the same directory, until ctx is cancelled. The error is ErrSource,
// ctx.Err() or one of the file system.
func (t *Tree) Write(ctx context.Context, rel string, from fs.FileInfo, parts ...[]byte) error {
	perm := fs.FileMode(0o666)
	if from != nil && from.Mode().IsRegular() {
		perm = from.Mode().Perm()
	}
	return t.write(ctx, rel, from, perm, parts)
}

// WritePrivate is Write for content with secrets that was made from no file: only its owner can
// read it.
func (t *Tree) WritePrivate(ctx context.Context, rel string, parts ...[]byte) error {
	return t.write(ctx, rel, nil, 0o600, parts)
}

func (t *Tree) write(ctx context.Context, rel string, from fs.FileInfo, perm fs.FileMode,
	parts [][]byte,
) error {
	name, err := t.parent(rel)
	if err != nil {
		return err
	}
	r := &atomicFile{in: t.root, path: name, perm: perm, sync: t.sync}
	switch info, err := t.root.Lstat(r.path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return unwrapPath(err)
	case from != nil && sameFile(info, from):
		return ErrSource
	case info.IsDir():
		return errDirectory
	case info.Mode().IsRegular() && permits(info.Mode(), r.perm) &&
		t.has(r.path, info.Size(), parts):
		return nil
	}
	return t.locked(ctx, r, parts)
}

// Create is Write for a file that must not exist. The error is then fs.ErrExist.
func (t *Tree) Create(ctx context.Context, rel string, parts ...[]byte) error {
	name, err := t.parent(rel)
	if err != nil {
		return err
	}
	r := &atomicFile{in: t.root, path: name, perm: 0o666, sync: t.sync}
	r.check = func() error {
		_, err := t.root.Lstat(name)
		switch {
		case err == nil:
			return fs.ErrExist
		case errors.Is(err, fs.ErrNotExist):
			return nil
		}
		return unwrapPath(err)
	}
	if err := r.check(); err != nil {
		return err
	}
	return t.locked(ctx, r, parts)
}

// permits reports whether permissions are the wanted ones, less those of a umask. A umask takes
// nothing from the owner.
func permits(mode, wanted fs.FileMode) bool {
	mode, wanted = mode.Perm(), wanted.Perm()
	return mode&^wanted == 0 && mode&0o700 == wanted&0o700
}

// locked writes a file while its directory is locked. That also protects files that do not exist
// yet.
func (t *Tree) locked(ctx context.Context, r *atomicFile, parts [][]byte) error {
	if dir, err := t.root.Open(filepath.Dir(r.path)); err == nil {
		defer dir.Close() //nolint:errcheck // nothing was written
		var l lock
		defer l.release()
		if err := l.take(ctx, dir.Fd(), true); err != nil {
			return err
		}
		if l.held {
			r.key = filepath.Base(r.path)
		}
	}
	if err := r.write(parts); err != nil {
		return err
	}
	t.dirs.add(filepath.Join(t.root.Name(), filepath.Dir(r.path)), t.sync)
	return nil
}

// has reports whether the parts are the content of a file.
func (t *Tree) has(name string, size int64, parts [][]byte) bool {
	for _, part := range parts {
		size -= int64(len(part))
	}
	if size != 0 {
		return false
	}
	data, err := t.root.ReadFile(name)
	return err == nil && bytes.Equal(data, bytes.Join(parts, nil))
}

// Remove deletes a file whose content is data, or a symbolic link whose target it is, and the
// directories below the root that are empty then. rel is as for Write. The error is ErrChanged or
// one of the file system.
func (t *Tree) Remove(rel string, data []byte) error {
	name := filepath.FromSlash(rel)
	now, err := t.Content(rel)
	if err == nil && !bytes.Equal(now, data) {
		return ErrChanged
	}
	if err == nil {
		err = t.root.Remove(name)
	}
	if err != nil {
		return unwrapPath(err)
	}
	for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
		if t.root.Remove(dir) != nil { // it has other entries
			break
		}
	}
	return nil
}

// Content returns the content of a regular file or the target of a symbolic link.
func (t *Tree) Content(rel string) ([]byte, error) {
	name := filepath.FromSlash(rel)
	info, err := t.root.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := t.root.Readlink(name)
		return []byte(filepath.ToSlash(target)), err
	case !info.Mode().IsRegular():
		return nil, ErrChanged
	}
	return t.root.ReadFile(name)
}

// Close syncs the changed directories, if the Tree syncs, and closes the root.
func (t *Tree) Close() error { return errors.Join(t.dirs.sync(), t.root.Close()) }
