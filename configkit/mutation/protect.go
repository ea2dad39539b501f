package mutation

import (
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/finder"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
)

// protection says what may not be overwritten, based on the entries of all changes so far. An entry
// decides about its path and everything below it, except where a deeper entry decides.
//
// A protected entry keeps its value. mayOverwrite is about values that are the target's own. Where
// they differ from the base, subtraction decides, as in a merge without protection. So mayOverwrite
// counts for what looks unchanged, such as a value that was set back, and for what the source deletes
// together with something around it.
type protection struct {
	entries []*resourceChange
	finder  *finder.Finder // of entries
	// mayOverwrite decides about entries that are not protected themselves; nil allows all.
	mayOverwrite func(api.MutationInfo) bool
}

// newProtection returns the protection that entries describe, or nil if there are no entries.
func newProtection(
	entries []*resourceChange,
	provider configkit.ResourceProvider,
	mayOverwrite func(api.MutationInfo) bool,
) *protection {
	if len(entries) == 0 {
		return nil
	}
	return &protection{entries, newChangeFinder(entries, provider), mayOverwrite}
}

// namesOf returns all names that a resource of the target has had.
func (p *protection) namesOf(r *api.ResourceInfo) []api.ResourceName {
	if p == nil {
		return nil
	}
	if i := p.finder.Exactly(r); i >= 0 {
		return p.entries[i].names
	}
	return nil
}

// refuses reports whether mayOverwrite refuses to overwrite the value of an entry.
func (p *protection) refuses(c *change) bool {
	return p.mayOverwrite != nil &&
		!p.mayOverwrite(api.MutationInfo{MutationType: c.op, Index: c.index})
}

// protectedPaths is what is protected of one resource.
type protectedPaths struct {
	whole bool // nothing in the resource may be overwritten
	paths []*pathChange
	// refused are those of paths that may not be overwritten.
	refused map[*pathChange]bool
}

// protected returns what is protected of the resource of r. own is what the target changed in it, or
// nil.
func (p *patcher) protected(r, own *resourceChange) *protectedPaths {
	protected := &protectedPaths{refused: map[*pathChange]bool{}}
	if p.protection == nil {
		return protected
	}
	i := p.protection.finder.Find(&r.resource, r.names)
	if i < 0 {
		return protected
	}
	e := p.protection.entries[i]
	added := p.respectOwn && own != nil && own.op == api.MutationTypeAdd // subtraction decided
	refuses := func(c *change) bool { return c.protected || !added && p.protection.refuses(c) }
	protected.whole, protected.paths = refuses(&e.change), e.paths
	for _, e := range protected.paths {
		if refuses(&e.change) {
			protected.refused[e] = true
		}
	}
	return protected
}

// unprotected drops changes to protected paths and reports them as conflicts. A change around a
// protected path is split.
func (w *resourcePatch) unprotected(paths []*pathChange, protected *protectedPaths) []*pathChange {
	if len(protected.refused) == 0 {
		return paths
	}
	// The nearest entry at or above a path decides about it. Of several entries that lead to the
	// same value in the target, a refused one counts.
	entries, refused, kept := &pathTree{}, &pathTree{}, &pathTree{}
	for _, e := range protected.paths {
		at := &pathChange{path: w.targetPath(e.path), change: e.change}
		entries.Put(at.path, at)
		if !protected.refused[e] {
			continue
		}
		changed, sets := w.changedByTarget(at.path)
		if e.protected || !changed {
			refused.Put(at.path, at)
		}
		if e.protected || !changed || sets {
			kept.Put(at.path, at)
		}
	}
	var left []*pathChange
	for _, e := range paths {
		path, tree := w.targetPath(e.path), refused
		if e.removes() {
			tree = kept // subtraction lets all deletions go ahead
		}
		_, nearest := entries.Find(path)
		node, nearestRefused := tree.Find(path)
		switch {
		case nearestRefused != nil && len(nearestRefused.path) == len(nearest.path):
			w.refuse(e)
		case node != nil:
			left = append(left, w.split(e, protected)...)
		default:
			left = append(left, e)
		}
	}
	return left
}

// changedByTarget reports whether the target changed something at, around or below a path of its own,
// so that subtraction has decided about it, and whether it did more than delete.
func (w *resourcePatch) changedByTarget(path mutationpath.Path) (changed, sets bool) {
	if w.ownPaths == nil {
		return false, false
	}
	if w.ownAt == nil {
		w.ownAt = &pathTree{}
		for _, e := range w.own.paths {
			if e.op != api.MutationTypeNone {
				to := w.targetPath(e.path)
				w.ownAt.Put(to, &pathChange{path: to, change: e.change})
			}
		}
	}
	node, covering := w.ownAt.Find(path)
	all := node.Below(nil)
	if covering != nil {
		all = append(all, covering)
	}
	return len(all) > 0, slices.ContainsFunc(all, func(e *pathChange) bool {
		return e.op != api.MutationTypeDelete
	})
}

// refuse reports a change to a protected path.
func (w *resourcePatch) refuse(e *pathChange) {
	w.conflicts.add(api.ConflictProtectedPath, w.change, e.path, e.change, nil)
	if last := len(e.path) - 1; e.op == api.MutationTypeDelete && last > 0 {
		if w.kept == nil {
			w.kept = map[string]bool{}
		}
		w.kept[e.path[:last].Canonical()] = true
	}
}

// targetPath returns path with the indexes of the target's elements, so that different names of one
// element compare equal. Segments that lead nowhere keep their name.
func (w *resourcePatch) targetPath(path mutationpath.Path) mutationpath.Path {
	at := w.find(path)
	var p mutationpath.Path
	for _, s := range at.segments {
		p = append(p, mutationpath.Key(s))
	}
	return append(p, path[len(path)-at.missing:]...)
}

// split breaks a change around protected paths into changes of single values and drops the
// protected ones. A list counts as one value, and so does an element that is to be deleted: without
// its name, the rest would be another element.
func (w *resourcePatch) split(e *pathChange, protected *protectedPaths) []*pathChange {
	p := w.find(e.path)
	isDelete := e.op == api.MutationTypeDelete
	if p.value.Kind() != gaby.Map || isDelete && p.inList ||
		!isDelete && e.value.Kind() != gaby.Map {
		w.refuse(e)
		return nil
	}
	var parts resourceChange
	d := differ{index: e.index, out: &parts, path: slices.Clone(e.path)}
	value := e.value
	if isDelete {
		value = gaby.Value{} // delete everything
	}
	keeps := e.op == api.MutationTypeAdd || e.op == api.MutationTypeUpdate && e.merging
	for _, c := range elements(p.value) {
		d.below(mutationpath.Key(c.Key()), func() {
			if now := value.Get(c.Key()); now.Exists() {
				d.value(c, now, p.keys.Child(c.Key()))
			} else if !keeps {
				d.entry(api.MutationTypeDelete, c, gaby.Value{})
			}
		})
	}
	for _, c := range elements(value) {
		if !p.value.Get(c.Key()).Exists() {
			d.below(mutationpath.Key(c.Key()), func() { d.add(c) })
		}
	}
	return w.unprotected(parts.paths, protected)
}

// dropKept drops conflicts about values that would have been lost in a deletion, but are protected
// from it.
func (c *conflicts) dropKept() {
	kept := map[api.ResourceInfo]*pathTree{}
	for _, one := range c.list {
		if one.reason == api.ConflictProtectedPath {
			if kept[one.resource] == nil {
				kept[one.resource] = &pathTree{}
			}
			kept[one.resource].Put(one.path, &pathChange{path: one.path, change: one.source})
		}
	}
	c.list = slices.DeleteFunc(c.list, func(one conflict) bool {
		tree := kept[one.resource]
		if tree == nil || one.reason != api.ConflictDeleteShadowed {
			return false
		}
		_, covering := tree.Find(one.path)
		return covering != nil
	})
}

// Undecided returns the conflicts that people have to decide: not the ones in which the target keeps
// a protected value. Conflicts about lost values remain.
func Undecided(
	list api.MutationConflictList, protection api.ResourceMutationList,
	provider configkit.ResourceProvider,
) (api.MutationConflictList, error) {
	if len(list) == 0 {
		return list, nil
	}
	entries, err := changesOf(protection, provider)
	if err != nil {
		return nil, err
	}
	find := newChangeFinder(entries, provider)
	trees := map[int]*pathTree{} // by index of the entry
	return slices.DeleteFunc(slices.Clone(list), func(c api.MutationConflict) bool {
		if c.Reason.Loses() || c.Reason == api.ConflictUnresolvedPath {
			return false
		}
		resource := completed(c.Resource, provider)
		i := find.Find(&resource, nil)
		if i < 0 {
			return false
		}
		if trees[i] == nil {
			trees[i] = &pathTree{}
			for _, e := range entries[i].paths {
				trees[i].Put(e.path, e)
			}
		}
		if _, nearest := trees[i].Find(mutationpath.Parse(c.Path)); nearest != nil {
			return nearest.protected
		}
		return entries[i].protected
	}), nil
}
