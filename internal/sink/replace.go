package sink

import (
	"bufio"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// fileSystem is where files are written: the file system as the process sees it,
// or a directory that no path leaves.
type fileSystem interface {
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
	Rename(from, to string) error
	Remove(name string) error
}

// osFiles is the file system as the process sees it.
type osFiles struct{}

func (osFiles) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, perm)
}

func (osFiles) Rename(from, to string) error { return os.Rename(from, to) }

func (osFiles) Remove(name string) error { return os.Remove(name) }

// ErrNoTemporary means that nothing can be created in the directory of a file.
var ErrNoTemporary = errors.New("creating a temporary file beside it")

// replacement is a file that takes the place of another, or of none, in one
// step: whoever looks sees the old one or the new one, whole.
type replacement struct {
	in   fileSystem
	path string
	// key makes the name of the temporary file, so that the next run takes over one that a killed run left. Only who holds
	// the lock for it may use it; where nothing is locked it is empty, and the name is random.
	key  string
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
	name, f, err := r.create()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoTemporary, reason(err))
	}
	defer func() {
		if err != nil {
			_ = r.in.Remove(name)
		}
	}()
	err = r.fill(f, parts)
	// Some errors of writing come only now.
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

func (r *replacement) fill(f *os.File, parts [][]byte) error {
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
		if err := keepAttributes(f, r.path, r.like); err != nil {
			return err
		}
	}
	if r.sync {
		return reason(f.Sync())
	}
	return nil
}

// reason is the error without the name of the temporary file, which users do
// not know.
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

// create creates a temporary file. One that a killed run left is removed first.
func (r *replacement) create() (name string, f *os.File, err error) {
	for try := range 100 {
		name = filepath.Join(filepath.Dir(r.path), temporaryName(r.key, try))
		for range 2 {
			f, err = r.in.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|openFlag, r.perm)
			if !errors.Is(err, fs.ErrExist) {
				return name, f, err
			}
			if r.key == "" || r.in.Remove(name) != nil {
				break // it belongs to somebody else
			}
		}
	}
	return "", nil, err
}

// temporaryName is the name of a temporary file: random without a key.
func temporaryName(key string, try int) string {
	number := rand.Uint64()
	if key != "" {
		hash := fnv.New64a()
		_, _ = fmt.Fprint(hash, key, try) // a hash takes everything
		number = hash.Sum64()
	}
	return fmt.Sprintf("%s%0*x%s", temporaryPrefix, temporaryDigits, number, temporarySuffix)
}

// IsTemporary reports whether a name is one that files have until they are
// complete.
func IsTemporary(name string) bool {
	name, prefix := strings.CutPrefix(name, temporaryPrefix)
	name, suffix := strings.CutSuffix(name, temporarySuffix)
	return prefix && suffix && len(name) == temporaryDigits && strings.Trim(name, "0123456789abcdef") == ""
}
