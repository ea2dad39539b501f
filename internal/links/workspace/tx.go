package workspace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/parallel"
)

// Tx is a transaction: changes of files that are made together or not at all. While a transaction
// is open, the store reads what it will write, so that a transaction that is never committed is a
// dry run.
type Tx struct {
	// Title says what the command did, for undo. Without a title it cannot be undone.
	Title string
	// Revised are the units that got a revision, in order, each once.
	Revised []*Unit
	// Resolved are the links that were resolved.
	Resolved []*Link

	store *Store
	ops   []operation
	at    map[string]int    // the index of the operation that writes or appends to a file
	files map[string][]byte // what files will contain
	heads map[*Unit]int64   // the heads before, of Revised
	// defined are the entities of the small layout that are written, or with false deleted.
	defined map[Entity]bool
	// undoes is the record that the transaction undoes. It deletes files only.
	undoes *record
	err    error // the first of writing; nothing is committed then
}

// fail keeps the first error.
func (t *Tx) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// Err returns why the changes cannot be committed.
func (t *Tx) Err() error { return t.err }

// Begin begins a transaction. A store has one at a time.
func (s *Store) Begin(title string) *Tx {
	s.tx = &Tx{
		store: s, Title: strings.TrimSpace(title), files: map[string][]byte{},
		at: map[string]int{}, heads: map[*Unit]int64{}, defined: map[Entity]bool{},
	}
	return s.tx
}

// Drop ends a transaction without making its changes.
func (t *Tx) Drop() { t.store.tx = nil }

// Empty reports whether the transaction has no changes.
func (t *Tx) Empty() bool {
	t.define()
	return len(t.ops) == 0
}

// add adds an operation, or replaces the earlier one on the same file.
func (t *Tx) add(o operation) {
	t.files[o.Path] = o.Data
	if i, again := t.at[o.Path]; again && !t.ops[i].Append {
		was := &t.ops[i]
		o.Before, o.Guarded, o.Mode = was.Before, was.Guarded, was.Mode
		*was = o
		return
	}
	t.at[o.Path] = len(t.ops)
	t.ops = append(t.ops, o)
}

// remove removes the operations that is selects.
func (t *Tx) remove(is func(operation) bool) {
	t.ops = slices.DeleteFunc(t.ops, is)
	clear(t.at)
	for i, o := range t.ops {
		if !o.Delete {
			t.at[o.Path] = i
		}
	}
}

// write writes a file that only fctl writes.
func (t *Tx) write(path string, data []byte) { t.add(operation{Path: path, Data: data}) }

// writeFile writes a file that people edit, too. before is the hash of what it contains, "" if it
// is missing.
func (t *Tx) writeFile(path string, data []byte, before string, mode fs.FileMode) {
	t.add(operation{Path: path, Data: data, Guarded: true, Before: before, Mode: mode})
}

// update writes a file that people edit, too, if its content changes. mode is that of a new file.
func (t *Tx) update(name string, data []byte, mode func() fs.FileMode) error {
	was, err := t.store.readIf(name)
	switch {
	case err != nil:
		return err
	case was == nil:
		t.writeFile(name, data, "", mode())
	case !bytes.Equal(was, data):
		t.writeFile(name, data, t.store.remember(name, hash(was)), 0)
	}
	return nil
}

// umask leaves the mode of a new file to the user.
func umask() fs.FileMode { return 0 }

// append appends to a file.
func (t *Tx) append(path string, data []byte) error {
	before, err := t.store.readIf(path)
	if err != nil {
		return err
	}
	if _, shared := t.store.basesPath(path); shared {
		t.write(path, slices.Concat(before, data)) // git may own the file
		return nil
	}
	t.files[path] = slices.Concat(before, data)
	// One operation for each file: those of a phase are done in any order.
	if i, again := t.at[path]; again && t.ops[i].Append {
		was := &t.ops[i]
		was.Data = slices.Concat(was.Data, data)
		return nil
	}
	t.at[path] = len(t.ops)
	t.ops = append(t.ops, operation{
		Path: path, Data: data, Append: true, Offset: int64(len(before)),
	})
	return nil
}

func (t *Tx) delete(path string) {
	t.ops = append(t.ops, operation{Path: path, Delete: true})
}

// writeJSON writes recorded state.
func (t *Tx) writeJSON(path string, v any) {
	text, err := entity.JSON(v)
	t.fail(err)
	t.write(path, text)
}

// Commit makes all changes of the transaction, or none if there is an error. If the process is
// killed, the next one that writes takes back what was made.
func (t *Tx) Commit(ctx context.Context) error {
	s := t.store
	empty := t.Empty()
	if s.tx = nil; t.err != nil || empty {
		return t.err
	}
	if !s.exclusive {
		return errors.New("writing without the lock")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if t.undoes == nil {
		if err := t.expand(); err != nil {
			return err
		}
	}
	b := s.batch()
	defer b.Close()
	back, err := t.inverse(ctx, b)
	if err != nil {
		return err
	}
	text, err := back.encode()
	if err != nil {
		return err
	}
	if err := s.replace(journalFile, true, text...); err != nil {
		return s.failed(journalFile, err)
	}
	if s.written == nil {
		s.written = map[string]bool{}
	}
	for _, o := range t.ops {
		s.written[o.Path] = true
	}
	err = files.SyncDir(s.root, privateDir)
	if err == nil {
		err = b.Apply(t.ops)
	}
	if err == nil {
		err = s.settle(t.Title != "")
	}
	if err == nil {
		return nil
	}
	b.Close()
	if left := s.takeBack(context.WithoutCancel(ctx), back); left != nil {
		return errors.Join(s.notMade(err, ""), left)
	}
	return s.notMade(err, "; nothing was changed")
}

// batch returns what changes the files of the workspace.
func (s *Store) batch() *files.Batch {
	return &files.Batch{
		Root: s.root, Dir: s.dir, Private: privateDir, MayLink: layout().MatchString,
		Step: s.Step, Many: s.ManyFiles,
		Most: entity.MaxData,
		Parallel: func(n int, do func(int) error) error {
			return parallel.Each(context.Background(), n, s.writers(), do) // a slow disk syncs many files together
		},
	}
}

// expand replaces the deletion of folders by deletions of their files, and drops writes to them.
func (t *Tx) expand() error {
	var folders, deletions []operation
	gone := map[string]bool{}
	for _, o := range t.ops {
		if !o.Delete || gone[o.Path] {
			continue
		}
		gone[o.Path] = true
		found, err := t.deletions(o.Path)
		if err != nil {
			return err
		}
		for _, o := range found {
			if o.Dir {
				folders = append(folders, o)
			} else if !gone[o.Path] || o.Path == found[0].Path {
				gone[o.Path] = true
				deletions = append(deletions, o)
			}
		}
	}
	t.ops = slices.DeleteFunc(t.ops, func(o operation) bool {
		if o.Delete {
			return true
		}
		for at := o.Path; at != "."; at = path.Dir(at) {
			if gone[at] {
				return true
			}
		}
		return false
	})
	t.ops = slices.Concat(t.ops, deletions, folders)
	return nil
}

// deletions returns the operations that delete a file, or a folder and all files in it.
func (t *Tx) deletions(name string) ([]operation, error) {
	s := t.store
	var ops []operation
	err := fs.WalkDir(s.root.FS(), name, func(at string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return s.failed(at, err)
		case e.IsDir() && at == name:
			ops = append(ops, operation{Path: at, Delete: true, Dir: true})
			return nil
		case e.IsDir():
			return nil
		case e.Type()&fs.ModeSymlink != 0:
			target, err := s.root.Readlink(at)
			if err == nil && !staysInside(at, target) { // undo could not bring it back
				return s.failed(at, errLinksOut)
			}
			ops = append(ops, operation{Path: at, Delete: true, Link: target})
			return err
		case !e.Type().IsRegular():
			return s.failed(at, files.ErrNotRegular)
		}
		o := operation{Path: at, Delete: true, Guarded: isPeoples(at)}
		if o.Guarded {
			o.Before, err = s.hashOf(at)
			o.Before = s.remember(at, o.Before)
		}
		ops = append(ops, o)
		return err
	})
	return ops, err
}

// inverse locks the files that people edit, checks that they are what the transaction is for, and
// returns what takes the transaction back.
func (t *Tx) inverse(ctx context.Context, b *files.Batch) (*record, error) {
	s := t.store
	back := make([]operation, len(t.ops))
	err := parallel.Each(ctx, len(t.ops), s.readers(), func(i int) (err error) {
		o := &t.ops[i]
		if back[i], err = s.inverseOf(ctx, b, o); errors.Is(err, files.ErrChanged) {
			if t.undoes != nil {
				return s.fail(o.Path, entity.CodeUncommitted, "the file was edited after %s",
					t.undoes.called()).
					WithHint("move the edit away, or record it with 'fctl unit update'")
			}
			return s.changed(o.Path, "")
		}
		return s.failed(o.Path, err)
	})
	r := &record{Title: t.Title, Ops: slices.DeleteFunc(back, func(o operation) bool {
		return o.Path == ""
	})}
	made := map[string]bool{}
	for _, o := range t.ops {
		top, missing := b.Missing(path.Dir(o.Path))
		if err = cmp.Or(err, missing); top != "" && !made[top] {
			made[top] = true
			r.Ops = append(r.Ops, operation{Path: top, Delete: true, Dir: true})
		}
	}
	return r, err
}

// inverseOf returns what takes back an operation that was not done yet, and nothing if it changes
// nothing.
func (s *Store) inverseOf(ctx context.Context, b *files.Batch, o *operation) (operation, error) {
	back := operation{Path: o.Path, Guarded: o.Guarded, Link: o.Link, Dir: o.Dir}
	switch {
	case o.Dir && !o.Delete:
		return operation{}, nil // Missing knows the folders that are made
	case o.Dir || o.Link != "":
		back.Delete = !o.Delete
		_, err := b.Missing(path.Dir(o.Path))
		if o.Dir && err == nil {
			_, err = b.Missing(o.Path)
		}
		return back, err
	case o.Append && o.Offset > 0:
		text, err := s.readRegular(o.Path)
		if err != nil {
			return operation{}, err
		}
		back.Append, back.Offset = true, o.Offset
		back.Data = text[min(o.Offset, int64(len(text))):] // what undo cuts off
		return back, nil
	}
	var was []byte
	var info fs.FileInfo
	var err error
	if o.Guarded {
		was, info, err = b.Hold(ctx, o)
	} else if top, missing := b.Missing(path.Dir(o.Path)); missing != nil || top != "" {
		err = missing
	} else if info, err = s.root.Lstat(o.Path); err == nil {
		was, err = s.readRegular(o.Path)
	} else if errors.Is(err, fs.ErrNotExist) {
		info, err = nil, nil
	}
	switch {
	case err != nil:
		return operation{}, err
	case info == nil && o.Delete:
		return operation{}, nil
	case info == nil:
		back.Delete = true
	default:
		back.Data, back.Mode = was, info.Mode().Perm()
	}
	if o.Guarded && !o.Delete {
		back.Before = hash(o.Data)
	}
	return back, nil
}

// settle ends a transaction whose changes are made. From the moment on in which the journal has
// another name, or none, nothing takes them back any more.
func (s *Store) settle(keep bool) error {
	if !keep {
		s.step("remove " + journalFile)
		if err := files.Remove(s.root, journalFile); err != nil {
			return err
		}
		return files.SyncDir(s.root, privateDir)
	}
	numbers, err := s.undoNumbers()
	if err != nil {
		return err
	}
	next := int64(1)
	if n := len(numbers); n > 0 {
		next = numbers[n-1] + 1
	}
	if err := files.MakePrivate(s.root, undoDir); err != nil {
		return err
	}
	s.step("rename " + journalFile)
	if err := files.Move(s.root, journalFile, undoFile(next)); err != nil {
		return err
	}
	_ = files.Remove(s.root, idleFile) // it is about an earlier command
	for _, old := range numbers[:max(0, len(numbers)-keepUndo+1)] {
		_ = files.Remove(s.root, undoFile(old)) // it only takes space
	}
	return errors.Join(files.SyncDir(s.root, undoDir), files.SyncDir(s.root, privateDir))
}

// keepUndo is how many commands can be undone.
const keepUndo = 20

// takeBack takes a command back of which a part may be done. Files that people have edited since
// stay as they are.
func (s *Store) takeBack(ctx context.Context, r *record) error {
	b := s.batch()
	defer b.Close()
	err := b.Discard(r.Ops)
	var ops []operation
	for i := range r.Ops {
		o := r.Ops[i]
		s.written[o.Path] = true
		if o.Guarded {
			_, info, failed := b.Hold(ctx, &o)
			if errors.Is(failed, files.ErrChanged) || info == nil && o.Delete {
				continue // not done yet, or edited since
			}
			err = cmp.Or(err, failed)
		} else if untouched, failed := s.isUntouched(&o); untouched && !o.Dir {
			continue // not done yet
		} else {
			err = cmp.Or(err, failed)
		}
		ops = append(ops, o)
	}
	// What frees space comes first: there may be none.
	slices.SortStableFunc(ops, func(x, y operation) int { return order(x) - order(y) })
	first := slices.IndexFunc(ops, func(o operation) bool { return order(o) > 0 })
	if first < 0 {
		first = len(ops)
	}
	for _, part := range [][]operation{ops[:first], ops[first:]} {
		if err == nil {
			err = b.Apply(part)
		}
	}
	if err == nil {
		err = s.settle(false)
	}
	if err == nil {
		return nil
	}
	hint := takeBackHint
	if isImpossible(err) {
		hint = repairCommand + " discards its record"
	}
	return s.fail(journalFile, entity.CodeState, "%s cannot be taken back: %w", r.called(), err).
		WithHint(hint)
}

// order is the order in which a command is taken back: first what it added is deleted, then come
// other changes of files, then folders.
func order(o operation) int {
	switch {
	case o.Dir:
		return 2
	case o.Delete, o.Append && len(o.Data) == 0:
		return 0
	}
	return 1
}

// called returns how messages call the command of a record.
func (r *record) called() string {
	if r.Title == "" {
		return "a command"
	}
	return "the command " + strconv.Quote(r.Title)
}

// repairCommand finishes what a killed command left.
const repairCommand = "'fctl ws check --repair'"

const takeBackHint = "run " + repairCommand + " to take it back; the next command that writes " +
	"does so, too"

func undoFile(n int64) string { return path.Join(undoDir, strconv.FormatInt(n, 10)) }

// undoNumbers returns the numbers of the commands that can be undone, ascending.
func (s *Store) undoNumbers() ([]int64, error) {
	entries, err := s.readDir(undoDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var numbers []int64
	for _, e := range entries {
		if n, err := strconv.ParseInt(e.Name(), 10, 64); err == nil && n >= 0 {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, err
}

// Undo takes back the last command that wrote the workspace, and returns its title. It returns ""
// if nothing can be undone. Working copies that were edited since are an error.
func (s *Store) Undo(ctx context.Context, dryRun bool) (string, error) {
	numbers, err := s.undoNumbers()
	if err != nil || len(numbers) == 0 {
		return "", err
	}
	last := undoFile(numbers[len(numbers)-1])
	if s.untrusted {
		return "", s.notObeyed(last, "nothing is undone")
	}
	r, err := s.readRecord(last)
	if err != nil {
		return "", err
	}
	if dryRun {
		return r.Title, nil
	}
	t := s.Begin("")
	t.ops = append(r.Ops, operation{Path: last, Delete: true})
	t.undoes = r
	return r.Title, t.Commit(ctx)
}

// readRecord reads a journal or what undo keeps.
func (s *Store) readRecord(name string) (*record, error) {
	r := &record{}
	text, err := files.ReadRegular(s.root, name, maxRecord, func(info fs.FileInfo) error {
		if files.KnowsOwners && !files.IsTrusted(info) {
			return errors.New("it " + files.NotTrusted)
		}
		return nil
	})
	if err == nil {
		err = r.decode(text)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return r, err
	}
	return nil, s.fail(name, entity.CodeState, "the record of a command is refused: %w",
		files.WithoutPath(err)).WithHint(repairCommand + " discards it")
}

// maxRecord is the maximum size of a record in bytes.
const maxRecord = 4 << 30

// notMade returns the error of a transaction that was not made, with its position.
func (s *Store) notMade(err error, addition string) error {
	at := journalFile
	if e, ok := errors.AsType[*files.ChangeError](err); ok {
		at, err = e.Path, e.Err
	}
	if errors.Is(err, files.ErrChanged) {
		return s.changed(at, addition)
	}
	return s.failed(at, fmt.Errorf("%w%s", files.WithoutPath(err), addition))
}

// changed returns the error for a file that another program changed.
func (s *Store) changed(name, addition string) error {
	return s.fail(name, entity.CodeUncommitted, "the file was changed while fctl was working%s",
		addition).WithHint("run the command again")
}

// failed adds the position to an error of the file system.
func (s *Store) failed(path string, err error) error {
	if err == nil {
		return nil
	}
	err = files.WithoutPath(err)
	return &api.Failure{
		Class: api.FailureFunction, Pos: s.position(path), Message: err.Error(), Err: err,
	}
}

// hashOf returns the hash of a file, "" if it is missing.
func (s *Store) hashOf(path string) (string, error) {
	data, err := s.readRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", s.failed(path, err)
	}
	return hash(data), nil
}

func hash(data []byte) string { return api.DataHash(data) }
