package workspace

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/internal/links/entity"
)

// A workspace with History: bases keeps a part of its recorded state a second time, below
// basesDir and with the same paths, for git: the heads of the units with their mutations, the
// records of the links, and of each upstream the revision that was merged last. A clone of the
// repository has only this part, and can go on from it.
//
// What git brings is newer than what the process last recorded here, so a file below basesDir comes
// before the same file below stateDir.

// basesDir is the folder for git.
const basesDir = privateDir + "/bases"

// basesPath returns the path for git of a file of recorded state. It reports false for other files
// and if git does not keep a part of the state.
func (s *Store) basesPath(name string) (string, bool) {
	if s.Config == nil || s.Config.History != HistoryBases {
		return "", false
	}
	rest, ok := strings.CutPrefix(name, stateDir+"/")
	ok = ok && path.Base(name) != copiesName
	return basesDir + "/" + rest, ok
}

// statePath returns the path from which a file of recorded state is read.
func (s *Store) statePath(name string) string {
	if shared, ok := s.basesPath(name); ok {
		if _, err := s.root.Lstat(shared); err == nil {
			return shared
		}
	}
	return name
}

// stateOf returns the unit and the path in its folder of a file of recorded state: revisions or
// live states only. It reports false for other files.
func stateOf(name string) (unit, rest string, ok bool) {
	parts := strings.SplitN(strings.TrimPrefix(name, stateDir+"/"), "/", 4)
	if len(parts) < 4 || parts[1] != "units" {
		return "", "", false
	}
	kind, _, _ := strings.Cut(parts[3], "/")
	return parts[0] + "/" + parts[2], parts[3], kind == "revisions" || kind == "live"
}

// WriteBases adds to the transaction what git keeps of it. It does nothing unless the workspace has
// History: bases.
func (t *Tx) WriteBases(w *Workspace) error {
	s := t.store
	if _, ok := s.basesPath(stateDir + "/"); !ok {
		return nil
	}
	touched := map[*Unit]bool{}
	if _, err := s.root.Lstat(basesDir); errors.Is(err, fs.ErrNotExist) {
		if err := t.shareAll(w); err != nil {
			return err
		}
		for _, u := range w.Units {
			touched[u] = true
		}
	}
	for _, o := range slices.Clone(t.ops) {
		shared, ok := s.basesPath(o.Path)
		if !ok {
			continue
		}
		if name, _, ok := stateOf(o.Path); ok {
			if u := w.unit(name); u != nil {
				touched[u] = true
			}
			continue
		}
		if o.Delete {
			t.delete(shared)
			continue
		}
		t.write(shared, t.files[o.Path])
		if space, slug, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(o.Path,
			stateDir+"/"), ".json"), "/links/"); ok {
			if l := w.link(space + "/" + slug); l != nil && l.To != nil {
				touched[l.To] = true
			}
		}
	}
	to := map[*Unit][]*Link{}
	for _, l := range w.Links {
		if l.To != nil && touched[l.To] && l.Merges() {
			to[l.To] = append(to[l.To], l)
		}
	}
	for _, u := range w.Units {
		if touched[u] {
			if err := t.shareHistory(u, to[u]); err != nil {
				return err
			}
		}
	}
	return nil
}

// shareAll copies what is recorded about all entities, for a workspace that had another History.
func (t *Tx) shareAll(w *Workspace) error {
	var names []string
	for _, l := range w.Links {
		names = append(names, recordFile(l))
	}
	for _, u := range w.Units {
		names = append(names, recordFile(u), u.mutationsFile(), u.conflictsFile(), u.externalFile())
	}
	for _, name := range names {
		if _, err := t.share(name); err != nil {
			return err
		}
	}
	return nil
}

// share copies a file of recorded state, if it exists. It returns the path of the copy.
func (t *Tx) share(name string) (string, error) {
	s := t.store
	shared, _ := s.basesPath(name)
	data, err := s.readIf(name)
	if data == nil || err != nil {
		return shared, err
	}
	if was, err := s.readRegular(shared); err != nil || !bytes.Equal(was, data) {
		t.write(shared, data)
	}
	return shared, nil
}

// shareHistory keeps for git the head of a unit, and what links have merged of it last. Other
// revisions and live states are removed.
func (t *Tx) shareHistory(u *Unit, links []*Link) error {
	s := t.store
	keep := map[string]bool{}
	if n := u.HeadRevisionNum; n > 0 {
		dir := u.revisionDir(n)
		keep[dir+"/data"], keep[dir+"/revision.json"], keep[dir+"/sources.json"] = true, true, true
	}
	if n := u.HeadUnitActionNum; n > 0 {
		keep[u.liveFile(n)] = true
	}
	for _, l := range links {
		n := l.UpstreamLastMergedRevisionNum
		switch {
		case n == 0:
		case l.UseLiveState:
			keep[u.liveFile(n)] = true
		default:
			dir := u.revisionDir(n)
			keep[dir+"/data"], keep[dir+"/revision.json"] = true, true
		}
	}
	wanted := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(keep)) {
		shared, err := t.share(name)
		if err != nil {
			return err
		}
		wanted[shared] = true
	}
	dir, _ := s.basesPath(u.stateDir())
	for _, sub := range []string{"revisions", "live"} {
		err := fs.WalkDir(s.root.FS(), path.Join(dir, sub),
			func(name string, e fs.DirEntry, err error) error {
				if errors.Is(err, fs.ErrNotExist) || err == nil && e.IsDir() {
					return nil
				}
				if err != nil || wanted[name] {
					return err
				}
				return t.unshare(name)
			})
		if err != nil {
			return s.unreadable(dir, err)
		}
	}
	return nil
}

// unshare removes a file for git, and keeps it for this clone.
func (t *Tx) unshare(name string) error {
	data, err := t.store.readRegular(name)
	if err != nil {
		return t.store.unreadable(name, err)
	}
	private := stateDir + strings.TrimPrefix(name, basesDir)
	if was, err := t.store.readRegular(private); err != nil || !bytes.Equal(was, data) {
		t.write(private, data)
	}
	t.delete(name)
	return nil
}

// checkBase returns an error if the data of a revision is not what its record says: git may have
// merged two histories.
func (s *Store) checkBase(u *Unit, n int64, data []byte) error {
	name := u.revisionDir(n) + "/data"
	if s.statePath(name) == name {
		return nil
	}
	r, err := s.Revision(u, n)
	if err != nil {
		return err
	}
	if r.DataHash != hash(data) {
		e := u.Fail(entity.CodeRevisionMissing, "revision %d of %s has other data than recorded", n,
			u.Name()).WithHint("take one side of " + basesDir + " when you merge branches in git")
		e.Pos = s.position(s.statePath(name))
		return e
	}
	return nil
}
