package mutation

import (
	"errors"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
	"github.com/fctl-dev/fctl/configkit/yamlpath"
)

// patcher applies changes to a unit.
//
// All resources are found before any of them is changed, because a change may rename a resource.
// Documents are edited in place; deleted documents are left out and added ones appended at the end.
// Whatever has no counterpart in the target becomes a conflict, never an error: errors mean that a
// document cannot be read or written.
type patcher struct {
	docs       gaby.Container
	provider   configkit.ResourceProvider
	protection *protection
	conflicts  *conflicts
	own        *resourceIndex // what the target changed; nil if unknown
	respectOwn bool
	// bare writes values without their comments, and puts new keys and documents after what they
	// follow in the source.
	bare   bool
	source gaby.Container
	// restore brings back what the target deleted and the source changed.
	restore bool
	// targets maps, in a merge, the documents of own to those of the target; nil otherwise.
	targets map[*gaby.YamlDoc]*gaby.YamlDoc
	// positional lets elements without a key be found by their index.
	positional bool

	known    []Document
	finder   *finder                           // of known
	assigned map[*resourceChange]*gaby.YamlDoc // documents in known
	gone     map[*gaby.YamlDoc]bool
	added    gaby.Container
	sourceOf map[*gaby.YamlDoc]*gaby.YamlDoc // the source's documents, by added document
	problems []error
}

// patch applies all changes and returns the documents.
func (p *patcher) patch(changes []*resourceChange) (gaby.Container, error) {
	var err error
	if p.known, err = Documents(p.docs, p.docs, p.provider); err != nil {
		return nil, err
	}
	p.finder = newDocumentFinder(p.known, p.provider)
	all := make([]wanted, len(changes))
	for i, r := range changes {
		all[i] = wanted{&r.resource, r.names, r.op == api.MutationTypeAdd}
	}
	p.assigned = map[*resourceChange]*gaby.YamlDoc{}
	for i, at := range p.finder.assign(all, true) {
		if at >= 0 {
			p.assigned[changes[i]] = p.known[at].YamlDoc
		}
	}
	p.gone, p.sourceOf = map[*gaby.YamlDoc]bool{}, map[*gaby.YamlDoc]*gaby.YamlDoc{}
	for _, r := range changes {
		p.resource(r)
	}
	if err := errors.Join(p.problems...); err != nil {
		return nil, err
	}
	docs := slices.DeleteFunc(slices.Clone(p.docs), func(d *gaby.YamlDoc) bool { return p.gone[d] })
	if p.bare {
		return p.withAdded(docs)
	}
	return append(docs, p.added...), nil
}

// withAdded inserts the added documents after the documents they follow in the source.
func (p *patcher) withAdded(docs gaby.Container) (gaby.Container, error) {
	known, err := Documents(p.source, p.source, p.provider)
	if err != nil {
		return nil, err
	}
	of := map[*gaby.YamlDoc]*gaby.YamlDoc{} // by document of the source: the target's document
	for _, d := range p.added {
		of[p.sourceOf[d]] = d
	}
	follow := map[*gaby.YamlDoc]gaby.Container{} // by document of the target: what follows it
	var last *gaby.YamlDoc                       // that is not new
	for _, d := range known {
		target := of[d.YamlDoc]
		if target != nil {
			follow[last] = append(follow[last], target)
		} else if i := p.finder.find(&d.Info, nil); i >= 0 && !p.gone[p.known[i].YamlDoc] {
			last = p.known[i].YamlDoc
		}
	}
	all := slices.Clone(follow[nil])
	for _, d := range docs {
		all = append(append(all, d), follow[d]...)
	}
	return all, nil
}

// target returns the document that r is about, or nil.
func (p *patcher) target(r *resourceChange, own *resourceChange) *gaby.YamlDoc {
	if p.targets != nil && own != nil {
		return p.targets[own.after] // nil if the target deleted it
	}
	if doc := p.assigned[r]; doc != nil && !p.gone[doc] {
		return doc
	}
	return nil
}

// resource applies the change of one resource, unless it is protected. Problems and conflicts are
// collected.
func (p *patcher) resource(r *resourceChange) {
	if r.op == api.MutationTypeNone {
		return
	}
	var own *resourceChange
	if p.own != nil {
		own = p.own.find(r)
	}
	protected := p.protection.of(r)
	if protected.whole {
		p.conflicts.add(api.ConflictProtectedPath, r, nil, r.change, nil)
		return
	}
	doc := p.target(r, own)
	var err error
	switch {
	case r.op == api.MutationTypeDelete:
		if doc != nil {
			p.gone[doc] = true
		}
	case r.op == api.MutationTypeAdd, r.op == api.MutationTypeReplace:
		err = p.setResource(r, doc, protected)
	case doc != nil:
		err = p.work(r, doc, own).apply(r, protected)
	// The target deleted a resource that the source changed: bring it back as a whole.
	case p.restore && r.after != nil:
		r.value = r.after.Value()
		err = p.setResource(r, nil, protected)
	default:
		p.conflicts.add(api.ConflictUnresolvedPath, r, nil, r.change, nil)
		for _, e := range r.paths {
			p.conflicts.add(api.ConflictUnresolvedPath, r, e.path, e.change, nil)
		}
	}
	if err != nil {
		p.problems = append(p.problems, yamlpath.Locate(err, &r.resource))
	}
}

// work prepares the change of a resource.
func (p *patcher) work(r *resourceChange, doc *gaby.YamlDoc, own *resourceChange) *resourcePatch {
	w := &resourcePatch{
		patcher: p, change: r, doc: doc, own: own,
		keys:    p.provider.MergeKeys(r.resource.ResourceType),
		aligned: map[string][]int{}, digests: map[string][]mutationpath.Segment{},
		lists: map[string]*targetList{},
	}
	if own != nil && p.respectOwn {
		w.ownPaths = newPathTree(own.paths)
	}
	return w
}

// setResource sets a resource to the value of r, or adds it.
func (p *patcher) setResource(
	r *resourceChange, doc *gaby.YamlDoc, protected *protectedPaths,
) error {
	if doc == nil {
		text := documentText(r.after, r.value)
		if p.bare {
			text = writtenText(r.value, r.value)
		}
		added, err := gaby.ParseYAML([]byte(text))
		if err == nil {
			p.added, p.sourceOf[added] = append(p.added, added), r.after
		}
		return err
	}
	if len(protected.refused) == 0 {
		return doc.SetDocP(r.value.Doc(), "")
	}
	// Change path by path, so that what is protected stays.
	parts := *r
	parts.paths = nil
	d := differ{index: r.index}
	d.diff(&parts, doc.Value(), r.value, p.provider.MergeKeys(r.resource.ResourceType))
	return p.work(r, doc, nil).apply(&parts, protected)
}

// valueOf returns v in the form in which it is written to a document.
func (p *patcher) valueOf(v gaby.Value) any {
	if p.bare {
		return v
	}
	return gaby.WithComments(v)
}

// writtenText returns v as a document. set is v in the form to be written, which determines whether
// comments are included.
func writtenText(set any, v gaby.Value) string {
	doc, err := gaby.ParseYAML([]byte("null\n"))
	if err == nil {
		_, err = doc.Set(set)
	}
	if err != nil {
		return valueText(v)
	}
	return doc.String()
}

// resourcePatch is the change of one resource in progress.
type resourcePatch struct {
	*patcher
	change   *resourceChange
	doc      *gaby.YamlDoc
	own      *resourceChange
	ownPaths *pathTree
	keys     *configkit.MergeKeyTree

	// By path of a list without merge keys: the target's index of each element of the base.
	aligned map[string][]int
	// By path of such lists: their elements before anything was changed.
	digests map[string][]mutationpath.Segment
	lists   map[string]*targetList // by path in the target; see list
	source  *follower              // from the source's state before its changes to the one after
	renamed []elementRename        // so far
}

// targetList is a list of the target.
type targetList struct {
	segments []string
	// Elements to be removed, and to be inserted at an index of the result.
	removed  map[int]bool
	inserted []*pathChange
	// The index of each element by ID, and the number of elements; nil until it is needed. It is
	// valid as long as elements are only appended.
	ids   map[string]int
	count int
}

// apply makes the changes in an order that keeps element indexes valid as long as they are needed:
// first it deletes keys, then it sets values (parents first), removes and inserts elements, renames
// elements and orders them.
//
// Deletions come first: of fields that exclude each other, the old one must be gone before a new
// one is set. Elements are removed and inserted together, by one rearrangement of each list,
// because every single removal would shift the indexes that other changes refer to. Orders come
// last because they use the new names of renamed elements.
func (w *resourcePatch) apply(r *resourceChange, protected *protectedPaths) error {
	w.lookAhead(r.paths)
	paths := w.unprotected(r.paths, protected)
	var problems []error
	for _, e := range paths {
		if e.op == api.MutationTypeDelete {
			problems = append(problems, w.delete(e))
		}
	}
	for _, e := range w.exclusives(paths) {
		if e.op != api.MutationTypeDelete && e.op != api.MutationTypeNone {
			problems = append(problems, w.set(e))
		}
	}
	problems = append(problems, w.editLists(), w.rename(r.renames), w.reorder(r.orders))
	return errors.Join(problems...)
}

// lookAhead finds the elements of lists without merge keys while the target is still unchanged.
func (w *resourcePatch) lookAhead(paths []*pathChange) {
	for _, e := range paths {
		var base gaby.Value
		if w.change.before != nil {
			base = w.change.before.Value()
		}
		v, keys := w.doc.Value(), w.keys
		for i, s := range e.path {
			// If the base is known, align it with the target. Otherwise elements can be identified
			// only by their digests.
			if list := e.path[:i].Canonical(); v.Kind() == gaby.List &&
				s.Kind == mutationpath.ByDigest &&
				w.digests[list] == nil {
				w.digests[list] = mutationpath.Digests(v)
				_, keyed := mutationpath.KeyedLists(keys, base, v)
				if base.Kind() == gaby.List && !keyed {
					w.aligned[list] = alignedIndexes(base, v, keys)
				}
			}
			at := w.elementIndex(e.path[:i], nil, v, s, keys)
			next := childAt(v, s, at)
			base = w.baseChild(base, v, s, keys)
			keys = childKeys(keys, v, s)
			v = next
		}
	}
}

// baseChild follows a segment in the base. The result does not exist if base and target disagree on
// whether a list has merge keys.
func (w *resourcePatch) baseChild(
	base, target gaby.Value, s mutationpath.Segment, keys *configkit.MergeKeyTree,
) gaby.Value {
	if base.Kind() != gaby.List {
		return findChild(base, s)
	}
	_, keyed := mutationpath.KeyedLists(keys, base, target)
	switch {
	case target.Kind() != gaby.List || keyed != (s.Kind == mutationpath.ByKey):
		return gaby.Value{}
	case s.Kind == mutationpath.ByDigest:
		return base.Index(s.Index)
	}
	return base.Index(findElement(base, s, keys))
}

// elementIndex returns the index of the list element that s names, or -1. segments is the path of
// the list in the target; it is nil if that may change before the next call.
func (w *resourcePatch) elementIndex(
	list mutationpath.Path,
	segments []string,
	v gaby.Value,
	s mutationpath.Segment,
	keys *configkit.MergeKeyTree,
) int {
	if v.Kind() != gaby.List {
		return -1
	}
	switch s.Kind {
	// New elements are inserted, never found.
	case mutationpath.New:
		return -1
	case mutationpath.ByDigest:
		path := list.Canonical()
		if at, ok := w.aligned[path]; ok {
			if s.Index < 0 || s.Index >= len(at) {
				return -1
			}
			return at[s.Index]
		}
		return mutationpath.IndexOfDigest(w.digests[path], s)
	case mutationpath.ByKey:
		if at := w.keyedIndex(segments, v, s.Text, keys); at >= 0 {
			return at
		}
		// The element may have been renamed.
		if now := s.Renamed(w.newName(list, s)); now != "" {
			if at := w.keyedIndex(segments, v, now, keys); at >= 0 {
				return at
			}
		}
		if w.positional && s.Index >= 0 {
			// The element at the index may be meant if it has no key.
			known, _ := mutationpath.SplitID(s.Text)
			if keys != nil {
				known.Defaults = keys.Defaults
			}
			if e := v.Index(s.Index); e.Exists() && mutationpath.ElementID(e, known) == "" {
				return s.Index
			}
		}
		return -1
	}
	return findElement(v, s, keys)
}

// keyedIndex finds an element by its ID. For a list with a known path the IDs are computed once.
func (w *resourcePatch) keyedIndex(
	segments []string, v gaby.Value, id string, keys *configkit.MergeKeyTree,
) int {
	if segments == nil || !mutationpath.HasKeys(keys) {
		return findElement(v, mutationpath.Segment{Kind: mutationpath.ByKey, Text: id}, keys)
	}
	l := w.list(segments)
	if l.ids == nil {
		l.ids, l.count = map[string]int{}, 0
		for _, e := range elements(v) {
			l.add(mutationpath.ElementID(e, keys))
		}
	}
	if at, ok := l.ids[id]; ok {
		return at
	}
	known, _ := mutationpath.SplitID(id)
	return indexOfID(v, id, known)
}

// add adds the next element to ids. The first element with an ID wins.
func (l *targetList) add(id string) {
	if l.ids == nil {
		return
	}
	if id != "" && !has(l.ids, id) {
		l.ids[id] = l.count
	}
	l.count++
}

// newName returns the new name of an element that the target or this patch has renamed, or "".
func (w *resourcePatch) newName(list mutationpath.Path, s mutationpath.Segment) string {
	now := newNameOf(w.renamed, list, s.Name())
	if now == "" && w.own != nil {
		now = newNameOf(w.own.renames, list, s.Name())
	}
	return now
}

// newNameOf returns the new name of the element of list that was called old, or "".
func newNameOf(renames []elementRename, list mutationpath.Path, old string) string {
	for _, r := range renames {
		if r.old == old && r.path.Canonical() == list.Canonical() {
			return r.now
		}
	}
	return ""
}
