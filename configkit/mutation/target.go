package mutation

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlpath"
)

// mutationPlace is the result of following a path in the target.
type mutationPlace struct {
	segments []string // keys and indexes, as far as the path leads
	value    gaby.Value
	keys     *configkit.MergeKeyTree // of the value
	missing  int                     // number of segments that lead nowhere
	in       gaby.Value              // where the first of these is missing
	inList   *listPlace              // the list that the value is an element of
}

// listPlace is a position in a list.
type listPlace struct {
	segments []string
	index    int
}

// find follows path in the target as it is now.
func (w *resourcePatch) find(path mutationPath) mutationPlace {
	p := mutationPlace{value: w.doc.Value(), keys: w.keys}
	for i, s := range path {
		var segment string
		p.inList = nil
		at := -1
		switch p.value.Kind() {
		case gaby.Map:
			segment = s.asKey()
		case gaby.List:
			at = w.elementIndex(path[:i], p.segments, p.value, s, p.keys)
			segment = strconv.Itoa(at)
			p.inList = &listPlace{segments: p.segments, index: at}
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

// isElement reports whether the segment can only be a list element.
func (s mutationSegment) isElement() bool { return s.kind != mapKey }

// unresolved reports that the path of e leads nowhere.
func (w *resourcePatch) unresolved(e *pathChange) {
	w.conflicts.add(api.ConflictUnresolvedPath, w.change, e.path, e.change, nil)
}

// delete removes the value at the path of e. List elements are only marked, and removed later, all
// of one list at once.
func (w *resourcePatch) delete(e *pathChange) error {
	p := w.find(e.path)
	if p.missing > 0 {
		s := e.path[len(e.path)-p.missing]
		silent := p.in.Kind() == gaby.Map && !s.isElement() || // already gone
			p.in.Kind() == gaby.List && p.missing == 1 && s.kind == elementByKey ||
			(!p.in.Exists() || p.in.IsNull())
		if !silent {
			w.unresolved(e)
		}
		return nil
	}
	if p.inList != nil {
		w.list(p.inList.segments).removed[p.inList.index] = true
		return nil
	}
	w.ids.forget(p.segments)
	return w.doc.Delete(p.segments...)
}

// list returns the edit of a list.
func (w *resourcePatch) list(segments []string) *listEdit {
	name := strings.Join(segments, "\x00")
	if w.lists[name] == nil {
		w.lists[name] = &listEdit{segments: segments, removed: map[int]bool{}}
	}
	return w.lists[name]
}

// set adds, updates or replaces the value at the path of e.
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
		!(p.missing == 1 && rest[0].kind == elementByKey && w.positional) {
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
	// Set creates missing maps on the way, but not lists. A missing list is set with the new
	// element in it.
	segments := slices.Clone(p.segments)
	for i, s := range rest {
		if i == len(rest)-1 && (s.kind == elementByKey || s.kind == newElement) && i > 0 {
			list, err := gaby.ParseYAML([]byte("[]\n"))
			if err == nil {
				_, err = list.Set(e.value, "-")
			}
			if err == nil {
				_, err = w.doc.Set(list, segments...)
			}
			return err
		}
		if s.isElement() && !(p.in.Kind() == gaby.Map && i == 0) {
			w.unresolved(e)
			return nil
		}
		segments = append(segments, s.asKey())
	}
	if _, err := w.doc.Set(w.valueOf(e.value), segments...); err != nil {
		return err
	}
	return w.placeKey(e.path[:len(e.path)-len(rest)], segments[:len(p.segments)+1])
}

// restoreAt brings back the value at path, which the target deleted and the source still has, with
// everything in it. It reports whether it could.
func (w *resourcePatch) restoreAt(path mutationPath, p mutationPlace) bool {
	if w.change.before == nil || w.change.after == nil {
		return false
	}
	was, is := w.inSource(path)
	if !was.Exists() || !is.Exists() {
		return false // the value is new, not deleted
	}
	last := path[len(path)-1]
	segment := last.asKey()
	switch {
	case p.in.Kind() == gaby.List && last.kind == elementByKey:
		segment = "-"
	case p.in.Kind() != gaby.Map:
		return false
	}
	segments := append(slices.Clone(p.segments), segment)
	if _, err := w.doc.Set(gaby.WithOwnComments(is), segments...); err != nil {
		return false
	}
	w.ids = placeIDs{}
	return w.find(path).missing == 0 &&
		(segment == "-" || w.placeKey(path[:len(path)-1], segments) == nil)
}

// inSource returns the values at path in the source, before and after its changes.
func (w *resourcePatch) inSource(path mutationPath) (was, is gaby.Value) {
	if w.change.before != nil {
		was = w.change.before.Value()
	}
	is = w.change.after.Value()
	keys := w.keys
	for i, s := range path {
		below := childKeys(keys, is, s)
		switch {
		case is.Kind() == gaby.List && s.kind == newElement:
			was, is = gaby.Value{}, is.Index(s.index)
		case is.Kind() == gaby.List && s.kind == elementByDigest && was.Kind() == gaby.List:
			list := path[:i].canonical()
			at, known := w.moved[list]
			if !known {
				at = placesIn(was, is, keys)
				w.moved[list] = at
			}
			if s.index >= len(at) {
				return gaby.Value{}, gaby.Value{}
			}
			was, is = was.Index(s.index), is.Index(at[s.index])
		case is.Kind() == gaby.List && s.kind == elementByKey:
			at := findElement(is, s, keys)
			for _, r := range w.change.renames {
				if now := s.renamed(r.now); at < 0 && r.old == s.name() &&
					r.path.canonical() == path[:i].canonical() {
					at = findElement(is, mutationSegment{kind: elementByKey, text: now}, keys)
				}
			}
			was, is = findChild(was, s), is.Index(at)
		default:
			was, is = findChild(was, s), findChild(is, s)
		}
		keys = below
	}
	return was, is
}

// placeKey moves a new key of the map at path after the key it follows in the source.
func (w *resourcePatch) placeKey(path mutationPath, segments []string) error {
	if !w.bare && !w.restore || w.change.after == nil {
		return nil
	}
	key, parent := segments[len(segments)-1], segments[:len(segments)-1]
	keys := w.sourceKeys(path)
	behind := ""
	for i := slices.Index(keys, key) - 1; i >= 0 && behind == ""; i-- {
		if w.doc.Exists(append(parent[:len(parent):len(parent)], keys[i])...) {
			behind = keys[i]
		}
	}
	return w.doc.PlaceBehind(behind, segments...)
}

// sourceKeys returns the keys, in the source, of the map at path.
func (w *resourcePatch) sourceKeys(path mutationPath) []string {
	name := path.String()
	keys, known := w.keyOrder[name]
	if !known {
		if _, source := w.inSource(path); source.Kind() == gaby.Map {
			for c := source.First(); c.Exists(); c = c.Next() {
				keys = append(keys, c.Key())
			}
		}
		if w.keyOrder == nil {
			w.keyOrder = map[string][]string{}
		}
		w.keyOrder[name] = keys
	}
	return keys
}

// addElement adds an element to a list.
func (w *resourcePatch) addElement(e *pathChange, p mutationPlace, rest mutationPath) error {
	s := rest[0]
	if len(rest) > 1 || s.kind == elementByDigest || s.kind == mapKey && !isIndex(s.text) {
		w.unresolved(e)
		return nil
	}
	if s.kind == newElement {
		edit := w.list(p.segments)
		edit.inserted = append(edit.inserted, listInsertion{s.index, e.value})
		return nil
	}
	if p.keys != nil {
		w.ids.at(p.segments).add(elementID(e.value, p.keys.Keys, p.keys.Defaults))
	}
	_, err := w.doc.Set(w.valueOf(e.value), append(slices.Clone(p.segments), "-")...)
	return err
}

// write writes to an existing value.
func (w *resourcePatch) write(e *pathChange, p mutationPlace) error {
	if e.value.Kind() != gaby.Scalar || p.value.Kind() != gaby.Scalar {
		w.ids.forget(p.segments)
	}
	if p.inList != nil {
		delete(w.list(p.inList.segments).removed, p.inList.index)
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

// listNames returns the lists with edits, the deepest first.
func (w *resourcePatch) listNames() []string {
	names := slices.Sorted(maps.Keys(w.lists))
	slices.SortStableFunc(names, func(a, b string) int {
		return len(w.lists[b].segments) - len(w.lists[a].segments)
	})
	return names
}

// editLists removes and inserts list elements.
func (w *resourcePatch) editLists() error {
	var problems []error
	for _, name := range w.listNames() {
		problems = append(problems, w.rearrange(w.lists[name]))
	}
	w.ids = placeIDs{}
	return errors.Join(problems...)
}

// rearrange edits one list: it removes elements, then inserts others from low to high indexes. An
// element that is already at its index is not inserted again.
func (w *resourcePatch) rearrange(edit *listEdit) error {
	list := w.doc.Search(edit.segments...).Value()
	all := elements(list)
	// indexes collects the wanted arrangement. Insertions are first appended to the list, so that
	// they have an index, too.
	var indexes []int
	for i := range all {
		if !edit.removed[i] {
			indexes = append(indexes, i)
		}
	}
	slices.SortStableFunc(edit.inserted, func(a, b listInsertion) int { return a.index - b.index })
	for _, in := range edit.inserted {
		// The element is there already, for example because the merge is repeated.
		if in.index >= 0 && in.index < len(indexes) && all[indexes[in.index]].Equal(in.value) {
			continue
		}
		if _, err := w.doc.Set(
			w.valueOf(in.value), append(slices.Clone(edit.segments), "-")...,
		); err != nil {
			return err
		}
		at := len(indexes)
		if in.index >= 0 {
			at = min(in.index, at)
		}
		indexes = slices.Insert(indexes, at, len(all))
		all = append(all, in.value)
	}
	return w.doc.ArrayRearrangeP(indexes, joinSegments(edit.segments))
}

func joinSegments(segments []string) string { return string(yamlpath.Join(segments)) }

// rename gives elements their new keys.
func (w *resourcePatch) rename(renames []elementRename) error {
	var problems []error
	for _, r := range renames {
		problems = append(problems, w.renameElement(r))
	}
	w.renamed, w.ids = renames, placeIDs{}
	return errors.Join(problems...)
}

// renameElement gives an element its new key. It is a conflict if there is no such element, or
// another one has the key already.
func (w *resourcePatch) renameElement(r elementRename) error {
	p := w.find(r.path)
	refuse := func() error {
		as := change{op: api.MutationTypeUpdate, index: w.change.index}
		as.value, _ = stringValue(r.now)
		w.conflicts.add(api.ConflictUnresolvedPath, w.change, r.path, as, nil)
		return nil
	}
	if p.missing > 0 || p.value.Kind() != gaby.List || p.keys == nil || len(p.keys.Keys) == 0 {
		return refuse()
	}
	keys, texts := p.keys.Keys, []string{r.now}
	if len(keys) > 1 {
		texts = strings.Split(r.now, ",")
	}
	if len(texts) != len(keys) {
		return refuse()
	}
	at, taken := -1, false
	var element gaby.Value
	for i, e := range elements(p.value) {
		switch name := elementName(e, keys, p.keys.Defaults); {
		case elementID(e, keys, p.keys.Defaults) == "":
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
	return w.setKeys(
		append(slices.Clone(p.segments), strconv.Itoa(at)), element, keys, texts, p.keys.Defaults,
	)
}

// setKeys writes the merge keys of an element. Keys that were strings stay strings.
func (w *resourcePatch) setKeys(
	segments []string, element gaby.Value, keys, texts []string, defaults map[string]string,
) error {
	for k, key := range keys {
		if old, ok := keyText(element, key, defaults); ok && old == texts[k] {
			continue
		}
		var value any = texts[k]
		if old := element.Get(key); old.Exists() && !isString(old) {
			if doc, err := gaby.ParseYAML([]byte(texts[k] + "\n")); err == nil &&
				doc.Value().Kind() == gaby.Scalar {
				value = doc
			}
		}
		if _, err := w.doc.Set(value, append(segments, key)...); err != nil {
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
		if p.missing > 0 || p.value.Kind() != gaby.List || p.keys == nil || len(p.keys.Keys) == 0 {
			continue // what could not be changed there was already reported
		}
		at := map[string][]int{}
		var unknown []int
		wanted := toSet(o.keys)
		i := 0
		for e := p.value.First(); e.Exists(); e = e.Next() {
			name := elementName(e, p.keys.Keys, p.keys.Defaults)
			if wanted[name] && elementID(e, p.keys.Keys, p.keys.Defaults) != "" {
				at[name] = append(at[name], i)
			} else {
				unknown = append(unknown, i)
			}
			i++
		}
		var indexes []int
		for _, name := range o.keys {
			indexes = append(indexes, at[name]...)
			delete(at, name)
		}
		problems = append(
			problems, w.doc.ArrayRearrangeP(append(indexes, unknown...), joinSegments(p.segments)),
		)
	}
	return errors.Join(problems...)
}

// placeIDs caches the indexes of list elements by ID, for lists at and below a position. It is
// valid as long as elements are only appended.
type placeIDs struct {
	index    map[string]int // nil until first used
	count    int
	children map[string]*placeIDs
}

// at returns the cache for a position.
func (t *placeIDs) at(segments []string) *placeIDs {
	for _, s := range segments {
		next := t.children[s]
		if next == nil {
			if t.children == nil {
				t.children = map[string]*placeIDs{}
			}
			next = &placeIDs{}
			t.children[s] = next
		}
		t = next
	}
	return t
}

// forget drops the cache at and below a position.
func (t *placeIDs) forget(segments []string) {
	if n := len(segments); n > 0 {
		delete(t.at(segments[:n-1]).children, segments[n-1])
	} else {
		*t = placeIDs{}
	}
}

// read adds the elements of a list, once.
func (t *placeIDs) read(list gaby.Value, keys *configkit.MergeKeyTree) {
	if t.index != nil {
		return
	}
	t.index = map[string]int{}
	for e := list.First(); e.Exists(); e = e.Next() {
		t.add(elementID(e, keys.Keys, keys.Defaults))
	}
}

// add adds the next element. The first element with an ID wins.
func (t *placeIDs) add(id string) {
	if t.index == nil {
		return
	}
	if id != "" && !has(t.index, id) {
		t.index[id] = t.count
	}
	t.count++
}
