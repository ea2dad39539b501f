package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/parallel"
)

// Recorder accumulates what changed in units. It is the part of the engine that every revision
// needs.
type Recorder interface {
	// Accumulate returns the mutation sources after a change of data from before to after, whose
	// cause is the mutation num, and the change itself. Protect protects what was changed.
	Accumulate(
		t api.ToolchainType, sources api.ResourceMutationList, before, after []byte, num int64,
		protect bool,
	) (newSources, change api.ResourceMutationList, err error)
	// EditRecorded is called when the edit of a working copy has become the head of a unit.
	EditRecorded(u *Unit) error
}

// NewRevision is a new revision of a unit.
type NewRevision struct {
	Data        []byte
	Source      entity.Source
	Description string
	// Mutations are the causes. Their numbers follow those of the unit, in order; Revise sets them,
	// and the number of the revision.
	Mutations []entity.Mutation
	// Sources are the mutation sources afterwards.
	Sources api.ResourceMutationList
	// At is when the revision was made, if it is not new.
	At time.Time
}

// Revise records a revision of a unit and writes its working copy.
func (t *Tx) Revise(u *Unit, c NewRevision) {
	if _, again := t.heads[u]; !again {
		t.heads[u] = u.HeadRevisionNum
		t.Revised = append(t.Revised, u)
	}
	t.addRevision(u, c)
	t.fail(t.writeData(u, c.Data))
}

// addRevision records a revision of a unit.
func (t *Tx) addRevision(u *Unit, c NewRevision) {
	if c.At.IsZero() {
		c.At = t.store.Now()
	}
	n := u.HeadRevisionNum + 1
	r := entity.Revision{
		RevisionNum: n, RevisionID: entity.RecordID(u.UnitID, "revision", n), UnitID: u.UnitID,
		DataHash: hash(c.Data), Source: c.Source, Description: c.Description, CreatedAt: c.At,
	}
	t.write(u.revisionDir(n)+"/data", c.Data)
	t.writeJSON(u.revisionDir(n)+"/revision.json", r)
	u.HeadRevisionNum, u.DataHash = n, r.DataHash
	t.WriteSources(u, c.Sources)
	t.addMutations(u, c.Mutations, c.At)
	u.LastChangeDescription = c.Description
	t.WriteState(u)
}

// Change returns the head data of a unit before the transaction, and as it is now.
func (t *Tx) Change(u *Unit) (before, after []byte, err error) {
	before, beforeErr := t.store.Data(u, t.HeadBefore(u))
	after, err = t.store.Data(u, u.HeadRevisionNum)
	return before, after, errors.Join(beforeErr, err)
}

// HeadBefore returns the number of the head of a unit before the transaction.
func (t *Tx) HeadBefore(u *Unit) int64 {
	if was, revised := t.heads[u]; revised {
		return was
	}
	return u.HeadRevisionNum
}

// addMutations records the causes of the head of a unit.
func (t *Tx) addMutations(u *Unit, all []entity.Mutation, at time.Time) {
	if len(all) == 0 {
		return
	}
	var lines []byte
	for _, m := range all {
		u.HeadMutationNum++
		m.MutationNum, m.RevisionNum = u.HeadMutationNum, u.HeadRevisionNum
		m.CreatedAt = at
		m.MutationID = entity.RecordID(u.UnitID, "mutation", m.MutationNum)
		text, err := json.Marshal(m)
		t.fail(err)
		lines = append(append(lines, text...), '\n')
	}
	t.fail(t.append(u.mutationsFile(), lines))
}

// Attribute records another cause of what the head of a unit has, and the mutation sources that
// refer to it.
func (t *Tx) Attribute(u *Unit, cause entity.Mutation, sources api.ResourceMutationList) {
	t.addMutations(u, []entity.Mutation{cause}, t.store.Now())
	t.WriteSources(u, sources)
	t.WriteState(u)
}

// writeData writes the working copy of a unit if it has other data.
func (t *Tx) writeData(u *Unit, data []byte) error {
	return t.update(u.DataFile(), data, func() fs.FileMode {
		if t.isSmall(u) {
			t.defined[u] = true // a unit with data may need no definition
		}
		if secret := t.store.Secret; secret == nil || secret(u, data) {
			return 0o600
		}
		return 0
	})
}

// WriteConflicts writes the outstanding conflicts of a unit.
func (t *Tx) WriteConflicts(u *Unit, list api.MutationConflictList) {
	t.writeJSON(u.conflictsFile(), append(api.MutationConflictList{}, list...))
}

// WriteSources writes the mutation sources of the head of a unit.
func (t *Tx) WriteSources(u *Unit, sources api.ResourceMutationList) {
	t.writeJSON(u.revisionDir(u.HeadRevisionNum)+"/sources.json",
		append(api.ResourceMutationList{}, sources...))
}

// Record makes a revision of data whose cause is one mutation.
func (t *Tx) Record(
	engine Recorder, u *Unit, data []byte, source entity.Source, description string,
	cause entity.Mutation, protect bool,
) (api.ResourceMutationList, error) {
	s := t.store
	before, err := s.Data(u, u.HeadRevisionNum)
	if err != nil {
		return nil, err
	}
	sources, err := s.Sources(u, u.HeadRevisionNum)
	if err != nil {
		return nil, err
	}
	sources, change, err := engine.Accumulate(
		u.ToolchainType, sources, before, data, u.HeadMutationNum+1, protect)
	if err != nil {
		return nil, s.InUnit(u, err)
	}
	t.Revise(u, NewRevision{
		Data: data, Source: source, Description: description,
		Mutations: []entity.Mutation{cause}, Sources: sources,
	})
	return change, t.err
}

// InUnit gives an error about the data of a unit the code E_PARSE and the file.
func (s *Store) InUnit(u *Unit, err error) error {
	if e, ok := errors.AsType[*entity.Error](err); ok {
		return e
	}
	if data, readErr := s.Working(u); readErr == nil && hash(data) != u.DataHash &&
		u.ToolchainType != api.ToolchainAppConfigText {
		if e := s.conflict(u.DataFile(), data); e != nil {
			e.Space, e.Unit = u.SpaceSlug, u.Slug
			return e
		}
	}
	e := u.Fail(entity.CodeParse, "%w", err)
	e.Pos = s.position(u.DataFile())
	if f, ok := errors.AsType[*api.Failure](err); ok {
		e.Message, e.Hint = f.Message, f.Hint
		e.Pos.Line, e.Pos.Column = f.Pos.Line, f.Pos.Column
	}
	return e
}

// Edited reports whether the working copy of a unit differs from its head, and returns the working
// copy. A unit without data that has no file is not edited.
func (s *Store) Edited(u *Unit) (bool, []byte, error) {
	if s.tx == nil || s.tx.files[u.DataFile()] == nil {
		if s.isHead(u) {
			s.remember(u.DataFile(), u.DataHash)
			return false, nil, nil
		}
		s.unindexed.Add(1)
	}
	data, err := s.Working(u)
	switch {
	case err != nil:
		return false, nil, err
	case data == nil && u.HeadRevisionNum == 0:
		return false, nil, nil
	case data == nil:
		e := u.Fail(entity.CodeUncommitted, "the working copy of %s is missing", u.Name()).
			WithHint("fctl unit update " + u.Slug + " --space " + u.SpaceSlug + " --restore head").
			WithClass(api.FailureInput)
		e.Pos = s.position(u.DataFile())
		return false, nil, e
	}
	return hash(data) != u.DataHash, data, nil
}

// Edits applies the working copy rule: it records a revision of each of the units whose working
// copy was edited, or fails with E_UNCOMMITTED if strict. It returns those units. An entity.Errors
// is about single units; the edits of all others were recorded.
func (t *Tx) Edits(engine Recorder, units []*Unit, strict bool) ([]*Unit, error) {
	t.ReadHistory(engine, units)
	type checked struct {
		edited bool
		data   []byte
		err    error
	}
	found := make([]checked, len(units))
	// Units keep their problems.
	_ = parallel.Each(context.Background(), len(units), t.store.readers(), func(i int) error {
		f := &found[i]
		if f.edited, f.data, f.err = t.store.Edited(units[i]); !f.edited {
			f.data = nil
		}
		return nil
	})
	var edited []*Unit
	var errs entity.Errors
	for i, u := range units {
		switch {
		case found[i].err != nil:
			errs = append(errs, ProblemOf(found[i].err))
		case !found[i].edited:
		case strict:
			errs = append(errs, t.store.fail(u.DataFile(), entity.CodeUncommitted,
				"%s was edited and the edit is not recorded", u.Name()))
		default:
			source, description := entity.SourceEdit, "edited by hand"
			if u.HeadRevisionNum == 0 {
				source, description = entity.SourceCreateUnit, ""
			}
			_, err := t.Record(engine, u, found[i].data, source, description, entity.Mutation{}, false)
			if err == nil {
				err = engine.EditRecorded(u)
			}
			if err != nil {
				if e, ok := errors.AsType[*entity.Error](err); ok {
					errs = append(errs, e)
					continue
				}
				return nil, err
			}
			edited = append(edited, u)
		}
	}
	return slices.Clip(edited), errs.Err()
}

// RestoreWorking writes the working copy of a unit as its head revision has it.
func (t *Tx) RestoreWorking(u *Unit) error {
	data, err := t.store.Data(u, u.HeadRevisionNum)
	if err != nil {
		return err
	}
	return t.writeData(u, data)
}
