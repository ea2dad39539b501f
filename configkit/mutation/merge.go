package mutation

import (
	"errors"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// Options says how a merge treats what the target has changed.
type Options struct {
	// NoSubtraction lets the source win where both sides changed something.
	NoSubtraction bool
	// KeepChanged keeps what the source deleted if the target changed something in it. Otherwise it
	// is deleted, which is right for merges into variants. Both ways report a conflict.
	KeepChanged bool
	// FindRenames detects resources and elements that the target has renamed, by their content.
	// Without it they count as deleted and added; use that if the target may hold what was never in
	// base.
	FindRenames bool
	// Bare writes values without their comments, and puts new keys and documents after what they
	// follow in the source.
	Bare bool
	// Protection says where the target's values came from. Protected values stay. Resources that
	// the target has renamed are found by the former names in it.
	Protection api.ResourceMutationList
	// MayOverwrite decides about entries of Protection that are not protected. Nil allows all.
	MayOverwrite func(api.MutationInfo) bool
	// Was holds the documents of the target, parsed a second time. It is needed only if their text
	// is not YAML.
	Was gaby.Container
}

// Merged is the result of a merge.
type Merged struct {
	Docs gaby.Container
	// Patch is what was applied to the target.
	Patch     api.ResourceMutationList
	Conflicts api.MutationConflictList
}

// Merge applies to target what source has changed since base. Changes made by the target stay,
// unless options say otherwise; if both sides changed the same value, that is a conflict. The
// target is edited in place, and keeps its text where nothing is applied. Repeating the merge
// changes nothing, whether with the same base or with source as base.
func Merge(
	base, source, target gaby.Container, provider configkit.ResourceProvider, options Options,
) (*Merged, error) {
	was := options.Was
	if was == nil {
		var err error
		if was, err = gaby.ParseAll(target.Bytes()); err != nil {
			return nil, yamlpath.Locate(err, nil)
		}
	}
	m := merger{provider: provider, options: options}
	once, err := m.units(base, source, was, target)
	if err != nil {
		return nil, err
	}
	return &Merged{
		Docs: once.docs, Patch: mutationsOf(once.patch, provider),
		Conflicts: once.conflicts.mutations(),
	}, nil
}

// units merges. was holds the documents of target, parsed a second time.
func (m *merger) units(base, source, was, target gaby.Container) (*mergedOnce, error) {
	entries, err := changesOf(m.options.Protection, m.provider)
	if err != nil {
		return nil, err
	}
	m.protection = newProtection(entries, m.provider, m.options.MayOverwrite)
	once, err := m.once(base, source, was, target)
	if err != nil {
		return nil, err
	}
	if !m.options.NoSubtraction {
		if err := m.settle(once); err != nil {
			return nil, err
		}
	}
	return once, once.keepEncrypted(m.options.NoSubtraction)
}

// DiffPatch applies the difference between original and modified to target, overriding what the
// target itself changed.
func DiffPatch(
	original, modified, target gaby.Container, provider configkit.ResourceProvider,
) (gaby.Container, api.MutationConflictList, error) {
	merged, err := Merge(original, modified, target, provider, Options{NoSubtraction: true})
	if err != nil {
		return nil, nil, err
	}
	return merged.Docs, merged.Conflicts, nil
}

// merger performs a three-way merge in three steps: it computes the changes of source and target
// since base, subtracts the latter from the former, and applies what is left to the target.
type merger struct {
	provider   configkit.ResourceProvider
	options    Options
	restore    bool // see patcher
	protection *protection
}

// mergedOnce is a merge that has not been settled yet.
type mergedOnce struct {
	docs      gaby.Container
	patch     []*resourceChange
	conflicts conflicts
	patcher   *patcher
	looked    []*mergedResource // resources with changed elements of lists without merge keys
	encrypted []*mergedResource // by SOPS
}

// mergedResource is a resource in all its states.
type mergedResource struct {
	change *resourceChange // of the source
	left   *resourceChange // what subtraction left of it
	own    *resourceChange
	now    *gaby.YamlDoc // in the target
	start  gaby.Mark     // of now, before the merge
}

// once merges without settling; see units.
func (m *merger) once(base, source, was, target gaby.Container) (*mergedOnce, error) {
	patch, err := diffUnits(base, source, m.provider, diffOptions{renames: true})
	own, errOwn := diffUnits(
		base, was, m.provider, diffOptions{
			renames: m.options.FindRenames, unchanged: true, former: m.protection.namesOf,
		},
	)
	if err := errors.Join(err, errOwn); err != nil {
		return nil, err
	}
	once := &mergedOnce{}
	p := &patcher{
		docs: target, provider: m.provider, protection: m.protection, conflicts: &once.conflicts,
		own: newResourceIndex(own, m.provider), respectOwn: !m.options.NoSubtraction,
		bare: m.options.Bare, restore: m.restore, targets: map[*gaby.YamlDoc]*gaby.YamlDoc{},
	}
	once.patcher = p
	p.source = source
	// was and target have the same documents at the same indexes.
	for i, doc := range was {
		p.targets[doc] = target[i]
	}
	s := subtraction{
		provider: m.provider, conflicts: &once.conflicts, keepChanged: m.options.KeepChanged,
	}
	for _, r := range patch {
		left, o := r, p.own.find(r)
		if o != nil && !m.options.NoSubtraction {
			left = s.resource(r, o)
		} else if o != nil && m.restore {
			left = afterMoves(r, o, m.provider.MergeKeys(r.resource.ResourceType))
		}
		if left == nil {
			continue
		}
		once.patch = append(once.patch, left)
		if o == nil || o.after == nil || left.op != api.MutationTypeUpdate &&
			left.op != api.MutationTypeNone {
			continue
		}
		now := p.targets[o.after]
		at := &mergedResource{change: r, left: left, own: o, now: now, start: now.Checkpoint()}
		if left.op == api.MutationTypeUpdate && inPlainLists(r) {
			once.looked = append(once.looked, at)
		}
		if at.isEncrypted() {
			once.encrypted = append(once.encrypted, at)
		}
	}
	once.docs, err = p.patch(once.patch)
	once.conflicts.dropKept()
	return once, err
}

// inPlainLists reports whether r changes elements of lists without merge keys.
func inPlainLists(r *resourceChange) bool {
	return slices.ContainsFunc(r.paths, func(e *pathChange) bool {
		return slices.ContainsFunc(e.path, mutationpath.Segment.HasDigest)
	})
}

// maxRounds bounds how often a merge is repeated to settle it. Outer lists settle before inner
// ones.
const maxRounds = 4

// settle ensures that repeating the merge changes nothing.
//
// Most merges have this property anyway: what the target already has is not applied again. Lists
// without merge keys are the exception. If both sides change the same region of such a list, the
// merged list may align with the base in another way than the target did, so that elements seem to
// be missing and are inserted once more.
// Such a list keeps the target's value, and that is a conflict.
func (m *merger) settle(once *mergedOnce) error {
	for _, r := range once.looked {
		for range maxRounds {
			lists, err := m.unsettled(r)
			if err != nil {
				return err
			}
			if len(lists) == 0 {
				break
			}
			if err := once.withhold(r, lists); err != nil {
				return yamlpath.Locate(err, &r.change.resource)
			}
		}
	}
	return nil
}

// unsettled repeats the merge of a resource, returns the lists that changes, and rolls it back.
func (m *merger) unsettled(r *mergedResource) ([]unsettledList, error) {
	now, err := gaby.ParseYAML([]byte(r.now.Content()))
	if err != nil {
		return nil, yamlpath.Locate(err, &r.change.resource)
	}
	// The document is merged in place, compared with a copy of its present text, and rolled back.
	mark := r.now.Checkpoint()
	defer r.now.Rollback(mark)
	base, source := gaby.Container{r.change.before}, gaby.Container{r.change.after}
	if _, err := m.once(base, source, gaby.Container{now}, gaby.Container{r.now}); err != nil {
		return nil, err
	}
	keys := m.provider.MergeKeys(r.change.resource.ResourceType)
	return unsettledLists(nil, now.Value(), r.now.Value(), r.own.after.Value(), keys, nil), nil
}

// withhold merges a resource again without the changes to some lists.
func (once *mergedOnce) withhold(r *mergedResource, lists []unsettledList) error {
	held := &pathTree{}
	for _, l := range lists {
		held.Put(l.path, &pathChange{path: l.path})
	}
	inside := func(path mutationpath.Path) bool {
		_, covering := held.Find(path)
		return covering != nil
	}
	// Drop the changes at and below the lists.
	left := *r.left
	left.whole = nil
	left.paths = slices.DeleteFunc(slices.Clone(left.paths), func(e *pathChange) bool {
		return inside(e.path)
	})
	left.orders = slices.DeleteFunc(slices.Clone(left.orders), func(o arrayOrder) bool {
		return inside(o.path)
	})
	left.renames = slices.DeleteFunc(slices.Clone(left.renames), func(o elementRename) bool {
		return inside(o.path)
	})
	*r.left = left
	r.now.Rollback(r.start)
	p := once.quiet()
	if err := p.work(r.left, r.now, r.own).apply(r.left, p.protected(r.left, r.own)); err != nil {
		return err
	}
	reported := map[string]bool{} // lists
	for _, c := range once.conflicts.list {
		if c.reason == api.ConflictArrayReordered && c.resource == r.change.resource {
			reported[c.path.Canonical()] = true
		}
	}
	for _, list := range lists {
		// A later round may find the same list again.
		if !reported[list.path.Canonical()] {
			update := change{op: api.MutationTypeUpdate, value: list.again}
			once.conflicts.add(api.ConflictArrayReordered, r.change, list.path, update, nil)
		}
		segments := list.path.Segments()
		if v := r.now.Search(segments...).Value(); v.Kind() == gaby.List && !v.Equal(list.was) {
			// The list changed together with something around it.
			if _, err := r.now.Set(list.was, segments...); err != nil {
				return err
			}
		}
	}
	return nil
}

// unsettledList is a list that another merge would change.
type unsettledList struct {
	path  mutationpath.Path // with the elements' indexes
	was   gaby.Value
	again gaby.Value
}

// unsettledLists returns the lists without merge keys, at or below path, that differ between the
// merge (now) and its repetition (again), with their value in the target (was).
func unsettledLists(
	path mutationpath.Path,
	now, again, was gaby.Value,
	keys *configkit.MergeKeyTree,
	found []unsettledList,
) []unsettledList {
	if now.Kind() != again.Kind() || now.Kind() != was.Kind() {
		return found
	}
	switch now.Kind() {
	case gaby.Map:
		for _, c := range elements(now) {
			x, y := again.Get(c.Key()), was.Get(c.Key())
			if x.Exists() && y.Exists() {
				found = unsettledLists(
					path.Child(mutationpath.Key(c.Key())), c, x, y,
					keys.Child(c.Key()), found,
				)
			}
		}
	case gaby.List:
		keyed, ok := mutationpath.KeyedLists(keys, now, again, was)
		if !ok {
			if !now.Equal(again) {
				found = append(found, unsettledList{path, was, detached(again)})
			}
			return found
		}
		for i, c := range elements(now) {
			id := keyed[0].IDs[i]
			x, inAgain := keyed[1].At[id]
			y, inTarget := keyed[2].At[id]
			if inAgain && inTarget {
				found = unsettledLists(
					path.Child(mutationpath.Element(id, i)), c,
					again.Index(x), was.Index(y), keys.Child("*"), found,
				)
			}
		}
	}
	return found
}

// detached returns a copy of v that does not change with its document.
func detached(v gaby.Value) gaby.Value {
	doc, err := gaby.ParseYAML([]byte(valueText(v)))
	if err != nil {
		return v
	}
	return doc.Value()
}
