package gaby

import (
	"bytes"
	"strings"
)

// YAML returns the text of the value without the indentation it has in the document and without a line end behind it. A value
// that holds no edits and no aliases is its source text, comments included; any other is written anew.
func (v Value) YAML() string {
	if v.d == nil {
		return ""
	}
	d, i := v.d, v.node()
	if d.source(i) && d.selfContained(i) {
		return d.dedented(i)
	}
	e := d.emitter()
	switch n := &d.n[i]; {
	case n.kind == scalarNode:
		e.scalar(i, 2, -1, false)
	case v.First() == Value{}:
		e.b = append(e.b, empty(n.kind)...)
	default:
		// Merged maps are written as readers see them: through a copy.
		fresh := &YamlDoc{v: Value{d: &document{limits: d.limits, unit: d.unit, scanned: true}, owner: -1, pos: -1}}
		root := fresh.v.d.build("", v.tree())
		e.d = fresh.v.d
		e.entries(root, 0, false)
	}
	return string(e.b)
}

// selfContained reports whether the text of source node i can stand for itself: nothing in it was edited or is an alias.
func (d *document) selfContained(i int32) bool {
	if d.native != nil {
		return false
	}
	end := int32(d.n[i].next)
	for a := range d.aliases {
		if a >= i && a < end {
			return false
		}
	}
	if d.edits == nil {
		return true
	}
	for s := range d.edits.values {
		if s >= i && s < end {
			return false
		}
	}
	for s := range d.edits.kids {
		if s >= i && s < end {
			return false
		}
	}
	return true
}

// dedented returns the source text of node i, moved to column 0.
func (d *document) dedented(i int32) string {
	n := &d.n[i]
	from, to := int(n.val), int(n.valEnd)
	isBlock := (n.kind == mapNode || n.kind == listNode) && n.style == plainStyle
	if isBlock {
		to = d.blockEnd(to)
	}
	text := d.src[from:to]
	if bytes.IndexByte(text, '\n') < 0 {
		return string(text)
	}
	indent := d.column(from)
	if !isBlock {
		indent = max(d.blockParent(i), 0)
	}
	lines := strings.Split(string(text), "\n")
	for k, l := range lines {
		if k > 0 {
			cut := 0
			for cut < indent && cut < len(l) && l[cut] == ' ' {
				cut++
			}
			l = l[cut:]
		}
		lines[k] = strings.TrimSuffix(l, "\r")
	}
	return strings.Join(lines, "\n")
}
