package mutation

import (
	"errors"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlpath"
)

// patcher applies changes to a unit.
type patcher struct {
	docs       gaby.Container
	provider   configkit.ResourceProvider
	protection *protection
	conflicts  *conflicts
	own        *ownFinder // what the target changed; nil if unknown
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

	known    []UnitDocument
	finder   *finder[UnitDocument]
	assigned map[*resourceChange]int // indexes of documents in known
	gone     map[*gaby.YamlDoc]bool
	added    gaby.Container
	// For the added documents, the documents of the source they came from.
	places    map[*gaby.YamlDoc]*gaby.YamlDoc
	exclusive map[api.ResourceType]exclusiveFields
	problems  []error
}

// patch applies all changes and returns the documents.
func (p *patcher) patch(changes []*resourceChange) (gaby.Container, error) {
	var err error
	if p.known, err = UnitDocuments(p.docs, p.docs, p.provider); err != nil {
		return nil, err
	}
	p.finder = newFinder(p.known, p.provider,
		func(d UnitDocument) *api.ResourceInfo { return &d.Info },
		func(UnitDocument) []api.ResourceName { return nil })
	p.assigned = p.finder.assign(changes)
	p.gone = map[*gaby.YamlDoc]bool{}
	p.exclusive = map[api.ResourceType]exclusiveFields{}
	for _, r := range changes {
		p.resource(r)
	}
	if err := errors.Join(p.problems...); err != nil {
		return nil, err
	}
	docs := slices.DeleteFunc(slices.Clone(p.docs), func(d *gaby.YamlDoc) bool { return p.gone[d] })
	if p.bare {
		return p.placed(docs)
	}
	return append(docs, p.added...), nil
}

// placed inserts the added documents after the documents they follow in the source.
func (p *patcher) placed(docs gaby.Container) (gaby.Container, error) {
	known, err := UnitDocuments(p.source, p.source, p.provider)
	if err != nil {
		return nil, err
	}
	of := map[*gaby.YamlDoc]*gaby.YamlDoc{} // by document of the source: the target's document
	for _, d := range p.added {
		of[p.places[d]] = d
	}
	for _, d := range known {
		if of[d.YamlDoc] == nil {
			if i := p.finder.find(&d.Info, nil); i >= 0 && !p.gone[p.known[i].YamlDoc] {
				of[d.YamlDoc] = p.known[i].YamlDoc
			}
		}
	}
	behind := map[*gaby.YamlDoc]gaby.Container{}
	var last *gaby.YamlDoc // that is not new
	for _, d := range known {
		switch target := of[d.YamlDoc]; {
		case target == nil:
		case p.places[target] != nil:
			behind[last] = append(behind[last], target)
		default:
			last = target
		}
	}
	all := slices.Clone(behind[nil])
	for _, d := range docs {
		all = append(append(all, d), behind[d]...)
	}
	return all, nil
}

// target returns the document that r is about, or nil.
func (p *patcher) target(r *resourceChange, own *resourceChange) *gaby.YamlDoc {
	if p.targets != nil && own != nil {
		return p.targets[own.after] // nil if the target deleted it
	}
	if i, ok := p.assigned[r]; ok && !p.gone[p.known[i].YamlDoc] {
		return p.known[i].YamlDoc
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
	if protected.whole() {
		p.conflicts.add(api.ConflictProtectedPath, r, nil, r.change, nil)
		return
	}
	doc := p.target(r, own)
	switch r.op {
	case api.MutationTypeDelete:
		if doc != nil {
			p.gone[doc] = true
		}
		return
	case api.MutationTypeAdd, api.MutationTypeReplace:
		p.setResource(r, doc, protected)
		return
	}
	// The target deleted a resource that the source changed: bring it back as a whole.
	if doc == nil && p.restore && r.after != nil {
		r.value = r.after.Value()
		p.setResource(r, nil, protected)
		return
	}
	if doc == nil {
		p.conflicts.add(api.ConflictUnresolvedPath, r, nil, r.change, nil)
		for _, e := range r.paths {
			p.conflicts.add(api.ConflictUnresolvedPath, r, e.path, e.change, nil)
		}
		return
	}
	w := p.work(r, doc, own)
	if err := w.apply(r, protected); err != nil {
		p.problems = append(p.problems, yamlpath.Locate(err, &r.resource))
	}
}

// work prepares the change of a resource.
func (p *patcher) work(r *resourceChange, doc *gaby.YamlDoc, own *resourceChange) *resourcePatch {
	w := &resourcePatch{
		patcher: p, change: r, doc: doc, own: own,
		keys:    p.provider.MergeKeys(r.resource.ResourceType),
		aligned: map[string][]int{}, moved: map[string][]int{}, digests: map[string]*listDigests{},
		lists: map[string]*listEdit{},
	}
	if own != nil && p.respectOwn {
		w.ownPaths = newPathTree(own.paths)
	}
	return w
}

// setResource sets a resource to the value of r, or adds it.
func (p *patcher) setResource(r *resourceChange, doc *gaby.YamlDoc, protected *protectedPaths) {
	if doc == nil {
		text := documentText(r.after, r.value)
		if p.bare {
			text = writtenText(r.value, r.value)
		}
		added, err := gaby.ParseYAML([]byte(text))
		if err != nil {
			p.problems = append(p.problems, yamlpath.Locate(err, &r.resource))
			return
		}
		p.added = append(p.added, added)
		if p.bare {
			if p.places == nil {
				p.places = map[*gaby.YamlDoc]*gaby.YamlDoc{}
			}
			p.places[added] = r.after
		}
		return
	}
	if protected.any() {
		// Change path by path, so that what is protected stays.
		pieces := *r
		pieces.paths = nil
		d := differ{index: r.index}
		d.diff(&pieces, doc.Value(), r.value, p.provider.MergeKeys(r.resource.ResourceType))
		if err := p.work(r, doc, nil).apply(&pieces, protected); err != nil {
			p.problems = append(p.problems, yamlpath.Locate(err, &r.resource))
		}
		return
	}
	if err := doc.SetDocP(r.value.Doc(), ""); err != nil {
		p.problems = append(p.problems, yamlpath.Locate(err, &r.resource))
	}
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
	// The same for the source's index after its changes.
	moved map[string][]int
	// Of such lists, before anything was changed.
	digests map[string]*listDigests
	ids     placeIDs
	lists   map[string]*listEdit // elements to be removed and inserted
	// keyOrder caches the order of the keys of maps in the source, by path.
	keyOrder map[string][]string
	renamed  []elementRename // so far
}

// listDigests holds the digests of a list's elements; see digests.
type listDigests struct {
	digest []string
	nth    []int
}

// listEdit collects the edits of one list.
type listEdit struct {
	segments []string
	removed  map[int]bool
	inserted []listInsertion
}

// listInsertion is an element to be inserted into a list.
type listInsertion struct {
	index int // in the result
	value gaby.Value
}

// apply makes the changes in an order that keeps element indexes valid as long as they are needed:
// first it deletes keys, then it sets values (parents first), removes and inserts elements, renames
// elements and orders them.
func (w *resourcePatch) apply(r *resourceChange, protected *protectedPaths) error {
	w.lookAhead(r.paths)
	paths := w.unprotected(r.paths, protected)
	var problems []error
	run := func(e *pathChange, act func(*pathChange) error) {
		if err := act(e); err != nil {
			problems = append(problems, err)
		}
	}
	for _, e := range paths {
		if e.op == api.MutationTypeDelete {
			run(e, w.delete)
		}
	}
	for _, e := range w.exclusives(paths) {
		if e.op != api.MutationTypeDelete && e.op != api.MutationTypeNone {
			run(e, w.set)
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
			if v.Kind() == gaby.List && s.kind == elementByDigest {
				list := e.path[:i].canonical()
				if w.digests[list] == nil {
					digest, nth := digests(v)
					w.digests[list] = &listDigests{digest, nth}
				}
				if base.Kind() == gaby.List && w.aligned[list] == nil {
					if _, keyed := keyedIDs(keys, base, v); !keyed {
						w.aligned[list] = placesIn(base, v, keys)
					}
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

// placesIn returns, for each element of base, the index of the matching element of target, or -1.
func placesIn(base, target gaby.Value, keys *configkit.MergeKeyTree) []int {
	old, now := elements(base), elements(target)
	d := differ{dry: true}
	at := make([]int, len(old))
	for i := range at {
		at[i] = -1
	}
	for _, pair := range d.align(old, now, keys.Child("*")).pairs {
		at[pair[0]] = pair[1]
	}
	return at
}

// baseChild follows a segment in the base. The result does not exist if base and target disagree on
// whether a list has merge keys.
func (w *resourcePatch) baseChild(
	base, target gaby.Value, s mutationSegment, keys *configkit.MergeKeyTree,
) gaby.Value {
	if base.Kind() != gaby.List {
		return findChild(base, s)
	}
	_, keyed := keyedIDs(keys, base, target)
	switch {
	case target.Kind() != gaby.List || keyed != (s.kind == elementByKey):
		return gaby.Value{}
	case s.kind == elementByDigest:
		return base.Index(s.index)
	}
	return base.Index(findElement(base, s, keys))
}

// childAt returns the child that s leads to. index is that of the element if v is a list.
func childAt(v gaby.Value, s mutationSegment, index int) gaby.Value {
	switch v.Kind() {
	case gaby.Map:
		return v.Get(s.asKey())
	case gaby.List:
		return v.Index(index)
	}
	return gaby.Value{}
}

// childKeys returns the merge keys below the child that s leads to.
func childKeys(
	keys *configkit.MergeKeyTree, v gaby.Value, s mutationSegment,
) *configkit.MergeKeyTree {
	if v.Kind() == gaby.List {
		return keys.Child("*")
	}
	return keys.Child(s.asKey())
}

// elementIndex returns the index of the list element that s names, or -1. place is the position of
// the list, as keys and indexes; it is nil if that may change before the next call.
func (w *resourcePatch) elementIndex(
	list mutationPath,
	place []string,
	v gaby.Value,
	s mutationSegment,
	keys *configkit.MergeKeyTree,
) int {
	if v.Kind() != gaby.List {
		return -1
	}
	switch s.kind {
	// New elements are inserted, never found.
	case newElement:
		return -1
	case elementByDigest:
		path := list.canonical()
		if at, ok := w.aligned[path]; ok {
			if s.index < 0 || s.index >= len(at) {
				return -1
			}
			return at[s.index]
		}
		if known := w.digests[path]; known != nil {
			for i := range known.digest {
				if known.digest[i] == s.text && known.nth[i] == s.nth {
					return i
				}
			}
		}
		return -1
	case elementByKey:
		if at := w.keyedIndex(place, v, s.text, keys); at >= 0 {
			return at
		}
		// The element may have been renamed.
		if now := w.newName(list, s); now != "" {
			if at := w.keyedIndex(place, v, now, keys); at >= 0 {
				return at
			}
		}
		if w.positional && s.index >= 0 {
			// The element at the index may be meant if it has no key.
			var defaults map[string]string
			if keys != nil {
				defaults = keys.Defaults
			}
			if e := v.Index(s.index); e.Exists() && elementID(e, keysOfID(s.text), defaults) == "" {
				return s.index
			}
		}
		return -1
	}
	return findElement(v, s, keys)
}

// keyedIndex finds an element by its ID. For a list with a known place the IDs are computed once.
func (w *resourcePatch) keyedIndex(
	place []string, v gaby.Value, id string, keys *configkit.MergeKeyTree,
) int {
	if place == nil || keys == nil || len(keys.Keys) == 0 {
		return findElement(v, mutationSegment{kind: elementByKey, text: id}, keys)
	}
	known := w.ids.at(place)
	known.read(v, keys)
	if at, ok := known.index[id]; ok {
		return at
	}
	return indexOfID(v, id, keysOfID(id), nil)
}

// newName returns the new ID of an element that the target or this patch has renamed, or "".
func (w *resourcePatch) newName(list mutationPath, s mutationSegment) string {
	renames := w.renamed
	if w.own != nil {
		renames = append(renames[:len(renames):len(renames)], w.own.renames...)
	}
	for _, r := range renames {
		if r.old == s.name() && r.path.canonical() == list.canonical() {
			return s.renamed(r.now)
		}
	}
	return ""
}
