package mutation

import (
	"slices"
	"sort"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
)

// elementMoves maps the names and indexes of list elements from before a change to after it, and
// back: new keys, and in lists without merge keys new indexes. Lists are identified by their path
// before the change, with elements of lists without merge keys named by index.
//
// For example, if elements 0 and 2 of [a, b, c, d] are deleted and x is added at index 1, the list
// becomes [b, x, d]. To follow d, first subtract the deleted elements before it (3 becomes 1), then
// step over the new ones (1 becomes 2). The way back does the same in reverse.
type elementMoves struct {
	names map[string]map[string]string // new names by old ones
	were  map[string]map[string]string // old names by new ones
	gone  map[string]sortedIndexes     // indexes, before the change, of deleted elements
	added map[string]sortedIndexes     // indexes, after the change, of new elements
}

// newElementMoves returns the moves of a change.
func newElementMoves(r *resourceChange) *elementMoves {
	m := &elementMoves{
		names: map[string]map[string]string{}, were: map[string]map[string]string{},
		gone: map[string]sortedIndexes{}, added: map[string]sortedIndexes{},
	}
	for _, e := range r.paths {
		last := len(e.path) - 1
		if last < 0 {
			continue
		}
		in := m.gone
		switch s := e.path[last]; {
		case s.Kind == mutationpath.New:
			in = m.added
		case s.Kind != mutationpath.ByDigest || e.op != api.MutationTypeDelete:
			continue
		}
		list := e.path[:last].Indexed()
		at, _ := slices.BinarySearch(in[list], e.path[last].Index)
		in[list] = slices.Insert(in[list], at, e.path[last].Index)
	}
	for _, e := range r.renames {
		list := e.path.Indexed()
		if m.names[list] == nil {
			m.names[list], m.were[list] = map[string]string{}, map[string]string{}
		}
		m.names[list][e.old], m.were[list][e.now] = e.now, e.old
	}
	return m
}

// after translates a path from before the change into one from after it. gone is true if it leads
// into a deleted element. The names of new elements are the same before and after.
func (m *elementMoves) after(p mutationpath.Path) (now mutationpath.Path, gone bool) {
	if m.none() {
		return p, false
	}
	now = slices.Clone(p)
	for i, s := range p {
		list := p[:i].Indexed()
		switch s.Kind {
		case mutationpath.ByKey:
			now[i].Rename(m.names[list])
		case mutationpath.ByDigest:
			// Indexes shift down for deleted elements before them and up for new ones.
			at, gone := m.gone[list].without(s.Index)
			if gone {
				return now, true
			}
			now[i].Index = m.added[list].with(at)
		}
	}
	return now, false
}

// before translates a path from after the change into one from before it. It is the inverse of
// after, so a path can be followed back through a chain of functions. isNew is true if it leads
// into a new element.
func (m *elementMoves) before(p mutationpath.Path) (was mutationpath.Path, isNew bool) {
	if m.none() {
		return p, false
	}
	was = slices.Clone(p)
	for i, s := range p {
		list := was[:i].Indexed()
		switch s.Kind {
		case mutationpath.ByKey:
			was[i].Rename(m.were[list])
		case mutationpath.ByDigest, mutationpath.New:
			at, isNew := m.added[list].without(s.Index)
			if isNew {
				return was, true
			}
			was[i].Kind, was[i].Index = mutationpath.ByDigest, m.gone[list].with(at)
		}
	}
	return was, false
}

// none reports whether all names and indexes stay the same.
func (m *elementMoves) none() bool { return len(m.names)+len(m.gone)+len(m.added) == 0 }

// sortedIndexes holds the indexes of some elements of a list.
type sortedIndexes []int

// without returns the index that an element has once the elements of s are removed, and whether the
// element is one of them.
func (s sortedIndexes) without(index int) (left int, isOne bool) {
	n, isOne := slices.BinarySearch(s, index)
	return index - n, isOne
}

// with is the inverse of without.
func (s sortedIndexes) with(index int) int {
	return index + sort.Search(len(s), func(n int) bool { return s[n]-n > index })
}
