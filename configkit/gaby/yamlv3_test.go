package gaby_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// This file has what the proofs know about go.yaml.in/yaml/v3, the oracle: how to read a whole
// stream of nodes, and which values these nodes mean by the rules of design.md (the last of
// duplicate keys, keys are texts, timestamps are strings).

// yamlDocs reads a stream like yaml.v3: the root nodes of the documents before the first error, and
// that error. Documents without content are omitted, because gaby gives their bytes to a neighbour.
func yamlDocs(text []byte) (roots []*yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil { // yaml.v3 panics on some inputs; that is a refusal as well
			err = fmt.Errorf("yaml.v3 panicked: %v", r)
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var doc yaml.Node
		if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
			return roots, nil
		} else if err != nil {
			if len(roots) > 0 &&
				strings.Contains(err.Error(), "did not find expected <document start>") {
				roots = roots[:len(roots)-1] // it took the document to end in the middle
			}
			return roots, err
		}
		if len(doc.Content) == 1 && !emptyNode(doc.Content[0]) {
			roots = append(roots, doc.Content[0])
		}
	}
}

// emptyNode reports whether n has no text at all.
func emptyNode(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0 && n.Anchor == "" &&
		n.ShortTag() == "!!null"
}

var yaml12Directive = regexp.MustCompile(`(?m)^(\x{FEFF}?%YAML[ \t]+1\.)[02-9]([ \t]|\r|$)`)

// verticalTab matches text that could be confused with the replacement of `\/`.
var verticalTab = regexp.MustCompile(`\\v|\\(x|u00|U000000)0[bB]`)

// oracle reads text with yaml.v3 after replacing the valid YAML 1.2 that yaml.v3 refuses: `%YAML
// 1.2` and `\/`. The replacements have the length of the original, so that positions stay correct.
func oracle(text []byte) ([]*yaml.Node, error) {
	roots, err := yamlDocs(text)
	if err == nil {
		return roots, nil
	}
	sub := text
	if strings.Contains(err.Error(), "incompatible YAML document") {
		sub = yaml12Directive.ReplaceAll(text, []byte("${1}1${2}"))
		roots, err = yamlDocs(sub)
	}
	if err == nil || !bytes.Contains(sub, []byte(`\/`)) || verticalTab.Match(sub) {
		return roots, err
	}
	// The escape becomes a vertical tab first, which no other text can contain.
	sub = bytes.Clone(sub)
	run := 0
	for i, c := range sub {
		if c == '/' && run%2 == 1 {
			sub[i] = 'v'
		}
		if c == '\\' {
			run++
		} else {
			run = 0
		}
	}
	roots, err = yamlDocs(sub)
	for _, r := range roots {
		restoreSlashes(r)
	}
	return roots, err
}

func restoreSlashes(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		if n.Style&yaml.DoubleQuotedStyle != 0 {
			n.Value = strings.ReplaceAll(n.Value, "\v", "/")
		} else {
			n.Value = strings.ReplaceAll(n.Value, `\v`, `\/`)
		}
	}
	for _, c := range n.Content {
		restoreSlashes(c)
	}
}

// The reasons why a tree of nodes has no value that gaby must agree with.
var (
	errTooLarge = errors.New("alias expansion is too large to compare")
	errNoValue  = errors.New("yaml.v3 refuses this value")
)

// dataOf returns the value that a node means, with aliases and merge keys followed.
func dataOf(n *yaml.Node) (any, error) {
	budget := 200_000
	return dataOfNode(n, &budget, 0)
}

func dataOfNode(n *yaml.Node, budget *int, depth int) (any, error) {
	if *budget--; *budget < 0 || depth > 2_000 {
		return nil, errTooLarge
	}
	switch n.Kind {
	case yaml.AliasNode:
		if n.Alias == nil {
			return nil, errNoValue
		}
		return dataOfNode(n.Alias, budget, depth+1)
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, c := range n.Content {
			v, err := dataOfNode(c, budget, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case yaml.MappingNode:
		m := map[string]any{}
		var merges []*yaml.Node
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, v := n.Content[i], n.Content[i+1]
			if isMergeKey(k) {
				merges = append(merges, v)
				continue
			}
			key, ok := keyText(k)
			if !ok {
				return nil, errNoValue
			}
			val, err := dataOfNode(v, budget, depth+1)
			if err != nil {
				return nil, err
			}
			m[key] = val
		}
		if len(merges) > 1 {
			return nil, errNoValue
		}
		for _, v := range merges {
			if err := mergeInto(m, v, budget, depth+1, true); err != nil {
				return nil, err
			}
		}
		return m, nil
	case yaml.ScalarNode:
		return Data(n)
	}
	return nil, errNoValue
}

func isMergeKey(k *yaml.Node) bool {
	return k.Kind == yaml.ScalarNode && k.Value == "<<" && k.ShortTag() == "!!merge"
}

func keyText(k *yaml.Node) (string, bool) {
	for k.Kind == yaml.AliasNode && k.Alias != nil {
		k = k.Alias
	}
	return k.Value, k.Kind == yaml.ScalarNode
}

func mergeInto(m map[string]any, v *yaml.Node, budget *int, depth int, lists bool) error {
	for v.Kind == yaml.AliasNode && v.Alias != nil {
		v = v.Alias
		lists = false // yaml.v3 accepts `<<: [*a]` but not an alias of such a list
	}
	switch {
	case v.Kind == yaml.MappingNode:
		val, err := dataOfNode(v, budget, depth+1)
		if err != nil {
			return err
		}
		for k, x := range val.(map[string]any) {
			if _, own := m[k]; !own {
				m[k] = x
			}
		}
		return nil
	case v.Kind == yaml.SequenceNode && lists:
		for _, c := range v.Content {
			if err := mergeInto(m, c, budget, depth+1, false); err != nil {
				return err
			}
		}
		return nil
	}
	return errNoValue
}

func Data(n *yaml.Node) (v any, err error) {
	switch n.ShortTag() {
	case "!!str", "!!merge":
		return n.Value, nil
	}
	if err := n.Decode(&v); err != nil {
		return nil, errNoValue
	}
	if _, ok := v.(time.Time); ok {
		return n.Value, nil
	}
	return v, nil
}

// sameData compares values; NaN equals NaN.
func sameData(a, b any) bool { return diffData(a, b, "") == "" }

// diffData describes where two values differ; it returns "" if they do not.
func diffData(a, b any, path string) string {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			break
		}
		for _, k := range sortedKeys(x) {
			v, ok := y[k]
			if !ok {
				return fmt.Sprintf("%s/%s: only on the left", path, k)
			}
			if d := diffData(x[k], v, path+"/"+k); d != "" {
				return d
			}
		}
		for _, k := range sortedKeys(y) {
			if _, ok := x[k]; !ok {
				return fmt.Sprintf("%s/%s: only on the right", path, k)
			}
		}
		return ""
	case []any:
		y, ok := b.([]any)
		if !ok {
			break
		}
		if len(x) != len(y) {
			return fmt.Sprintf("%s: %d items, %d items", path, len(x), len(y))
		}
		for i := range x {
			if d := diffData(x[i], y[i], fmt.Sprintf("%s/%d", path, i)); d != "" {
				return d
			}
		}
		return ""
	case float64:
		if y, ok := b.(float64); ok && (x == y || math.IsNaN(x) && math.IsNaN(y)) {
			return ""
		}
	default:
		switch b.(type) {
		case map[string]any, []any:
		default:
			if a == b {
				return ""
			}
		}
	}
	return fmt.Sprintf("%s: %T %s, %T %s", path, a, clip(fmt.Append(nil, a)), b,
		clip(fmt.Append(nil, b)))
}
