package workspace

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/links/entity"
)

// LockFile is the name of the file that says what was resolved, for reviews and for CI.
const LockFile = "fctl.lock"

// Locked is the content of the lock file. It has no times and no paths outside the workspace.
type Locked struct {
	Version int                   `json:"version"`
	Links   map[string]LockedLink `json:"links"` // by space/slug
}

// LockedLink is what was resolved of a link.
type LockedLink struct {
	Hash     string     `json:"hash"` // Link.Hash at the last success
	To       LockedUnit `json:"to"`
	From     LockedUnit `json:"from"`
	Bindings []string   `json:"bindings,omitempty"`
}

// LockedUnit is a unit at the revision that a link read or made.
type LockedUnit struct {
	Unit     string `json:"unit"` // space/slug
	Revision int64  `json:"revision"`
	Data     string `json:"data"` // sha256- and the hash
}

// hashName returns a hash as the lock file has it.
func hashName(hash string) string { return "sha256-" + hash }

// ReadLock reads the lock file. It reports false if there is none.
func (s *Store) ReadLock() (*Locked, bool, error) {
	text, err := s.readIf(LockFile)
	if err != nil {
		return nil, false, err
	}
	if text == nil {
		return &Locked{Version: 1, Links: map[string]LockedLink{}}, false, nil
	}
	l := &Locked{}
	doc, err := gaby.ParseYAML(text)
	if err == nil {
		err = doc.Check()
	}
	var plainText []byte
	if err == nil {
		plainText, err = json.Marshal(doc.Value().Data())
	}
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(plainText))
		d.DisallowUnknownFields()
		err = d.Decode(l)
	}
	if err == nil && l.Version != 1 {
		err = errors.New("unknown version")
	}
	if err != nil {
		return nil, false, s.damaged(LockFile, text, err)
	}
	if l.Links == nil {
		l.Links = map[string]LockedLink{}
	}
	return l, true, nil
}

// WriteLock brings the lock file up to date: entries of the links that the transaction resolved,
// without entries of links that are gone.
func (t *Tx) WriteLock(w *Workspace) error {
	s := t.store
	locked, _, err := s.ReadLock()
	if err != nil {
		return err
	}
	for name := range locked.Links {
		if w.link(name) == nil && w.Broken(entity.KindLink, name) == nil {
			delete(locked.Links, name)
		}
	}
	for _, l := range t.Resolved {
		if w.link(l.Name()) != l || l.From == nil || l.To == nil {
			continue
		}
		entry, err := s.lockedLink(l)
		if err != nil {
			return err
		}
		locked.Links[l.Name()] = entry
	}
	return t.writeLocked(locked)
}

// writeLocked writes the lock file if its content changes.
func (t *Tx) writeLocked(locked *Locked) error {
	text, err := entity.YAML(locked)
	if err != nil {
		return err
	}
	return t.update(LockFile, text, umask)
}

func (s *Store) lockedLink(l *Link) (LockedLink, error) {
	entry := LockedLink{Hash: l.ResolvedHash}
	var err error
	if entry.To, err = s.lockedUnit(l.To, l.UpstreamLastMergedRevisionNum,
		l.UseLiveState); err != nil {
		return entry, err
	}
	from := cmp.Or(l.DownstreamLastMergedRevisionNum, l.From.HeadRevisionNum)
	if entry.From, err = s.lockedUnit(l.From, from, false); err != nil {
		return entry, err
	}
	for _, b := range l.Bindings {
		if b.NeededResource == nil || b.ProvidedResource == nil {
			continue
		}
		entry.Bindings = append(entry.Bindings, string(b.NeededResource.ResourceType)+" "+
			string(b.NeededResource.ResourceName)+" "+b.NeededPath+" <- "+
			string(b.ProvidedResource.ResourceType)+" "+string(b.ProvidedResource.ResourceName)+" "+
			b.ProvidedPath)
	}
	slices.Sort(entry.Bindings)
	return entry, nil
}

func (s *Store) lockedUnit(u *Unit, n int64, live bool) (LockedUnit, error) {
	locked := LockedUnit{Unit: u.Name(), Revision: n}
	data, err := s.Version(u, n, live)
	locked.Data = hashName(hash(data))
	return locked, err
}

// VerifyLock compares the lock file with the workspace: the definitions of links and the data of
// their upstreams. Frozen also compares the data of downstreams, which one of the links to a unit has
// to have left, and every link but those of the type None needs an entry.
func (w *Workspace) VerifyLock(frozen bool) (entity.Errors, error) {
	s := w.Store
	locked, ok, err := s.ReadLock()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, s.fail(LockFile, entity.CodeNotFound, "no such file").
			WithHint("write Lock: true into " + Marker + "; 'fctl ws resolve --all --space \"*\"' then writes it")
	}
	var errs entity.Errors
	differs := func(l *Link, format string, args ...any) {
		e := l.Fail(entity.CodeState, format, args...).WithClass(api.FailureNo)
		e.Pos = s.definedIn(&l.definedAt)
		errs = append(errs, e)
	}
	left := map[*Unit]bool{} // downstreams with the data that a link left
	for _, l := range w.Links {
		if entry, ok := locked.Links[l.Name()]; frozen && ok && l.From != nil && !left[l.From] {
			if left[l.From], err = w.sameData(l.From, entry.From, false); err != nil {
				return nil, err
			}
		}
	}
	for _, l := range w.Links {
		entry, ok := locked.Links[l.Name()]
		switch {
		case l.From == nil || l.To == nil:
		case !ok && frozen && l.UpdateType != entity.UpdateNone:
			differs(l, "the link is not in %s", LockFile)
		case !ok:
		case entry.Hash != l.Hash:
			differs(l, "the definition was changed since the link was resolved")
		default:
			same, err := w.sameData(l.To, entry.To, l.UseLiveState)
			if err != nil {
				return nil, err
			}
			if !same {
				differs(l, "the upstream %s was changed since the link was resolved", l.To.Name())
			}
			if frozen && !left[l.From] {
				differs(l, "the downstream %s was changed since the link was resolved",
					l.From.Name())
			}
		}
	}
	for name := range locked.Links {
		if w.link(name) == nil {
			errs = append(errs, s.fail(LockFile, entity.CodeState, "the link %s does not exist",
				name).WithClass(api.FailureNo))
		}
	}
	slices.SortStableFunc(errs, func(a, b *entity.Error) int {
		return bytes.Compare([]byte(a.Error()), []byte(b.Error()))
	})
	return errs, nil
}

func (w *Workspace) sameData(u *Unit, locked LockedUnit, live bool) (bool, error) {
	read := w.Store.Working
	if live {
		read = func(u *Unit) ([]byte, error) { return w.Store.Live(u, u.HeadUnitActionNum) }
	}
	data, err := read(u)
	return err == nil && hashName(hash(data)) == locked.Data, err
}
