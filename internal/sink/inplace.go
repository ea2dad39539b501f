package sink

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Original is a file as it was when it was read.
type Original struct {
	Path string
	// Link tells that Path may be a symbolic link.
	Link bool
	Info fs.FileInfo
	Data []byte
}

// ErrNotRegular tells that what was named is no file that another can take the
// place of.
var ErrNotRegular = errors.New("this is no regular file")

// ErrReadOnly tells that nobody may write to the file.
var ErrReadOnly = errors.New("the file is read-only")

// ErrChanged tells that a file is not what was read any more.
var ErrChanged = errors.New("somebody else changed the file meanwhile, so it was not written")

// InPlace writes to the files that configuration was read from: the new file
// takes the place of the old one in one step and has its mode and its owner. A
// symbolic link stays one, and what it leads to is written. InPlace can be used
// concurrently.
type InPlace struct {
	// Sync has everything on the disk before Close returns.
	Sync    bool
	dirs    dirs
	started time.Time
}

// NewInPlace makes an InPlace. It must be made before the first file is read.
func NewInPlace(sync bool) *InPlace {
	return &InPlace{Sync: sync, started: time.Now()}
}

// Write replaces the content of a file. After an error, which is ErrNotRegular,
// ErrReadOnly, ErrChanged or one of the file system, the file is what it was, or
// what somebody else made of it.
func (s *InPlace) Write(o Original, parts ...[]byte) error {
	switch {
	case o.Info == nil || !o.Info.Mode().IsRegular():
		return ErrNotRegular
	case o.Info.Mode().Perm()&0o222 == 0:
		return ErrReadOnly
	}
	path := o.Path
	if o.Link {
		var err error
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return fmt.Errorf("%w: %w", ErrChanged, reason(err))
		}
	}
	r := &replacement{
		in: anywhere{}, path: path, perm: o.Info.Mode().Perm(), like: o.Info, sync: s.Sync,
		check: func() error { return s.unchanged(path, o) },
	}
	if err := r.write(parts); err != nil {
		return err
	}
	s.dirs.add(filepath.Dir(path), s.Sync)
	return nil
}

// Close ends the writing.
func (s *InPlace) Close() error { return s.dirs.sync() }

// unchanged makes sure that a file is what it was when it was read.
func (s *InPlace) unchanged(path string, o Original) error {
	now, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrChanged, reason(err))
	}
	if !sameFile(now, o.Info) || now.Size() != o.Info.Size() || !now.ModTime().Equal(o.Info.ModTime()) || now.Mode() != o.Info.Mode() {
		return ErrChanged
	}
	if !s.racy(now.ModTime()) {
		return nil
	}
	if !contains(path, o.Data) {
		return ErrChanged
	}
	return nil
}

// contains tells whether that and nothing else is in a file.
func contains(path string, data []byte) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // nothing was written
	part := make([]byte, min(len(data)+1, maxBuffer))
	for {
		n, err := f.Read(part)
		if !bytes.HasPrefix(data, part[:n]) {
			return false
		}
		if data = data[n:]; err != nil {
			return err == io.EOF && len(data) == 0
		}
	}
}

// racy tells whether a file was changed so shortly before we began to read that
// it could be changed again without its time telling: the clocks of file systems
// advance with the ticks of the kernel, or if they count whole seconds every one
// or two of them.
func (s *InPlace) racy(changed time.Time) bool {
	tick := 50 * time.Millisecond
	if changed.Nanosecond() == 0 {
		tick = 2 * time.Second
	}
	return changed.After(s.started.Add(-tick))
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

// sync has the entries of all of them on the disk.
func (d *dirs) sync() error {
	var problems []error
	for path := range d.paths {
		f, err := os.Open(path)
		if err == nil {
			err = errors.Join(f.Sync(), f.Close())
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", path, reason(err)))
		}
	}
	return errors.Join(problems...)
}
