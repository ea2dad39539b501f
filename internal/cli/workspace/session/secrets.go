package session

import (
	"bytes"
	"maps"
	"slices"

	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// secret reports whether data of a unit has secret values, or may have them.
func (s *Session) secret(u *workspace.Unit, data []byte) bool {
	executor, err := s.Functions()
	if err != nil || executor.Sensitive(u.ToolchainType, [][]byte{data}) != nil {
		return true
	}
	copied, err := s.Store.CopiedSecrets(u)
	return err != nil || slices.ContainsFunc(copied, func(value string) bool {
		return bytes.Contains(data, []byte(value))
	})
}

// Unwritten returns the secret values of two states of a unit and of other texts. Neither the title
// of the command nor a description that it makes has them, since both are stored.
func (s *Session) Unwritten(
	u *workspace.Unit, before, after []byte, others ...[]byte,
) (*sensitive.Values, error) {
	executor, err := s.Functions()
	if err != nil {
		return nil, err
	}
	values := executor.Sensitive(u.ToolchainType, [][]byte{before, after}, others...)
	if s.Tx != nil {
		s.Tx.Title = values.Copied(s.Tx.Title)
	}
	return values, nil
}

// Secrets returns the secret values of two states of a unit and of other texts, nil if they may be
// shown. From here on everything that is printed masks them, and the values that were, or may have
// been, copied from other units as well.
func (s *Session) Secrets(
	u *workspace.Unit, before, after []byte, others ...[]byte,
) (*sensitive.Values, error) {
	values, err := s.Unwritten(u, before, after, others...)
	if err != nil || s.ShowSecrets {
		return nil, err
	}
	s.App.Hide(values, false)
	return values, s.hideCopies(u)
}

// ValueSecrets returns the secret values that values for programs must not show: none, unless they
// go to a terminal.
func (s *Session) ValueSecrets(
	u *workspace.Unit, before, after []byte, others ...[]byte,
) (*sensitive.Values, error) {
	if !s.App.Streams.OutIsTerminal() {
		return nil, nil
	}
	return s.Secrets(u, before, after, others...)
}

// hideCopies masks the secret values that were copied into a unit, and those that it may have from
// the units upstream, as they are and as they were when links read them.
func (s *Session) hideCopies(u *workspace.Unit) error {
	if s.hidden[u] {
		return nil
	}
	if s.hidden == nil {
		s.hidden = map[*workspace.Unit]bool{}
	}
	s.hidden[u] = true
	copied, err := s.Store.CopiedSecrets(u)
	if err != nil {
		return err
	}
	s.App.HideTexts(copied)
	for _, l := range s.LinksFrom(u) {
		for _, v := range s.versions(l) {
			s.App.Hide(s.given(v), !l.CopiesResources())
		}
		if l.To != nil {
			if err := s.hideCopies(l.To); err != nil {
				return err
			}
		}
	}
	return nil
}

// versionRead is the data of a unit that a link reads, or has read.
type versionRead struct {
	unit *workspace.Unit
	num  int64
	live bool
}

// versions returns what a link reads now, and what it has read last.
func (s *Session) versions(l *workspace.Link) (all []versionRead) {
	if l.To == nil {
		return nil
	}
	all = []versionRead{
		{l.To, l.To.HeadRevisionNum, false},
		{l.To, l.UpstreamLastMergedRevisionNum, l.UseLiveState},
		{l.To, l.MergeBaseRevisionNum, l.UseLiveState},
	}
	if l.UseLiveState {
		all = append(all, versionRead{l.To, l.To.HeadUnitActionNum, true})
	}
	return all
}

// given returns the secret values of a version. One that cannot be read gave none.
func (s *Session) given(v versionRead) *sensitive.Values {
	data, err := s.Store.Version(v.unit, v.num, v.live)
	if err != nil || len(data) == 0 {
		return nil
	}
	return s.executor.Sensitive(v.unit.ToolchainType, [][]byte{data})
}

// copies records the secret values that a transaction has copied into units.
type copies struct {
	*Session
	pending map[*workspace.Unit]bool
	read    map[reading]bool
	given   map[reading]*sensitive.SecretSet // by unit and words only
}

// reading is that a link reads a version, or just the unit. words says whether values that are words
// count; see sensitive.SecretSet.
type reading struct {
	versionRead
	words bool
}

// keepCopies records the secret values that units have got as copies: those of the units upstream,
// and those of their own Secrets at other places.
func (s *Session) keepCopies() error {
	if len(s.Tx.Revised) == 0 {
		return nil
	}
	if _, err := s.Functions(); err != nil {
		return err
	}
	c := &copies{
		Session: s, pending: map[*workspace.Unit]bool{}, read: map[reading]bool{},
		given: map[reading]*sensitive.SecretSet{},
	}
	for _, u := range s.Tx.Revised {
		c.pending[u] = true
	}
	for _, u := range s.Tx.Revised {
		if err := c.keep(u); err != nil {
			return err
		}
	}
	return nil
}

// keep records the copies in a unit, after those in the units upstream.
func (c *copies) keep(u *workspace.Unit) error {
	if !c.pending[u] {
		return nil
	}
	delete(c.pending, u)
	before, after, err := c.Tx.Change(u)
	if err != nil {
		return err
	}
	var sets []*sensitive.SecretSet
	if own := c.executor.Sensitive(u.ToolchainType, [][]byte{before, after}); own != nil {
		before, after = own.Rest(sensitive.Before), own.Rest(sensitive.After)
		set := &sensitive.SecretSet{}
		set.Add(own, false)
		sets = append(sets, set)
	}
	for _, l := range c.LinksFrom(u) {
		if l.To == nil {
			continue
		}
		if err := c.keep(l.To); err != nil {
			return err
		}
		set, err := c.upstream(l)
		if err != nil {
			return err
		}
		sets = append(sets, set)
	}
	copied := map[string]bool{}
	for _, set := range sets {
		for _, value := range set.Found(string(after)) {
			copied[value] = true
		}
	}
	if len(copied) == 0 {
		return nil
	}
	for _, set := range sets {
		for _, value := range set.Found(string(before)) {
			delete(copied, value) // it was there, by chance or because it was copied earlier
		}
	}
	return c.Tx.AddCopiedSecrets(u, slices.Sorted(maps.Keys(copied)))
}

// upstream returns the secret values that a link may have copied. Links to one unit share them.
func (c *copies) upstream(l *workspace.Link) (*sensitive.SecretSet, error) {
	words := !l.CopiesResources()
	unit := reading{versionRead{unit: l.To}, words}
	set := c.given[unit]
	if set == nil {
		copied, err := c.Store.CopiedSecrets(l.To)
		if err != nil {
			return nil, err
		}
		set = &sensitive.SecretSet{}
		set.AddTexts(copied, true)
		c.given[unit] = set
	}
	for _, v := range c.versions(l) {
		if r := (reading{v, words}); !c.read[r] {
			c.read[r] = true
			set.Add(c.Session.given(v), words)
		}
	}
	return set, nil
}
