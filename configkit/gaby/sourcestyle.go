package gaby

import (
	"iter"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
)

// SourceStyle describes how a value is written, which its readers do not see. For a value made by
// an edit it is how it will be written.
type SourceStyle struct {
	Anchor string // its anchor without "&"
	Alias  string // the anchor of the value it repeats, without "*"
	Plain  bool   // a scalar without quotes and tag, on one line
	Empty  bool   // no text, which means null
	// Repeats reports that a key occurs more than once in the map.
	Repeats bool
}

// SourceStyle returns how the value is written.
func (v Value) SourceStyle() SourceStyle {
	var w SourceStyle
	if v.d == nil || v.d.readOnly != nil {
		return w
	}
	d, i := v.d, v.d.at(v.slot)
	n := &d.n[i]
	w.Repeats = n.flags&hasDuplicates != 0
	if n.flags&isNew != 0 {
		c := d.cloneOf(i)
		if c.value == 0 {
			w.Plain = n.kind == scalarNode && d.newNodes[n.val].tag != scalar.StrTag
			return w
		}
		tagged := n.flags&hasProps != 0
		n = &d.n[c.value]
		w.Plain = n.style == scalar.PlainStyle && n.kind == scalarNode && n.flags&multiLine == 0 &&
			!tagged
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

// Entries iterates over the entries of a map or list as they are written: with each repetition of a
// key and "<<" as entries of their own, and without following an alias. Use each entry by itself;
// [Value.Next] does not lead from one to the next.
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
		at := func(slot int32) Value {
			return Value{d: d, slot: slot, cursorOrigin: cursorOrigin{i, -1}, through: v.through}
		}
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

// ReadOnly returns why the document can be read but not edited: the scanner does not support its
// text, so it was read by yaml.v3. It is nil if the document can be edited, or cannot be read at
// all.
func (d *YamlDoc) ReadOnly() *SyntaxError {
	if d == nil || !d.v.d.ready() {
		return nil
	}
	return d.v.d.readOnly
}

// Extent holds the byte offsets of an entry in the text of its unit: of its key (or dash), and of
// its value without anchor and tag.
type Extent struct{ Key, KeyEnd, From, To int }

// Extent returns the offsets of the entry. It reports false if they are not known: the entry was
// edited, yaml.v3 read the document, or it is in another language.
func (v Value) Extent() (Extent, bool) {
	if v.d == nil || v.d.readOnly != nil || v.d.native != nil || !v.d.source(v.d.at(v.slot)) {
		return Extent{}, false
	}
	n, start := &v.d.n[v.slot], v.d.unit.starts[v.d.index]
	return Extent{start + int(n.key), start + int(n.keyEnd), start + int(n.val), start +
		int(n.valEnd)}, true
}
