package mutation

import (
	"slices"
	"strconv"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
)

// A movedValue is a value that was deleted at one path and added, perhaps changed, at another path
// in the same map or in the same list without merge keys.
//
// Without this, renaming a key on one side and changing the value under it on the other would look
// like a deletion and a change: a conflict whose resolution leaves the value under both keys or
// under none. Moves are recognized by content, which a change must resemble closely; merges into
// variants do not use them.
type movedValue struct {
	to    mutationpath.Path
	value gaby.Value // at to
}

// movedValues returns the moved values of a change by their old paths. It gives up on maps and
// lists where more than maxPairs pairs would have to be compared.
func movedValues(r *resourceChange, keys *configkit.MergeKeyTree) map[string]movedValue {
	gone, added := map[string][]*pathChange{}, map[string][]movedValue{} // by the map or list
	for _, e := range r.paths {
		last := len(e.path) - 1
		if last < 0 {
			continue
		}
		parent := e.path[:last].Canonical()
		switch kind := e.path[last].Kind; {
		case kind == mutationpath.New:
			added[parent] = append(added[parent], movedValue{e.path, e.value})
		case e.op == api.MutationTypeDelete && kind != mutationpath.ByKey:
			gone[parent] = append(gone[parent], e)
		}
	}
	moved := map[string]movedValue{}
	var follow *follower
	if r.before != nil && r.after != nil {
		follow = newFollower(r.before, r.after, keys, r.renames)
	}
	for parent, was := range gone {
		if last := len(was[0].path) - 1; was[0].path[last].Kind == mutationpath.MapKey {
			added[parent] = follow.newKeys(was[0].path[:last])
		}
		is := added[parent]
		if len(was)*len(is) > maxPairs {
			continue
		}
		taken := make([]bool, len(is))
		// Equal values first, so that similar values do not take their partners.
		for _, same := range []func(a, b gaby.Value) bool{isSame, isMuchLike} {
			for _, e := range was {
				if has(moved, e.path.Canonical()) {
					continue
				}
				for i, m := range is {
					if !taken[i] && same(e.value, m.value) {
						taken[i], moved[e.path.Canonical()] = true, m
						break
					}
				}
			}
		}
	}
	return moved
}

// isSame reports whether values are equal and distinctive. Booleans, null and empty values occur
// everywhere and prove nothing.
func isSame(a, b gaby.Value) bool {
	if a.Kind() == gaby.Scalar && (a.Tag() == "!!bool" || a.Tag() == "!!null" || a.Text() == "") ||
		a.Kind() != gaby.Scalar && !a.First().Exists() {
		return false
	}
	return a.Equal(b)
}

// isMuchLike reports whether a and b are maps or lists of some size that differ little: in at most
// a quarter of the leaves of both together. Small values are never alike: two maps with the keys
// name and value have nothing in common that means anything.
func isMuchLike(a, b gaby.Value) bool {
	n := leaves(a)
	if a.Kind() == gaby.Scalar || a.Kind() != b.Kind() || n < fewLeaves {
		return false
	}
	d := differ{dry: true}
	return 4*d.costOf(a, b, nil) <= n+leaves(b)
}

// fewLeaves is the number of leaves below which a changed value cannot be recognized.
const fewLeaves = 4

// newKeys returns the values of the keys that are new in the text, in the map at path.
func (f *follower) newKeys(path mutationpath.Path) (found []movedValue) {
	if f == nil {
		return nil
	}
	m, ok := f.find(path, "", true)
	if !ok || m.value.Kind() != gaby.Map || m.base.Kind() != gaby.Map {
		return nil
	}
	for _, c := range elements(m.value) {
		if !m.base.Get(c.Key()).Exists() {
			found = append(found, movedValue{path.Child(mutationpath.Key(c.Key())), c})
		}
	}
	return found
}

// against returns the target's change that a conflict inside own is reported against. If the target
// moved the value, it still exists: the change is then an Add at the new path.
func (s *subtraction) against(own *pathChange) *change {
	if m, ok := s.movedByTarget[own.path.Canonical()]; ok {
		return &change{op: api.MutationTypeAdd, index: own.index, value: m.value}
	}
	return &own.change
}

// movedTo returns where the target moved path, a path inside own, or nil if it did not.
func (s *subtraction) movedTo(own *pathChange, path mutationpath.Path) mutationpath.Path {
	m, ok := s.movedByTarget[own.path.Canonical()]
	if !ok {
		return nil
	}
	return slices.Concat(m.to, path[len(own.path):])
}

// subtractMoved handles values that both sides deleted and at least one moved, unless both moved
// them to the same path. What the target moved stays; what the target deleted does not come back. q
// is what is left of the source's change p.
func (s *subtraction) subtractMoved(q, p, own *resourceChange) {
	mine, theirs := s.movedByTarget, s.moved
	if len(mine)+len(theirs) == 0 {
		return
	}
	tree := newPathTree(own.paths)
	for _, e := range p.paths {
		m, isMine := mine[e.path.Canonical()]
		t, isTheirs := theirs[e.path.Canonical()]
		node, o := tree.Find(e.path)
		switch {
		case e.op != api.MutationTypeDelete, node == nil || o != node.Entry || o == nil,
			o.op != api.MutationTypeDelete, !isMine && !isTheirs,
			isMine && isTheirs && m.to.String() == t.to.String():
		case isTheirs:
			against, at := &o.change, e.path
			if isMine {
				against, at = &change{op: api.MutationTypeAdd, value: m.value}, m.to
			}
			source := change{op: api.MutationTypeAdd, index: p.index, value: t.value}
			s.conflicts.add(api.ConflictSubtracted, p, t.to, source, against).mine = at
			s.back.Put(t.to, &pathChange{path: t.to, change: source})
		default:
			s.conflicts.add(
				api.ConflictSubtracted, p, m.to, e.change, s.against(o),
			).mine = m.to
		}
	}
	q.paths = slices.DeleteFunc(q.paths, func(a *pathChange) bool {
		_, covering := s.back.Find(a.path)
		return covering != nil
	})
}

// afterMoves adapts the source's change p to a target that moved values. Changes inside a moved
// value are redirected to where it is now. If the source deleted the value, or moved it elsewhere,
// it is deleted there.
func afterMoves(p, own *resourceChange, keys *configkit.MergeKeyTree) *resourceChange {
	mine, theirs := movedValues(own, keys), movedValues(p, keys)
	if len(mine) == 0 {
		return p
	}
	q := *p
	q.paths = nil
	for _, e := range p.paths {
		moved := e
		for n := 1; n < len(e.path); n++ {
			if m, ok := mine[e.path[:n].Canonical()]; ok {
				at := *e
				at.path = slices.Concat(m.inTarget(), e.path[n:])
				moved = &at
				break
			}
		}
		q.paths = append(q.paths, moved)
		m, isMine := mine[e.path.Canonical()]
		if t, isTheirs := theirs[e.path.Canonical()]; e.op == api.MutationTypeDelete && isMine &&
			!(isTheirs && t.to.String() == m.to.String()) {
			q.paths = append(q.paths, &pathChange{
				path: m.inTarget(), change: change{op: api.MutationTypeDelete, value: e.value},
			})
		}
	}
	return &q
}

// inTarget returns the path of a value that the target moved, by index if it is in a list.
func (m *movedValue) inTarget() mutationpath.Path {
	to := slices.Clone(m.to)
	if last := &to[len(to)-1]; last.Kind == mutationpath.New {
		*last = mutationpath.Segment{Text: strconv.Itoa(last.Index), Index: -1}
	}
	return to
}
