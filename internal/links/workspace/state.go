package workspace

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/links/entity"
	inputs "github.com/fctl-dev/fctl/internal/source"
)

// readState reads a file of recorded state into each of to that is not nil. A missing file leaves
// them as they are.
func (s *Store) readState(name string, to ...any) error {
	text, err := s.readFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return s.unreadable(name, err)
	}
	for _, v := range to {
		if v == nil {
			continue
		}
		if err := json.Unmarshal(text, v); err != nil {
			return s.damaged(name, text, err)
		}
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
	e := fail(s.position(file), entity.CodeState, "%v", err)
	e.Err, e.Hint = err, "restore the file, for example with git or 'fctl undo'"
	return e
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
	err := inputs.CheckConflict(&inputs.Unit{File: s.position(name).File, Data: text})
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
	d := l.Definition()
	d.LinkID, d.Common = "", entity.Common{}
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
	name := revisionDir(u.SpaceSlug, u.Slug, n) + "/data"
	data, err := s.readFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		e := fail(api.Position{}, entity.CodeRevisionMissing,
			"revision %d of %s is not in the history",
			n, u.Name())
		e.Hint = "set the link to the present with 'fctl link update --patch LINK --make-current'"
		if n == u.HeadRevisionNum {
			e.Hint = "restore the history of " + u.Name() + ", for example with git"
		}
		e.Space, e.Unit = u.SpaceSlug, u.Slug
		return nil, e
	}
	if err != nil {
		return nil, s.unreadable(name, err)
	}
	return data, s.checkBase(u, n, data)
}

// Working returns the working copy of a unit; nil if the file is missing.
func (s *Store) Working(u *Unit) ([]byte, error) {
	name := u.DataFile()
	if s.tx != nil && s.tx.files[name] != nil {
		return s.tx.files[name], nil // a new unit has no file yet
	}
	data, err := s.readFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, s.unreadable(name, err)
	}
	return data, nil
}

// Live returns a capture of the live state of a unit.
func (s *Store) Live(u *Unit, n int64) ([]byte, error) {
	name := liveFile(u.SpaceSlug, u.Slug, n)
	data, err := s.readFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		e := fail(api.Position{}, entity.CodeNoLiveState, "%s has no live state", u.Name())
		e.Hint = "fctl unit livestate set " + u.Name() + " FILE"
		e.Space, e.Unit = u.SpaceSlug, u.Slug
		return nil, e
	}
	if err != nil {
		return nil, s.unreadable(name, err)
	}
	return data, nil
}

// Revision returns a revision of a unit, without its data.
func (s *Store) Revision(u *Unit, n int64) (*entity.Revision, error) {
	r := &entity.Revision{}
	name := revisionDir(u.SpaceSlug, u.Slug, n) + "/revision.json"
	if err := s.readState(name, r); err != nil {
		return nil, err
	}
	if r.RevisionNum != n {
		return nil, fail(s.position(name), entity.CodeRevisionMissing,
			"revision %d of %s is not in the history", n, u.Name())
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
	return list, s.readState(revisionDir(u.SpaceSlug, u.Slug, n)+"/sources.json", &list)
}

// Conflicts returns the outstanding conflicts of a unit.
func (s *Store) Conflicts(u *Unit) (api.MutationConflictList, error) {
	var list api.MutationConflictList
	return list, s.readState(conflictsFile(u.SpaceSlug, u.Slug), &list)
}

// Mutations returns the mutations of a unit, ascending.
func (s *Store) Mutations(u *Unit) ([]entity.Mutation, error) {
	name := mutationsFile(u.SpaceSlug, u.Slug)
	text, err := s.readFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, s.unreadable(name, err)
	}
	return decodeMutations(s, name, text)
}

func decodeMutations(s *Store, name string, text []byte) ([]entity.Mutation, error) {
	var all []entity.Mutation
	for line := range slices.Values(splitLines(text)) {
		var m entity.Mutation
		if err := json.Unmarshal(line, &m); err != nil {
			return nil, s.damaged(name, text, err)
		}
		all = append(all, m)
	}
	return all, nil
}

func splitLines(text []byte) [][]byte {
	var lines [][]byte
	for len(text) > 0 {
		end := slices.Index(text, '\n')
		if end < 0 {
			end = len(text)
		}
		if end > 0 {
			lines = append(lines, text[:end])
		}
		text = text[min(end+1, len(text)):]
	}
	return lines
}

// External returns the content of the last external merge of a unit, nil if there was none.
func (s *Store) External(u *Unit) ([]byte, error) {
	name := unitState(u.SpaceSlug, u.Slug) + "/external"
	data, err := s.readFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, s.unreadable(name, err)
	}
	return data, nil
}

// WriteExternal keeps the content of an external merge as the base of the next one.
func (t *Tx) WriteExternal(u *Unit, data []byte) error {
	t.write(unitState(u.SpaceSlug, u.Slug)+"/external", data)
	return nil
}

// WriteLive keeps a capture of the live state of a unit.
func (t *Tx) WriteLive(u *Unit, data []byte) error {
	u.HeadUnitActionNum++
	t.write(liveFile(u.SpaceSlug, u.Slug, u.HeadUnitActionNum), data)
	return t.WriteUnitState(u)
}
