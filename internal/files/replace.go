package files

import (
	"bufio"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// fileSystem is where files are written: the file system of the process, or a directory that no
// path can leave.
type fileSystem interface {
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
	Lstat(name string) (fs.FileInfo, error)
	Rename(from, to string) error
	Link(from, to string) error
	Remove(name string) error
}

// osFS is the file system of the process.
type osFS struct{}

func (osFS) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, perm)
}

func (osFS) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(name) }

func (osFS) Rename(from, to string) error { return os.Rename(from, to) }

func (osFS) Link(from, to string) error { return os.Link(from, to) }

func (osFS) Remove(name string) error { return os.Remove(name) }

// Replace replaces or creates a file below root that only the holder of a lock writes. The file is
// readable by its owner alone. sync says that it is on disk afterwards; step, which may be nil, is
// called before the file gets its name.
func Replace(root *os.Root, name string, sync bool, step func(), parts ...[]byte) error {
	r := &atomicFile{in: root, path: name, key: name, perm: 0o600, sync: sync}
	r.check = func() error {
		if step != nil {
			step()
		}
		return nil
	}
	return r.write(parts)
}

// ErrNoTemporary means that no file can be created in the directory of a file.
var ErrNoTemporary = errors.New("creating a temporary file in its directory")

// atomicFile is a file that replaces another, or is new. The rename is atomic: a reader sees the
// old file or the new one, never a part.
type atomicFile struct {
	in   fileSystem
	path string
	// key determines the name of the temporary file, so that the next run removes one left by a
	// killed run. Only the holder of the lock may use it. Without a lock it is empty, and the name
	// is random.
	key          string
	perm         fs.FileMode
	exactly      bool        // the mode is perm, whatever the umask is
	attributesOf fs.FileInfo // gives mode and owner; if nil, perm and the umask decide
	sync         bool        // sync the content to disk before the rename
	from         *os.File    // its content, if it is not parts
	isNew        bool        // there must be no file at path; the error is then fs.ErrExist
	// check is called immediately before the rename; an error prevents it. It may be nil.
	check func() error
}

// write writes the parts to a temporary file beside path and renames it to path. After an error
// path is unchanged and the temporary file is removed.
func (r *atomicFile) write(parts [][]byte) (err error) {
	name, f, err := r.create()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoTemporary, WithoutPath(err))
	}
	defer func() {
		if err != nil {
			_ = r.in.Remove(name)
		}
	}()
	err = r.fill(f, parts)
	// Some write errors are only reported by Close.
	if err = errors.Join(err, WithoutPath(f.Close())); err != nil {
		return err
	}
	if r.check != nil {
		if err := r.check(); err != nil {
			return err
		}
	}
	if r.isNew {
		return nameNew(r.in, name, r.path)
	}
	return WithoutPath(r.in.Rename(name, r.path))
}

// nameNew gives a temporary file its name. It fails with fs.ErrExist if there is a file of that name,
// also one that another process has just made.
func nameNew(in fileSystem, temporary, name string) error {
	err := in.Link(temporary, name)
	if err == nil {
		return WithoutPath(in.Remove(temporary))
	}
	switch _, known := in.Lstat(name); {
	case known == nil:
		return fs.ErrExist
	case !errors.Is(known, fs.ErrNotExist):
		return WithoutPath(known)
	}
	return WithoutPath(in.Rename(temporary, name)) // the file system has no hard links
}

// maxBuffer is the maximum size in bytes of a buffer for a large file.
const maxBuffer = 1 << 20

func (r *atomicFile) fill(f *os.File, parts [][]byte) error {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	// for many small parts; a large one is not copied
	w := bufio.NewWriterSize(f, min(size, maxBuffer))
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			return WithoutPath(err)
		}
	}
	if err := w.Flush(); err != nil {
		return WithoutPath(err)
	}
	if r.from != nil {
		if _, err := io.Copy(f, r.from); err != nil {
			return WithoutPath(err)
		}
	}
	if r.exactly {
		if err := f.Chmod(r.perm); err != nil {
			return WithoutPath(err)
		}
	}
	if r.attributesOf != nil {
		if err := keepAttributes(f, r.path, r.attributesOf); err != nil {
			return err
		}
	}
	if r.sync {
		return WithoutPath(f.Sync())
	}
	return nil
}

// WithoutPath returns an error of the file system without the path: that of a temporary file means
// nothing to users, another is in the position of the message.
func WithoutPath(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err
	}
	return err
}

// The parts of temporary names. They do not include the name of the target, which may already have
// the maximum length.
const (
	temporaryPrefix = ".fctl-"
	temporarySuffix = ".tmp"
	temporaryDigits = 16
)

// create creates a temporary file. It first removes one left by a killed run.
func (r *atomicFile) create() (name string, f *os.File, err error) {
	for try := range 100 {
		name = filepath.Join(filepath.Dir(r.path), temporaryName(r.key, try))
		for range 2 {
			f, err = r.in.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, r.perm)
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

// temporaryName returns the name of a temporary file: random without a key.
func temporaryName(key string, try int) string {
	number := rand.Uint64()
	if key != "" {
		hash := fnv.New64a()
		_, _ = fmt.Fprint(hash, key, try) // a hash never fails
		number = hash.Sum64()
	}
	return fmt.Sprintf("%s%0*x%s", temporaryPrefix, temporaryDigits, number, temporarySuffix)
}

// IsTemporary reports whether a name is that of a temporary file.
func IsTemporary(name string) bool {
	name, prefix := strings.CutPrefix(name, temporaryPrefix)
	name, suffix := strings.CutSuffix(name, temporarySuffix)
	return prefix && suffix && len(name) == temporaryDigits &&
		strings.Trim(name, "0123456789abcdef") == ""
}
