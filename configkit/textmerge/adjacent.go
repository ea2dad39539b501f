package textmerge

import (
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/lines"
	"github.com/fctl-dev/fctl/configkit/mutation"
)

// closeLines merges texts that can be read but not be written, because of aliases, line by line as if neighbours did not depend on each
// other. It is right when the merged text has the changes of both sides and no others; ok is false when that cannot be had.
func (m *textMerger) closeLines() (merged *Merged, ok bool) {
	var docs [3]gaby.Container
	for i, text := range [][]byte{m.base, m.ours, m.theirs} {
		var err error
		if docs[i], err = m.converter.NativeToDocuments(text); err != nil || !m.isSound(text) {
			return nil, false
		}
	}
	ours, okOurs := m.entries(docs[0], docs[1])
	theirs, okTheirs := m.entries(docs[0], docs[2])
	if !okOurs || !okTheirs || meet(ours, theirs) || meet(theirs, ours) {
		return nil, false
	}
	want := maps.Clone(ours)
	maps.Copy(want, theirs)
	for _, try := range (threeTexts{m.base, m.ours, m.theirs}).tries(len(m.base) == 0) {
		try.both = bothAdded
		text, clashes := try.settle(false)
		if len(clashes) > 0 || !m.isSound([]byte(text)) {
			continue
		}
		now, err := m.converter.NativeToDocuments([]byte(text))
		if err != nil {
			continue
		}
		if have, ok := m.entries(docs[0], now); ok && maps.Equal(have, want) {
			return &Merged{Text: []byte(text)}, true
		}
	}
	return nil, false
}

// bothAdded settles a conflict as bothLines does, or where both have added lines.
func bothAdded(c lines.Chunk) ([]string, bool) {
	if put, ok := bothLines(c); ok || len(c.Base) > 0 {
		return put, ok
	}
	return slices.Concat(c.Theirs, c.Ours), true
}

// entries are the changes between two states of a unit; ok is false when they cannot be compared.
func (m *textMerger) entries(before, after gaby.Container) (all map[string]string, ok bool) {
	all, err := mutation.Entries(before, after, m.provider)
	return all, err == nil
}

// meet tells whether some change is another one than that of the other side at its place, or below one of those.
func meet(all, others map[string]string) bool {
	places := slices.Sorted(maps.Keys(others))
	for place, text := range all {
		if other, both := others[place]; both && other != text {
			return true
		}
		at, _ := slices.BinarySearch(places, place)
		if next := at; next < len(places) && places[next] == place {
			at++
		}
		if at < len(places) && strings.HasPrefix(places[at], place) {
			return true
		}
	}
	return false
}
