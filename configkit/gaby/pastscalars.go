package gaby

// EditedScalars appends the places, in their order, at which scalars have got other values since a past state, of which before is the
// value of the same document, see [Past.Of]. ok is false unless these are few and all that was edited; [Value.Toward] leads to them.
func (v Value) EditedScalars(before Value, places []Value) (_ []Value, ok bool) {
	if v.d == nil || before.d == nil || before.d.past == nil || before.d.past.of != v.d {
		return places, false
	}
	now, then := v.d, before.d
	p := then.past
	if len(p.touched) > fewSlots || !now.onlyValues(Mark(len(now.edits.log)-p.edits)) {
		return places, false
	}
	for _, slot := range p.touched {
		switch {
		case slot < v.slot || slot >= int32(now.n[v.slot].next): // in another item of a list
		case now.n[now.at(slot)].kind != scalarNode || then.n[then.at(slot)].kind != scalarNode:
			return places, false
		default:
			places = append(places, Value{d: now, slot: slot})
		}
	}
	return places, true
}

// onlyValues reports whether nothing but values and comments of places in the source was edited since m, in a document in which a place
// is where it is reached.
func (d *document) onlyValues(m Mark) bool {
	if d.native != nil || len(d.aliases) > 0 || d.edits.kids.len() > 0 {
		return false
	}
	for _, c := range d.edits.log[m:] {
		if c.what != commentChange && c.what != valueChange {
			return false
		}
	}
	return true
}

// Toward returns the entry of a map or list in which a place of [Value.EditedScalars] is, or which it is, and the index of the entry.
// There is none when readers see other entries than the source has.
func (v Value) Toward(place Value) (entry Value, index int) {
	d, i := v.d, v.slot
	if n := &d.n[i]; n.kind != mapNode && n.kind != listNode || n.flags&(hasMerge|hasDuplicates) != 0 {
		return Value{}, 0
	}
	slot := i + 1
	for ; place.slot >= int32(d.n[slot].next); slot = int32(d.n[slot].next) {
		index++
	}
	return Value{d: d, slot: slot, origin: origin{i, -1}, via: v.via}, index
}

// In returns the place of v in the state of the document that w is in. It stands in the source.
func (v Value) In(w Value) Value {
	v.d = w.d
	return v
}
