package files

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/fctl-dev/fctl/api"
)

// Change is what a Batch does to one file.
type Change struct {
	Path string // below the directory, with slashes
	Data []byte
	// Delete deletes the file instead.
	Delete bool
	// Append cuts the file to Offset bytes and adds Data.
	Append bool
	Offset int64
	// Guarded says that people and other programs write the file, too: Hold locks it, and it is an
	// error if its hash is not Before. A missing file has the hash "".
	Guarded bool
	Before  string
	// Mode is the mode of a new file; 0 leaves it to the umask.
	Mode fs.FileMode
	// Link is the target of a symbolic link, which is made or deleted instead of a file.
	Link string
	// Dir says that the path is a directory, which is made, or deleted with all directories in it
	// that have no files.
	Dir bool
}

// writes reports whether the change needs a temporary file.
func (c *Change) writes() bool { return !c.Delete && !c.Append && !c.Dir && c.Link == "" }

// Batch changes many files below a directory. No path leads out of it, and no directory below it
// may be a symbolic link.
type Batch struct {
	Root *os.Root
	Dir  string // the path of Root
	// Private is a directory below Dir. Only its owner can read what is written there.
	Private string
	// MayLink reports whether the file at a path may be a symbolic link, which is followed. Without
	// MayLink each may be one.
	MayLink func(name string) bool
	// Step is called before every change of the file system; for tests. It may be nil.
	Step func(what string)
	// Parallel calls do for 0 to n-1.
	Parallel func(n int, do func(i int) error) error
	// Many is the number of changes from which on one sync of the file system replaces one for each
	// file. A sync for each file takes most of the time otherwise.
	Many int
	// Most is the maximum size of a guarded file in bytes.
	Most int64

	mu      sync.Mutex
	guards  map[string]*guard
	missing map[string]string // the topmost missing directory of a directory, "" if it exists
	locks   atomic.Int64
}

// guard is a guarded file as it was read.
type guard struct {
	lock lock
	path string      // symbolic links resolved
	info fs.FileInfo // nil if the file is missing
	data []byte
	// again says that the file is not locked, because a process cannot have that many open files.
	// It is locked again when it is replaced.
	again bool
}

// ErrLink means that a symbolic link leads to a place where nothing may be written.
var ErrLink = errors.New("a symbolic link leads to a place that fctl does not write to")

// Hold locks the file of a guarded change until Close and reads it. It waits for other processes
// until ctx is cancelled. info is nil if there is no file. The error is ErrChanged if the file is
// not the one that the change is for, ErrReadOnly, or one of the file system.
func (b *Batch) Hold(ctx context.Context, c *Change) (data []byte, info fs.FileInfo, err error) {
	g := &guard{}
	if g.path, err = b.follow(c.Path); err != nil {
		return nil, nil, err
	}
	if err := b.lock(ctx, g); err != nil {
		return nil, nil, err
	}
	if b.locks.Add(1) > int64(maxHeld()) {
		g.lock.release()
		g.again = true
	}
	b.mu.Lock()
	if b.guards == nil {
		b.guards = map[string]*guard{}
	}
	b.guards[c.Path] = g
	b.mu.Unlock()
	hash := ""
	if g.info != nil {
		hash = api.DataHash(g.data)
	}
	switch {
	case hash != c.Before:
		return g.data, g.info, ErrChanged
	case g.info != nil && c.writes() && g.info.Mode().Perm()&0o222 == 0:
		return g.data, g.info, ErrReadOnly
	}
	return g.data, g.info, nil
}

// lock locks and reads the file of a guard.
func (b *Batch) lock(ctx context.Context, g *guard) error {
	for {
		f, err := b.Root.OpenFile(g.path, os.O_RDONLY|nonBlocking, 0)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return WithoutPath(err)
		}
		same, err := b.read(ctx, g, f)
		if err = errors.Join(err, f.Close()); err != nil {
			g.lock.release()
			return WithoutPath(err)
		}
		if same {
			break
		}
		g.lock.release() // another process has replaced it
	}
	return nil
}

// read locks and reads an open file. It reports false if the path names another file.
func (b *Batch) read(ctx context.Context, g *guard, f *os.File) (same bool, err error) {
	info, err := f.Stat()
	if err == nil {
		err = CheckRegular(info)
	}
	if err == nil {
		err = g.lock.take(ctx, f.Fd(), true)
	}
	if err == nil {
		same, err = g.lock.names(g.path, b.Root.Lstat)
	}
	if err != nil || !same {
		return false, err
	}
	if g.info, err = f.Stat(); err != nil {
		return false, err
	}
	g.data, err = ReadBounded(f, g.info.Size(), b.Most)
	return true, err
}

// Close unlocks the files.
func (b *Batch) Close() {
	for _, g := range b.guards {
		g.lock.release()
	}
	b.guards = nil
}

// ErrNotDirectory means that a path leads through a file.
var ErrNotDirectory = errors.New("is not a directory")

// follow returns where a path leads if it is a symbolic link.
func (b *Batch) follow(from string) (string, error) {
	name := from
	for range 40 {
		if top, err := b.Missing(path.Dir(name)); err != nil || top != "" {
			return name, err
		}
		info, err := os.Lstat(b.at(name))
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return name, nil //nolint:nilerr // opening it reports the error
		}
		if b.MayLink != nil && !b.MayLink(from) {
			return "", ErrLink
		}
		target, err := b.Root.Readlink(name)
		if err != nil {
			return "", WithoutPath(err)
		}
		name = path.Join(path.Dir(name), filepath.ToSlash(target))
		if filepath.IsAbs(target) || !fs.ValidPath(name) || HasGit(name) ||
			b.isPrivate(name) {
			return "", ErrLink
		}
	}
	return "", errors.New("too many symbolic links")
}

// HasGit reports whether a path with slashes leads into .git, also in the spellings that file systems
// of Windows and macOS accept for it. git refuses the same ones.
func HasGit(name string) bool { return hasPart(name, ".git", "git~1") }

// HasRecords is HasGit for .fctl, where fctl keeps the records of a workspace.
func HasRecords(name string) bool { return hasPart(name, ".fctl", "fctl~1") }

// HasSettings is HasGit for .fctl.yaml, from which fctl reads the settings of a project.
func HasSettings(name string) bool { return hasPart(name, ".fctl.yaml", "fctl~1.yam") }

func hasPart(name string, names ...string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		part, _, _ = strings.Cut(strings.Map(visible, part), ":") // a stream of NTFS
		part = strings.TrimRight(part, ". ")
		return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(part, n) })
	})
}

// visible removes the characters that HFS+ ignores in names.
func visible(r rune) rune {
	switch {
	case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff:
		return -1
	}
	return r
}

func (b *Batch) isPrivate(name string) bool {
	return b.Private != "" && (name == b.Private || strings.HasPrefix(name, b.Private+"/"))
}

func (b *Batch) at(name string) string { return filepath.Join(b.Dir, filepath.FromSlash(name)) }

// Missing returns the topmost directory of dir that does not exist, "" if dir exists.
func (b *Batch) Missing(dir string) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.missingOf(dir)
}

func (b *Batch) missingOf(dir string) (string, error) {
	if top, known := b.missing[dir]; known || dir == "." {
		return top, nil
	}
	top, err := b.missingOf(path.Dir(dir))
	if err != nil {
		return "", err
	}
	if top == "" {
		switch info, err := os.Lstat(b.at(dir)); {
		case errors.Is(err, fs.ErrNotExist):
			top = dir
		case err != nil:
			return "", WithoutPath(err)
		case info.Mode()&fs.ModeSymlink != 0:
			return "", ErrLink
		case !info.IsDir():
			return "", fmt.Errorf("%s %w", path.Base(dir), ErrNotDirectory)
		}
	}
	if b.missing == nil {
		b.missing = map[string]string{}
	}
	b.missing[dir] = top
	return top, nil
}

func (b *Batch) step(what string) {
	if b.Step != nil {
		b.Step(what)
	}
}

// ChangeError is an error with the path of a Change.
type ChangeError struct {
	Path string
	Err  error
}

func (e *ChangeError) Error() string { return e.Path + ": " + e.Err.Error() }

func (e *ChangeError) Unwrap() error { return e.Err }

func failed(name string, err error) error {
	if err == nil {
		return nil
	}
	return &ChangeError{name, WithoutPath(err)}
}

// Apply makes the changes. All temporary files are written before the first file is replaced, so
// that a full disk is noticed early. After an error, which is a *ChangeError, no temporary file is
// left, but a part of the changes may be made. Everything is on disk afterwards.
func (b *Batch) Apply(changes []Change) (err error) {
	folders := b.folders(changes)
	each := func(do func(*folder) error) error {
		return b.Parallel(len(folders), func(i int) error { return do(folders[i]) })
	}
	one := !canSyncAll || len(changes) < b.Many
	defer func() {
		if err != nil {
			_ = each(b.discard)
		}
	}()
	if err = each(func(f *folder) error { return b.stage(f, one) }); err != nil {
		return err
	}
	if !one {
		if err = syncAll(b.Root); err != nil {
			return failed(".", err)
		}
	}
	if err = each(func(f *folder) error { return b.place(f, one) }); err != nil {
		return err
	}
	for i := range changes {
		if c := &changes[i]; c.Dir {
			if err = b.directory(c); err != nil {
				return failed(c.Path, err)
			}
		}
	}
	if !one {
		return failed(".", syncAll(b.Root))
	}
	return b.syncDirs(folders)
}

// folder has the changes in one directory.
type folder struct {
	dir     string
	changes []placed
	writes  bool
}

// placed is a change and its place in a folder.
type placed struct {
	*Change
	guard     *guard
	name      string // in the folder
	temporary bool   // the temporary file exists
}

// folders returns the changes of files by directory, in order.
func (b *Batch) folders(changes []Change) []*folder {
	byDir := map[string]*folder{}
	for i := range changes {
		c := &changes[i]
		if c.Dir {
			continue
		}
		p := placed{Change: c, guard: b.guards[c.Path]}
		at := c.Path
		if p.guard != nil && !c.Delete {
			at = p.guard.path
		}
		dir := path.Dir(at)
		p.name = path.Base(at)
		f := byDir[dir]
		if f == nil {
			f = &folder{dir: dir}
			byDir[dir] = f
		}
		f.changes = append(f.changes, p)
		f.writes = f.writes || !c.Delete
	}
	all := make([]*folder, 0, len(byDir))
	for _, f := range byDir {
		all = append(all, f)
	}
	slices.SortFunc(all, func(x, y *folder) int { return cmp.Compare(x.dir, y.dir) })
	return all
}

// makeDir makes a directory and those above it.
func (b *Batch) makeDir(dir string) error {
	if top, err := b.Missing(dir); err != nil || top == "" {
		return err
	}
	if b.isPrivate(dir) {
		return b.Root.MkdirAll(dir, 0o700)
	}
	return b.Root.MkdirAll(dir, 0o777)
}

// stage makes the directory of a folder and writes the temporary files.
func (b *Batch) stage(f *folder, sync bool) error {
	if !f.writes {
		return nil
	}
	if err := b.makeDir(f.dir); err != nil {
		return failed(f.dir, err)
	}
	root, err := b.Root.OpenRoot(f.dir)
	if err != nil {
		return failed(f.dir, err)
	}
	defer root.Close() //nolint:errcheck // nothing is written through it
	for i := range f.changes {
		if p := &f.changes[i]; p.writes() {
			b.step("create " + p.Path)
			if err := b.write(root, p, sync); err != nil {
				return failed(p.Path, err)
			}
		}
	}
	return nil
}

// temporary returns the name of the temporary file for a path. It is always the same, so that the
// next process removes the one of a killed process.
func temporary(name string) string { return temporaryName(name, 0) }

// write writes a temporary file.
func (b *Batch) write(root *os.Root, p *placed, sync bool) error {
	perm := cmp.Or(p.Mode.Perm(), 0o666)
	switch {
	case b.isPrivate(p.Path):
		perm = 0o600
	case p.guard != nil && p.guard.info != nil:
		perm = p.guard.info.Mode().Perm()
	}
	name := temporary(p.Path)
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if errors.Is(err, fs.ErrExist) && root.Remove(name) == nil {
		f, err = root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	}
	if err != nil {
		return err
	}
	p.temporary = true
	switch {
	case p.guard != nil && p.guard.info != nil:
		err = keepAttributes(f, b.at(p.guard.path), p.guard.info)
	case p.Mode != 0 && !b.isPrivate(p.Path) && (p.guard == nil || p.guard.path == p.Path):
		err = f.Chmod(p.Mode.Perm()) // whatever the umask is: it may be that of a deleted file
	}
	if err == nil {
		_, err = f.Write(p.Data)
	}
	if err == nil && sync {
		err = f.Sync()
	}
	return errors.Join(WithoutPath(err), WithoutPath(f.Close()))
}

// place gives the temporary files of a folder their names, and makes its other changes.
func (b *Batch) place(f *folder, sync bool) error {
	root, err := b.Root.OpenRoot(f.dir)
	if errors.Is(err, fs.ErrNotExist) && !f.writes {
		return nil // it is deleted already
	}
	if err != nil {
		return failed(f.dir, err)
	}
	defer root.Close() //nolint:errcheck // each change reports its error
	for i := range f.changes {
		if err := b.placeOne(root, &f.changes[i], sync); err != nil {
			return failed(f.changes[i].Path, err)
		}
	}
	return nil
}

func (b *Batch) placeOne(root *os.Root, p *placed, sync bool) error {
	if p.guard != nil {
		release, err := b.check(p.guard)
		defer release()
		if err != nil {
			return err
		}
	}
	switch {
	case p.Append:
		b.step("append " + p.Path)
		return appendAt(root, p, sync)
	case p.Delete:
		b.step("delete " + p.Path)
		if err := root.Remove(p.name); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	case p.Link != "":
		b.step("link " + p.Path)
		if now, err := root.Readlink(p.name); err == nil && now == p.Link {
			return nil
		}
		return root.Symlink(p.Link, p.name)
	default:
		b.step("rename " + p.Path)
		if p.guard != nil && p.guard.info == nil {
			err := nameNew(root, temporary(p.Path), p.name)
			if errors.Is(err, fs.ErrExist) {
				return ErrChanged
			}
			p.temporary = err != nil
			return err
		}
		if err := root.Rename(temporary(p.Path), p.name); err != nil {
			return err
		}
		p.temporary = false
	}
	return nil
}

// check returns an error if a guarded file is not what it was when it was read. The file stays
// locked until release.
func (b *Batch) check(g *guard) (release func(), err error) {
	release = func() {}
	switch {
	case g.info == nil:
		if _, err := b.Root.Lstat(g.path); !errors.Is(err, fs.ErrNotExist) {
			return release, ErrChanged
		}
		return release, nil
	case g.again:
		now := &guard{path: g.path}
		if err := b.lock(context.Background(), now); err != nil {
			return now.lock.release, err
		}
		if now.info == nil || !sameFile(now.info, g.info) || !bytes.Equal(now.data, g.data) {
			return now.lock.release, ErrChanged
		}
		return now.lock.release, nil
	}
	return release, unchanged(b.Root, &g.lock, g.path, g.info, g.data)
}

// appendAt cuts a file and adds to it.
func appendAt(root *os.Root, p *placed, sync bool) error {
	f, err := root.OpenFile(p.name, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	err = f.Truncate(p.Offset)
	if err == nil {
		_, err = f.WriteAt(p.Data, p.Offset)
	}
	if err == nil && sync {
		err = f.Sync()
	}
	return errors.Join(WithoutPath(err), WithoutPath(f.Close()))
}

// directory makes a directory, or deletes one that has no files.
func (b *Batch) directory(c *Change) error {
	if !c.Delete {
		b.step("make " + c.Path)
		return b.makeDir(c.Path)
	}
	if err := b.checkReal(c.Path); err != nil {
		return err
	}
	var dirs []string
	err := fs.WalkDir(b.Root.FS(), c.Path, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			dirs = append(dirs, name)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	b.step("delete " + c.Path)
	for _, dir := range slices.Backward(dirs) {
		_ = b.Root.Remove(dir) // it may have files
	}
	return nil
}

// checkReal returns an error if a path is a symbolic link, or leads through one.
func (b *Batch) checkReal(name string) error {
	for at := name; at != "."; at = path.Dir(at) {
		if info, err := b.Root.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return ErrLink
		}
	}
	return nil
}

// discard removes the temporary files of a folder.
func (b *Batch) discard(f *folder) error {
	for i := range f.changes {
		if p := &f.changes[i]; p.temporary {
			_ = b.Root.Remove(path.Join(f.dir, temporary(p.Path))) // the cause is reported
		}
	}
	return nil
}

// Discard removes the temporary files that a killed process left for changes. It returns the first
// error.
func (b *Batch) Discard(changes []Change) error {
	for i := range changes {
		at, err := b.follow(changes[i].Path)
		if err != nil {
			return failed(changes[i].Path, err)
		}
		err = b.Root.Remove(path.Join(path.Dir(at), temporary(changes[i].Path)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return failed(changes[i].Path, err)
		}
	}
	return nil
}

// syncDirs makes the names in the changed directories durable.
func (b *Batch) syncDirs(folders []*folder) error {
	dirs := map[string]bool{}
	for _, f := range folders {
		dirs[f.dir] = true
		if top := b.missing[f.dir]; top != "" {
			dirs[path.Dir(top)] = true
		}
	}
	for dir := range dirs {
		if err := SyncDir(b.Root, dir); err != nil {
			return failed(dir, err)
		}
	}
	return nil
}

// SyncDir makes the names in a directory durable, if it exists and the file system can do that.
func SyncDir(root *os.Root, dir string) error {
	f, err := root.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrInvalid) {
		err = nil
	}
	return errors.Join(err, f.Close())
}
