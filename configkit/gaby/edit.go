package gaby

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
)

// editContext holds the context that the error messages of one edit need.
type editContext struct {
	d    *document
	base Value    // path begins here; if missing, at the value whose method makes the edit
	path []string // of the value that is being edited
	// shared says that aliases may repeat the value.
	shared bool
}

// fail returns an *EditError at v for the path of the edit.
func (e *editContext) fail(v Value, msg, hint string) error {
	return &EditError{Pos: v.Position(), Path: e.dotted(), Msg: msg, Hint: hint}
}

// dotted returns the path of the edit for messages.
func (e *editContext) dotted() string { return joinPath(slices.Concat(e.base.Segments(), e.path)) }

// joinPath returns the dotted path of segments, the inverse of DotPathToSlice.
func joinPath(segments []string) string {
	escaped := make([]string, len(segments))
	for i, s := range segments {
		escaped[i] = strings.ReplaceAll(strings.ReplaceAll(s, "~", "~0"), ".", "~1")
	}
	return strings.Join(escaped, ".")
}

const expandHint = "expand-anchors replaces aliases and << by their values"

// checkEditable checks that the value v can be edited where it is: it is not reached through an
// alias, and no alias repeats it, unless that may change too. whole says that the entire value is
// replaced or removed, and not only something inside it.
//
// An alias repeats v if its target contains v. If the entire value goes, an anchor inside v must
// also have no alias outside v.
func (e *editContext) checkEditable(v Value, whole bool) error {
	if v.through != 0 {
		return e.failAlias(v)
	}
	d, slot := e.d, v.slot
	if len(d.aliases) == 0 || !d.source(slot) || e.shared {
		return nil
	}
	end, repeated := int32(d.n[slot].Next), false
	look := func(i int32) {
		repeated = repeated || slices.ContainsFunc(d.referrers(i), func(alias int32) bool {
			return d.isAlias(alias) && (alias < slot || alias >= end)
		})
	}
	for i := int32(0); i < slot; {
		look(i)
		kids := d.entries(i)
		i = kids[sort.Search(len(kids), func(k int) bool { return kids[k] > slot })-1]
	}
	look(slot)
	for i := slot + 1; i < end && whole; i++ {
		look(i)
	}
	if repeated {
		return e.fail(v, "the value is repeated elsewhere by an alias", expandHint)
	}
	return nil
}

// checkEntries checks that entries of the map or list v can be added, removed or moved.
func (e *editContext) checkEntries(v Value) error {
	if v.below() != 0 {
		return e.failAlias(v)
	}
	return e.checkEditable(v, false)
}

// failAlias returns the error for a value that was reached through an alias.
func (e *editContext) failAlias(v Value) error {
	return e.fail(v, "this value comes from an alias; it cannot be edited here", expandHint)
}

// newEditor returns an editor for the path segments below d, if d can be edited at all.
func (d *YamlDoc) newEditor(segments []string) (*editContext, error) {
	if d == nil {
		return nil, &NotFoundError{Path: joinPath(segments)}
	}
	if err := d.Check(); err != nil {
		return nil, err
	}
	e := &editContext{d: d.v.d, path: segments}
	return e, e.checkWritable()
}

// checkWritable refuses to edit a document that can only be read.
func (e *editContext) checkWritable() error {
	if why := e.d.readOnly; why != nil {
		return &EditError{
			Pos: why.Pos, Path: e.dotted(),
			Msg: "the document cannot be edited: " + why.Msg, Hint: why.Hint,
		}
	}
	return nil
}

// Set makes the value equal to value by the smallest edits found, where the cursor found it. It
// does not create values, and does not override an inherited value: [YamlDoc.Set] does both. An
// edit that fails changes nothing. The paths of errors begin at the root of the document. Do not
// use the cursor of a value that was removed since.
//
// Errors: *[NotFoundError] if v is missing, *[EditError] if the edit is not possible.
func (v Value) Set(value any) error {
	t, err := toTree(value)
	if err != nil {
		return err
	}
	if v.d == nil {
		return &NotFoundError{}
	}
	e := &editContext{d: v.d, base: v}
	if err := e.checkWritable(); err != nil {
		return err
	}
	if v.through&throughMerge != 0 {
		return e.fail(v, "the value is inherited through <<", expandHint)
	}
	if v.d.duplicates {
		for e.base = v; e.base.owner >= 0; e.base = e.base.parent() {
			if err := e.unique(v.d.cursor(e.base.owner), e.base.Key()); err != nil {
				return err
			}
		}
		e.base = v
	}
	_, err = e.set(v, t)
	return err
}

// Set writes value at the path that segments name, creates missing maps on the way, and returns the
// target. Map and list values are compared with the present value and only differences are written,
// so equal parts keep their text. Writing the present value is not an edit. Segment "-" appends to
// a list. An edit that fails changes nothing.
//
// Errors: *[EditError] if the edit is not possible, *[SyntaxError] if the document cannot be read.
func (d *YamlDoc) Set(value any, segments ...string) (*YamlDoc, error) {
	t, err := toTree(value)
	if err != nil {
		return nil, err
	}
	return d.set(t, segments, false)
}

// SetShared is [YamlDoc.Set] for a value that aliases may repeat: they follow it.
func (d *YamlDoc) SetShared(value any, segments ...string) error {
	t, err := toTree(value)
	if err == nil {
		_, err = d.set(t, segments, true)
	}
	return err
}

// SetP is [YamlDoc.Set] for a dotted path. The empty path is an error, and so is a path that would
// create a key without a name.
func (d *YamlDoc) SetP(value any, path string) (*YamlDoc, error) {
	segments := DotPathToSlice(path)
	if len(segments) == 0 {
		return nil, emptyPath(d)
	}
	if i := slices.Index(segments, ""); i >= 0 && !d.Exists(segments[:i+1]...) {
		return nil, &EditError{Pos: d.Position(), Path: path, Msg: "a segment of the path is empty"}
	}
	return d.Set(value, segments...)
}

// emptyPath returns the error for an empty path where one is needed.
func emptyPath(d *YamlDoc) error {
	return &EditError{Pos: d.Position(), Msg: "path cannot be empty"}
}

// SetDocP writes a copy of another document's value with its keys in their order. The empty path is
// d itself.
func (d *YamlDoc) SetDocP(doc *YamlDoc, path string) error {
	if err := doc.Check(); err != nil {
		return err
	}
	_, err := d.set(doc.Value().tree(), DotPathToSlice(path), false)
	return err
}

// SetData makes the value of d equal to value by the smallest edits found. Setting the present
// value is not an edit, so it succeeds on a document that can only be read.
func (d *YamlDoc) SetData(value any) error {
	t, err := toTree(value)
	if err != nil {
		return err
	}
	if v := d.Value(); v.Exists() && v.d.equal(v.node(), t) {
		return nil
	}
	_, err = d.set(t, nil, false)
	return err
}

// set is Set for a converted value.
func (d *YamlDoc) set(t *tree, segments []string, shared bool) (*YamlDoc, error) {
	e, err := d.newEditor(segments)
	if err != nil {
		return nil, err
	}
	e.shared = shared
	v, err := e.set(d.v, t)
	return v.Doc(), err
}

// set writes t at the path of e below v, and returns the target. It rolls back if the edit fails or
// the document's language cannot hold the result.
func (e *editContext) set(v Value, t *tree) (Value, error) {
	segments := e.path
	// Compare with what the document's language would read back, so that writing an equal value is
	// not an edit.
	if below, err := e.normalizeNative(t); err != nil {
		e.path = slices.Concat(segments, below)
		return Value{}, e.refused(nearest(v, e.path), err)
	}
	mark := e.d.mark()
	target, err := e.setFrom(v, t, segments)
	if err == nil {
		e.path = segments
		if err = e.checkNative(v); err != nil {
			err = e.refused(target, err)
		}
	}
	if grown := e.d.grew(); err == nil {
		err = grown
	}
	if err != nil {
		e.d.rollback(mark)
		return Value{}, err
	}
	return target, nil
}

// setFrom follows segments below v as far as there are values, and writes t there below maps for
// the remaining segments.
func (e *editContext) setFrom(v Value, t *tree, segments []string) (Value, error) {
	for i, s := range segments {
		e.path = segments[:i+1]
		last := i == len(segments)-1
		switch v.Kind() {
		case Map:
			if err := e.unique(v, s); err != nil {
				return Value{}, err
			}
			c := v.Get(s)
			// An inherited entry cannot be edited inside. Setting it adds an own key that overrides
			// it, unless it has the value already.
			if c.Exists() && (c.through != throughMerge || last && e.d.equal(c.node(), t)) {
				v = c
				continue
			}
			if c.Exists() && !last {
				return Value{}, e.fail(c, "the value is inherited through <<", expandHint)
			}
			if err := e.checkKeys(v, segments[i:]); err != nil {
				return Value{}, err
			}
			slot, err := e.add(v, s, nest(t, segments[i+1:]))
			if err != nil {
				return Value{}, err
			}
			return descend(slot, segments[i+1:]), nil
		case List:
			if s == "-" {
				if err := e.checkKeys(v, segments[i+1:]); err != nil {
					return Value{}, err
				}
				slot, err := e.insert(v, v.Len(), nest(t, segments[i+1:]))
				if err != nil {
					return Value{}, err
				}
				return descend(slot, segments[i+1:]), nil
			}
			c := v.child(s)
			if !c.Exists() {
				return Value{}, e.fail(v, "the list has no item "+strconv.Quote(s),
					"items are counted from 0; \"-\" appends one")
			}
			v = c
		default:
			if !v.IsNull() {
				return Value{}, e.fail(v, "neither a map nor a list", "")
			}
			if err := e.checkKeys(v, segments[i:]); err != nil {
				return Value{}, err
			}
			if err := e.assign(v, nest(t, segments[i:])); err != nil {
				return Value{}, err
			}
			return descend(v, segments[i:]), nil
		}
	}
	e.path = segments
	if err := e.assign(v, t); err != nil {
		return Value{}, err
	}
	return v, nil
}

// checkKeys refuses keys below v that a YAML document cannot have. Documents in other languages
// check keys themselves.
func (e *editContext) checkKeys(v Value, keys []string) error {
	if e.d.native != nil {
		return nil
	}
	for _, key := range keys {
		if err := checkKey(key); err != nil {
			return &EditError{
				Pos: v.Position(), Path: joinPath(e.path), Msg: err.Error(),
				Unsupported: true,
			}
		}
	}
	return nil
}

// checkTree refuses a new value with keys that a YAML document cannot have.
func (e *editContext) checkTree(v Value, t *tree) error {
	if err := e.checkKeys(v, t.keys); err != nil {
		return err
	}
	for _, kid := range t.kids {
		if err := e.checkTree(v, kid); err != nil {
			return err
		}
	}
	return nil
}

// nest returns t below a map for each of the segments.
func nest(t *tree, segments []string) *tree {
	for _, key := range slices.Backward(segments) {
		t = &tree{kind: scan.MapNode, keys: []string{key}, kids: []*tree{t}}
	}
	return t
}

// descend returns the entry that segments, all keys of maps, name below v.
func descend(v Value, segments []string) Value {
	for _, s := range segments {
		v = v.Get(s)
	}
	return v
}

// unique refuses to write at or below a key that occurs more than once, as it is not clear which
// one is meant.
func (e *editContext) unique(m Value, key string) error {
	d, i := e.d, m.node()
	if d.n[i].Flags&scan.HasDuplicates == 0 {
		return nil
	}
	count := 0
	for _, kid := range d.kids(i) {
		if d.keyIs(kid, key) {
			count++
		}
	}
	if count > 1 {
		return e.fail(m.Get(key), "the key occurs "+strconv.Itoa(count)+" times in its map",
			"remove all but one")
	}
	return nil
}

// add adds an entry to map m.
func (e *editContext) add(m Value, key string, t *tree) (Value, error) {
	if err := e.checkEntries(m); err != nil {
		return Value{}, err
	}
	if err := e.checkTree(m, &tree{keys: []string{key}, kids: []*tree{t}}); err != nil {
		return Value{}, err
	}
	d, i := e.d, m.node()
	kids := d.kids(i)
	slot := d.build(key, t)
	if at := d.positionOf(m, key, kids); at < len(kids) {
		d.setKids(i, slices.Insert(slices.Clone(kids), at, slot))
		return d.entry(i, slot), nil
	}
	d.appendKid(i, kids, slot)
	return d.entry(i, slot), nil
}

// insert puts a new item before item at of list l.
func (e *editContext) insert(l Value, at int, t *tree) (Value, error) {
	if err := e.checkEntries(l); err != nil {
		return Value{}, err
	}
	if err := e.checkTree(l, t); err != nil {
		return Value{}, err
	}
	d, i := e.d, l.node()
	// the first entry is on the line of the dash, so its comment goes above the item
	if t.kind == scan.MapNode && len(t.kids) > 0 && t.head == "" {
		t.head, t.kids[0].head = t.kids[0].head, ""
	}
	slot := d.build("", t)
	kids := d.kids(i)
	if at == len(kids) {
		d.setKids(i, append(kids, slot))
	} else {
		d.setKids(i, slices.Insert(slices.Clone(kids), at, slot))
	}
	return d.entry(i, slot), nil
}

// checkRemovable checks that entry v can be removed from its collection.
func (e *editContext) checkRemovable(v Value) error {
	if v.through == throughMerge {
		return e.fail(v, "the value is inherited through <<", expandHint)
	}
	return e.checkEditable(v, true)
}

// remove removes entries from their collections, with one edit for each collection.
func (d *document) remove(entries []Value) {
	gone := map[int32]map[int32]bool{}
	var owners []int32
	for _, v := range entries {
		if gone[v.owner] == nil {
			gone[v.owner] = map[int32]bool{}
			owners = append(owners, v.owner)
		}
		gone[v.owner][v.slot] = true
	}
	for _, i := range owners {
		d.setKids(i, slices.DeleteFunc(slices.Clone(d.kids(i)),
			func(kid int32) bool { return gone[i][kid] }))
	}
}

// assign makes the value at v equal to t by the smallest edits found. A map is compared key by key
// and a list item by item, so that only the parts that differ get new text. Only a value of another
// kind is replaced as a whole.
func (e *editContext) assign(v Value, t *tree) error {
	d := e.d
	if d.equal(v.node(), t) {
		return nil
	}
	i := d.at(v.slot)
	n := &d.n[i]
	if n.Kind == t.kind && n.Kind != scan.ScalarNode {
		if err := e.checkEditable(v, false); err != nil {
			return err
		}
		if t.kind == scan.MapNode {
			return e.assignMap(v, t)
		}
		return e.assignList(v, t)
	}
	if err := e.checkEditable(v, true); err != nil {
		return err
	}
	if i != v.slot && d.source(v.slot) && d.n[v.slot].Kind == t.kind && d.canReturn(v.slot) {
		// restore the source value first, so that equal parts get their text back
		d.setValue(v.slot, v.slot)
		return e.assign(v, t)
	}
	if err := e.checkTree(v, t); err != nil {
		return err
	}
	d.setValue(v.slot, d.build(d.keyText(v.slot), t))
	return nil
}

// canReturn reports whether source node i can have its source value again: it has no new comment
// that may not fit that value, and all aliases in it still have their anchors.
func (d *document) canReturn(i int32) bool {
	if _, commented := d.pendingComment(i); commented {
		return false
	}
	for k := i; k < int32(d.n[i].Next) && len(d.edits.expanded) > 0; k++ {
		if d.n[k].Kind == scan.AliasNode && d.isExpanded(k) && d.at(k) == k {
			return false
		}
	}
	return true
}

// assignMap makes map v equal to t: it removes keys that t does not have, assigns changed values,
// and adds new keys at the end. An inherited entry cannot be removed, only
// overridden.
func (e *editContext) assignMap(v Value, t *tree) error {
	d := e.d
	path := e.path
	defer func() { e.path = path }()
	want := make(map[string]*tree, len(t.keys))
	for k, key := range t.keys {
		want[key] = t.kids[k]
	}
	var gone []Value
	for _, c := range v.All() {
		key := c.Key()
		e.path = append(path[:len(path):len(path)], key)
		t, keep := want[key]
		if keep && d.equal(c.node(), t) {
			continue
		}
		if err := e.unique(v, key); err != nil {
			return err
		}
		switch {
		case !keep:
			if err := e.checkRemovable(c); err != nil {
				return err
			}
			gone = append(gone, c)
		case c.through == 0:
			if err := e.assign(c, t); err != nil {
				return err
			}
		}
	}
	d.remove(gone)
	for k, key := range t.keys {
		c := v.Get(key)
		e.path = append(path[:len(path):len(path)], key)
		if c.Exists() && (c.through == 0 || d.equal(c.node(), t.kids[k])) {
			continue
		}
		if _, err := e.add(v, key, t.kids[k]); err != nil {
			return err
		}
	}
	return nil
}

// Delete removes the entry that segments name. A missing one is a *[NotFoundError].
func (d *YamlDoc) Delete(segments ...string) error { return d.DeleteAll([][]string{segments})[0] }

// DeleteAll removes the entries that paths name. Indexes count the items before the first removal.
// It returns an error for each path, nil if its entry was removed. Each map or list that loses
// entries is edited once.
func (d *YamlDoc) DeleteAll(paths [][]string) []error {
	problems := make([]error, len(paths))
	var gone []Value
	for k, segments := range paths {
		v, err := d.removable(segments)
		if problems[k] = err; err == nil {
			gone = append(gone, v)
		}
	}
	if len(gone) > 0 {
		d.v.d.remove(gone)
	}
	return problems
}

// removable returns the entry that segments name if it can be removed.
func (d *YamlDoc) removable(segments []string) (Value, error) {
	e, err := d.newEditor(segments)
	if err != nil {
		return Value{}, err
	}
	v, err := e.resolve(d.v)
	switch {
	case err != nil:
		return Value{}, err
	case !v.Exists():
		return Value{}, &NotFoundError{Path: joinPath(segments)}
	}
	if v.owner < 0 {
		return Value{}, e.fail(v, "a document cannot be deleted from itself",
			"remove it from its container")
	}
	if checker, ok := d.Native().(DeleteChecker); ok && d.v.slot == 0 {
		if err := checker.CheckDelete(segments); err != nil {
			return Value{}, e.refused(v, err)
		}
	}
	return v, e.checkRemovable(v)
}

// resolve follows the path of e below v. The result is missing if the path leads nowhere; a path
// through a repeated key is an error.
func (e *editContext) resolve(v Value) (Value, error) {
	segments := e.path
	for i, s := range segments {
		e.path = segments[:i+1]
		if v.Kind() == Map {
			if err := e.unique(v, s); err != nil {
				return Value{}, err
			}
		}
		v = v.child(s)
	}
	return v, nil
}

// DeleteP is [YamlDoc.Delete] for a dotted path. The empty path is an error.
func (d *YamlDoc) DeleteP(path string) error {
	if path == "" {
		return emptyPath(d)
	}
	return d.Delete(DotPathToSlice(path)...)
}

// ArrayAppendP appends value to the list at path, which is created if it is missing or null. In
// this method and the ones below, the empty path is d itself.
func (d *YamlDoc) ArrayAppendP(value any, path string) error {
	return d.insertAt(value, path, -1)
}

// ArrayInsertP inserts value before item index of the list at path; an index equal to its length
// appends.
func (d *YamlDoc) ArrayInsertP(value any, index int, path string) error {
	return d.insertAt(value, path, index)
}

// insertAt inserts an item before item index, or at the end for index -1.
func (d *YamlDoc) insertAt(value any, path string, index int) error {
	segments := DotPathToSlice(path)
	e, err := d.newEditor(segments)
	if err != nil {
		return err
	}
	t, err := toTree(value)
	if err != nil {
		return err
	}
	v, err := e.resolve(d.v)
	switch n := v.Len(); {
	case err != nil:
		return err
	case v.Kind() == List && index > n:
		return e.fail(v, "the list has only "+strconv.Itoa(n)+" items", "")
	case v.Kind() == List && index < 0:
		index = n
	case v.Kind() == List:
	case v.Exists() && !v.IsNull():
		return e.fail(v, "not a list", "")
	case index > 0:
		return e.fail(v, "the list has no items", "")
	default:
		_, err = d.set(&tree{kind: scan.ListNode, kids: []*tree{t}}, segments, false)
		return err
	}
	mark := e.d.mark()
	e.path = append(segments[:len(segments):len(segments)], strconv.Itoa(index))
	below, err := e.normalizeNative(t)
	if e.path = append(e.path, below...); err == nil {
		_, err = e.insert(v, index, t)
	}
	if err == nil {
		err = e.checkNative(d.v)
	}
	if err != nil {
		e.d.rollback(mark)
		return e.refused(v, err)
	}
	if err := e.d.grew(); err != nil {
		e.d.rollback(mark)
		return err
	}
	return nil
}
