package gaby

import (
	"iter"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
)

// Written is how a value is written, which its readers do not see. Of a value made by an edit it is how it will be written.
type Written struct {
	Anchor string // in front of it, without &
	Alias  string // the anchor of the value it repeats, without *
	Plain  bool   // a scalar without quotes and tag, on one line
	Empty  bool   // no text at all, which stands for null
	// Repeats says of a map that some key occurs in it more than once.
	Repeats bool
}

// Written returns how the value is written at its place.
func (v Value) Written() Written {
	var w Written
	if v.d == nil || v.d.readOnly != nil {
		return w
	}
	d, i := v.d, v.d.at(v.slot)
	n := &d.n[i]
	w.Repeats = n.flags&hasDuplicates != 0
	if n.flags&isNew != 0 {
		c := d.copyOf(i)
		if c.value == 0 {
			w.Plain = n.kind == scalarNode && d.fresh[n.val].tag != scalar.StrTag
			return w
		}
		tagged := n.flags&hasProps != 0
		n = &d.n[c.value]
		w.Plain = n.style == scalar.PlainStyle && n.kind == scalarNode && n.flags&multiLine == 0 && !tagged
		return w
	}
	tagged := false
	if n.flags&hasProps != 0 {
		p := d.props[i]
		tagged = p.tag != ""
		if !d.isExpanded(i) {
			w.Anchor = p.anchor
		}
	}
	switch n.kind {
	case aliasNode:
		w.Alias = string(d.src[n.val+1 : n.valEnd])
	case scalarNode:
		w.Plain = n.style == scalar.PlainStyle && n.flags&multiLine == 0 && !tagged
		w.Empty = n.style == scalar.NoStyle && !tagged
	}
	return w
}

// Entries lists the entries of a map or list as they are written: every repetition of a key, "<<" as an entry of its own, and nothing
// behind an alias. They are for looking at one by one; [Value.Next] does not lead from one to the other.
func (v Value) Entries() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.d == nil {
			return
		}
		d, i := v.d, v.d.at(v.slot)
		n := &d.n[i]
		if n.kind != mapNode && n.kind != listNode {
			return
		}
		at := func(slot int32) Value { return Value{d: d, slot: slot, origin: origin{i, -1}, via: v.via} }
		if kids, ok := d.editedKids(i); ok {
			for _, kid := range kids {
				if !yield(at(kid)) {
					return
				}
			}
			return
		}
		for k := i + 1; k < int32(n.next); k = int32(d.n[k].next) {
			if !yield(at(k)) {
				return
			}
		}
	}
}

// ReadOnly returns why the document can be read but not edited, nil when it can be or when it cannot even be read: its text is YAML
// that the scanner does not support, and was read by yaml.v3.
func (d *YamlDoc) ReadOnly() *SyntaxError {
	if d == nil || !d.v.d.ready() {
		return nil
	}
	return d.v.d.readOnly
}

// Extent is where an entry is in the text of its unit, in bytes: its key (or dash), and its value without anchor and tag.
type Extent struct{ Key, KeyEnd, From, To int }

// Extent returns where the entry is. It reports false when that is not known: the entry was edited, the document was not read by the
// scanner, or it is written in another language.
func (v Value) Extent() (Extent, bool) {
	if v.d == nil || v.d.readOnly != nil || v.d.native != nil || !v.d.source(v.d.at(v.slot)) {
		return Extent{}, false
	}
	n, start := &v.d.n[v.slot], v.d.unit.starts[v.d.index]
	return Extent{start + int(n.key), start + int(n.keyEnd), start + int(n.val), start + int(n.valEnd)}, true
}
