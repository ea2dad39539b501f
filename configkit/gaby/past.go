package gaby

import (
	"bytes"
	"slices"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
)

// past tells what was edited between a past state of a document and the document.
type past struct {
	of *document
	// touched are the source nodes that were edited since, sorted; also those with edits from before when something was edited that
	// does not stand in the source and can only be reached through them.
	touched []int32
	edits   int // that were made since
}

// Before returns the documents as they were at the marks, which are those of the documents of c in order. Documents that were not
// edited since then are returned themselves. The others are to be read only, and compared with the documents by [Value.Same] only
// until the next edit.
func (c Container) Before(marks []Mark) Container {
	then := make(Container, len(c))
	p := &Past{}
	for i, doc := range c {
		if doc.Checkpoint() <= marks[i] {
			then[i] = doc
			continue
		}
		if p.state != nil && p.of != doc.v.d {
			p = &Past{} // one of its own, but for the items of a list
		}
		state := *p.Of(doc, marks[i])
		then[i] = &state
	}
	return then
}

// Past is memory for one past state of a document, see [Container.Before].
type Past struct {
	past
	state *document
	mark  Mark
	doc   YamlDoc
}

// Of returns the document as it was at a mark. The next call takes the memory, unless it asks for the same state of the same document,
// another item of a list for example.
func (p *Past) Of(d *YamlDoc, m Mark) *YamlDoc {
	if p.state == nil {
		p.state = &document{}
	}
	if now := d.v.d; p.of != now || p.mark != m || int(m)+p.edits != len(now.edits.log) {
		*p.state = *now
		p.of, p.mark, p.edits, p.touched = now, m, len(now.edits.log)-int(m), now.touched(m, p.touched[:0])
		then := p.state
		then.cache, then.past, then.edits = cache{}, &p.past, nil
		then.hasHeader = false
		if m > 0 {
			then.edits = now.edits.clone()
			then.undo(m)
		}
	}
	p.doc = *d
	p.doc.v.d = p.state
	return &p.doc
}

// touched appends the source nodes edited since m, see past.
func (d *document) touched(m Mark, all []int32) []int32 {
	e := d.edits
	inside := false // something that does not stand in the source
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
		all = append(all, e.places()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// SameDocument reports whether two documents, or places in one, are the same in two states.
func (d *YamlDoc) SameDocument(o *YamlDoc) bool {
	return d.v.slot == o.v.slot && d.v.d.now() == o.v.d.now()
}

// Identity is equal for the same document, or place in one, in all states it has been in. It can be compared and be the key of a map.
func (d *YamlDoc) Identity() any {
	return identity{d.v.d.now(), d.v.slot}
}

type identity struct {
	of   *document
	slot int32
}

// MayContain reports whether a text can occur in the document. It looks at the source without scanning it.
func (d *YamlDoc) MayContain(text string) bool {
	return d.v.d.edits != nil || bytes.Contains(d.v.d.src, []byte(text))
}

// Source returns the text of a document that has no edits, with the separator and comments in front of it. It must not be modified.
// It is nil for documents with edits and places in one.
func (d *YamlDoc) Source() []byte {
	if !d.whole() || d.v.d.changed() || d.v.d.native != nil {
		return nil
	}
	return d.v.d.src
}

// SameText reports whether two documents have no edits and the same text between their separators. It does not scan them.
func (d *YamlDoc) SameText(o *YamlDoc) bool {
	a, b := d.v.d, o.v.d
	return a == b && d.v == o.v ||
		d.whole() && o.whole() && a.edits == nil && b.edits == nil && bytes.Equal(a.src[a.body:a.bodyEnd], b.src[b.body:b.bodyEnd])
}

// Same reports whether v and w are the same place in two states of a document, see [Container.Before], between which nothing was edited
// there. It is a shortcut: values that are equal need not be the same.
func (v Value) Same(w Value) bool {
	if v.d == nil || w.d == nil || v.slot != w.slot || v.via != w.via {
		return false
	}
	if v.d == w.d {
		return true
	}
	now := v.d.now()
	return now == w.d.now() && now.source(v.slot) && len(now.aliases) == 0 &&
		!v.d.past.has(v.slot, now.n[v.slot].next) && !w.d.past.has(v.slot, now.n[v.slot].next)
}

// now is the document itself.
func (d *document) now() *document {
	if d.past != nil {
		return d.past.of
	}
	return d
}

// has reports whether a node from slot to the one in front of next was edited.
func (p *past) has(slot int32, next uint32) bool {
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

// Equal reports whether two values mean the same: maps with equal values of the same keys in any order, lists with equal items in
// the same order, scalars of the same type. Of numbers the value counts and not how it is written; a timestamp equals its text.
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
	return sameData(scalar.Data(t, v.d.text(i)), scalar.Data(t, w.d.text(k)))
}
