// Package kyamlkit converts between documents and the nodes of kyaml. It is for authors who have
// functions written against that library, such as KRM functions, and want to run them in a command
// of their own made with fctl without rewriting them: a function changes the node, and only what it
// changed is edited in the document. The functions of fctl themselves work on documents.
//
// It is the only package that imports kyaml, so a program that does not use it does not link kyaml.
//
// Layer: document.
package kyamlkit

import (
	"encoding/json"
	"fmt"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// RNode returns a copy of the value at d as a kyaml node. Use [SetRNode] to write changes to it
// back to the document.
func RNode(d *gaby.YamlDoc) (*yaml.RNode, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	n, err := yaml.Parse(d.Value().YAML() + "\n")
	if err != nil {
		return nil, fmt.Errorf("reading %s with kyaml: %w", d.Position(), err)
	}
	return n, nil
}

// SetRNode makes the value at d equal to n by the smallest edits, like [gaby.YamlDoc.SetData]. New
// keys keep their order in n. Comments and styles of n are ignored.
func SetRNode(d *gaby.YamlDoc, n *yaml.RNode) error {
	value, err := data(n.YNode(), 0)
	if err != nil {
		return err
	}
	return d.SetData(value)
}

// maxDepth stops the conversion of a node that contains itself.
const maxDepth = 1000

// data converts a kyaml node to Go data. Maps keep the order and numbers the spelling of the node.
func data(n *yaml.Node, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("a node with more than %d maps and lists inside each other",
			maxDepth)
	}
	if n == nil {
		return nil, nil
	}
	switch n.Kind {
	case yaml.DocumentNode:
		if len(n.Content) == 0 {
			return nil, nil
		}
		return data(n.Content[0], depth)
	case yaml.AliasNode:
		return data(n.Alias, depth+1)
	case yaml.MappingNode:
		entries := make(gaby.Entries, 0, len(n.Content)/2)
		for k := 0; k+1 < len(n.Content); k += 2 {
			value, err := data(n.Content[k+1], depth+1)
			if err != nil {
				return nil, err
			}
			entries = append(entries, gaby.Entry{Key: n.Content[k].Value, Value: value})
		}
		return entries, nil
	case yaml.SequenceNode:
		items := make([]any, len(n.Content))
		for k, c := range n.Content {
			var err error
			if items[k], err = data(c, depth+1); err != nil {
				return nil, err
			}
		}
		return items, nil
	}
	return scalar(n)
}

// scalar converts a scalar node.
func scalar(n *yaml.Node) (value any, err error) {
	switch n.ShortTag() {
	case yaml.NodeTagNull:
		return nil, nil
	case yaml.NodeTagInt, yaml.NodeTagFloat:
		if n.Style&yaml.TaggedStyle == 0 {
			return json.Number(n.Value), nil
		}
		err = n.Decode(&value)
	case yaml.NodeTagBool:
		err = n.Decode(&value)
	default:
		value = n.Value
	}
	return value, err
}
