package mutation

import (
	"maps"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/finder"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
)

// Add combines newMutations with the mutations so far. The newest entry of a path wins, and
// replaces all entries below it; so the result says of every value which change it came from. The
// arguments are not modified.
//
// List elements are entered under their key or index after the change. New entries inherit
// Protected from the nearest entry at or above them.
func Add(
	mutations, newMutations api.ResourceMutationList, provider configkit.ResourceProvider,
) api.ResourceMutationList {
	all := slices.Clone(mutations)
	infos := make([]*api.ResourceInfo, len(all))
	for i := range all {
		infos[i] = &all[i].Resource
	}
	find := finder.New(provider, infos, func(i int) []api.ResourceName {
		return slices.Sorted(maps.Keys(mutations[i].Names()))
	})
	for i := range newMutations {
		n := &newMutations[i]
		at := find.Exactly(&n.Resource)
		// A new resource is not one that had its name before.
		if at < 0 && n.ResourceMutationInfo.MutationType != api.MutationTypeAdd {
			at = find.Find(&n.Resource, slices.Sorted(maps.Keys(n.Names())))
		}
		if at >= 0 {
			all[at] = addMutation(&all[at], n)
		} else {
			all = append(all, addMutation(nil, n))
		}
	}
	return all
}

// addMutation combines the mutations of one resource.
func addMutation(old, now *api.ResourceMutation) api.ResourceMutation {
	// The operation on the resource follows from the old and the new one. Delete and Replace forget
	// all entries of paths, and so does an Add after them.
	was := api.MutationTypeNone
	if old != nil {
		was = old.ResourceMutationInfo.MutationType
	}
	var m api.ResourceMutation
	switch is := now.ResourceMutationInfo.MutationType; {
	// Nothing happened this time.
	case old != nil && (is == api.MutationTypeNone || is == ""):
		return *old
	case old == nil, is == api.MutationTypeDelete, is == api.MutationTypeReplace:
		m = entered(&api.ResourceMutation{}, now)
		m.ResourceMutationInfo = now.ResourceMutationInfo
	// Nothing happened before, but paths may be protected.
	case was == api.MutationTypeNone, was == "":
		m = entered(old, now)
		m.ResourceMutationInfo = now.ResourceMutationInfo
	// Deleted and added again: together that replaces the resource.
	case was == api.MutationTypeDelete:
		m = entered(&api.ResourceMutation{}, now)
		m.ResourceMutationInfo = now.ResourceMutationInfo
		m.ResourceMutationInfo.MutationType = api.MutationTypeReplace
	default:
		m = entered(old, now)
		m.ResourceMutationInfo = old.ResourceMutationInfo
	}
	m.Resource = now.Resource
	m.Aliases, m.AliasesWithoutScopes = now.Names(), now.NamesWithoutScopes()
	if old != nil {
		m.ResourceMutationInfo.Protected = m.ResourceMutationInfo.Protected ||
			old.ResourceMutationInfo.Protected
		m.Aliases, m.AliasesWithoutScopes = union(old.Names(), m.Aliases),
			union(old.NamesWithoutScopes(), m.AliasesWithoutScopes)
	}
	return m
}

// union returns the union of two sets.
func union[K comparable](a, b map[K]struct{}) map[K]struct{} {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// movesOf returns how the list elements of a resource moved by a change in API form.
func movesOf(now *api.ResourceMutation) *elementMoves {
	r := &resourceChange{}
	for _, path := range sortedPaths(now.PathMutationMap) {
		r.paths = append(r.paths, &pathChange{
			path:   mutationpath.Parse(path),
			change: change{op: now.PathMutationMap[path].MutationType},
		})
	}
	for _, path := range slices.Sorted(maps.Keys(now.ArrayElementAliases)) {
		for _, old := range slices.Sorted(maps.Keys(now.ArrayElementAliases[path])) {
			r.renames = append(r.renames, elementRename{
				path: mutationpath.Parse(path), old: old,
				now: now.ArrayElementAliases[path][old],
			})
		}
	}
	return newElementMoves(r)
}

// entered combines the entries of old and now.
func entered(old, now *api.ResourceMutation) api.ResourceMutation {
	var m api.ResourceMutation
	moves := movesOf(now)
	tree := &mutationpath.PathTree{}
	for _, path := range slices.Sorted(maps.Keys(old.PathMutationMap)) {
		p, gone := moves.after(mutationpath.Parse(path))
		if !gone {
			tree.Put(p, old.PathMutationMap[path])
		}
	}
	for _, path := range sortedPaths(now.PathMutationMap) {
		before, info := mutationpath.Parse(path), now.PathMutationMap[path]
		p, gone := moves.after(before)
		if last := len(before) - 1; gone && info.MutationType == api.MutationTypeDelete &&
			before[last].Kind == mutationpath.ByDigest {
			continue // nothing is left of it
		} else if gone {
			p = before
		}
		if info.MutationType != api.MutationTypeNone {
			tree.Enter(p, info)
		}
	}
	m.PathMutationMap = api.MutationMap{}
	tree.Each(func(path mutationpath.Path, info api.MutationInfo) {
		m.PathMutationMap[api.ResolvedPath(path.String())] = info
	})
	m.ArrayOrders = enteredMap(old.ArrayOrders, now.ArrayOrders, moves)
	m.ArrayElementAliases = enteredMap(old.ArrayElementAliases, now.ArrayElementAliases, moves)
	for path, names := range m.ArrayElementAliases {
		m.ArrayElementAliases[path] = composed(aliasesAt(old.ArrayElementAliases, path), names)
	}
	return m
}

// enteredMap combines information about lists: the newest of each list that still exists.
func enteredMap[V any](
	old, now map[api.ResolvedPath]V, moves *elementMoves,
) map[api.ResolvedPath]V {
	var all map[api.ResolvedPath]V
	add := func(from map[api.ResolvedPath]V) {
		for _, path := range slices.Sorted(maps.Keys(from)) {
			p, gone := moves.after(mutationpath.Parse(path))
			if gone {
				continue
			}
			// The same path may have been written with other indexes before.
			for known := range all {
				if mutationpath.Parse(known).Canonical() == p.Canonical() {
					delete(all, known)
				}
			}
			if all == nil {
				all = map[api.ResolvedPath]V{}
			}
			all[api.ResolvedPath(p.String())] = from[path]
		}
	}
	add(old)
	add(now)
	return all
}

// aliasesAt returns the names recorded for the list at path, however the path is spelled.
func aliasesAt(of map[api.ResolvedPath]map[string]string, path api.ResolvedPath) map[string]string {
	for known, names := range of {
		if mutationpath.Parse(known).Canonical() == mutationpath.Parse(path).Canonical() {
			return names
		}
	}
	return nil
}

// composed maps every name that elements have had to their present name.
func composed(old, now map[string]string) map[string]string {
	all := maps.Clone(now)
	for first, second := range old {
		if third, ok := now[second]; ok {
			all[first] = third
		} else if _, again := all[first]; !again {
			all[first] = second
		}
	}
	maps.DeleteFunc(all, func(from, to string) bool { return from == to })
	return all
}
