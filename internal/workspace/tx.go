package workspace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/workspace/entity"
)

// phase is when an operation of a transaction is done. History comes before what refers to it.
type phase int

const (
	phaseHistory    phase = iota // revisions, mutations, live states
	phaseWorking                 // working copies
	phaseDefinition              // definitions
	phaseState                   // recorded state
	phaseDelete                  // what nothing refers to any more
)

// operation is one change of a file. Doing it again changes nothing.
type operation struct {
	Phase phase
	Path  string
	Data  []byte
	// Delete removes the file or the whole folder.
	Delete bool
	// Append cuts the file to Offset bytes and appends Data.
	Append bool
	Offset int64
	// Guarded says that people edit the file: it is left alone if its hash is neither Before nor
	// that of Data. A missing file has the hash "".
	Guarded bool
	Before  string
}

// Tx is a transaction: changes of files that are made together or, if the process is killed before
// the journal is written, not at all. While a transaction is open, the store reads what it will
// write, so that a transaction that is never committed is a dry run.
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
	known map[*Unit]bool    // in Revised
}

// Begin begins a transaction. A store has one at a time.
func (s *Store) Begin(title string) *Tx {
	s.tx = &Tx{
		store: s, Title: strings.TrimSpace(title), files: map[string][]byte{},
		at: map[string]int{}, known: map[*Unit]bool{},
	}
	return s.tx
}

// Drop ends a transaction without making its changes.
func (t *Tx) Drop() { t.store.tx = nil }

// Empty reports whether the transaction has no changes.
func (t *Tx) Empty() bool { return len(t.ops) == 0 }

// add adds an operation, or replaces the earlier one on the same file.
func (t *Tx) add(o operation) {
	t.files[o.Path] = o.Data
	if i, again := t.at[o.Path]; again && !t.ops[i].Append {
		was := &t.ops[i]
		o.Before, o.Guarded = was.Before, was.Guarded
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

func (t *Tx) write(p phase, path string, data []byte) {
	t.add(operation{Phase: p, Path: path, Data: data})
}

// writeWorking writes a working copy that has the hash before.
func (t *Tx) writeWorking(path string, data []byte, before string) {
	t.add(operation{
		Phase: phaseWorking, Path: path, Data: data, Guarded: true, Before: before,
	})
}

// append appends to a file.
func (t *Tx) append(path string, data []byte) error {
	before, err := t.store.readFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return t.store.unreadable(path, err)
	}
	if _, shared := t.store.basesPath(path); shared {
		t.write(phaseHistory, path, slices.Concat(before, data)) // the file may be that of git
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
		Phase: phaseHistory, Path: path, Data: data, Append: true, Offset: int64(len(before)),
	})
	return nil
}

func (t *Tx) delete(path string) {
	t.ops = append(t.ops, operation{Phase: phaseDelete, Path: path, Delete: true})
}

// writeJSON writes recorded state.
func (t *Tx) writeJSON(p phase, path string, v any) error {
	text, err := entity.JSON(v)
	if err == nil {
		t.write(p, path, text)
	}
	return err
}

// journal is a transaction on disk.
type journal struct {
	Title string
	Ops   []operation
}

// Commit makes the changes of the transaction. The error says whether they were made; if they were
// made in part, the next command finishes them.
func (t *Tx) Commit(ctx context.Context) error {
	s := t.store
	s.tx = nil
	if t.Empty() {
		return nil
	}
	if !s.exclusive {
		return errors.New("writing without the lock")
	}
	slices.SortStableFunc(t.ops, func(a, b operation) int { return cmp.Compare(a.Phase, b.Phase) })
	for _, o := range t.ops {
		if o.Guarded {
			if now, err := s.hashOf(o.Path); err != nil || now != o.Before && now != hash(o.Data) {
				return cmp.Or(err, error(&entity.Error{
					Code: entity.CodeUncommitted, Pos: s.position(o.Path),
					Message: "the file was changed while fctl was working",
					Hint:    "run the command again",
				}))
			}
		}
	}
	if t.Title != "" {
		undo, err := t.inverse()
		if err != nil {
			return err
		}
		t.ops = append(t.ops, undo...)
	}
	if s.written == nil {
		s.written = map[string]bool{}
	}
	for _, o := range t.ops {
		s.written[o.Path] = true
	}
	j := journal{t.Title, t.ops}
	if err := s.replaceWith(journalFile, true, j.encode); err != nil {
		return s.failed(journalFile, err)
	}
	if err := s.syncDir(privateDir); err != nil {
		return s.failed(journalFile, err)
	}
	return s.finish(ctx, t.ops)
}

// finish makes the changes of a journal and removes it.
func (s *Store) finish(_ context.Context, ops []operation) error {
	if canSyncAll && len(ops) >= s.ManyFiles {
		if err := s.finishMany(ops); err != nil {
			return err
		}
		s.step("remove " + journalFile)
		return s.failed(journalFile, s.root.Remove(journalFile))
	}
	dirs := map[string]bool{}
	for from := 0; from < len(ops); {
		to := from
		for to < len(ops) && ops[to].Phase == ops[from].Phase {
			dirs[path.Dir(ops[to].Path)] = true
			to++
		}
		// A slow disk syncs many files together almost as fast as one.
		if err := parallel(to-from, s.writers(), func(i int) error {
			o := ops[from+i]
			return s.failed(o.Path, s.do(o))
		}); err != nil {
			return err
		}
		from = to
	}
	for dir := range dirs {
		if err := s.syncDir(dir); err != nil {
			return s.failed(dir, err)
		}
	}
	s.step("remove " + journalFile)
	return s.failed(journalFile, s.root.Remove(journalFile))
}

// do makes one change.
func (s *Store) do(o operation) error {
	switch {
	case o.Delete:
		s.step("delete " + o.Path)
		return s.root.RemoveAll(o.Path)
	case o.Append:
		return s.appendAt(o, true)
	case o.Guarded:
		if now, err := s.hashOf(o.Path); err != nil || now != o.Before {
			return err // done already, or edited since
		}
	}
	return s.replace(o.Path, o.Data)
}

// appendAt appends to a file. With durable it waits for the disk.
func (s *Store) appendAt(o operation, durable bool) error {
	if err := s.root.MkdirAll(path.Dir(o.Path), 0o777); err != nil {
		return err
	}
	s.step("append " + o.Path)
	f, err := s.root.OpenFile(o.Path, osCreateWrite, 0o666)
	if err != nil {
		return err
	}
	err = f.Truncate(o.Offset)
	if err == nil {
		_, err = f.WriteAt(o.Data, o.Offset)
	}
	if err == nil && durable {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// recover finishes the transaction of a killed process. It reports whether there was one.
func (s *Store) recover(ctx context.Context) (bool, error) {
	text, err := s.root.ReadFile(journalFile)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	var j journal
	if err == nil {
		err = j.decode(text)
	}
	if err != nil {
		return false, s.failed(journalFile, fmt.Errorf("the journal cannot be read: %w", err))
	}
	return true, s.finish(ctx, j.Ops)
}

// keepUndo is how many commands can be undone.
const keepUndo = 20

// inverse returns the operations that keep what the transaction replaces, so that it can be undone.
func (t *Tx) inverse() ([]operation, error) {
	s := t.store
	j := journal{Title: t.Title}
	for _, o := range t.ops {
		back, err := s.inverseOf(o)
		if err != nil {
			return nil, err
		}
		j.Ops = append(j.Ops, back...)
	}
	// A file may be kept for its own deletion and for that of its folder.
	kept := map[string]bool{}
	j.Ops = slices.DeleteFunc(j.Ops, func(o operation) bool {
		again := !o.Delete && !o.Append && kept[o.Path]
		kept[o.Path] = kept[o.Path] || !o.Delete && !o.Append
		return again
	})
	slices.SortStableFunc(j.Ops, func(a, b operation) int { return cmp.Compare(a.Phase, b.Phase) })
	var text bytes.Buffer
	if err := j.encode(&text); err != nil {
		return nil, err
	}
	numbers, err := s.undoNumbers()
	if err != nil {
		return nil, err
	}
	next := int64(1)
	if n := len(numbers); n > 0 {
		next = numbers[n-1] + 1
	}
	ops := []operation{{Phase: phaseDelete, Path: undoFile(next), Data: text.Bytes()}}
	for _, old := range numbers[:max(0, len(numbers)-keepUndo+1)] {
		ops = append(ops, operation{Phase: phaseDelete, Path: undoFile(old), Delete: true})
	}
	return ops, nil
}

func undoFile(n int64) string { return path.Join(undoDir, strconv.FormatInt(n, 10)) }

// undoNumbers returns the numbers of the commands that can be undone, ascending.
func (s *Store) undoNumbers() ([]int64, error) {
	entries, err := fs.ReadDir(s.root.FS(), undoDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var numbers []int64
	for _, e := range entries {
		if n, err := strconv.ParseInt(e.Name(), 10, 64); err == nil {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, err
}

// inverseOf returns what undoes an operation that was not done yet.
func (s *Store) inverseOf(o operation) ([]operation, error) {
	if o.Append && o.Offset == 0 {
		return []operation{{Phase: phaseDelete, Path: o.Path, Delete: true}}, nil
	}
	if o.Append {
		return []operation{{Phase: phaseHistory, Path: o.Path, Append: true, Offset: o.Offset}}, nil
	}
	if o.Delete {
		return s.keep(o.Path)
	}
	was, err := s.root.ReadFile(o.Path)
	back := operation{Phase: o.Phase, Path: o.Path, Data: was, Guarded: o.Guarded}
	if o.Guarded {
		back.Before = hash(o.Data)
	}
	if errors.Is(err, fs.ErrNotExist) {
		back.Delete, back.Phase, err = true, phaseDelete, nil
	}
	return []operation{back}, err
}

// keep returns the operations that write a file, or all files of a folder, as they are now.
func (s *Store) keep(name string) ([]operation, error) {
	var ops []operation
	err := fs.WalkDir(s.root.FS(), name, func(p string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		was, err := s.root.ReadFile(p)
		ops = append(ops, operation{Phase: phaseState, Path: p, Data: was})
		return err
	})
	return ops, err
}

// Undo takes back the last command that wrote the workspace, and returns its title. It returns ""
// if nothing can be undone. Working copies that were edited since are left alone.
func (s *Store) Undo(ctx context.Context, dryRun bool) (string, error) {
	numbers, err := s.undoNumbers()
	if err != nil || len(numbers) == 0 {
		return "", err
	}
	last := undoFile(numbers[len(numbers)-1])
	text, err := s.root.ReadFile(last)
	var j journal
	if err == nil {
		err = j.decode(text)
	}
	if err != nil {
		return "", s.failed(last, fmt.Errorf("the record of the last command cannot be read: %w",
			err))
	}
	if dryRun {
		return j.Title, nil
	}
	for _, o := range j.Ops {
		if now, err := s.hashOf(o.Path); o.Guarded && (err != nil || now != o.Before) {
			return "", cmp.Or(err, error(&entity.Error{
				Code: entity.CodeUncommitted, Pos: s.position(o.Path),
				Message: "the file was edited after " + j.Title,
				Hint:    "move the edit away, or record it with 'fctl unit update'",
			}))
		}
	}
	t := s.Begin("")
	t.ops = append(j.Ops, operation{Phase: phaseDelete, Path: last, Delete: true})
	if err := t.Commit(ctx); err != nil {
		return j.Title, err
	}
	s.removeEmpty(j.Ops)
	return j.Title, nil
}

// removeEmpty removes the folders that deletions left empty. The folder of a space is one, too, if
// its definition was deleted.
func (s *Store) removeEmpty(ops []operation) {
	spaces := map[string]bool{}
	for _, o := range ops {
		if o.Delete && path.Base(o.Path) == "space.yaml" {
			spaces[path.Dir(o.Path)] = true
		}
	}
	for _, o := range ops {
		if !o.Delete || !strings.HasPrefix(o.Path, spacesDir+"/") {
			continue
		}
		for dir := path.Dir(o.Path); strings.Count(dir, "/") > 1 ||
			spaces[dir]; dir = path.Dir(dir) {
			if s.root.Remove(dir) != nil {
				break // not empty, or gone
			}
		}
	}
}

// failed adds the position to an error of the file system.
func (s *Store) failed(path string, err error) error {
	if err == nil {
		return nil
	}
	if wrapped, ok := errors.AsType[*fs.PathError](err); ok {
		err = wrapped.Err
	}
	return &api.Failure{
		Class: api.FailureFunction, Pos: s.position(path), Message: err.Error(), Err: err,
	}
}

// hashOf returns the hash of a file, "" if it is missing.
func (s *Store) hashOf(path string) (string, error) {
	f, err := s.root.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", s.failed(path, err)
	}
	defer f.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(io.LimitReader(f, entity.MaxData+1))
	return hash(data), err
}

func hash(data []byte) string { return api.DataHash(data) }
