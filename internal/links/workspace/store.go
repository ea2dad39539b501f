package workspace

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/merge/gitfiles"
)

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
	untrusted bool   // records are not obeyed
	root      *os.Root
	lock      *files.Lock
	exclusive bool
	tx        *Tx // the open transaction, if any
	index     *index
	// repository is the result of git, once it was asked for.
	repository *gitfiles.Repository
	gitOnce    sync.Once
	committed  map[string]string // the hashes of the files of HEAD, once they were asked for
	// unindexed counts the files that were read because the index does not know them.
	unindexed atomic.Int64
	// Repaired describes how a killed command was repaired, for notes.
	Repaired []string
	// Secret reports whether data of a unit holds secret values: a new file for it is private.
	// Without Secret every new working copy is.
	Secret  func(u *Unit, data []byte) bool
	written map[string]bool // the files that were written or deleted
	readMu  sync.Mutex
	read    map[string]string // the hashes of files that people edit, when they were first read
}

// OpenOptions say how a workspace is opened.
type OpenOptions struct {
	// Write takes the lock for writing. Without it the workspace can only be read.
	Write bool
	// DryRun says that nothing at all may be written, not even to take a killed command back.
	DryRun bool
	// Untrusted means that a stranger may have written the records of the workspace: none is obeyed.
	Untrusted bool
	// Repair takes a killed command back in any case, and discards records that are damaged.
	Repair bool
	// Step and Sequential are those of Store.
	Step       func(what string)
	Sequential bool
	// ManyFiles is that of Store; 0 is a good number.
	ManyFiles int
}

// Find returns the root of the workspace that dir is in: the next directory upwards with the
// marker. The search ends at the top of the git repository, or at the home directory. A workspace
// of another user above dir is an error; explicit says that the user names dir.
func Find(dir string, explicit bool) (string, error) {
	at := cmp.Or(dir, ".")
	full, err := filepath.Abs(at)
	if err != nil {
		return "", err
	}
	above, _ := files.Above(full)
	for i, in := range above {
		info, err := os.Lstat(filepath.Join(in, Marker))
		if err == nil && !info.IsDir() {
			if !isSame(at, in) {
				at = in // a symbolic link leads to dir
			}
			if i > 0 || !explicit {
				err = checkOwner(in, at, info)
			}
			return at, err
		}
		at = filepath.Join(at, "..")
	}
	return "", entity.Fail(entity.CodeNotFound,
		"no workspace: neither this directory nor one above it has a %s", Marker).
		WithHint("fctl ws init")
}

func isSame(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// checkOwner returns an error if the marker in a directory, the directory or what fctl keeps in it
// belongs to another user.
func checkOwner(in, at string, marker fs.FileInfo) error {
	if !files.KnowsOwners {
		return nil
	}
	other := files.UntrustedPart(in, Marker, marker)
	if info, err := os.Lstat(filepath.Join(in, privateDir)); other == "" && err == nil &&
		!files.IsTrusted(info) {
		other = privateDir
	}
	if other == "" {
		return nil
	}
	e := entity.Fail(entity.CodeState, "this workspace is not used: %s %s", other, files.NotTrusted)
	e.Pos.File = diag.FileName(filepath.Join(at, Marker))
	return e.WithHint("-C " + diag.FileName(at) + " uses it")
}

// Open opens the workspace whose marker is in dir. It waits for other processes until ctx ends. A
// command that was killed while it wrote is taken back if the workspace is opened for writing;
// for reading, that is an error if the command has changed anything.
func Open(ctx context.Context, dir string, o OpenOptions) (*Store, error) {
	var root *os.Root
	err := files.Check(ctx, dir)
	if err == nil {
		root, err = os.OpenRoot(dir)
	}
	if err != nil {
		return nil, diag.Input(diag.FileName(dir), "", err)
	}
	s := &Store{
		dir: dir, root: root, Now: now, Step: o.Step, Sequential: o.Sequential,
		untrusted: o.Untrusted,
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
	if err := s.take(ctx, (o.Write || o.Repair) && !o.DryRun); err != nil {
		return err
	}
	if _, err := s.root.Lstat(journalFile); err == nil {
		if err := s.recover(ctx, o); err != nil {
			return err
		}
	}
	text, err := s.readRegular(Marker)
	if err != nil {
		return s.unreadable(Marker, err)
	}
	if o.Repair {
		if err := s.repairUndo(); err != nil {
			return err
		}
	}
	s.Config, err = entity.DecodeWorkspace(entity.Text{Bytes: text, File: s.position(Marker).File})
	return err
}

// take takes the lock. A shared lock of a workspace that was never written needs no file.
func (s *Store) take(ctx context.Context, exclusive bool) error {
	s.lock.Release()
	s.lock = nil
	info, err := s.root.Lstat(privateDir)
	switch {
	case exclusive:
		err = files.MakePrivate(s.root, privateDir)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !info.IsDir():
		err = errors.New("a directory is expected") // a link may lead to .git
	}
	if err != nil {
		return s.failed(privateDir, err)
	}
	s.lock, err = files.LockFile(ctx, s.root, lockFile, exclusive)
	if errors.Is(err, fs.ErrNotExist) && !exclusive {
		return nil
	}
	if err != nil {
		return s.fail(lockFile, entity.CodeLocked, "the workspace cannot be locked: %w", err)
	}
	s.exclusive = exclusive
	return nil
}

// Close releases the lock.
func (s *Store) Close() error {
	s.lock.Release()
	return s.root.Close()
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
	data, err := s.readRegular(s.statePath(name))
	if err == nil && isPeoples(name) {
		s.remember(name, hash(data))
	}
	return data, err
}

// remember returns the hash that a file had when the command read it first: what the command writes
// is made from that.
func (s *Store) remember(name, hash string) string {
	s.readMu.Lock()
	defer s.readMu.Unlock()
	if first, known := s.read[name]; known {
		return first
	}
	if s.read == nil {
		s.read = map[string]string{}
	}
	s.read[name] = hash
	return hash
}

// readRegular reads a file. A named pipe is an error, as are a file that is too large and a link
// into .git: its content may be printed and recorded.
func (s *Store) readRegular(name string) ([]byte, error) {
	if err := files.CheckLink(s.dir, name); err != nil {
		return nil, err
	}
	most := int64(entity.MaxData)
	if strings.HasPrefix(name, privateDir+"/") {
		most = maxRecord
	}
	return files.ReadRegular(s.root, name, most, nil)
}

func (s *Store) unreadable(name string, err error) error {
	err = files.WithoutPath(err)
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

// manyFiles is the number of changes from which on the files of a transaction are synced together.
const manyFiles = 256

// replace replaces a file that only fctl writes: a reader sees the old content or the new one.
func (s *Store) replace(name string, durable bool, parts ...[]byte) error {
	s.step("create " + name)
	return files.Replace(s.root, name, durable, func() { s.step("rename " + name) }, parts...)
}

// readers is how many files are read at a time.
func (s *Store) readers() int { return runtime.GOMAXPROCS(0) }
