package gaby

import (
	"slices"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
	"go.yaml.in/yaml/v3"
)

// RawNode is a node as written, without following aliases and "<<", for comparison with a Node of
// yaml.v3.
type RawNode struct {
	Kind    yaml.Kind
	Style   yaml.Style
	Tag     string
	Value   string
	Anchor  string
	Pos     Position
	Content []RawNode
}

// Unsupported returns why the scanner left a document to yaml.v3, nil if it did not.
func Unsupported(d *YamlDoc) error {
	if why := d.v.d.readOnly; why != nil {
		return why
	}
	return nil
}

// RawTree returns the nodes of a document that the scanner read.
func RawTree(d *YamlDoc) (RawNode, error) {
	if err := d.Check(); err != nil {
		return RawNode{}, err
	}
	if d.v.d.readOnly != nil { // read by yaml.v3: the source is not recorded
		return RawNode{}, d.v.d.readOnly
	}
	return rawNode(d.v.d, d.v.slot), nil
}

var rawStyles = map[scalar.Style]yaml.Style{
	scalar.SingleStyle: yaml.SingleQuotedStyle,
	scalar.DoubleStyle: yaml.DoubleQuotedStyle, scalar.LiteralStyle: yaml.LiteralStyle,
	scalar.FoldedStyle: yaml.FoldedStyle, scalar.FlowStyle: yaml.FlowStyle,
}

func rawNode(d *document, i int32) RawNode {
	n := d.n[i]
	r := RawNode{Pos: d.valuePosition(i), Style: rawStyles[n.Style]}
	if n.Flags&scan.HasProps != 0 {
		p := d.props[i]
		r.Anchor = p.Anchor
		if p.Tag != "" && p.Tag != "!" {
			r.Style |= yaml.TaggedStyle
		}
	}
	r.Tag = (Value{d: d, slot: i, cursorOrigin: cursorOrigin{-1, -1}}).Tag()
	switch n.Kind {
	case scan.ScalarNode:
		r.Kind, r.Value = yaml.ScalarNode, d.text(i)
	case scan.AliasNode:
		r.Kind, r.Value = yaml.AliasNode, string(d.src[n.Val+1:n.ValEnd])
	case scan.ListNode:
		r.Kind = yaml.SequenceNode
		for c := i + 1; c < int32(n.Next); c = int32(d.n[c].Next) {
			r.Content = append(r.Content, rawNode(d, c))
		}
	case scan.MapNode:
		r.Kind = yaml.MappingNode
		for c := i + 1; c < int32(n.Next); c = int32(d.n[c].Next) {
			k := RawNode{
				Kind: yaml.ScalarNode, Style: rawStyles[d.n[c].KeyStyle],
				Pos: d.keyPosition(c), Value: d.keyText(c), Tag: "!!str",
			}
			if k.Style == 0 {
				k.Tag = scalar.TagNames[scalar.Resolve(k.Value)]
			}
			r.Content = append(r.Content, k, rawNode(d, c))
		}
	}
	return r
}

// SameNodes reports whether the trees of two documents are identical, including all flags.
func SameNodes(a, b *YamlDoc) bool { return slices.Equal(a.v.d.n, b.v.d.n) }
