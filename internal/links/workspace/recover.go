package workspace

import (
	"bytes"
	"context"
	"errors"
	"io/fs"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/links/entity"
)

// recover deals with the journal of a process that was killed.
func (s *Store) recover(ctx context.Context, o OpenOptions) error {
	if s.untrusted {
		return s.notObeyed(journalFile, "a command was interrupted, and is not taken back")
	}
	r, err := s.readRecord(journalFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // another process was faster
	case err != nil && o.Repair:
		s.Repaired = append(s.Repaired, "discarded "+s.position(journalFile).File+
			", which is refused; files may be as the killed command left them")
		return s.failed(journalFile, s.settle(false))
	case err != nil:
		return err
	case s.exclusive:
		err := s.takeBack(ctx, r)
		if o.Repair && isImpossible(err) {
			s.Repaired = append(s.Repaired, "discarded "+s.position(journalFile).File+
				", which cannot be taken back; files may be as the killed command left them")
			return s.failed(journalFile, s.settle(false))
		}
		if err != nil {
			return err
		}
		s.Repaired = append(s.Repaired, r.called()+" was interrupted; what it had written was "+
			"taken back")
		return nil
	}
	same, err := s.areUntouched(r)
	if err != nil || same {
		return err
	}
	return s.fail(journalFile, entity.CodeState,
		"%s was interrupted, and a part of its changes is made", r.called()).WithHint(takeBackHint)
}

// isImpossible reports whether an error of taking a command back comes again each time: other files
// are in the way.
func isImpossible(err error) bool {
	return errors.Is(err, files.ErrLink) || errors.Is(err, files.ErrNotDirectory) ||
		errors.Is(err, fs.ErrExist)
}

// notObeyed returns the error for a record of an untrusted repository.
func (s *Store) notObeyed(name, why string) error {
	f := diag.Untrusted("%s", why)
	f.Pos = s.position(name)
	return f
}

// areUntouched reports whether the command of a journal has not changed anything yet.
func (s *Store) areUntouched(r *record) (bool, error) {
	for i := range r.Ops {
		if same, err := s.isUntouched(&r.Ops[i]); err != nil || !same {
			return false, err
		}
	}
	return true, nil
}

// isUntouched reports whether a file is as it was before a command, which an operation takes back.
func (s *Store) isUntouched(o *operation) (bool, error) {
	if o.Dir {
		return true, nil // an empty folder means nothing
	}
	info, err := s.root.Lstat(o.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return o.Delete || o.Append, nil
	case err != nil:
		return false, s.failed(o.Path, err)
	case o.Append: // undo cuts off Data, other commands add to the file
		return info.Size() == o.Offset+int64(len(o.Data)) || info.Size() < o.Offset, nil
	case o.Link != "":
		target, err := s.root.Readlink(o.Path)
		return !o.Delete && err == nil && target == o.Link, nil
	}
	data, err := s.readRegular(o.Path)
	if err != nil {
		return false, s.failed(o.Path, err)
	}
	edited := o.Guarded && hash(data) != o.Before
	return edited || !o.Delete && bytes.Equal(data, o.Data), nil
}

// repairUndo discards the records for undo that are refused, and the older ones, which undo nothing
// without them.
func (s *Store) repairUndo() error {
	numbers, err := s.undoNumbers()
	if err != nil {
		return err
	}
	refused := -1
	for i, n := range numbers {
		if _, err := s.readRecord(undoFile(n)); err != nil {
			refused = i
		}
	}
	for _, n := range numbers[:refused+1] {
		if err := files.Remove(s.root, undoFile(n)); err != nil {
			return s.failed(undoFile(n), err)
		}
	}
	if refused >= 0 {
		s.Repaired = append(s.Repaired, "discarded what 'fctl undo' keeps of "+
			diag.Count(refused+1, "command")+": a record is refused")
	}
	return nil
}

// CheckUndo returns the problems with the records for undo.
func (s *Store) CheckUndo() (errs entity.Errors) {
	numbers, err := s.undoNumbers()
	if err != nil {
		return entity.Errors{{Code: entity.CodeState, Message: err.Error(), Err: err}}
	}
	for _, n := range numbers {
		_, err := s.readRecord(undoFile(n))
		if e, ok := errors.AsType[*entity.Error](err); ok {
			errs = append(errs, e)
		}
	}
	return errs
}
