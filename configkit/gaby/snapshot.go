package gaby

import (
	"bytes"
	"slices"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
)

// snapshotEdits records the edits between a snapshot of a document and the document. Comparing the
// two states skips every subtree without one, so it costs as much as the edits and not as much as
// the document.
type snapshotEdits struct {
	of   *document
	mark Mark
	// touched holds the source nodes edited since the snapshot, sorted. If a node that is not in
	// the source was edited, which can only be reached through edited source nodes, it also holds
	// the nodes with edits from before.
	touched []int32
}

// At returns the documents of c as they were at marks, which has one Mark for each document.
// Documents without edits since then are returned themselves. The others are snapshots: they are
// read-only, and [Value.Same] can compare them with the documents only until the next edit.
func (c Container) At(marks []Mark) Container {
	then := make(Container, len(c))
	var state *document // the items of one list share a snapshot
	for i, doc := range c {
		if doc.Checkpoint() <= marks[i] {
			then[i] = doc
			continue
		}
		if state == nil || state.snapshot.of != doc.v.d || state.snapshot.mark != marks[i] {
			state = doc.v.d.stateAt(marks[i])
		}
		was := *doc
		was.v.d = state
		then[i] = &was
	}
	return then
}

// stateAt returns a copy of the document in which the edits since m are undone. Nodes can be
// shared, because edits only append to them.
func (d *document) stateAt(m Mark) *document {
	then := *d
	then.snapshot = &snapshotEdits{of: d, mark: m, touched: d.touched(m)}
	then.cache, then.edits, then.hasHeader = cache{}, nil, false
	if m > 0 {
		then.edits = d.edits.clone()
		then.undo(m)
	}
	return &then
}

// touched returns the source nodes edited since m, sorted; see snapshotEdits.
func (d *document) touched(m Mark) []int32 {
	var all []int32
	e := d.edits
	inside := false // a node that is not in the source was edited
	for _, c := range e.log[m:] {
		if c.what == commentChange {
			continue
		}
		if !d.source(c.i) {
			inside = true
			continue
		}
		all = append(all, c.i)
	}
	if inside {
		all = append(all, e.nodes()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Identity returns a comparable key, for example of a map, that is equal for all states of the same
// document or of the same slot in it.
func (d *YamlDoc) Identity() any {
	return identity{d.v.d.now(), d.v.slot}
}

// identity is the comparable key that Identity returns.
type identity struct {
	of   *document
	slot int32
}

// MayContain reports whether text can occur in the document, or in the value of a slot and the
// comments around it. It searches the source without scanning it, and reports true for an edited
// document.
func (d *YamlDoc) MayContain(text string) bool {
	return d.v.d.edits != nil || d.SourceMayContain(text)
}

// SourceMayContain is MayContain for the document as it was read.
func (d *YamlDoc) SourceMayContain(text string) bool {
	src, known := d.v.source()
	return !known || bytes.Contains(src, []byte(text))
}

// source returns the text that v has in the source, with everything between it and its neighbours.
// It is not known if parts of v can be elsewhere.
func (v Value) source() (text []byte, known bool) {
	d, slot := v.d, v.slot
	if v.owner < 0 && slot == 0 {
		return d.src, true
	}
	if !d.source(slot) || d.native != nil || d.readOnly != nil || len(d.aliases) > 0 {
		return nil, false
	}
	end := d.bodyEnd
	if next := int32(d.n[slot].Next); next < d.nsrc {
		end = int(d.n[next].Key)
	}
	return d.src[d.endBefore(slot):end], true
}

// Source returns the text of a document without edits, including the separator and comments before
// it. It must not be modified. It is nil for documents with edits, in other languages, and for
// values inside a document.
func (d *YamlDoc) Source() []byte {
	if !d.whole() || d.v.d.changed() || d.v.d.native != nil {
		return nil
	}
	return d.v.d.src
}

// SameText reports whether two documents have no edits and the same text between their separators.
// It does not scan them.
func (d *YamlDoc) SameText(o *YamlDoc) bool {
	a, b := d.v.d, o.v.d
	return a == b && d.v == o.v || d.whole() && o.whole() && a.edits == nil && b.edits == nil &&
		bytes.Equal(a.src[a.bodyStart:a.bodyEnd], b.src[b.bodyStart:b.bodyEnd])
}

// Same reports whether v and w are the same slot in two states of a document, see
// [Container.Before], and nothing at or below it was edited between these. It is a shortcut: equal
// values need not be the same.
func (v Value) Same(w Value) bool {
	if v.d == nil || w.d == nil || v.slot != w.slot || v.through != w.through {
		return false
	}
	if v.d == w.d {
		return true
	}
	now := v.d.now()
	return now == w.d.now() && now.source(v.slot) && len(now.aliases) == 0 &&
		!v.d.snapshot.has(v.slot, now.n[v.slot].Next) &&
		!w.d.snapshot.has(v.slot, now.n[v.slot].Next)
}

// now returns the document itself, also for a snapshot of it.
func (d *document) now() *document {
	if d.snapshot != nil {
		return d.snapshot.of
	}
	return d
}

// has reports whether a node in the half-open range [slot, next) was edited.
func (p *snapshotEdits) has(slot int32, next uint32) bool {
	if p == nil {
		return false
	}
	if len(p.touched) <= longCollection {
		for _, t := range p.touched {
			if t >= slot {
				return t < int32(next)
			}
		}
		return false
	}
	k, _ := slices.BinarySearch(p.touched, slot)
	return k < len(p.touched) && p.touched[k] < int32(next)
}

// Equal reports whether two values are equal: maps with equal values for the same keys in any
// order, lists with equal items in the same order, scalars of the same type. Numbers are compared
// by value and not by spelling; a timestamp equals its text.
func (v Value) Equal(w Value) bool {
	kind := v.Kind()
	if kind != w.Kind() {
		return false
	}
	if kind == Missing || v.Same(w) {
		return true
	}
	if kind == Scalar {
		return v.equalScalar(w)
	}
	a, b := v.First(), w.First()
	for ; a.Exists() && b.Exists(); a, b = a.Next(), b.Next() {
		other := b
		if kind == Map && !b.sameKey(a) {
			other = w.Get(a.Key())
		}
		if !a.Equal(other) {
			return false
		}
	}
	return !a.Exists() && !b.Exists()
}

// sameKey reports whether two map entries have the same key.
func (v Value) sameKey(w Value) bool { return v.d.keyIs(v.slot, w.Key()) }

// equalScalar reports whether two scalars are equal, see Equal.
func (v Value) equalScalar(w Value) bool {
	i, k := v.node(), w.node()
	t, u := v.d.scalarTag(i), w.d.scalarTag(k)
	isText := func(t scalar.Tag) bool { return t == scalar.StrTag || t == scalar.TimestampTag }
	if t != u && !(isText(t) && isText(u)) {
		return false
	}
	switch t {
	case scalar.NullTag:
		return true
	case scalar.StrTag, scalar.TimestampTag:
		return string(v.d.textBytes(i)) == string(w.d.textBytes(k))
	case scalar.OtherTag:
		return v.Tag() == w.Tag() && v.d.text(i) == w.d.text(k)
	}
	return scalar.Same(t, v.d.text(i), w.d.text(k))
}
