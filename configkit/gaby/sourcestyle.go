package gaby

import (
	"iter"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
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
	w.Repeats = n.Flags&scan.HasDuplicates != 0
	if n.Flags&scan.IsNew != 0 {
		c := d.cloneOf(i)
		if c.value == 0 {
			w.Plain = n.Kind == scan.ScalarNode && d.newNodes[n.Val].tag != scalar.StrTag
			return w
		}
		tagged := n.Flags&scan.HasProps != 0
		n = &d.n[c.value]
		w.Plain = n.Style == scalar.PlainStyle && n.Kind == scan.ScalarNode &&
			n.Flags&scan.MultiLine == 0 && !tagged
		return w
	}
	tagged := false
	if n.Flags&scan.HasProps != 0 {
		p := d.props[i]
		tagged = p.Tag != ""
		if !d.isExpanded(i) {
			w.Anchor = p.Anchor
		}
	}
	switch n.Kind {
	case scan.AliasNode:
		w.Alias = string(d.src[n.Val+1 : n.ValEnd])
	case scan.ScalarNode:
		w.Plain = n.Style == scalar.PlainStyle && n.Flags&scan.MultiLine == 0 && !tagged
		w.Empty = n.Style == scalar.NoStyle && !tagged
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
		if n.Kind != scan.MapNode && n.Kind != scan.ListNode {
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
		for k := i + 1; k < int32(n.Next); k = int32(d.n[k].Next) {
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
	return Extent{start + int(n.Key), start + int(n.KeyEnd), start + int(n.Val), start +
		int(n.ValEnd)}, true
}
