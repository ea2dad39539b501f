package mutation

import (
	"slices"
	"sort"
	"strconv"

	"github.com/fctl-dev/fctl/api"
)

// elementMoves maps the names and indexes of list elements from before a change to after it, and
// back: new keys, and in lists without merge keys new indexes. Lists are identified by their path
// before the change, in the form of [mutationPath.place].
type elementMoves struct {
	names map[string]map[string]string // new names by old ones
	were  map[string]map[string]string // old names by new ones
	gone  map[string]sortedIndexes     // indexes, before the change, of deleted elements
	added map[string]sortedIndexes     // indexes, after the change, of new elements
}

// entry records an element that a change adds or removes.
func (m *elementMoves) entry(p mutationPath, op api.MutationType) {
	if len(p) == 0 {
		return
	}
	last := len(p) - 1
	switch {
	case p[last].kind == newElement:
		put(&m.added, p[:last].place(), p[last].index)
	case p[last].kind == elementByDigest && op == api.MutationTypeDelete:
		put(&m.gone, p[:last].place(), p[last].index)
	}
}

// put appends index to the indexes of a list, creating the map on first use.
func put(in *map[string]sortedIndexes, list string, index int) {
	if *in == nil {
		*in = map[string]sortedIndexes{}
	}
	(*in)[list] = append((*in)[list], index)
}

// rename records that an element of list has a new name.
func (m *elementMoves) rename(list mutationPath, old, now string) {
	if m.names == nil {
		m.names, m.were = map[string]map[string]string{}, map[string]map[string]string{}
	}
	place := list.place()
	if m.names[place] == nil {
		m.names[place], m.were[place] = map[string]string{}, map[string]string{}
	}
	m.names[place][old], m.were[place][now] = now, old
}

// ready must be called after the last entry.
func (m *elementMoves) ready() *elementMoves {
	for _, indexes := range m.gone {
		slices.Sort(indexes)
	}
	for _, indexes := range m.added {
		slices.Sort(indexes)
	}
	return m
}

// movesOfChange returns the moves of a change.
func movesOfChange(r *resourceChange) *elementMoves {
	m := &elementMoves{}
	for _, p := range r.paths {
		m.entry(p.path, p.op)
	}
	for _, e := range r.renames {
		m.rename(e.path, e.old, e.now)
	}
	return m.ready()
}

// after translates a path from before the change into one from after it. gone is true if it leads
// into a deleted element. The names of new elements are the same before and after.
func (m *elementMoves) after(p mutationPath) (now mutationPath, gone bool) {
	if m.none() {
		return p, false
	}
	now = slices.Clone(p)
	for i, s := range p {
		list := p[:i].place()
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

// before translates a path from after the change into one from before it. isNew is true if it leads
// into a new element.
func (m *elementMoves) before(p mutationPath) (was mutationPath, isNew bool) {
	if m.none() {
		return p, false
	}
	was = slices.Clone(p)
	for i, s := range p {
		list := was[:i].place()
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
func (m *elementMoves) none() bool { return m.names == nil && m.gone == nil && m.added == nil }

// rename gives the element its name in names, if there is one.
func (s *mutationSegment) rename(names map[string]string) {
	if name, ok := names[s.name()]; ok {
		if text := s.renamed(name); text != "" {
			s.text = text
		}
	}
}

// place returns p as text, with the elements of lists without merge keys named by index: their
// digests change with their values.
func (p mutationPath) place() string {
	places := p.byIndex()
	return places.canonical()
}

// byIndex returns p with indexes instead of digests for the elements of lists without merge keys.
func (p mutationPath) byIndex() mutationPath {
	shared := true
	for i, s := range p {
		if s.kind == elementByDigest || s.kind == newElement {
			if shared {
				p, shared = slices.Clone(p), false
			}
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
