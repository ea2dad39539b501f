package mutation

import (
	"cmp"
	"errors"
	"slices"
	"strconv"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/finder"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
	"github.com/fctl-dev/fctl/internal/yamlpath"
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
	finder   *finder.Finder                    // of known
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
	all := make([]finder.Wanted, len(changes))
	for i, r := range changes {
		all[i] = finder.Wanted{
			Info: &r.resource, Names: r.names, IsNew: r.op == api.MutationTypeAdd,
		}
	}
	p.assigned = map[*resourceChange]*gaby.YamlDoc{}
	for i, at := range p.finder.Assign(all, true) {
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
	docs := p.docs.Delete(func(d *gaby.YamlDoc) bool { return p.gone[d] })
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
		} else if i := p.finder.Find(&d.Info, nil); i >= 0 && !p.gone[p.known[i].YamlDoc] {
			last = p.known[i].YamlDoc
		}
	}
	if last == nil { // the source has no order
		return append(docs, follow[nil]...), nil
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
	protected := p.protected(r, own)
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
		aligned: map[string][]int{}, digests: map[string]map[mutationpath.Segment]int{},
	}
	if own != nil {
		w.ownRenamed = newRenamedElements(own.renames)
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
	ownAt    *pathTree // own by paths of the target; see changedByTarget
	keys     *configkit.MergeKeyTree

	// By path of a list without merge keys: the target's index of each element of the base.
	aligned map[string][]int
	// By path of such lists: the index of each element by digest before anything was changed.
	digests map[string]map[mutationpath.Segment]int
	lists   targetList // and all others in it; see list
	source  *follower  // from the source's state before its changes to the one after
	// The new names of elements that this patch has renamed so far, and the target.
	renamed, ownRenamed renamedElements
	kept                map[string]bool       // where something stays that the source deleted
	keyMoves            map[string]*movedKeys // by map; to be made after all values are set
}

// targetList is a list of the target, or something around one.
type targetList struct {
	segments []string
	below    map[string]*targetList // by segment
	// Elements to be removed, and to be inserted at an index of the result.
	removed  map[int]bool
	inserted []*pathChange
	// The indexes of the elements. They are valid as long as elements are only appended.
	ids mutationpath.ElementIDs
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
	problems := []error{w.deleteAll(paths)}
	for _, e := range w.exclusives(paths) {
		if e.op != api.MutationTypeDelete && e.op != api.MutationTypeNone {
			problems = append(problems, w.set(e))
		}
	}
	problems = append(problems, w.moveKeys(), w.editLists(), w.rename(r.renames), w.reorder(r.orders))
	return errors.Join(problems...)
}

// place has the values at a path in the base and in the target, before anything is changed. Places
// are a tree, in which everything is looked up once for all paths that lead through it.
type place struct {
	base, value gaby.Value
	segments    []string // in the target
	keys        *configkit.MergeKeyTree
	below       map[string]*place
	// Of a list: whether both states have merge keys, and the indexes of the base's elements.
	looked, keyed bool
	inBase        mutationpath.ElementIDs
}

// lookAhead finds the elements of lists without merge keys while the target is still unchanged.
func (w *resourcePatch) lookAhead(paths []*pathChange) {
	root := &place{value: w.doc.Value(), keys: w.keys}
	if w.change.before != nil {
		root.base = w.change.before.Value()
	}
	for _, e := range paths {
		last := len(e.path) - 1
		for last >= 0 && e.path[last].Kind != mutationpath.ByDigest {
			last-- // nothing has to be found there
		}
		at := root
		for i := range e.path[:last+1] {
			at = w.next(at, e.path[:i+1])
		}
	}
}

// next returns the place to which the last segment of path leads from at.
func (w *resourcePatch) next(at *place, path mutationpath.Path) *place {
	last := len(path) - 1
	list, s := path[:last], path[last]
	name := path[last:].Canonical()
	if to := at.below[name]; to != nil {
		return to
	}
	if !at.looked {
		at.looked = true
		_, at.keyed = mutationpath.KeyedLists(at.keys, at.base, at.value)
	}
	// If the base is known, align it with the target. Otherwise elements can be identified only by
	// their digests.
	if known := list.Canonical(); at.value.Kind() == gaby.List &&
		s.Kind == mutationpath.ByDigest && w.digests[known] == nil {
		w.digests[known] = mutationpath.DigestIndexes(at.value)
		if at.base.Kind() == gaby.List && !at.keyed {
			w.aligned[known] = alignedIndexes(at.base, at.value, at.keys)
		}
	}
	i := w.elementIndex(list, at.segments, at.value, s, at.keys)
	segment := s.AsKey()
	if at.value.Kind() == gaby.List {
		segment = strconv.Itoa(i)
	}
	to := &place{
		base: at.baseChild(s), value: childAt(at.value, s, i),
		segments: append(at.segments[:len(at.segments):len(at.segments)], segment),
		keys:     childKeys(at.keys, at.value, s),
	}
	if at.below == nil {
		at.below = map[string]*place{}
	}
	at.below[name] = to
	return to
}

// baseChild follows a segment in the base. The result does not exist if base and target disagree on
// whether a list has merge keys.
func (p *place) baseChild(s mutationpath.Segment) gaby.Value {
	switch {
	case p.base.Kind() != gaby.List:
		return childAt(p.base, s, -1)
	case p.value.Kind() != gaby.List || p.keyed != (s.Kind == mutationpath.ByKey):
		return gaby.Value{}
	case s.Kind == mutationpath.ByDigest:
		return p.base.Index(s.Index)
	case s.Kind == mutationpath.ByKey:
		return p.base.Index(p.inBase.Find(p.base, s.Text, p.keys))
	}
	return p.base.Index(indexIn(p.base, s))
}

// elementIndex returns the index of the list element that s names, or -1. segments is the path of
// the list in the target.
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
		if at, ok := w.digests[path][mutationpath.Digest(s)]; ok {
			return at
		}
		return -1
	case mutationpath.ByKey:
		ids := &w.list(segments).ids
		if at := ids.Find(v, s.Text, keys); at >= 0 {
			return at
		}
		// The element may have been renamed.
		if now := s.Renamed(w.newName(list, s)); now != "" {
			if at := ids.Find(v, now, keys); at >= 0 {
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
	return indexIn(v, s)
}

// newName returns the new name of an element that the target or this patch has renamed, or "".
func (w *resourcePatch) newName(list mutationpath.Path, s mutationpath.Segment) string {
	if len(w.renamed)+len(w.ownRenamed) == 0 {
		return ""
	}
	return cmp.Or(w.renamed.of(list, s.Name()), w.ownRenamed.of(list, s.Name()))
}

// renamedElements has the new names of elements by the path of their list and their old name.
type renamedElements map[string]map[string]string

func newRenamedElements(renames []elementRename) renamedElements {
	all := renamedElements{}
	for _, r := range renames {
		list := r.path.Canonical()
		if all[list] == nil {
			all[list] = map[string]string{}
		}
		if !has(all[list], r.old) { // the first one wins
			all[list][r.old] = r.now
		}
	}
	return all
}

// of returns the new name of the element of list that was called old, or "".
func (r renamedElements) of(list mutationpath.Path, old string) string {
	if len(r) == 0 {
		return ""
	}
	return r[list.Canonical()][old]
}
