package gaby

import (
	"bytes"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
)

// YAML returns the text of the value without the indentation it has in the document and without a
// final newline. A value without edits and aliases is its source text, including comments; any
// other is written again.
func (v Value) YAML() string {
	if v.d == nil {
		return ""
	}
	d, i := v.d, v.node()
	if d.source(i) && d.selfContained(i) {
		return d.dedented(i)
	}
	if n := &d.n[i]; n.Flags&scan.IsNew != 0 && n.Kind == scan.ScalarNode {
		f := &d.newNodes[n.Val]
		return scalar.Format(f.tag, f.text, scalar.Context{
			Old: f.style, Indent: 2, Parent: -1,
			LineEnd: "\n",
		})
	}
	e := d.emitter()
	switch n := &d.n[i]; {
	case n.Kind == scan.ScalarNode:
		e.scalar(i, 2, -1, false)
	case v.First() == Value{}:
		e.b = append(e.b, empty(n.Kind)...)
	default:
		// Maps with "<<" are written with their inherited entries: as a copy in a new document.
		e.d = &document{limits: d.limits, unit: d.unit, scanned: true}
		e.entries(e.d.build("", v.tree()), 0, false)
	}
	return string(e.b)
}

// YAMLWithAliases returns what [Value.YAML] returns, but keeps aliases if the anchors of all of
// them are in the value too.
func (v Value) YAMLWithAliases() string {
	if v.d == nil {
		return ""
	}
	d, i := v.d, v.node()
	end := int32(d.n[i].Next)
	if !d.source(i) || !d.unedited(i) || !hasKeyIn(d.aliases, i, end) {
		return v.YAML()
	}
	for at := i; at < end; at++ {
		if anchor, ok := d.aliases[at]; ok && (anchor < i || anchor >= end) {
			return v.YAML()
		}
	}
	return d.dedented(i)
}

// selfContained reports whether source node i can be represented by its source text: nothing in it
// was edited or is an alias.
func (d *document) selfContained(i int32) bool {
	return !hasKeyIn(d.aliases, i, int32(d.n[i].Next)) && d.unedited(i)
}

// unedited reports whether nothing in source node i was edited.
func (d *document) unedited(i int32) bool {
	if d.native != nil {
		return false
	}
	end := int32(d.n[i].Next)
	return d.edits == nil || !d.edits.values.hasIn(i, end) && !d.edits.kids.hasIn(i, end)
}

// hasKeyIn reports whether m has a key in the half-open range [from, to). It iterates over the keys
// or over the range, whichever is smaller.
func hasKeyIn[V any](m map[int32]V, from, to int32) bool {
	if len(m) < int(to-from) {
		for k := range m {
			if k >= from && k < to {
				return true
			}
		}
		return false
	}
	for k := from; k < to && len(m) > 0; k++ {
		if _, ok := m[k]; ok {
			return true
		}
	}
	return false
}

// dedented returns the source text of node i, moved to column 0.
func (d *document) dedented(i int32) string {
	n := &d.n[i]
	from, to := int(n.Val), int(n.ValEnd)
	isBlock := (n.Kind == scan.MapNode || n.Kind == scan.ListNode) && n.Style == scalar.PlainStyle
	if isBlock {
		to = d.blockEnd(to)
	}
	text := d.src[from:to]
	if s := d.blockScalarAtEnd(i); s >= 0 {
		text = d.withoutLineEnd(from, to, s)
	}
	if bytes.IndexByte(text, '\n') < 0 {
		return scalar.View(text)
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

// withoutLineEnd returns src[from:to], the end of block scalar s, without the newline after it,
// such that the text followed by a newline gives the scalar the same value. A scalar that ends the
// source without a newline gets "-" in its header.
func (d *document) withoutLineEnd(from, to int, s int32) []byte {
	n := &d.n[s]
	h := scalar.ReadBlockHeader(d.src, int(n.Val))
	unended := int(n.ValEnd) == len(d.src) && d.src[n.ValEnd-1] != '\n'
	switch {
	case h.Chomp == '-':
	case unended && !bytes.HasSuffix(d.textBytes(s), []byte("\n")):
		header := bytes.ReplaceAll(d.src[n.Val:h.End], []byte("+"), nil)
		return slices.Concat(d.src[from:n.Val], header, []byte("-"), d.src[h.End:to])
	case h.Chomp == '+':
		text := bytes.TrimRight(d.src[from:n.ValEnd], " \t")
		return bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
	}
	return d.src[from:to]
}

// Content returns the text of a document without the parts that only have a meaning between
// documents: the byte order mark, directives, the --- before and the ... after the content.
// Comments stay. For a value inside a document it is [YamlDoc.String].
func (d *YamlDoc) Content() string {
	text := strings.TrimPrefix(d.String(), "\ufeff")
	var b strings.Builder
	started := false
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, " \t\r\n")
		switch {
		case started:
			if bare == "..." {
				return b.String()
			}
		case strings.HasPrefix(line, "%"):
			continue
		case bare == "---":
			started = true
			continue
		case strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "---\t"):
			started = true
			line = strings.TrimLeft(line[3:], " \t")
		case bare != "" && bare[0] != '#':
			started = true
		}
		b.WriteString(line)
	}
	return b.String()
}
