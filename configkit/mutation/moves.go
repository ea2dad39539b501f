package mutation

import (
	"slices"
	"sort"
	"strconv"

	"github.com/fctl-dev/fctl/api"
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
		case s.kind == newElement:
			in = m.added
		case s.kind != elementByDigest || e.op != api.MutationTypeDelete:
			continue
		}
		list := e.path[:last].indexed()
		at, _ := slices.BinarySearch(in[list], e.path[last].index)
		in[list] = slices.Insert(in[list], at, e.path[last].index)
	}
	for _, e := range r.renames {
		list := e.path.indexed()
		if m.names[list] == nil {
			m.names[list], m.were[list] = map[string]string{}, map[string]string{}
		}
		m.names[list][e.old], m.were[list][e.now] = e.now, e.old
	}
	return m
}

// after translates a path from before the change into one from after it. gone is true if it leads
// into a deleted element. The names of new elements are the same before and after.
func (m *elementMoves) after(p mutationPath) (now mutationPath, gone bool) {
	if m.none() {
		return p, false
	}
	now = slices.Clone(p)
	for i, s := range p {
		list := p[:i].indexed()
		switch s.kind {
		case elementByKey:
			now[i].rename(m.names[list])
		case elementByDigest:
			// Indexes shift down for deleted elements before them and up for new ones.
			at, gone := m.gone[list].without(s.index)
			if gone {
				return now, true
			}
			now[i].index = m.added[list].with(at)
		}
	}
	return now, false
}

// before translates a path from after the change into one from before it. It is the inverse of
// after, so a path can be followed back through a chain of functions. isNew is true if it leads
// into a new element.
func (m *elementMoves) before(p mutationPath) (was mutationPath, isNew bool) {
	if m.none() {
		return p, false
	}
	was = slices.Clone(p)
	for i, s := range p {
		list := was[:i].indexed()
		switch s.kind {
		case elementByKey:
			was[i].rename(m.were[list])
		case elementByDigest, newElement:
			at, isNew := m.added[list].without(s.index)
			if isNew {
				return was, true
			}
			was[i].kind, was[i].index = elementByDigest, m.gone[list].with(at)
		}
	}
	return was, false
}

// none reports whether all names and indexes stay the same.
func (m *elementMoves) none() bool { return len(m.names)+len(m.gone)+len(m.added) == 0 }

// rename gives the element its name in names, if there is one.
func (s *mutationSegment) rename(names map[string]string) {
	if name, ok := names[s.name()]; ok {
		if text := s.renamed(name); text != "" {
			s.text = text
		}
	}
}

// indexed returns p as text, with the elements of lists without merge keys named by index: their
// digests change with their values.
func (p mutationPath) indexed() string { return p.byIndex().canonical() }

// byIndex returns p with indexes instead of digests for the elements of lists without merge keys.
func (p mutationPath) byIndex() mutationPath {
	if !slices.ContainsFunc(p, mutationSegment.hasDigest) {
		return p
	}
	p = slices.Clone(p)
	for i, s := range p {
		if s.hasDigest() {
			p[i] = mutationSegment{
				kind: elementByDigest, text: strconv.Itoa(s.index), index: s.index,
			}
		}
	}
	return p
}

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
