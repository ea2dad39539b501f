package gaby

import (
	"maps"
	"slices"
)

// edits is what was changed since the document was read: which place has another value, which collection other children, which
// entry another line comment, which aliases and anchors are no longer there. Undoing is putting the previous state of these back, in
// reverse order.
type edits struct {
	values   slots[int32]
	kids     slots[[]int32] // also the children of collections made by edits
	comments map[int32]string
	expanded map[int32]bool // aliases that were replaced by what they stand for, and values that lost their anchor
	log      []change
}

// clone copies the edits, for a state of the document that shares nothing but the nodes with it.
func (e *edits) clone() *edits {
	return &edits{values: e.values.clone(), kids: e.kids.clone(), comments: maps.Clone(e.comments), expanded: maps.Clone(e.expanded), log: slices.Clone(e.log)}
}

// places are where values or children are others than before, in any order.
func (e *edits) places() []int32 {
	places := make([]int32, 0, e.values.len()+e.kids.len())
	for slot := range e.values.all() {
		places = append(places, slot)
	}
	for i := range e.kids.all() {
		places = append(places, i)
	}
	return places
}

// change is the state one edit replaced.
type change struct {
	what    changeKind
	i       int32
	had     bool
	value   int32
	kids    []int32
	comment string
}

type changeKind uint8

const (
	valueChange changeKind = iota
	kidsChange
	commentChange
	expandedChange
)

// edit returns the edits, made on first use.
func (d *document) edit() *edits {
	if d.edits == nil {
		d.edits = &edits{}
	}
	return d.edits
}

// touch records an edit and drops what was worked out from the state before it.
func (d *document) touch(c change) {
	d.hasHeader = false
	clear(d.cache.merged)
	d.cache.touched, d.cache.around = nil, nil
	if c.what == kidsChange {
		delete(d.cache.keys, c.i)
	}
	d.edits.log = append(d.edits.log, c)
}

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

func (d *document) setComment(slot int32, text string) {
	e := d.edit()
	old, had := e.comments[slot]
	d.touch(change{what: commentChange, i: slot, had: had, comment: old})
	remember(&e.comments, slot, text)
}

// setExpanded records that the alias or anchor of source node i is no longer there.
func (d *document) setExpanded(i int32) {
	e := d.edit()
	d.touch(change{what: expandedChange, i: i})
	remember(&e.expanded, i, true)
}

// isExpanded reports whether the alias or anchor of node i is no longer there.
func (d *document) isExpanded(i int32) bool { return d.edits != nil && d.edits.expanded[i] }

// Mark is a moment in the history of a document's edits.
type Mark int

// Checkpoint returns the present moment, for [YamlDoc.Rollback].
func (d *YamlDoc) Checkpoint() Mark {
	if d == nil || d.v.d.edits == nil {
		return 0
	}
	return Mark(len(d.v.d.edits.log))
}

// Rollback undoes every edit of the document since m.
func (d *YamlDoc) Rollback(m Mark) {
	if d != nil && d.v.d.edits != nil {
		d.v.d.rollback(m)
	}
}

func (d *document) rollback(m Mark) {
	d.undo(m)
	d.hasHeader = false
	clear(d.cache.merged)
	clear(d.cache.keys)
	d.cache.touched, d.cache.around = nil, nil
}

// undo takes back what was edited since m.
func (d *document) undo(m Mark) {
	e := d.edits
	for len(e.log) > int(m) {
		c := e.log[len(e.log)-1]
		e.log = e.log[:len(e.log)-1]
		switch c.what {
		case valueChange:
			e.values.restore(c.i, c.value, c.had)
		case kidsChange:
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

// changed reports whether anything that stands in the source was edited.
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
