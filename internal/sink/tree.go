package sink

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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
// from describes the file it was made from, whose permissions it gets; nil for other content. A
// file that has the content already is not touched. Write waits for other processes that write to
// the same directory, until ctx is cancelled. The error is ErrSource, ctx.Err() or one of the file
// system.
func (t *Tree) Write(ctx context.Context, rel string, from fs.FileInfo, parts ...[]byte) error {
	if !filepath.IsLocal(filepath.FromSlash(rel)) {
		return fmt.Errorf("%q leads out of the directory", rel)
	}
	if err := t.root.MkdirAll(filepath.Dir(filepath.FromSlash(rel)), 0o777); err != nil {
		return unwrapPath(err)
	}
	r := &atomicFile{in: t.root, path: filepath.FromSlash(rel), perm: 0o666, sync: t.sync}
	if from != nil && from.Mode().IsRegular() {
		r.perm = from.Mode().Perm()
	}
	switch info, err := t.root.Lstat(r.path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return unwrapPath(err)
	case from != nil && sameFile(info, from):
		return ErrSource
	case info.IsDir():
		return errors.New("a directory has this name")
	case info.Mode().IsRegular() && t.has(r.path, info.Size(), parts):
		return nil
	}
	if err := t.locked(ctx, r, parts); err != nil {
		return err
	}
	t.dirs.add(filepath.Join(t.root.Name(), filepath.Dir(r.path)), t.sync)
	return nil
}

// locked writes a file while its directory is locked. That also protects files that do not exist
// yet.
func (t *Tree) locked(ctx context.Context, r *atomicFile, parts [][]byte) error {
	if dir, err := t.root.Open(filepath.Dir(r.path)); err == nil {
		defer dir.Close() //nolint:errcheck // nothing was written
		var l lock
		defer l.release()
		if err := l.take(ctx, dir.Fd()); err != nil {
			return err
		}
		if l.held {
			r.key = filepath.Base(r.path)
		}
	}
	return r.write(parts)
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

// Remove deletes a file whose content is data, and the directories below the root that are empty
// then. rel is as for Write. The error is ErrChanged or one of the file system.
func (t *Tree) Remove(rel string, data []byte) error {
	name := filepath.FromSlash(rel)
	now, err := t.root.ReadFile(name)
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

// Close syncs the changed directories, if the Tree syncs, and closes the root.
func (t *Tree) Close() error { return errors.Join(t.dirs.sync(), t.root.Close()) }
