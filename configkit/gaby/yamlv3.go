package gaby

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/stream"
	"go.yaml.in/yaml/v3"
)

// readWithLibrary makes the tree of a document that the scanner does not support from the nodes of
// yaml.v3, to be read but not edited. If yaml.v3 refuses the document as well, the scanner's error
// remains.
func (d *document) readWithLibrary() {
	var why *SyntaxError
	if !errors.As(d.err, &why) || !why.Unsupported || d.noLibrary ||
		d.bodyEnd > d.limits.DocumentBytes {
		return
	}
	// Keep lines and columns: text before the content is replaced by spaces, or read as well if it
	// has directives.
	text := bytes.Clone(d.src[:d.bodyEnd])
	from := d.bodyStart
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		// 0 after a "..." line, where the mark belongs to the content
		text, from = text[3:], max(from-3, 0)
	}
	if !blankDirectives(text[:from]) {
		for i := range text[:from] {
			if text[i] != '\n' {
				text[i] = ' '
			}
		}
	}
	var root yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(text))
	if dec.Decode(&root) != nil || len(root.Content) != 1 ||
		!errors.Is(dec.Decode(&yaml.Node{}), io.EOF) {
		return
	}
	d.aliases, d.props = map[int32]int32{}, map[int32]scan.Props{}
	r := libraryReader{d: d, lines: d.unit.linesBefore(d.index), index: map[*yaml.Node]int32{}}
	if !r.read(root.Content[0], nil, 0) {
		d.n, d.newNodes, d.aliases, d.props = nil, nil, nil, nil
		return
	}
	d.readOnly, d.readOnlyAt = why, r.at
	if len(d.aliases) > 0 {
		t := scan.Tree{Nodes: d.n, Aliases: d.aliases}
		if scan.CheckExpansion(t, scan.ScanLimits(*d.limits)) != nil {
			d.n = nil
		}
	}
}

// blankDirectives replaces by spaces the directives that yaml.v3 refuses although they change
// nothing: all but %TAG. It reports whether there were directives.
func blankDirectives(prefix []byte) bool {
	found := false
	for p := 0; p < len(prefix); p = stream.NextLineStart(prefix, p) {
		if prefix[p] != '%' {
			continue
		}
		found = true
		if !bytes.HasPrefix(prefix[p:], []byte("%TAG")) {
			for q := p; q < len(prefix) && prefix[q] != '\n'; q++ {
				prefix[q] = ' '
			}
		}
	}
	return found
}

// libraryReader converts the nodes of yaml.v3 to those of the document. Their positions are kept in
// a list of their own, because nodes of the source hold offsets, and yaml.v3 has lines and columns.
type libraryReader struct {
	d     *document
	lines int // newlines before the document
	index map[*yaml.Node]int32
	at    []entryPositions
}

// entryPositions holds the positions of the key and the value of a node that yaml.v3 read, and the
// tag of the key.
type entryPositions struct {
	key, value Position
	keyTag     string
}

// position returns where n is in the unit.
func (r *libraryReader) position(n *yaml.Node) Position {
	return Position{Line: r.lines + n.Line, Column: n.Column}
}

// read appends n and its children, as an entry with the given key (nil for none). It reports false
// for nodes that cannot be represented.
func (r *libraryReader) read(n, key *yaml.Node, depth int) bool {
	d := r.d
	if depth > d.limits.Depth {
		return false
	}
	i := int32(len(d.n))
	at := entryPositions{value: r.position(n), key: r.position(n)}
	f := newNode{text: n.Value}
	// The node counts as new: its content is in newNodes, not in spans of the source.
	out := scan.Node{Key: uint32(i), Val: uint32(i), Flags: scan.IsNew}
	if key != nil {
		at.key, at.keyTag = r.position(key), key.ShortTag()
		out.KeyStyle = scalar.DoubleStyle
		switch {
		case key.Kind == yaml.ScalarNode:
			f.key = key.Value
			if key.ShortTag() == "!!merge" {
				out.KeyStyle = scalar.PlainStyle
			}
		case key.Kind == yaml.AliasNode && key.Alias.Kind == yaml.ScalarNode:
			f.key = key.Alias.Value
		default:
			text, err := yaml.Marshal(key)
			if err != nil {
				return false
			}
			f.key = strings.TrimSuffix(string(text), "\n")
		}
	}
	if n.Kind == yaml.AliasNode && n.Alias.Kind == yaml.ScalarNode {
		// a copy is equivalent, and the anchor may be on a key, which has no node
		n = n.Alias
		f.text = n.Value
	}
	r.index[n] = i
	if n.Style&yaml.TaggedStyle != 0 && scalar.ParseTag(n.ShortTag()) == scalar.OtherTag {
		d.props[i] = scan.Props{Tag: n.ShortTag()}
		out.Flags |= scan.HasProps
	}
	switch n.Kind {
	case yaml.ScalarNode:
		f.tag = scalar.ParseTag(n.ShortTag())
		if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|
			yaml.FoldedStyle) == 0 && f.tag != scalar.StrTag {
			out.Style = scalar.PlainStyle
		}
	case yaml.MappingNode:
		out.Kind = scan.MapNode
	case yaml.SequenceNode:
		out.Kind = scan.ListNode
	case yaml.AliasNode:
		out.Kind = scan.AliasNode
		target, ok := r.index[n.Alias]
		if !ok || d.n[target].Next == 0 {
			return false
		}
		d.aliases[i] = target
	}
	d.n = append(d.n, out)
	d.newNodes = append(d.newNodes, f)
	r.at = append(r.at, at)
	if out.Kind == scan.AliasNode {
		d.n[i].Next = uint32(i + 1)
		return true
	}
	ok := r.children(n, i, depth+1)
	d.n[i].Next = uint32(len(d.n))
	return ok
}

// children appends the children of n, which is node i, and reports whether all can be represented.
func (r *libraryReader) children(n *yaml.Node, i int32, depth int) bool {
	d := r.d
	if n.Kind != yaml.MappingNode {
		return !slices.ContainsFunc(n.Content, func(c *yaml.Node) bool { return !r.read(c, nil, depth) })
	}
	seen := map[string]bool{}
	for k := 0; k < len(n.Content); k += 2 {
		child := len(d.n)
		if !r.read(n.Content[k+1], n.Content[k], depth) {
			return false
		}
		if d.n[child].KeyStyle == scalar.PlainStyle {
			d.n[i].Flags |= scan.HasMerge
		} else if name := d.newNodes[child].key; seen[name] {
			d.n[i].Flags |= scan.HasDuplicates
			d.duplicates = true
		} else {
			seen[name] = true
		}
	}
	return true
}
