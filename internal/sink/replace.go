package sink

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// place is what files are written in: the file system as the process sees it,
// or a directory that no path leaves.
type place interface {
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
	Rename(from, to string) error
	Remove(name string) error
}

// anywhere is the file system as the process sees it.
type anywhere struct{}

func (anywhere) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, perm)
}

func (anywhere) Rename(from, to string) error { return os.Rename(from, to) }

func (anywhere) Remove(name string) error { return os.Remove(name) }

// ErrNoTemporary tells that nothing can be created in the directory of a file.
var ErrNoTemporary = errors.New("creating a temporary file beside it")

// replacement is a file that takes the place of another, or of none, in one
// step: whoever looks sees the old one or the new one, whole.
type replacement struct {
	in   place
	path string
	perm fs.FileMode
	like fs.FileInfo // whose mode and owner it gets; nil: perm, as far as the process's mask lets it
	sync bool        // the content is on the disk before the step
	// check is asked immediately before the step; an error keeps it from
	// being taken. nil asks nothing.
	check func() error
}

// write puts the parts into a temporary file beside path and gives that the
// name of path. After an error path is what it was and there is no temporary
// file.
func (r *replacement) write(parts [][]byte) (err error) {
	name, f, locked, err := r.create()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoTemporary, reason(err))
	}
	defer locked.release()
	defer func() {
		if err != nil {
			_ = r.in.Remove(name)
		}
	}()
	err = r.fill(f, locked, parts)
	// What could not be written may be told only now.
	if err = errors.Join(err, reason(f.Close())); err != nil {
		return err
	}
	if r.check != nil {
		if err := r.check(); err != nil {
			return err
		}
	}
	return reason(r.in.Rename(name, r.path))
}

// maxBuffer bounds how much of a large file is in memory once more to be written in one go.
const maxBuffer = 1 << 20

func (r *replacement) fill(f *os.File, locked *lock, parts [][]byte) error {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	w := bufio.NewWriterSize(f, min(size, maxBuffer)) // there may be many small parts; a large one is not copied
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			return reason(err)
		}
	}
	if err := w.Flush(); err != nil {
		return reason(err)
	}
	if r.like != nil {
		if err := keepAttributes(f, locked, r.path, r.like); err != nil {
			return err
		}
	}
	if r.sync {
		return reason(f.Sync())
	}
	return nil
}

// reason is the error without the name of the temporary file, which says
// nothing to anybody.
func reason(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err
	}
	return err
}

// Names of temporary files. They do not contain the name of the file they are
// for, which may be as long as a name can be.
const (
	temporaryPrefix = ".fctl-"
	temporarySuffix = ".tmp"
	temporaryDigits = 16
)

// create makes a temporary file that stays locked until the lock is released,
// so that others can tell it from one that was left behind.
func (r *replacement) create() (name string, f *os.File, locked *lock, err error) {
	for range 100 {
		name = filepath.Join(filepath.Dir(r.path), fmt.Sprintf("%s%0*x%s", temporaryPrefix, temporaryDigits, rand.Uint64(), temporarySuffix))
		f, err = r.in.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|openFlag, r.perm)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", nil, nil, err
		}
		locked, ours := lockFile(f)
		if ours {
			return name, f, locked, nil
		}
		// Somebody took it for one that was left behind before it was locked.
		_ = f.Close()
	}
	return "", nil, nil, err
}

// IsTemporary tells whether a file's name is one of those files have until they
// are complete.
func IsTemporary(name string) bool {
	name, prefix := strings.CutPrefix(name, temporaryPrefix)
	name, suffix := strings.CutSuffix(name, temporarySuffix)
	return prefix && suffix && len(name) == temporaryDigits && strings.Trim(name, "0123456789abcdef") == ""
}

// Sweep removes temporary files that a killed run left behind, and returns how
// many. Files that are being written, by whatever process, stay, and so do those
// of other users and everything that is not what a run leaves behind.
func Sweep(paths []string) (removed int) {
	for _, path := range paths {
		if IsTemporary(filepath.Base(path)) && sweep(path) {
			removed++
		}
	}
	return removed
}

// Leftovers are the files in a directory that may have been left behind.
func Leftovers(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // whoever reads the directory's files tells
	}
	var paths []string
	for _, e := range entries {
		if IsTemporary(e.Name()) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths
}
