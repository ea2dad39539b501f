package textmerge

import (
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/internal/lines"
)

// closeLines merges texts line by line as if neighbouring lines were independent. It is for texts
// that can be read but, because of aliases, not be written. ok is false unless the result has
// exactly the changes of both sides.
func (m *textMerger) closeLines() (merged *Merged, ok bool) {
	var docs [3]gaby.Container
	for i, text := range [][]byte{m.base, m.ours, m.theirs} {
		var err error
		if docs[i], err = m.converter.NativeToDocuments(text); err != nil || !m.isSound(text) {
			return nil, false
		}
	}
	ours, err := mutation.Entries(docs[0], docs[1], m.provider)
	theirs, errTheirs := mutation.Entries(docs[0], docs[2], m.provider)
	// If both sides changed the same values, their lines are not independent.
	if err != nil || errTheirs != nil || meet(ours, theirs) || meet(theirs, ours) {
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
		// Accept the text only if it has exactly the changes of both sides.
		have, err := mutation.Entries(docs[0], now, m.provider)
		if err == nil && maps.Equal(have, want) {
			return &Merged{Text: []byte(text)}, true
		}
	}
	return nil, false
}

// bothAdded settles a conflict like bothLines. If both sides added lines, it takes both.
func bothAdded(c lines.Chunk) ([]string, bool) {
	if put, ok := bothLines(c); ok || len(c.Base) > 0 {
		return put, ok
	}
	return slices.Concat(c.Theirs, c.Ours), true
}

// meet reports whether a change in all differs from the other side's change at the same path, or
// has one of others below it. Keys of changes begin with the keys of the changes around them, so
// what is below follows in sorted order.
func meet(all, others map[string]string) bool {
	paths := slices.Sorted(maps.Keys(others))
	for path, text := range all {
		if other, both := others[path]; both && other != text {
			return true
		}
		at, found := slices.BinarySearch(paths, path)
		if found {
			at++
		}
		if at < len(paths) && strings.HasPrefix(paths[at], path) {
			return true
		}
	}
	return false
}
