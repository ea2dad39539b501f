package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// ErrNotRegular means that a file is not a regular one and cannot be replaced.
var ErrNotRegular = errors.New("not a regular file")

// ErrReadOnly means that nobody has permission to write to the file.
var ErrReadOnly = errors.New("the file is read-only")

// ErrChanged means that a file changed after it was read.
var ErrChanged = errors.New("another program changed the file, so fctl did not write it")

// InPlace writes to the files that configuration was read from. The new file replaces the old one
// atomically and has its mode and its owner. A symbolic link is kept, and its target is written.
// InPlace can be used concurrently.
type InPlace struct {
	// Sync makes Close return only after everything is on disk.
	Sync bool
	dirs dirs
}

// Close ends the writing.
func (s *InPlace) Close() error { return s.dirs.sync() }

// Target is a file that is going to be replaced. It is locked from before it is read until Release,
// so that no other fctl process reads a file that is about to change.
//
// While a process holds the lock it waits for nothing, neither for another lock nor for memory,
// input or output. So two processes cannot deadlock.
type Target struct {
	in   *InPlace
	path string
	link bool
	lock lock
}

// Target returns the target at a path, not yet locked. link says that the path may be a symbolic
// link.
func (s *InPlace) Target(path string, link bool) *Target {
	return &Target{in: s, path: path, link: link}
}

// Hold locks the target, which is open as fd and has not been read. It waits for other processes
// until ctx is cancelled. It reports whether the path still names the open file; if not, nothing is
// locked.
func (t *Target) Hold(ctx context.Context, fd uintptr) (same bool, err error) {
	if err := Check(ctx, t.path); err != nil {
		return false, err
	}
	if err := t.lock.take(ctx, fd, true); err != nil {
		return false, err
	}
	stat := os.Lstat
	if t.link {
		stat = os.Stat
	}
	if same, err = t.lock.names(t.path, stat); !same {
		t.Release()
	}
	return same, err
}

// Release unlocks the target. A nil Target is not locked.
func (t *Target) Release() {
	if t != nil {
		t.lock.release()
	}
}

// Write replaces the content of the target. info and data are what was read after Hold. After an
// error, which is ErrNotRegular, ErrReadOnly, ErrChanged or one of the file system, this call has
// not changed the file.
func (t *Target) Write(info fs.FileInfo, data []byte, parts ...[]byte) error {
	return t.write(info, parts, func(path string) error {
		return unchanged(osFS{}, &t.lock, path, info, data)
	})
}

// errTried ends a trial.
var errTried = errors.New("tried")

// Try returns the error that Write is likely to return. It makes the new file beside the target, and
// removes it.
func (t *Target) Try(info fs.FileInfo, parts ...[]byte) error {
	err := t.write(info, parts, func(string) error { return errTried })
	if errors.Is(err, errTried) {
		return nil
	}
	return err
}

// write replaces the target, which info describes. check is called with its path, symbolic links
// resolved, before the new file gets its name.
func (t *Target) write(info fs.FileInfo, parts [][]byte, check func(path string) error) error {
	switch {
	case info == nil || !info.Mode().IsRegular():
		return ErrNotRegular
	case info.Mode().Perm()&0o222 == 0:
		return ErrReadOnly
	}
	path := t.path
	if t.link {
		var err error
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return fmt.Errorf("%w: %w", ErrChanged, WithoutPath(err))
		}
	}
	r := &atomicFile{
		in: osFS{}, path: path, perm: info.Mode().Perm(), attributesOf: info, sync: t.in.Sync,
	}
	if check != nil {
		r.check = func() error { return check(path) }
	}
	if t.lock.held {
		r.key = identity(info) + " " + filepath.Base(path)
	}
	if err := r.write(parts); err != nil {
		return err
	}
	t.in.dirs.add(filepath.Dir(path), t.in.Sync)
	return nil
}

// unchanged returns an error if a file is not what it was when it was read.
func unchanged(in fileSystem, l *lock, path string, info fs.FileInfo, data []byte) error {
	now, err := in.Lstat(path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrChanged, WithoutPath(err))
	}
	if !sameFile(now, info) || !sameOwner(now, info) || now.Mode() != info.Mode() ||
		now.Size() != info.Size() || !now.ModTime().Equal(info.ModTime()) {
		return ErrChanged
	}
	f, err := l.reader(in, path)
	if err != nil {
		return WithoutPath(err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	if !contains(f, data) {
		return ErrChanged
	}
	return nil
}

// contains reports whether a file, which is as long as data, has that content.
func contains(f io.Reader, data []byte) bool {
	part := make([]byte, min(len(data), maxBuffer))
	for len(data) > 0 {
		n, err := f.Read(part[:min(len(part), len(data))])
		if err != nil || !bytes.HasPrefix(data, part[:n]) {
			return false
		}
		data = data[n:]
	}
	return true
}

// dirs are the directories whose entries changed.
type dirs struct {
	mu    sync.Mutex
	paths map[string]bool
}

func (d *dirs) add(path string, wanted bool) {
	if !wanted {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.paths == nil {
		d.paths = map[string]bool{}
	}
	d.paths[path] = true
}

// sync syncs the entries of all directories to disk.
func (d *dirs) sync() error {
	var problems []error
	for path := range d.paths {
		f, err := os.Open(path)
		if err == nil {
			err = errors.Join(f.Sync(), f.Close())
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", path, WithoutPath(err)))
		}
	}
	return errors.Join(problems...)
}
