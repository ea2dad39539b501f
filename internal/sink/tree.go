package sink

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"
)

// ErrSource tells that a file would take the place of the one it was made from.
var ErrSource = errors.New("this is the file it was read from")

// Tree writes files below a directory, which none of them can leave. Tree can be
// used concurrently.
type Tree struct {
	root *os.Root
	sync bool
	dirs dirs
	made sync.Map // directories that are there, and rid of what was left behind
}

// OpenTree makes a Tree of a directory, which is created when there is none.
func OpenTree(dir string, sync bool) (*Tree, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, reason(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, reason(err)
	}
	return &Tree{root: root, sync: sync}, nil
}

// Write writes a file, with the permissions of the one it was made from, and
// the directories that lead to it. rel is its path below the root, with slashes. A file
// that has this content already is left alone. The error is ErrSource or one of
// the file system.
func (t *Tree) Write(rel string, o Original, parts ...[]byte) error {
	if !filepath.IsLocal(filepath.FromSlash(rel)) {
		return fmt.Errorf("%q leads out of the directory", rel)
	}
	if err := t.mkdir(path.Dir(rel)); err != nil {
		return err
	}
	r := &replacement{in: t.root, path: filepath.FromSlash(rel), perm: 0o666, sync: t.sync}
	if o.Info != nil && o.Info.Mode().IsRegular() {
		r.perm = o.Info.Mode().Perm()
	}
	switch info, err := t.root.Lstat(r.path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return reason(err)
	case o.Info != nil && sameFile(info, o.Info):
		return ErrSource
	case info.IsDir():
		return errors.New("a directory is called so")
	case info.Mode().IsRegular() && t.has(r.path, info.Size(), parts):
		return nil
	}
	if err := r.write(parts); err != nil {
		return err
	}
	t.dirs.add(filepath.Join(t.root.Name(), filepath.Dir(r.path)), t.sync)
	return nil
}

// mkdir makes a directory, and removes what a killed run left in it.
func (t *Tree) mkdir(dir string) error {
	if _, made := t.made.Load(dir); made {
		return nil
	}
	if err := t.root.MkdirAll(filepath.FromSlash(dir), 0o777); err != nil {
		return reason(err)
	}
	if _, made := t.made.LoadOrStore(dir, true); !made {
		Sweep(Leftovers(filepath.Join(t.root.Name(), filepath.FromSlash(dir))))
	}
	return nil
}

// has tells whether the parts are the content of a file.
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

// Close ends the writing.
func (t *Tree) Close() error { return errors.Join(t.dirs.sync(), t.root.Close()) }
