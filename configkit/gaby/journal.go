package gaby

import (
	"maps"
	"slices"
)

// edits records the differences between the document and its source: slots with another value,
// collections with other children, entries with another line comment, aliases and anchors that are
// gone.
//
// Invariant: the log holds, for each edit, the state it replaced. Undoing restores these states in
// reverse order.
type edits struct {
	values   nodeMap[int32]
	kids     nodeMap[[]int32] // also the children of collections that edits created
	comments map[int32]string
	// expanded has the aliases that were replaced by their values, and the values that lost their
	// anchor.
	expanded map[int32]bool
	log      []change
}

// clone copies the edits, for a snapshot of the document that shares only the nodes with it.
func (e *edits) clone() *edits {
	return &edits{
		values: e.values.clone(), kids: e.kids.clone(), comments: maps.Clone(e.comments),
		expanded: maps.Clone(e.expanded), log: slices.Clone(e.log),
	}
}

// nodes returns the slots whose value and the collections whose children changed, in any order.
func (e *edits) nodes() []int32 {
	slots := make([]int32, 0, e.values.len()+e.kids.len())
	for slot := range e.values.all() {
		slots = append(slots, slot)
	}
	for i := range e.kids.all() {
		slots = append(slots, i)
	}
	return slots
}

// change is the state that one edit replaced. had says that an earlier edit had already put
// something there; without it, undoing the edit restores the source.
type change struct {
	what     changeKind
	i        int32
	had      bool
	appended bool // the children are those of before and one more, of a map
	value    int32
	kids     []int32
	comment  string
}

// changeKind is the kind of state that an edit replaced.
type changeKind uint8

const (
	valueChange changeKind = iota
	kidsChange
	commentChange
	expandedChange
)

// edit returns the edits of d, creating them on first use.
func (d *document) edit() *edits {
	if d.edits == nil {
		d.edits = &edits{}
	}
	return d.edits
}

// touch logs a change and drops cached results of the state before it.
func (d *document) touch(c change) {
	d.hasHeader = false
	clear(d.cache.merged)
	d.cache.touched, d.cache.around, d.cache.edited, d.cache.commented = nil, nil, nil, nil
	if c.what == kidsChange {
		delete(d.cache.keys, c.i)
	}
	d.edits.log = append(d.edits.log, c)
}

// setValue makes node value the value of slot; value == slot restores the source value.
func (d *document) setValue(slot, value int32) {
	e := d.edit()
	old, had := e.values.get(slot)
	d.touch(change{what: valueChange, i: slot, had: had, value: old})
	if value == slot {
		e.values.remove(slot)
	} else {
		e.values.set(slot, value)
	}
}

// setKids makes kids the children of collection i. The children it has in the source are no longer
// an edit.
func (d *document) setKids(i int32, kids []int32) {
	e := d.edit()
	old, had := e.kids.get(i)
	d.touch(change{what: kidsChange, i: i, had: had, kids: old})
	if d.source(i) && slices.Equal(kids, d.entries(i)) {
		e.kids.remove(i)
	} else {
		e.kids.set(i, kids)
	}
}

// appendKid adds a child with a new key to map i, which has the children kids. The index of its keys
// stays.
func (d *document) appendKid(i int32, kids []int32, slot int32) {
	index := d.cache.keys[i]
	// readers of an older, shorter list do not see what append writes after it
	d.setKids(i, append(kids, slot))
	d.edits.log[len(d.edits.log)-1].appended = true
	if index != nil {
		index.add(d.keyText(slot), slot, len(kids))
		d.cache.keys[i] = index
	}
}

// setComment makes text the line comment of entry slot, "" for none.
func (d *document) setComment(slot int32, text string) {
	e := d.edit()
	old, had := e.comments[slot]
	d.touch(change{what: commentChange, i: slot, had: had, comment: old})
	remember(&e.comments, slot, text)
}

// setExpanded records that the alias or anchor of source node i is gone.
func (d *document) setExpanded(i int32) {
	e := d.edit()
	d.touch(change{what: expandedChange, i: i})
	remember(&e.expanded, i, true)
}

// isExpanded reports whether the alias or anchor of node i is gone.
func (d *document) isExpanded(i int32) bool { return d.edits != nil && d.edits.expanded[i] }

// Mark is a point in the history of a document's edits.
type Mark int

// Checkpoint returns the present point in the history, for [YamlDoc.Rollback].
func (d *YamlDoc) Checkpoint() Mark {
	if d == nil {
		return 0
	}
	return d.v.d.mark()
}

// mark returns the present point in the history.
func (d *document) mark() Mark {
	if d.edits == nil {
		return 0
	}
	return Mark(len(d.edits.log))
}

// Rollback undoes all edits of the document since m.
func (d *YamlDoc) Rollback(m Mark) {
	if d != nil {
		d.v.d.rollback(m)
	}
}

// rollback undoes the edits since m and drops cached results of the state after them.
func (d *document) rollback(m Mark) {
	if d.edits == nil {
		return
	}
	d.undo(m)
	d.hasHeader = false
	clear(d.cache.merged)
	d.cache.touched, d.cache.around, d.cache.edited, d.cache.commented = nil, nil, nil, nil
}

// undo restores the states before the edits since m. The caller drops the cache, except for the
// index of the keys.
func (d *document) undo(m Mark) {
	e := d.edits
	for len(e.log) > int(m) {
		c := e.log[len(e.log)-1]
		e.log = e.log[:len(e.log)-1]
		switch c.what {
		case valueChange:
			e.values.restore(c.i, c.value, c.had)
		case kidsChange:
			index := d.cache.keys[c.i]
			delete(d.cache.keys, c.i)
			if kids := e.kids.value(c.i); index != nil && c.appended {
				index.drop(d.keyText(kids[len(kids)-1]))
				d.cache.keys[c.i] = index
			}
			e.kids.restore(c.i, c.kids, c.had)
		case commentChange:
			if delete(e.comments, c.i); c.had {
				e.comments[c.i] = c.comment
			}
		case expandedChange:
			delete(e.expanded, c.i)
		}
	}
}

// changed reports whether anything in the source was edited.
func (d *document) changed() bool {
	e := d.edits
	if e == nil {
		return false
	}
	if e.values.len() > 0 || len(e.expanded) > 0 {
		return true
	}
	for i := range e.comments {
		if d.source(i) {
			return true
		}
	}
	for i := range e.kids.all() {
		if d.source(i) {
			return true
		}
	}
	return false
}
