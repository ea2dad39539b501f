package workspace

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/links/entity"
	inputs "github.com/fctl-dev/fctl/internal/source"
)

// readIf is readFile for a file that may be missing: it then returns nil.
func (s *Store) readIf(name string) ([]byte, error) {
	data, err := s.readFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, s.unreadable(name, err)
	case data == nil:
		data = []byte{}
	}
	return data, nil
}

// readState reads a file of recorded state into to. A missing file leaves it as it is.
func (s *Store) readState(name string, to any) error {
	text, err := s.readIf(name)
	if text == nil || err != nil {
		return err
	}
	if err := json.Unmarshal(text, to); err != nil {
		return s.damaged(name, text, err)
	}
	return nil
}

// damaged returns the error for a text of recorded state that fctl did not write like this.
func (s *Store) damaged(name string, text []byte, err error) error {
	file := s.statePath(name)
	if e := s.conflict(file, text); e != nil {
		e.Hint = "take all that is recorded from one side: git checkout COMMIT -- " +
			s.position(recordOf(file)).File
		return e
	}
	return s.fail(file, entity.CodeState, "%w", err).
		WithHint("restore the file, for example with git or 'fctl undo'")
}

// recordOf returns the folder of the unit that a file of recorded state belongs to, or else the file.
func recordOf(name string) string {
	parts := strings.Split(name, "/") // .fctl/state/SPACE/units/UNIT/...
	if len(parts) > 5 && parts[3] == "units" {
		return path.Join(parts[:5]...)
	}
	return name
}

// conflict returns an error if a file has a git conflict that nobody has resolved.
func (s *Store) conflict(name string, text []byte) *entity.Error {
	err := inputs.CheckConflict(&inputs.InputUnit{File: s.position(name).File, Data: text})
	if err == nil {
		return nil
	}
	e := ProblemOf(err)
	e.Code = entity.CodeParse
	return e
}

// ProblemOf returns an error of reading a file as a problem with it.
func ProblemOf(err error) *entity.Error {
	if e, ok := errors.AsType[*entity.Error](err); ok {
		return e
	}
	e := &entity.Error{Class: api.FailureInput, Message: err.Error(), Err: err}
	if f, ok := errors.AsType[*api.Failure](err); ok {
		e.Message, e.Hint, e.Pos = f.Message, f.Hint, f.Pos
	}
	return e
}

// LinkHash returns the hash of what a link's definition says about resolving: the SHA-256 of its
// JSON, without names, labels and what is recorded.
func LinkHash(l *entity.Link) string {
	d := l.Defined()
	d.LinkID, d.Common, d.Merged = "", entity.Common{}, ""
	d.FromUnit, d.ToUnit, d.ToSpace = l.FromUnit, l.ToUnit, l.ToSpace
	if d.FromUnitID != "" {
		d.FromUnit = ""
	}
	if d.ToUnitID != "" {
		d.ToUnit, d.ToSpace, d.ToSpaceID = "", "", ""
	}
	if d.TransformInvocationID != "" {
		d.TransformInvocation = ""
	}
	d.UpdateType = l.Type()
	text, err := json.Marshal(d)
	if err != nil {
		return "" // the values of a definition are texts, numbers and truth values
	}
	return hash(text)
}

// Data returns the data of a revision of a unit. Revision 0 is empty.
func (s *Store) Data(u *Unit, n int64) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	data, err := s.readIf(u.revisionDir(n) + "/data")
	switch {
	case err != nil:
		return nil, err
	case data == nil && n == u.HeadRevisionNum:
		return nil, u.missing(n).
			WithHint("restore the history of " + u.Name() + ", for example with git")
	case data == nil:
		return nil, u.missing(n).WithHint(
			"set the link to the present with 'fctl link update --patch LINK --make-current'")
	}
	return data, s.checkBase(u, n, data)
}

// missing returns the error for a revision that the history lacks.
func (u *Unit) missing(n int64) *entity.Error {
	return u.Fail(entity.CodeRevisionMissing, "revision %d of %s is not in the history", n, u.Name())
}

// Working returns the working copy of a unit; nil if the file is missing.
func (s *Store) Working(u *Unit) ([]byte, error) {
	if s.tx != nil && s.tx.files[u.DataFile()] != nil {
		return s.tx.files[u.DataFile()], nil // a new unit has no file yet
	}
	return s.readIf(u.DataFile())
}

// Live returns a capture of the live state of a unit.
func (s *Store) Live(u *Unit, n int64) ([]byte, error) {
	data, err := s.readIf(u.liveFile(n))
	if data == nil && err == nil {
		return nil, u.Fail(entity.CodeNoLiveState, "%s has no live state", u.Name()).
			WithHint("fctl unit livestate set " + u.Name() + " FILE")
	}
	return data, err
}

// Version returns the data of a revision of a unit or, with live, of a capture of its live state.
// Number 0 is empty.
func (s *Store) Version(u *Unit, n int64, live bool) ([]byte, error) {
	if live && n > 0 {
		return s.Live(u, n)
	}
	return s.Data(u, n)
}

// Revision returns a revision of a unit, without its data.
func (s *Store) Revision(u *Unit, n int64) (*entity.Revision, error) {
	r := &entity.Revision{}
	name := u.revisionDir(n) + "/revision.json"
	err := s.readState(name, r)
	if err == nil && r.RevisionNum != n {
		missing := u.missing(n)
		missing.Pos = s.position(name)
		err = missing
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Revisions returns the revisions of a unit, newest first. Those that are missing are left out.
func (s *Store) Revisions(u *Unit) ([]*entity.Revision, error) {
	var all []*entity.Revision
	for n := u.HeadRevisionNum; n > 0; n-- {
		r, err := s.Revision(u, n)
		if e, ok := errors.AsType[*entity.Error](err); ok &&
			e.Code == entity.CodeRevisionMissing {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// Sources returns the mutation sources of a revision of a unit.
func (s *Store) Sources(u *Unit, n int64) (api.ResourceMutationList, error) {
	var list api.ResourceMutationList
	return list, s.readState(u.revisionDir(n)+"/sources.json", &list)
}

// Conflicts returns the outstanding conflicts of a unit.
func (s *Store) Conflicts(u *Unit) (api.MutationConflictList, error) {
	var list api.MutationConflictList
	return list, s.readState(u.conflictsFile(), &list)
}

// Mutations returns the mutations of a unit, ascending.
func (s *Store) Mutations(u *Unit) ([]entity.Mutation, error) {
	name := u.mutationsFile()
	text, err := s.readIf(name)
	if err != nil {
		return nil, err
	}
	var all []entity.Mutation
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSuffix(line, []byte("\n")); len(line) == 0 {
			continue
		}
		var m entity.Mutation
		if err := json.Unmarshal(line, &m); err != nil {
			return nil, s.damaged(name, text, err)
		}
		all = append(all, m)
	}
	return all, nil
}

// External returns the content of the last external merge of a unit, nil if there was none.
func (s *Store) External(u *Unit) ([]byte, error) { return s.readIf(u.externalFile()) }

// WriteExternal keeps the content of an external merge as the base of the next one.
func (t *Tx) WriteExternal(u *Unit, data []byte) { t.write(u.externalFile(), data) }

// WriteLive keeps a capture of the live state of a unit.
func (t *Tx) WriteLive(u *Unit, data []byte) {
	u.HeadUnitActionNum++
	t.write(u.liveFile(u.HeadUnitActionNum), data)
	t.WriteState(u)
}
