package gaby

import (
	"fmt"

	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
)

// RNode returns a copy of the value as a node of kyaml, for functions written against that library. Changes to it reach the
// document through [YamlDoc.SetRNode].
func (d *YamlDoc) RNode() (*kyaml.RNode, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	text := d.Value().YAML() + "\n"
	n, err := kyaml.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("reading %s with kyaml: %w", d.Position(), err)
	}
	return n, nil
}

// SetRNode makes the value equal to n, by the same smallest edits as [YamlDoc.SetData]; keys that are new keep the order they have
// in n. Comments and styles of n are not looked at.
func (d *YamlDoc) SetRNode(n *kyaml.RNode) error {
	t, err := nodeTree(n.YNode(), 0)
	if err != nil {
		return err
	}
	_, err = d.set(t, nil)
	return err
}

// nodeTree converts a node of kyaml, which is one of yaml.v3.
func nodeTree(n *kyaml.Node, depth int) (*tree, error) {
	if depth > maxTreeDepth {
		return nil, fmt.Errorf("a node with more than %d maps and lists inside each other", maxTreeDepth)
	}
	if n == nil {
		return convert(nil, depth)
	}
	switch n.Kind {
	case kyaml.DocumentNode:
		if len(n.Content) == 0 {
			return convert(nil, depth)
		}
		return nodeTree(n.Content[0], depth)
	case kyaml.AliasNode:
		return nodeTree(n.Alias, depth+1)
	case kyaml.MappingNode:
		t := &tree{kind: mapNode}
		for k := 0; k+1 < len(n.Content); k += 2 {
			kid, err := nodeTree(n.Content[k+1], depth+1)
			if err != nil {
				return nil, err
			}
			t.keys = append(t.keys, n.Content[k].Value)
			t.kids = append(t.kids, kid)
		}
		return t, nil
	case kyaml.SequenceNode:
		t := &tree{kind: listNode}
		for _, c := range n.Content {
			kid, err := nodeTree(c, depth+1)
			if err != nil {
				return nil, err
			}
			t.kids = append(t.kids, kid)
		}
		return t, nil
	}
	t := &tree{text: n.Value}
	switch tag := explicitTag(n.ShortTag()); tag {
	case nullTag, boolTag, intTag, floatTag:
		t.tag = tag
	}
	if t.tag == nullTag {
		t.text = "null"
	}
	return t, nil
}
