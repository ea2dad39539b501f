package mutation

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// target is the result of following a path in the document that a patch is applied to. The path may
// lead only part of the way: then missing counts the remaining segments, and in is the value that
// lacks the first of them.
type target struct {
	segments []string // keys and indexes, as far as the path leads
	value    gaby.Value
	keys     *configkit.MergeKeyTree // of the value
	missing  int                     // number of segments that lead nowhere
	in       gaby.Value              // where the first of these is missing
	inList   bool                    // the last of segments is an index in a list
}

// find follows path in the target as it is now.
func (w *resourcePatch) find(path mutationpath.Path) target {
	p := target{value: w.doc.Value(), keys: w.keys}
	for i, s := range path {
		segment, at := s.AsKey(), -1
		if p.inList = p.value.Kind() == gaby.List; p.inList {
			at = w.elementIndex(path[:i], p.segments, p.value, s, p.keys)
			segment = strconv.Itoa(at)
		}
		next := childAt(p.value, s, at)
		if !next.Exists() {
			p.missing, p.in = len(path)-i, p.value
			return p
		}
		p.keys = childKeys(p.keys, p.value, s)
		p.value = next
		p.segments = append(p.segments[:len(p.segments):len(p.segments)], segment)
	}
	return p
}

// element returns the list and the index of a target in a list.
func (w *resourcePatch) element(p target) (*targetList, int) {
	last := len(p.segments) - 1
	at, _ := parseIndex(p.segments[last])
	return w.list(p.segments[:last]), at
}

// unresolved reports that the path of e leads nowhere.
func (w *resourcePatch) unresolved(e *pathChange) {
	w.conflicts.add(api.ConflictUnresolvedPath, w.change, e.path, e.change, nil)
}

// deleteAll makes the deletions among changes. The entries of one map are removed together.
func (w *resourcePatch) deleteAll(changes []*pathChange) error {
	var problems []error
	var in mutationpath.Path // the map of gone
	var gone [][]string
	remove := func() {
		for _, segments := range gone {
			w.forget(segments)
		}
		if len(gone) > 0 {
			problems = append(problems, w.doc.DeleteAll(gone)...)
		}
		gone = nil
	}
	for _, e := range changes {
		if e.op != api.MutationTypeDelete {
			continue
		}
		if around := e.path[:max(len(e.path)-1, 0)]; !slices.Equal(around, in) {
			remove()
			in = around
		}
		if segments, ok := w.entryToDelete(e); ok {
			gone = append(gone, segments)
		}
	}
	remove()
	return errors.Join(problems...)
}

// entryToDelete returns the map entry at the path of e, which is deleted. If the target lacks it,
// there is nothing to do, except where the path leads through a list: an element may be missing
// because the target changed it, and that is a conflict. List elements are only marked, and removed
// later, all of one list at once.
func (w *resourcePatch) entryToDelete(e *pathChange) (segments []string, ok bool) {
	p := w.find(e.path)
	if p.missing > 0 {
		s := e.path[len(e.path)-p.missing]
		silent := p.in.Kind() == gaby.Map && !s.IsElement() || // already gone
			p.in.Kind() == gaby.List && p.missing == 1 && s.Kind == mutationpath.ByKey ||
			(!p.in.Exists() || p.in.IsNull())
		if !silent {
			w.unresolved(e)
		}
		return nil, false
	}
	if p.inList {
		list, at := w.element(p)
		if list.removed == nil {
			list.removed = map[int]bool{}
		}
		list.removed[at] = true
		return nil, false
	}
	return p.segments, true
}

// list returns the list at segments. Its edits are made later, all of one list at once.
func (w *resourcePatch) list(segments []string) *targetList {
	l := &w.lists
	for i, s := range segments {
		next := l.below[s]
		if next == nil {
			if l.below == nil {
				l.below = map[string]*targetList{}
			}
			next = &targetList{segments: segments[:i+1]}
			l.below[s] = next
		}
		l = next
	}
	return l
}

// known returns the list at segments if it or something in it is known, or else nil.
func (l *targetList) known(segments []string) *targetList {
	for _, s := range segments {
		if l = l.below[s]; l == nil {
			return nil
		}
	}
	return l
}

// each calls do for l and everything in it, in any order.
func (l *targetList) each(do func(*targetList)) {
	if l == nil {
		return
	}
	do(l)
	for _, next := range l.below {
		next.each(do)
	}
}

// forget drops the element IDs of the lists at and below segments.
func (w *resourcePatch) forget(segments []string) {
	w.lists.known(segments).each(func(l *targetList) { l.ids = mutationpath.ElementIDs{} })
}

// changed says that the value at segments is new.
func (w *resourcePatch) changed(segments []string) {
	last := len(segments) - 1
	if last < 1 {
		return
	}
	if l := w.lists.known(segments[:last-1]); l != nil {
		l.ids.Changed(segments[last])
	}
}

// set adds, updates or replaces the value at the path of e.
//
// If something on the path is missing, the result depends on the operation. An addition creates
// missing maps, and appends a missing element with a merge key. An update needs what it updates:
// without it, the target has removed the value, and bringing back a part of it would be wrong.
func (w *resourcePatch) set(e *pathChange) error {
	if len(e.path) == 0 {
		return w.doc.SetDocP(e.value.Doc(), "")
	}
	p := w.find(e.path)
	if p.missing == 0 {
		return w.write(e, p)
	}
	rest := e.path[len(e.path)-p.missing:]
	// The target deleted something around the value: bring it back, then try again.
	if w.restore && w.restoreAt(e.path[:len(e.path)-p.missing+1], p) {
		return w.set(e)
	}
	// An update needs an existing value. In mutations from elsewhere (positional), a missing
	// element with a key is added instead.
	if e.op == api.MutationTypeUpdate &&
		!(p.missing == 1 && rest[0].Kind == mutationpath.ByKey && w.positional) {
		w.unresolved(e)
		return nil
	}
	if p.in.Kind() == gaby.List {
		return w.addElement(e, p, rest)
	}
	if p.in.Kind() != gaby.Map && (p.in.Exists() && !p.in.IsNull()) {
		w.unresolved(e)
		return nil
	}
	// Setting a value creates missing maps on the way, but not lists. A missing list is set with
	// the new element in it.
	segments := slices.Clone(p.segments)
	for i, s := range rest {
		if i == len(rest)-1 && i > 0 &&
			(s.Kind == mutationpath.ByKey || s.Kind == mutationpath.New) {
			list, err := gaby.ParseYAML([]byte("[]\n"))
			if err == nil {
				_, err = list.Set(e.value, "-")
			}
			if err == nil {
				_, err = w.doc.Set(list, segments...)
			}
			return err
		}
		if s.IsElement() && !(p.in.Kind() == gaby.Map && i == 0) {
			w.unresolved(e)
			return nil
		}
		segments = append(segments, s.AsKey())
	}
	if _, err := w.doc.Set(w.valueOf(e.value), segments...); err != nil {
		return err
	}
	w.changed(segments)
	w.moveKey(e.path[:len(e.path)-len(rest)], segments[:len(p.segments)+1], p.in)
	return nil
}

// restoreAt brings back the value at path, which the target deleted and the source still has, with
// everything in it. It reports whether it could.
func (w *resourcePatch) restoreAt(path mutationpath.Path, p target) bool {
	if w.change.before == nil || w.change.after == nil {
		return false
	}
	m, found := w.inSource().find(path, "", true)
	if !found || !m.base.Exists() || !m.value.Exists() {
		return false // the value is new, not deleted
	}
	last := path[len(path)-1]
	segment := last.AsKey()
	switch {
	case p.in.Kind() == gaby.List && last.Kind == mutationpath.ByKey:
		segment = "-"
	case p.in.Kind() != gaby.Map:
		return false
	}
	segments := append(slices.Clone(p.segments), segment)
	if _, err := w.doc.Set(gaby.WithOwnComments(m.value), segments...); err != nil {
		return false
	}
	if segment == "-" {
		w.list(p.segments).ids.Add(m.value)
	} else {
		w.forget(segments)
		w.moveKey(path[:len(path)-1], segments, p.in)
	}
	return w.find(path).missing == 0
}

// inSource follows paths in the source, before and after its changes.
func (w *resourcePatch) inSource() *follower {
	if w.source == nil {
		w.source = newFollower(w.change.before, w.change.after, w.keys, w.change.renames)
	}
	return w.source
}

// movedKeys are the new keys of a map, with the keys that they follow.
type movedKeys struct {
	segments []string // of the map
	moves    []gaby.KeyMove
}

// moveKey says that a new key of the map in, which is at path, belongs after the key it follows in
// the source.
func (w *resourcePatch) moveKey(path mutationpath.Path, segments []string, in gaby.Value) {
	if !w.bare && !w.restore || w.change.after == nil {
		return
	}
	last := len(segments) - 1
	move := gaby.KeyMove{Key: segments[last]}
	for key := range w.inSource().keysBefore(path, segments[last]) {
		if in.Get(key).Exists() {
			move.After = key
			break
		}
	}
	at := strings.Join(segments[:last], "\x00")
	if w.keyMoves[at] == nil {
		if w.keyMoves == nil {
			w.keyMoves = map[string]*movedKeys{}
		}
		w.keyMoves[at] = &movedKeys{segments: segments[:last]}
	}
	w.keyMoves[at].moves = append(w.keyMoves[at].moves, move)
}

// moveKeys moves the new keys of all maps. Their positions do not matter before that.
func (w *resourcePatch) moveKeys() error {
	var problems []error
	for _, at := range slices.Sorted(maps.Keys(w.keyMoves)) {
		m := w.keyMoves[at]
		problems = append(problems, w.doc.MoveKeysAfter(m.moves, m.segments...))
	}
	w.keyMoves = nil
	return errors.Join(problems...)
}

// addElement adds an element to a list.
func (w *resourcePatch) addElement(e *pathChange, p target, rest mutationpath.Path) error {
	s := rest[0]
	_, isIndex := parseIndex(s.Text)
	if len(rest) > 1 || s.Kind == mutationpath.ByDigest ||
		s.Kind == mutationpath.MapKey && !isIndex {
		w.unresolved(e)
		return nil
	}
	list := w.list(p.segments)
	if s.Kind == mutationpath.New {
		list.inserted = append(list.inserted, e)
		return nil
	}
	list.ids.Add(e.value)
	_, err := w.doc.Set(w.valueOf(e.value), append(slices.Clone(p.segments), "-")...)
	return err
}

// write writes to an existing value.
func (w *resourcePatch) write(e *pathChange, p target) error {
	if e.value.Kind() != gaby.Scalar || p.value.Kind() != gaby.Scalar {
		w.forget(p.segments)
	} else {
		w.changed(p.segments)
	}
	if p.inList {
		list, at := w.element(p)
		delete(list.removed, at)
	}
	bothMaps := e.value.Kind() == gaby.Map && p.value.Kind() == gaby.Map
	switch {
	case bothMaps && e.op == api.MutationTypeAdd:
		return w.merge(p.segments, p.value, e.value, false)
	case bothMaps && e.op == api.MutationTypeUpdate && e.merging && e.value.First().Exists():
		return w.merge(p.segments, p.value, e.value, true)
	}
	_, err := w.doc.Set(w.valueOf(e.value), p.segments...)
	return err
}

// merge sets the keys of value in the map into, sorted or in their order.
func (w *resourcePatch) merge(segments []string, into, value gaby.Value, sorted bool) error {
	entries := elements(value)
	if sorted {
		slices.SortStableFunc(entries, func(a, b gaby.Value) int {
			return strings.Compare(a.Key(), b.Key())
		})
	}
	var problems []error
	for _, c := range entries {
		at := append(segments[:len(segments):len(segments)], c.Key())
		old := into.Get(c.Key())
		var err error
		if c.Kind() == gaby.Map && c.First().Exists() &&
			(old.Kind() == gaby.Map || !old.Exists() && sorted) {
			err = w.merge(at, old, c, sorted)
		} else {
			_, err = w.doc.Set(w.valueOf(c), at...)
		}
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

// editLists removes and inserts list elements, in the deepest lists first.
func (w *resourcePatch) editLists() error {
	var lists []*targetList
	w.lists.each(func(l *targetList) {
		if len(l.removed)+len(l.inserted) > 0 {
			lists = append(lists, l)
		}
	})
	slices.SortFunc(lists, func(a, b *targetList) int {
		return cmp.Or(len(b.segments)-len(a.segments), slices.Compare(a.segments, b.segments))
	})
	var problems []error
	for _, l := range lists {
		problems = append(problems, w.rearrange(l))
	}
	w.forget(nil)
	return errors.Join(problems...)
}

// rearrange edits one list: it removes elements, then inserts others from low to high indexes. An
// element that is already at its index is not inserted again.
func (w *resourcePatch) rearrange(list *targetList) error {
	all := elements(w.doc.Search(list.segments...).Value())
	// indexes collects the wanted arrangement. Insertions are first appended to the list, so that
	// they have an index, too.
	var indexes []int
	for i := range all {
		if !list.removed[i] {
			indexes = append(indexes, i)
		}
	}
	wanted := func(e *pathChange) int { return e.path[len(e.path)-1].Index }
	slices.SortStableFunc(list.inserted, func(a, b *pathChange) int {
		return wanted(a) - wanted(b)
	})
	for _, e := range list.inserted {
		index := wanted(e)
		// The element is there already, for example because the merge is repeated.
		if index >= 0 && index < len(indexes) && all[indexes[index]].Equal(e.value) {
			continue
		}
		if _, err := w.doc.Set(
			w.valueOf(e.value), append(slices.Clone(list.segments), "-")...,
		); err != nil {
			return err
		}
		if index < 0 || index > len(indexes) {
			index = len(indexes)
		}
		indexes, all = slices.Insert(indexes, index, len(all)), append(all, e.value)
	}
	return w.doc.ArrayRearrangeP(indexes, joinSegments(list.segments))
}

func joinSegments(segments []string) string { return string(yamlpath.Join(segments)) }

// rename gives elements their new keys.
func (w *resourcePatch) rename(renames []elementRename) error {
	var problems []error
	for _, r := range renames {
		problems = append(problems, w.renameElement(r))
	}
	w.renamed = newRenamedElements(renames)
	w.forget(nil)
	return errors.Join(problems...)
}

// renameElement gives an element its new key. It is a conflict if there is no such element, or
// another one has the key already.
func (w *resourcePatch) renameElement(r elementRename) error {
	p := w.find(r.path)
	refuse := func() error {
		w.conflicts.add(
			api.ConflictUnresolvedPath, w.change, r.path, r.change(w.change.index), nil,
		)
		return nil
	}
	if p.missing > 0 || p.value.Kind() != gaby.List || !mutationpath.HasKeys(p.keys) {
		return refuse()
	}
	texts := mutationpath.SplitName(r.now, len(p.keys.Keys))
	if texts == nil {
		return refuse()
	}
	at, taken := -1, false
	var element gaby.Value
	for i, e := range elements(p.value) {
		switch name := mutationpath.ElementName(e, p.keys); {
		case mutationpath.ElementID(e, p.keys) == "":
		case name == r.now:
			taken = true
		case name == r.old && at < 0:
			at, element = i, e
		}
	}
	switch {
	case at < 0 && taken:
		return nil // it has the name already
	case at < 0 || taken:
		return refuse()
	}
	// Write the merge keys. Those that were strings stay strings.
	for k, key := range p.keys.Keys {
		if old, ok := mutationpath.KeyText(element, key, p.keys); ok && old == texts[k] {
			continue
		}
		var value any = texts[k]
		if old := element.Get(key); old.Exists() && !isString(old) {
			if doc, err := gaby.ParseYAML([]byte(texts[k] + "\n")); err == nil &&
				doc.Value().Kind() == gaby.Scalar {
				value = doc
			}
		}
		if _, err := w.doc.Set(
			value, append(slices.Clone(p.segments), strconv.Itoa(at), key)...,
		); err != nil {
			return err
		}
	}
	return nil
}

// reorder puts list elements in order, those of deeper lists first. Elements missing in the order
// keep theirs and come last.
func (w *resourcePatch) reorder(orders []arrayOrder) error {
	orders = slices.Clone(orders)
	slices.SortStableFunc(orders, func(a, b arrayOrder) int { return len(b.path) - len(a.path) })
	var problems []error
	for _, o := range orders {
		p := w.find(o.path)
		if p.missing > 0 || p.value.Kind() != gaby.List || !mutationpath.HasKeys(p.keys) {
			continue // what could not be changed there was already reported
		}
		all := elements(p.value)
		if w.kept[o.path.Canonical()] {
			names := make([]string, len(all))
			for i, e := range all {
				names[i] = mutationpath.ElementName(e, p.keys)
			}
			o.keys = mutationpath.Weave(o.keys, names)
		}
		wanted := map[string]int{}
		for i, name := range slices.Backward(o.keys) {
			wanted[name] = i
		}
		order := make([]int, len(all)) // by index: where the element belongs
		indexes := make([]int, len(all))
		for i, e := range all {
			at, known := wanted[mutationpath.ElementName(e, p.keys)]
			if !known || mutationpath.ElementID(e, p.keys) == "" {
				at = len(o.keys)
			}
			order[i], indexes[i] = at, i
		}
		slices.SortStableFunc(indexes, func(a, b int) int { return order[a] - order[b] })
		problems = append(problems, w.doc.ArrayRearrangeP(indexes, joinSegments(p.segments)))
	}
	return errors.Join(problems...)
}
