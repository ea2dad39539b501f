package files

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
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

// OpenTree opens a directory as a Tree, and creates it if it does not exist, unless the Gate of ctx
// refuses it. sync says that files are synced to disk.
func OpenTree(ctx context.Context, dir string, sync bool) (*Tree, error) {
	root, err := OpenRoot(ctx, dir)
	if err != nil {
		return nil, err
	}
	return &Tree{root: root, sync: sync}, nil
}

// Write writes a file, and creates its directories. rel is its path below the root, with slashes.
// from describes the file it was made from, whose permissions it gets, less those that the umask
// takes; nil for other content, which leaves the permissions of a file that exists. A file that has
// all this already is not touched. Write waits for other processes that write to the same
// directory, until ctx is cancelled. The error is ErrSource, ctx.Err() or one of the file system.
func (t *Tree) Write(ctx context.Context, rel string, from fs.FileInfo, parts ...[]byte) error {
	return t.write(ctx, rel, from, 0o777, parts)
}

// WritePrivate is Write for content with secrets: only its owner can read the file.
func (t *Tree) WritePrivate(ctx context.Context, rel string, from fs.FileInfo, parts ...[]byte,
) error {
	return t.write(ctx, rel, from, 0o700, parts)
}

// write writes a file with no more than the permissions allowed.
func (t *Tree) write(ctx context.Context, rel string, from fs.FileInfo, allowed fs.FileMode,
	parts [][]byte,
) error {
	name, err := t.parent(rel)
	if err != nil {
		return err
	}
	r := &atomicFile{in: t.root, path: name, perm: 0o666 & allowed, sync: t.sync}
	if from != nil && from.Mode().IsRegular() {
		r.perm = from.Mode().Perm() & allowed
	}
	info, err := t.root.Lstat(r.path)
	if err == nil && from == nil && info.Mode().IsRegular() {
		r.perm, r.exactly = info.Mode().Perm()&allowed, true
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return WithoutPath(err)
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

// Create writes a file that must not exist; the error is then fs.ErrExist. perm is its mode
// before the umask. The rest is as for Write.
func (t *Tree) Create(ctx context.Context, rel string, perm fs.FileMode, parts ...[]byte) error {
	name, err := t.parent(rel)
	if err != nil {
		return err
	}
	switch _, err := t.root.Lstat(name); {
	case err == nil:
		return fs.ErrExist
	case !errors.Is(err, fs.ErrNotExist):
		return WithoutPath(err)
	}
	r := &atomicFile{in: t.root, path: name, perm: perm, sync: t.sync, isNew: true}
	return t.locked(ctx, r, parts)
}

// permits reports whether permissions are the wanted ones, less those of a umask. A umask takes
// nothing from the owner.
func permits(mode, wanted fs.FileMode) bool {
	mode, wanted = mode.Perm(), wanted.Perm()
	return mode&^wanted == 0 && mode&0o700 == wanted&0o700
}

// locked writes a file while its directory is locked, which also protects files that do not exist
// yet, and a file that exists, so that a process that changes it loses nothing.
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
	now, err := t.lockAt(ctx, r.path)
	defer now.release()
	if err != nil {
		return err
	}
	if err := r.write(parts); err != nil {
		return err
	}
	t.dirs.add(filepath.Join(t.root.Name(), filepath.Dir(r.path)), t.sync)
	return nil
}

// lockAt locks the regular file at a path, if there is one.
func (t *Tree) lockAt(ctx context.Context, name string) (l lock, err error) {
	for {
		info, err := t.root.Lstat(name)
		if err != nil || !info.Mode().IsRegular() {
			return l, nil //nolint:nilerr // writing reports it
		}
		f, err := t.root.OpenFile(name, os.O_RDONLY|nonBlocking, 0)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return l, nil // deleted, or nobody who reads it changes it
		}
		if err != nil {
			return l, WithoutPath(err)
		}
		err = l.take(ctx, f.Fd(), true)
		_ = f.Close() // nothing was written
		if err != nil {
			return l, err
		}
		if same, err := l.names(name, t.root.Lstat); err != nil || same {
			return l, err
		}
		l.release() // another process replaced it
	}
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

// Remove deletes a file whose content is data, or a symbolic link whose target it is. rel is as for
// Write, and so is the waiting. The error is ErrChanged or one of the file system.
func (t *Tree) Remove(ctx context.Context, rel string, data []byte) error {
	name := filepath.FromSlash(rel)
	l, err := t.lockAt(ctx, name)
	defer l.release()
	if err != nil {
		return err
	}
	if err := t.Unchanged(rel, data); err != nil {
		return err
	}
	return WithoutPath(t.root.Remove(name))
}

// Prune deletes the directories of a path that are empty. rel is as for Write.
func (t *Tree) Prune(rel string) {
	for dir := path.Dir(rel); dir != "."; dir = path.Dir(dir) {
		if t.root.Remove(filepath.FromSlash(dir)) != nil { // it has other entries
			break
		}
	}
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
