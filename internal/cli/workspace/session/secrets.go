package session

import (
	"bytes"
	"errors"
	"maps"
	"slices"

	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
	"github.com/fctl-dev/fctl/internal/links/entity"
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
	values := executor.SensitiveChange(u.ToolchainType, before, after, others...)
	if s.Tx != nil {
		s.Tx.Title = values.Copied(s.Tx.Title)
	}
	return values, nil
}

// Described returns the description of a change of a unit with the copies of secret values masked.
func (s *Session) Described(u *workspace.Unit, text string) string {
	set := &sensitive.SecretSet{}
	if copied, err := s.Store.CopiedSecrets(u); err == nil {
		set.AddTexts(copied, true)
	}
	return set.Mask(text)
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
	for _, l := range s.upstream(u) {
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

// HideUpstream masks the secret values that a message about a link may have.
func (s *Session) HideUpstream(l *workspace.Link) error {
	if s.ShowSecrets || l.From == nil {
		return nil
	}
	if _, err := s.Functions(); err != nil {
		return err
	}
	return s.hideCopies(l.From)
}

// HideIn masks the secret values of the units and links that errors are about: an error may quote a
// value that it rejects.
func (s *Session) HideIn(errs ...error) {
	for _, err := range errs {
		if several, ok := err.(interface{ Unwrap() []error }); ok {
			s.HideIn(several.Unwrap()...)
			continue
		}
		e, ok := errors.AsType[*entity.Error](err)
		if !ok {
			continue
		}
		if l, unknown := s.Link(e.Space, e.Link); e.Link != "" && unknown == nil {
			_ = s.HideUpstream(l) // an unreadable unit gave no value
		}
		if u, unknown := s.Unit(e.Space, e.Unit); e.Unit != "" && unknown == nil {
			head, _ := s.Store.Data(u, u.HeadRevisionNum)
			working, _ := s.Store.Working(u)
			_, _ = s.Secrets(u, head, working)
		}
	}
}

// Merges says that the command merges another unit into a unit, and masks its secret values.
func (s *Session) Merges(u, from *workspace.Unit) error {
	if s.merged == nil {
		s.merged = map[*workspace.Unit][]*workspace.Unit{}
	}
	s.merged[u] = append(s.merged[u], from)
	if s.ShowSecrets {
		return nil
	}
	if _, err := s.Functions(); err != nil {
		return err
	}
	return s.hideCopies(u)
}

// upstream returns the links of a unit, and one for each merge without a link.
func (s *Session) upstream(u *workspace.Unit) []*workspace.Link {
	links := s.LinksFrom(u)
	for _, from := range s.merged[u] {
		links = append(links, &workspace.Link{
			Link: &entity.Link{UpdateType: entity.UpdateMergeUnits}, From: u, To: from,
		})
	}
	return links
}

// maskError masks the secret values of the units upstream in the error of a link.
func (s *Session) maskError(l *workspace.Link, message string) string {
	if _, err := s.Functions(); err != nil || l.To == nil {
		return message
	}
	set, err := newCopies(s).from(l, true)
	if err != nil {
		return message
	}
	return set.Mask(message)
}

// versionRead is the data of a unit that a link reads, or has read.
type versionRead struct {
	unit *workspace.Unit
	num  int64
	live bool
}

// versions returns the versions of the upstream that a link reads now, or has read last.
func (s *Session) versions(l *workspace.Link) (all []versionRead) {
	if l.To == nil {
		return nil
	}
	all = []versionRead{
		{l.To, l.To.HeadRevisionNum, false},
		{l.To, l.UpstreamLastMergedRevisionNum, l.UseLiveState},
		{l.To, l.MergeBaseRevisionNum, l.UseLiveState},
	}
	if s.Tx != nil { // the command may have recorded an edit, after which nothing names the head before
		all = append(all, versionRead{l.To, s.Tx.HeadBefore(l.To), false})
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

func newCopies(s *Session) *copies {
	return &copies{
		Session: s, pending: map[*workspace.Unit]bool{}, read: map[reading]bool{},
		given: map[reading]*sensitive.SecretSet{},
	}
}

// keepCopies records the secret values that units have got as copies: those of the units upstream,
// and those of their own Secrets at other places. A unit whose upstream got other secret values has
// copies of those before.
func (s *Session) keepCopies() error {
	if len(s.Tx.Revised) == 0 {
		return nil
	}
	if _, err := s.Functions(); err != nil {
		return err
	}
	c := newCopies(s)
	units := slices.Clone(s.Tx.Revised)
	for _, u := range s.Tx.Revised {
		if c.Session.given(versionRead{unit: u, num: s.Tx.HeadBefore(u)}) == nil {
			continue
		}
		for _, l := range s.LinksTo(u) {
			if l.From != nil {
				units = append(units, l.From)
			}
		}
	}
	for _, u := range units {
		c.pending[u] = true
	}
	for _, u := range units {
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
	var sure, words []*sensitive.SecretSet
	if own := c.executor.Sensitive(u.ToolchainType, [][]byte{before, after}); own != nil {
		before, after = own.Rest(sensitive.Before), own.Rest(sensitive.After)
		set := &sensitive.SecretSet{}
		set.Add(own, false)
		sure = append(sure, set)
	}
	for _, l := range c.Session.upstream(u) {
		if l.To == nil {
			continue
		}
		if err := c.keep(l.To); err != nil {
			return err
		}
		set, err := c.from(l, false)
		if err != nil {
			return err
		}
		sure = append(sure, set)
		if l.CopiesResources() {
			continue
		}
		if set, err = c.from(l, true); err != nil {
			return err
		}
		words = append(words, set)
	}
	copied := map[string]bool{}
	found := func(sets []*sensitive.SecretSet, text []byte, do func(value string)) {
		for _, set := range sets {
			for _, value := range set.Found(string(text)) {
				do(value)
			}
		}
	}
	found(words, after, func(value string) { copied[value] = true })
	if len(copied) > 0 { // a word may have been there by chance
		found(words, before, func(value string) { delete(copied, value) })
	}
	found(sure, after, func(value string) { copied[value] = true })
	if len(copied) == 0 {
		return nil
	}
	return c.Tx.AddCopiedSecrets(u, slices.Sorted(maps.Keys(copied)))
}

// from returns the secret values that a link may have copied, with words those that are words as
// well. Links to one unit share them.
func (c *copies) from(l *workspace.Link, words bool) (*sensitive.SecretSet, error) {
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
