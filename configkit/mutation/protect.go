package mutation

import (
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// protection says what may not be overwritten, based on the entries of all changes so far.
type protection struct {
	finder *finder[*resourceChange]
	// refuses reports whether the value of an entry may not be overwritten.
	refuses func(*change) bool
}

// newProtection returns the protection that entries describe. mayOverwrite decides about entries
// that are not protected themselves; nil allows all.
func newProtection(
	entries []*resourceChange,
	provider configkit.ResourceProvider,
	mayOverwrite func(api.MutationInfo) bool,
) *protection {
	p := &protection{finder: newChangeFinder(entries, provider)}
	p.refuses = func(c *change) bool {
		return c.protected || mayOverwrite != nil &&
			!mayOverwrite(api.MutationInfo{MutationType: c.op, Index: c.index})
	}
	return p
}

// protectedPaths is what is protected of one resource.
type protectedPaths struct {
	*protection
	entry *resourceChange // nil: nothing is known
}

// of returns what is protected of the resource of r.
func (p *protection) of(r *resourceChange) *protectedPaths {
	if p == nil {
		return &protectedPaths{}
	}
	i := p.finder.find(&r.resource, r.names)
	if i < 0 {
		return &protectedPaths{}
	}
	return &protectedPaths{protection: p, entry: p.finder.all[i]}
}

// whole reports whether nothing in the resource may be overwritten.
func (p *protectedPaths) whole() bool { return p.entry != nil && p.refuses(&p.entry.change) }

// any reports whether something in the resource may not be overwritten.
func (p *protectedPaths) any() bool {
	return p.entry != nil && slices.ContainsFunc(p.entry.paths, func(e *pathChange) bool {
		return p.refuses(&e.change)
	})
}

// protectedTree holds entries by path.
type protectedTree struct {
	entry    *change
	children map[string]*protectedTree
	refuses  bool // something here or below may not be overwritten
}

// unprotected drops changes to protected paths and reports them as conflicts. A change around a
// protected path is split.
func (w *resourcePatch) unprotected(paths []*pathChange, protected *protectedPaths) []*pathChange {
	if !protected.any() {
		return paths
	}
	// Arrange the entries in a tree, by their paths in the target. Nodes above a refused entry are
	// marked, too.
	tree := &protectedTree{}
	for _, e := range protected.entry.paths {
		node := tree
		refuses := protected.refuses(&e.change)
		for _, s := range w.placeOf(e.path) {
			node.refuses = node.refuses || refuses
			if node.children == nil {
				node.children = map[string]*protectedTree{}
			}
			if node.children[s] == nil {
				node.children[s] = &protectedTree{}
			}
			node = node.children[s]
		}
		node.entry, node.refuses = &e.change, node.refuses || refuses
	}
	var left []*pathChange
	for _, e := range paths {
		// The nearest entry at or above a path decides about it.
		node, nearest := tree, tree.entry
		for _, s := range w.placeOf(e.path) {
			if node = node.children[s]; node == nil {
				break
			}
			if node.entry != nil {
				nearest = node.entry
			}
		}
		switch {
		case nearest != nil && protected.refuses(nearest):
			w.conflicts.add(api.ConflictProtectedPath, w.change, e.path, e.change, nil)
		case node != nil && node.refuses:
			left = append(left, w.split(e, protected)...)
		default:
			left = append(left, e)
		}
	}
	return left
}

// placeOf returns path with the indexes of the target's elements, so that different names of one
// element compare equal. Segments that lead nowhere keep their name.
func (w *resourcePatch) placeOf(path mutationPath) []string {
	p := w.find(path)
	place := slices.Clone(p.segments)
	for _, s := range path[len(path)-p.missing:] {
		place = append(place, mutationPath{s}.canonical())
	}
	return place
}

// split breaks a change around protected paths into changes of single values and drops the
// protected ones. A list counts as one value.
func (w *resourcePatch) split(e *pathChange, protected *protectedPaths) []*pathChange {
	p := w.find(e.path)
	if p.value.Kind() != gaby.Map || e.op != api.MutationTypeDelete && e.value.Kind() != gaby.Map {
		w.conflicts.add(api.ConflictProtectedPath, w.change, e.path, e.change, nil)
		return nil
	}
	var pieces resourceChange
	d := differ{index: e.index, out: &pieces}
	value := e.value
	if e.op == api.MutationTypeDelete {
		value = gaby.Value{} // delete everything
	}
	d.path = slices.Clone(e.path)
	for c := p.value.First(); c.Exists(); c = c.Next() {
		d.below(mutationSegment{text: c.Key(), index: -1}, func() {
			if now := value.Get(c.Key()); now.Exists() {
				d.value(c, now, p.keys.Child(c.Key()))
			} else if e.op != api.MutationTypeAdd && !(e.op == api.MutationTypeUpdate &&
				e.merging) {
				d.delete(c)
			}
		})
	}
	for c := value.First(); c.Exists(); c = c.Next() {
		if !p.value.Get(c.Key()).Exists() {
			d.below(mutationSegment{text: c.Key(), index: -1}, func() { d.add(c) })
		}
	}
	return w.unprotected(pieces.paths, protected)
}
