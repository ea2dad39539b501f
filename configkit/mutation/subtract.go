package mutation

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
	"github.com/fctl-dev/fctl/internal/lines"
)

// namespaceField is a field whose change in the target is not reported when the source deletes the
// resource: namespaces are set by placing a resource, nobody's work is lost.
const namespaceField = "metadata.namespace"

// conflicts collects what a merge could not do.
type conflicts struct {
	list []conflict
}

// conflict is an api.MutationConflict before its values are formatted.
type conflict struct {
	reason   api.ConflictReason
	resource api.ResourceInfo
	path     mutationpath.Path
	source   change
	target   *change
	of       *resourceChange   // the change of the source
	mine     mutationpath.Path // its path in the target, if different
	element  string            // for a rename: the name of the element in the base
}

// add adds a conflict about the change of r at path and returns it, to be completed before the next
// one is added. target is the target's change, or nil.
func (c *conflicts) add(
	reason api.ConflictReason, r *resourceChange, path mutationpath.Path,
	source change, target *change,
) *conflict {
	c.list = append(c.list, conflict{
		reason: reason, resource: r.resource, path: path, source: source, target: target, of: r,
	})
	return &c.list[len(c.list)-1]
}

// mutations returns the conflicts in their API form.
func (c *conflicts) mutations() api.MutationConflictList {
	list := make(api.MutationConflictList, len(c.list))
	for i := range c.list {
		list[i] = c.list[i].Mutation()
	}
	return list
}

// Mutation returns the conflict in its API form.
func (c *conflict) Mutation() api.MutationConflict {
	m := api.MutationConflict{
		Reason: c.reason, Resource: c.resource, Path: api.ResolvedPath(c.path.String()),
		Source: c.source.infoOf(c.of.text(c.source.value), false),
	}
	if c.target != nil {
		info := c.target.infoOf(c.of.text(c.target.value), false)
		m.Target = &info
	}
	return m
}

// subtraction removes from a patch what the target has decided for itself.
//
// Both sides have changed the base. For each change of the source, this decides which side wins:
//
//   - The target did not touch the path: the change is applied.
//   - Both made the same change: there is nothing left to do.
//   - Both changed the same value, or the target changed something around it: the target wins, and
//     that is a conflict. Only the lines of a text are merged if they do not overlap.
//   - The target changed something below: the source's value is set, and then the target's changes
//     inside it again. With keepChanged the target wins.
//   - The source deletes what the target changed: by default it is deleted and the loss reported.
//     With keepChanged it stays, and that is the conflict.
type subtraction struct {
	provider  configkit.ResourceProvider
	conflicts *conflicts
	// keepChanged keeps what the source deleted if the target changed something in it.
	keepChanged bool
	// moved and movedByTarget are the values that the source and the target moved in the current
	// resource. They are set only with keepChanged.
	moved, movedByTarget map[string]movedValue
	// The paths to which the source moved values that do not come back.
	back *pathTree
}

// resource subtracts the target's changes of one resource. It returns nil if nothing is left.
func (s *subtraction) resource(p, own *resourceChange) *resourceChange {
	isDelete := p.op == api.MutationTypeDelete
	switch {
	case own.op == api.MutationTypeNone || p.op == api.MutationTypeNone:
		return p
	// What the target deleted stays deleted.
	case own.op == api.MutationTypeDelete:
		if !isDelete && !(s.keepChanged && p.onlyDeletes()) {
			s.conflicts.add(api.ConflictSubtracted, p, nil, p.change, &own.change)
		}
		return nil
	// What the target replaced is entirely its own.
	case own.op == api.MutationTypeReplace:
		s.conflicts.add(api.ConflictSubtracted, p, nil, p.change, &own.change)
		return nil
	// The target's changes inside the resource would be lost, which is a conflict.
	case isDelete:
		shadowed := s.shadowed(p, nil, own.paths, p.change)
		for _, r := range own.renames {
			s.shadowedRename(p, r, p.change)
			shadowed = true
		}
		if shadowed && s.keepChanged {
			return nil
		}
		return p
	case p.op == api.MutationTypeReplace:
		return p
	case p.op == api.MutationTypeAdd && own.op == api.MutationTypeAdd:
		return s.bothAdded(p, own)
	case p.op == api.MutationTypeAdd:
		return p // the target has it, although the base does not
	}
	q := *p
	q.whole, q.paths, q.orders, q.renames = nil, nil, nil, nil
	if s.keepChanged {
		keys := s.provider.MergeKeys(p.resource.ResourceType)
		s.moved, s.movedByTarget, s.back = movedValues(p, keys), movedValues(own, keys), &pathTree{}
	}
	s.paths(&q, p, own)
	s.subtractMoved(&q, p, own)
	s.renames(&q, p, own)
	ordered := map[string]arrayOrder{} // by list
	for _, t := range slices.Backward(own.orders) {
		ordered[t.path.Canonical()] = t
	}
	renames := renamesByList(own.renames)
	for _, o := range p.orders {
		// Both sides ordered the list: combine the orders, using the target's names.
		list := o.path.Canonical()
		if t, ok := ordered[list]; ok {
			o.keys = mutationpath.Weave(renamedKeys(o.keys, renames[list]), t.keys)
		}
		q.orders = append(q.orders, o)
	}
	q.settle()
	return &q
}

// bothAdded turns a resource that both sides added into an update with the leaves that the target
// lacks. Where both have a value, the target's stays.
func (s *subtraction) bothAdded(p, own *resourceChange) *resourceChange {
	var r resourceChange
	d := differ{index: p.index}
	d.diff(&r, own.value, p.value, s.provider.MergeKeys(p.resource.ResourceType))
	q := *p
	q.op, q.value, q.paths, q.whole = api.MutationTypeUpdate, gaby.Value{}, nil, nil
	reported := map[string]bool{} // lists
	both := &follower{
		base: own.value, text: p.value, keys: s.provider.MergeKeys(p.resource.ResourceType),
		known: map[string]*level{},
	}
	for _, e := range r.paths {
		if n := slices.IndexFunc(e.path, mutationpath.Segment.HasDigest); n >= 0 {
			list := e.path[:n] // a list counts as one value
			if text := list.Canonical(); !reported[text] {
				reported[text] = true
				m, _ := both.find(list, "", true)
				s.conflicts.add(
					api.ConflictBothAdded, p, list,
					change{op: api.MutationTypeUpdate, value: m.value},
					&change{op: api.MutationTypeAdd, value: m.base},
				)
			}
			continue
		}
		switch e.op {
		case api.MutationTypeAdd:
			q.paths = append(q.paths, e)
		case api.MutationTypeUpdate:
			s.conflicts.add(
				api.ConflictBothAdded, p, e.path, e.change,
				&change{op: api.MutationTypeAdd, value: e.old},
			)
		}
	}
	sortElements(q.paths)
	q.settle()
	return &q
}

// sortElements sorts the elements that are added to the same list by path, since no order is known.
// All other entries keep their positions.
func sortElements(paths []*pathChange) {
	indexes := map[string][]int{} // by list
	for i, e := range paths {
		if n := len(e.path) - 1; e.path[n].Kind == mutationpath.ByKey {
			list := e.path[:n].Canonical()
			indexes[list] = append(indexes[list], i)
		}
	}
	all := slices.Clone(paths)
	for _, from := range indexes {
		to := slices.Clone(from)
		slices.SortFunc(from, func(a, b int) int {
			return strings.Compare(all[a].path.String(), all[b].path.String())
		})
		for k := range to {
			paths[to[k]] = all[from[k]]
		}
	}
}

// paths subtracts path by path.
func (s *subtraction) paths(q, p, own *resourceChange) {
	tree := newPathTree(own.paths)
	for _, e := range p.paths {
		if e.op == api.MutationTypeNone {
			continue
		}
		node, covering := tree.Find(e.path)
		if covering != nil {
			// The target changed the same path or something around it. That is fine if both changes
			// are the same, or if their lines can be merged.
			if len(covering.path) != len(e.path) || !e.sameChange(&covering.change) {
				if merged, ok := e.mergeText(covering); ok {
					q.paths = append(q.paths, merged)
					continue
				}
				s.conflicts.add(
					api.ConflictSubtracted, p, e.path, e.change, s.against(covering),
				).mine = s.movedTo(covering, e.path)
			}
			continue
		}
		// The target may also have changed something below the path.
		below := node.Below(nil)
		if e.removes() || s.keepChanged && len(below) > 0 {
			if !s.shadowed(p, e.path, below, e.change) || !s.keepChanged {
				q.paths = append(q.paths, e)
			}
			continue
		}
		q.paths = append(q.paths, e)
		q.paths = append(q.paths, below...) // applied again on top
	}
}

// onlyDeletes reports whether all that happened to the resource is that something in it was
// deleted.
func (r *resourceChange) onlyDeletes() bool {
	return r.op == api.MutationTypeUpdate && len(r.renames) == 0 &&
		!slices.ContainsFunc(r.paths, func(e *pathChange) bool {
			return e.op != api.MutationTypeDelete
		})
}

// shadowed reports the target's changes inside something that the source deletes, and returns
// whether there were any. With keepChanged, a deletion by the target is not a reason to keep the
// value, unless the source moved it: then it would come back.
func (s *subtraction) shadowed(
	p *resourceChange, from mutationpath.Path, own []*pathChange, source change,
) (found bool) {
	to, isMoved := s.moved[from.Canonical()]
	for _, o := range own {
		switch {
		case o.op == api.MutationTypeNone:
		case isMoved:
			s.conflicts.add(
				s.shadow(), p, to.to,
				change{op: api.MutationTypeAdd, index: p.index, value: to.value}, &o.change,
			).mine = o.path
			s.back.Put(to.to, &pathChange{path: to.to, change: source})
			found = true
		case s.keepChanged && o.op == api.MutationTypeDelete:
		case !s.keepChanged && o.path.Canonical() == namespaceField:
		default:
			s.conflicts.add(s.shadow(), p, o.path, source, &o.change).mine = o.path
			found = true
		}
	}
	return found
}

// shadowedRename reports that the target renamed an element inside something that the source
// deletes.
func (s *subtraction) shadowedRename(p *resourceChange, own elementRename, source change) {
	mine := own.change(0)
	s.conflicts.add(s.shadow(), p, own.path, source, &mine).element = own.old
}

// change returns a rename as the update of a name, as conflicts report it.
func (r elementRename) change(index int) change {
	c := change{op: api.MutationTypeUpdate, index: index}
	c.value, _ = stringValue(r.now)
	return c
}

// shadow returns the reason of a conflict about something that the source deletes.
func (s *subtraction) shadow() api.ConflictReason {
	if s.keepChanged {
		return api.ConflictSubtracted
	}
	return api.ConflictDeleteShadowed
}

// sameChange reports whether two changes at one path have the same result.
func (c *change) sameChange(o *change) bool {
	if c.op == api.MutationTypeDelete || o.op == api.MutationTypeDelete {
		return c.op == o.op
	}
	return c.value.Equal(o.value)
}

// removes reports whether a change leaves nothing at its path: null is another way to remove.
func (c *change) removes() bool {
	return c.op == api.MutationTypeDelete || c.op == api.MutationTypeUpdate && c.value.IsNull()
}

// isImage reports whether the key of a value says that it is an image, or one of several images.
func (p *pathChange) isImage() bool {
	for _, s := range slices.Backward(p.path) {
		if s.Kind == mutationpath.MapKey {
			key := strings.ToLower(s.Text)
			return strings.HasSuffix(key, "image") || strings.HasSuffix(key, "images")
		}
	}
	return false
}

// mergeText merges the lines of a text, or the parts of an image, that both sides changed.
func (p *pathChange) mergeText(own *pathChange) (*pathChange, bool) {
	if len(p.path) != len(own.path) || p.op != api.MutationTypeUpdate ||
		own.op != api.MutationTypeUpdate {
		return nil, false
	}
	base := p.base()
	if again := own.base(); !base.Exists() || again.Exists() && !again.Equal(base) {
		return nil, false // the texts started out different
	}
	value, ok := mergeTexts(base, p.value, own.value)
	if !ok && p.isImage() {
		value, ok = mergeImages(base, p.value, own.value)
	}
	if !ok {
		return nil, false
	}
	merged := *p
	merged.value, merged.patch = value, ""
	return &merged, true
}

// base returns the old value of an update, if it is known or can be recovered from the patch.
func (c *change) base() gaby.Value {
	if c.old.Exists() || !strings.HasPrefix(c.patch, "@@") || !isString(c.value) {
		return c.old
	}
	text, err := lines.Revert(c.patch, c.value.Text())
	if err != nil {
		return gaby.Value{}
	}
	v, _ := stringValue(text)
	return v
}

// renames subtracts the renames of elements.
func (s *subtraction) renames(q, p, own *resourceChange) {
	deleted, renamed := newDeletedElements(own.paths), renamesByList(own.renames)
	for _, r := range p.renames {
		of := renamed[r.path.Canonical()]
		if i := slices.IndexFunc(of, func(o elementRename) bool { return o.old == r.old }); i >= 0 {
			if mine := of[i].change(own.index); of[i].now != r.now {
				s.conflicts.add(
					api.ConflictSubtracted, p, r.path, r.change(p.index), &mine,
				).element = r.old
			}
			continue
		}
		if gone := deleted.of(r); gone != nil {
			s.conflicts.add(
				api.ConflictSubtracted, p, r.path, r.change(p.index), &gone.change,
			).element = r.old
			continue
		}
		q.renames = append(q.renames, r)
	}
	deleted = newDeletedElements(p.paths)
	kept := map[*pathChange]bool{}
	for _, r := range own.renames {
		if gone := deleted.of(r); gone != nil {
			s.shadowedRename(p, r, gone.change)
			kept[gone] = s.keepChanged
		}
	}
	q.paths = slices.DeleteFunc(q.paths, func(e *pathChange) bool { return kept[e] })
}

// renamesByList groups renames by the path of the list.
func renamesByList(renames []elementRename) map[string][]elementRename {
	all := map[string][]elementRename{}
	for _, r := range renames {
		all[r.path.Canonical()] = append(all[r.path.Canonical()], r)
	}
	return all
}

// renamedKeys returns keys with the target's names for elements that the target renamed.
func renamedKeys(keys []string, renames []elementRename) []string {
	keys = slices.Clone(keys)
	for _, r := range renames {
		if slices.Contains(keys, r.now) {
			continue
		}
		if i := slices.Index(keys, r.old); i >= 0 {
			keys[i] = r.now
		}
	}
	return keys
}
