package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/workspace/entity"
)

const osCreateWrite = os.O_CREATE | os.O_WRONLY

// Store is the files of an open workspace.
type Store struct {
	Config *Config
	// Now returns the time that is recorded.
	Now func() time.Time
	// Step is called before every change of the file system; for tests. It may be nil.
	Step func(what string)
	// Sequential does the changes of a transaction one after another; for tests.
	Sequential bool
	// ManyFiles is the number of changes from which on files are written in batches; for tests.
	ManyFiles int

	dir       string // as in messages
	root      *os.Root
	lock      *os.File
	exclusive bool
	tx        *Tx // the open transaction, if any
	index     *index
	// unindexed counts the files that were read because the index does not know them.
	unindexed atomic.Int64
	written   map[string]bool // the files that were written or deleted
}

// OpenOptions say how a workspace is opened.
type OpenOptions struct {
	// Write takes the lock for writing. Without it the workspace can only be read.
	Write bool
	// DryRun says that nothing at all may be written, not even to finish an interrupted write.
	DryRun bool
	// Step and Sequential are those of Store.
	Step       func(what string)
	Sequential bool
	// ManyFiles is that of Store; 0 is a good number.
	ManyFiles int
}

// Find returns the root of the workspace that dir is in: the next directory upwards with the
// marker.
func Find(dir string) (string, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	at := dir
	if at == "" {
		at = "."
	}
	for {
		if info, err := os.Lstat(filepath.Join(full, Marker)); err == nil && !info.IsDir() {
			return at, nil
		}
		parent := filepath.Dir(full)
		if parent == full {
			return "", &entity.Error{
				Code: entity.CodeNotFound, Hint: "fctl workspace init",
				Message: "no workspace: neither this directory nor one above it has a " + Marker,
			}
		}
		full, at = parent, filepath.Join(at, "..")
	}
}

// Open opens the workspace whose marker is in dir, and finishes an interrupted write. It waits for
// other processes until ctx ends.
func Open(ctx context.Context, dir string, o OpenOptions) (*Store, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, diag.Input(diag.FileName(dir), "", err)
	}
	s := &Store{
		dir: dir, root: root, Now: now, Step: o.Step, Sequential: o.Sequential,
		written:   map[string]bool{},
		ManyFiles: cmp.Or(o.ManyFiles, manyFiles),
	}
	if err := s.open(ctx, o); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func now() time.Time { return time.Now().UTC().Truncate(time.Second) }

func (s *Store) open(ctx context.Context, o OpenOptions) error {
	if err := s.take(ctx, o.Write && !o.DryRun); err != nil {
		return err
	}
	if _, err := s.root.Lstat(journalFile); err == nil {
		if o.DryRun {
			return &entity.Error{
				Code: entity.CodeState, Pos: s.position(journalFile),
				Message: "a write was interrupted", Hint: "fctl workspace check --repair",
			}
		}
		if err := s.take(ctx, true); err != nil {
			return err
		}
		if _, err := s.recover(ctx); err != nil {
			return err
		}
	}
	text, err := s.root.ReadFile(Marker)
	if err != nil {
		return s.unreadable(Marker, err)
	}
	s.Config, err = decodeConfig(entity.Text{Bytes: text, File: s.position(Marker).File})
	return err
}

// take takes the lock. A shared lock of a workspace that was never written needs no file.
func (s *Store) take(ctx context.Context, exclusive bool) error {
	if s.lock != nil {
		_ = s.lock.Close()
		s.lock = nil
	}
	flags := os.O_RDONLY
	if exclusive {
		flags = os.O_RDWR | os.O_CREATE
		if err := s.root.MkdirAll(privateDir, 0o777); err != nil {
			return s.failed(privateDir, err)
		}
	}
	f, err := s.root.OpenFile(lockFile, flags, 0o666)
	if errors.Is(err, fs.ErrNotExist) && !exclusive {
		return nil
	}
	if err == nil {
		err = flock(ctx, f, exclusive)
		s.lock = f
	}
	if err != nil {
		return &entity.Error{
			Code: entity.CodeLocked, Pos: s.position(lockFile), Err: err,
			Message: fmt.Sprintf("the workspace is locked by another process: %v", err),
		}
	}
	s.exclusive = exclusive
	return nil
}

// Close releases the lock.
func (s *Store) Close() error {
	var err error
	if s.lock != nil {
		err = s.lock.Close()
	}
	return errors.Join(err, s.root.Close())
}

// Dir returns the root of the workspace, as in messages.
func (s *Store) Dir() string { return s.dir }

// position returns the position of a file in messages.
func (s *Store) position(name string) api.Position {
	return api.Position{File: diag.FileName(filepath.Join(s.dir, filepath.FromSlash(name)))}
}

// readFile reads a file as the open transaction will leave it.
func (s *Store) readFile(name string) ([]byte, error) {
	if s.tx != nil {
		if data, ok := s.tx.files[name]; ok {
			return data, nil
		}
	}
	return s.root.ReadFile(s.statePath(name))
}

func (s *Store) unreadable(name string, err error) error {
	if wrapped, ok := errors.AsType[*fs.PathError](err); ok {
		err = wrapped.Err
	}
	return &api.Failure{
		Class: api.FailureInput, Pos: s.position(name), Message: err.Error(), Err: err,
	}
}

func (s *Store) step(what string) {
	if s.Step != nil {
		s.Step(what)
	}
}

// writers is how many files are written at a time.
func (s *Store) writers() int {
	if s.Sequential || s.Step != nil {
		return 1
	}
	return 32
}

// replace replaces a file: a reader sees the old content or the new one. A file left by a killed
// process has the same temporary name and is overwritten.
func (s *Store) replace(name string, data []byte) error {
	return s.replaceWith(name, true, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// replaceWith replaces a file by what write writes. With durable it waits for the disk.
func (s *Store) replaceWith(name string, durable bool, write func(io.Writer) error) error {
	dir := path.Dir(name)
	if err := s.root.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	temporary := path.Join(dir, temporaryName(name))
	s.step("create " + name)
	f, err := s.root.OpenFile(temporary, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil && durable {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		s.step("rename " + name)
		err = s.root.Rename(temporary, name)
	}
	if err != nil {
		return errors.Join(err, s.root.Remove(temporary))
	}
	return nil
}

// syncDir makes the names in a directory durable.
func (s *Store) syncDir(dir string) error {
	f, err := s.root.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it was deleted
	}
	if err != nil {
		return err
	}
	return errors.Join(ignoreUnsupported(f.Sync()), f.Close())
}

// ignoreUnsupported drops the error of file systems that cannot sync directories.
func ignoreUnsupported(err error) error {
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrInvalid) {
		return nil
	}
	return err
}

// readers is how many files are read at a time.
func (s *Store) readers() int { return runtime.GOMAXPROCS(0) }
