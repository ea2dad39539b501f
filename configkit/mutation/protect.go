package mutation

import (
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
)

// protection says what may not be overwritten, based on the entries of all changes so far. An entry
// decides about its path and everything below it, except where a deeper entry decides.
type protection struct {
	entries []*resourceChange
	finder  *finder // of entries
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
	if i := p.finder.exactly(r); i >= 0 {
		return p.entries[i].names
	}
	return nil
}

// refuses reports whether the value of an entry may not be overwritten.
func (p *protection) refuses(c *change) bool {
	return c.protected || p.mayOverwrite != nil &&
		!p.mayOverwrite(api.MutationInfo{MutationType: c.op, Index: c.index})
}

// protectedPaths is what is protected of one resource.
type protectedPaths struct {
	whole bool // nothing in the resource may be overwritten
	paths []*pathChange
	// refused are those of paths that may not be overwritten.
	refused map[*pathChange]bool
}

// of returns what is protected of the resource of r.
func (p *protection) of(r *resourceChange) *protectedPaths {
	protected := &protectedPaths{refused: map[*pathChange]bool{}}
	if p == nil {
		return protected
	}
	i := p.finder.find(&r.resource, r.names)
	if i < 0 {
		return protected
	}
	protected.whole, protected.paths = p.refuses(&p.entries[i].change), p.entries[i].paths
	for _, e := range protected.paths {
		if p.refuses(&e.change) {
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
	entries, refused := &pathTree{}, &pathTree{}
	for _, e := range protected.paths {
		at := &pathChange{path: w.targetPath(e.path), change: e.change}
		if entries.put(at); protected.refused[e] {
			refused.put(at)
		}
	}
	var left []*pathChange
	for _, e := range paths {
		path := w.targetPath(e.path)
		_, nearest := entries.find(path)
		node, nearestRefused := refused.find(path)
		switch {
		case nearestRefused != nil && len(nearestRefused.path) == len(nearest.path):
			w.conflicts.add(api.ConflictProtectedPath, w.change, e.path, e.change, nil)
		case node != nil:
			left = append(left, w.split(e, protected)...)
		default:
			left = append(left, e)
		}
	}
	return left
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
// protected ones. A list counts as one value.
func (w *resourcePatch) split(e *pathChange, protected *protectedPaths) []*pathChange {
	p := w.find(e.path)
	if p.value.Kind() != gaby.Map || e.op != api.MutationTypeDelete && e.value.Kind() != gaby.Map {
		w.conflicts.add(api.ConflictProtectedPath, w.change, e.path, e.change, nil)
		return nil
	}
	var parts resourceChange
	d := differ{index: e.index, out: &parts, path: slices.Clone(e.path)}
	value := e.value
	if e.op == api.MutationTypeDelete {
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
