package yamlkit

import (
	"slices"
	"strconv"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/api"
)

// A movedValue is one that is gone from its place and is, in the same map or list without merge keys, at another one that is new.
type movedValue struct {
	from *pathChange
	to   mutationPath
}

// movedValues are those of a change, by the paths they had. What occurs too often to be known again, true, false and null, is none.
func movedValues(r *resourceChange, keys *configkit.MergeKeyTree) map[string]movedValue {
	moved := map[string]movedValue{}
	taken := map[string]bool{}
	for _, e := range r.paths {
		if e.op != api.MutationTypeDelete || len(e.path) == 0 || !isKnownAgain(e.value) {
			continue
		}
		last := len(e.path) - 1
		list, s := e.path[:last], e.path[last]
		var places []mutationPath
		switch s.kind {
		case mapKey:
			places = renamedTo(r, list, e.value, keys)
		case elementByDigest:
			for _, a := range r.paths {
				if n := len(a.path) - 1; n == last && a.path[n].kind == newElement && a.path[:n].canonical() == list.canonical() && a.value.Equal(e.value) {
					places = append(places, a.path)
				}
			}
		}
		for _, to := range places {
			if name := to.String(); !taken[name] {
				taken[name] = true
				moved[e.path.canonical()] = movedValue{e, to}
				break
			}
		}
	}
	return moved
}

func isKnownAgain(v gaby.Value) bool {
	switch v.Kind() {
	case gaby.Map, gaby.List:
		return v.First().Exists()
	}
	return v.Tag() != "!!bool" && v.Tag() != "!!null" && v.Text() != ""
}

// renamedTo are the keys of a map that are new and have a value that was at another one.
func renamedTo(r *resourceChange, path mutationPath, value gaby.Value, keys *configkit.MergeKeyTree) (to []mutationPath) {
	if r.before == nil || r.after == nil {
		return nil
	}
	f := placeFinder{base: r.before.Value(), text: r.after.Value(), keys: keys, renames: r.renames}
	place, found := f.find(path, "")
	if !found || place.value.Kind() != gaby.Map || place.base.Kind() != gaby.Map {
		return nil
	}
	for c := place.value.First(); c.Exists(); c = c.Next() {
		if !place.base.Get(c.Key()).Exists() && c.Equal(value) {
			to = append(to, path.child(mutationSegment{text: c.Key(), index: -1}))
		}
	}
	return to
}

// moved subtracts from what is left of a change what both sides have deleted, one of them to have it elsewhere, or both at different
// places. What the target has moved stays; what it has deleted does not come back.
func (s *subtraction) moved(q, p, own *resourceChange) {
	keys := s.provider.MergeKeys(p.resource.ResourceType)
	mine, theirs := movedValues(own, keys), movedValues(p, keys)
	for _, e := range p.paths {
		m, isMine := mine[e.path.canonical()]
		t, isTheirs := theirs[e.path.canonical()]
		gone := slices.IndexFunc(own.paths, func(o *pathChange) bool {
			return o.op == api.MutationTypeDelete && e.op == api.MutationTypeDelete && o.path.canonical() == e.path.canonical()
		})
		switch {
		case gone < 0, !isMine && !isTheirs, isMine && isTheirs && m.to.String() == t.to.String():
		case isTheirs:
			against, at := &own.paths[gone].change, e.path
			if isMine {
				against, at = &change{op: api.MutationTypeAdd, value: e.value}, m.to
			}
			s.conflicts.add(api.ConflictSubtracted, p, t.to, change{op: api.MutationTypeAdd, index: p.index, value: e.value}, against)
			s.conflicts.last().mine = at
			q.paths = slices.DeleteFunc(q.paths, func(a *pathChange) bool {
				return len(a.path) >= len(t.to) && a.path[:len(t.to)].String() == t.to.String()
			})
		default:
			s.conflicts.add(api.ConflictSubtracted, p, m.to, e.change, &change{op: api.MutationTypeAdd, index: own.index, value: e.value})
			s.conflicts.last().mine = m.to
		}
	}
}

// withoutMoved adds to a change that what the target has moved elsewhere is to be deleted there, where the source has deleted it or moved it
// to another place.
func withoutMoved(p, own *resourceChange, keys *configkit.MergeKeyTree) *resourceChange {
	mine, theirs := movedValues(own, keys), movedValues(p, keys)
	q := *p
	for _, e := range p.paths {
		m, isMine := mine[e.path.canonical()]
		if t, isTheirs := theirs[e.path.canonical()]; e.op != api.MutationTypeDelete || !isMine || isTheirs && t.to.String() == m.to.String() {
			continue
		}
		to := slices.Clone(m.to)
		if last := &to[len(to)-1]; last.kind == newElement {
			*last = mutationSegment{text: strconv.Itoa(last.index), index: -1} // in the target
		}
		q.paths = append(slices.Clone(q.paths), &pathChange{path: to, change: change{op: api.MutationTypeDelete, value: e.value}})
	}
	return &q
}
