package formatkit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// maxSegments limits the nesting of keys. A key with more segments does not nest.
const maxSegments = 100

// Nest builds the tree of leaves whose keys are paths, with segments joined by dots. A map whose
// keys are the numbers from 0 on becomes a list. If a key is the beginning of other keys, such as a
// in a=1 and a.b=2, it stays a scalar, and the segments of the other keys are joined to one key
// next to it: a and "a.b".
func Nest(leaves []*Node) *Node {
	isKey := make(map[string]bool, len(leaves))
	for _, leaf := range leaves {
		isKey[leaf.Key] = true
	}
	root := &Node{Kind: gaby.Map}
	maps := map[string]*Node{"": root}
	for _, leaf := range leaves {
		in, from, key := root, 0, leaf.Key
		if nests(key) {
			for at := 0; ; at++ {
				dot := strings.IndexByte(key[at:], '.')
				if dot < 0 {
					break
				}
				at += dot
				if isKey[key[:at]] {
					continue
				}
				next := maps[key[:at]]
				if next == nil {
					begin := Span{leaf.KeySpan.From, leaf.KeySpan.From}
					next = &Node{Kind: gaby.Map, Key: key[from:at], KeySpan: begin, Span: begin}
					maps[key[:at]] = next
					in.Kids = append(in.Kids, next)
				}
				in, from = next, at+1
			}
		}
		leaf.Key = key[from:]
		in.Kids = append(in.Kids, leaf)
	}
	for _, kid := range root.Kids {
		number(kid)
	}
	return root
}

// nests reports whether a key has several segments that can be used in a path.
func nests(key string) bool {
	n := strings.Count(key, ".")
	return n > 0 && n < maxSegments && key[0] != '.' && key[len(key)-1] != '.' &&
		!strings.Contains(key, "..")
}

// Segments splits a key at its dots, unless the segments cannot be used in a path.
func Segments(key string) []string {
	if nests(key) {
		return strings.Split(key, ".")
	}
	return []string{key}
}

// number converts the maps in n whose keys are the numbers from 0 on to lists.
func number(n *Node) {
	if n.Kind == gaby.Scalar {
		return
	}
	seen := make([]bool, len(n.Kids))
	isList := true
	for _, kid := range n.Kids {
		number(kid)
		i, err := strconv.Atoi(kid.Key)
		isList = isList && err == nil && i >= 0 && i < len(seen) && !seen[i] &&
			strconv.Itoa(i) == kid.Key
		if isList {
			seen[i] = true
		}
	}
	if isList {
		n.Kind = gaby.List
		slices.SortFunc(n.Kids, func(a, b *Node) int {
			i, _ := strconv.Atoi(a.Key)
			j, _ := strconv.Atoi(b.Key)
			return i - j
		})
	}
}

// Typed returns the value of text in a language that has only text: a boolean for true and false,
// an integer if it is written in canonical form, and else a string. 007 and 1.0 are strings, so
// that their spelling is not lost.
func Typed(text string) any {
	switch text {
	case "true":
		return true
	case "false":
		return false
	}
	if n, err := strconv.Atoi(text); err == nil && strconv.Itoa(n) == text {
		return n
	}
	return text
}

// BeforeRemark returns the length of the number, true or false at the beginning of text, if blanks
// and # follow it, else 0. The reference implementation reads such a value without the remark. No
// program can use the whole text as a number.
func BeforeRemark(text string) int {
	n := strings.IndexAny(text, " \t")
	if n < 0 || !strings.HasPrefix(strings.TrimLeft(text[n:], " \t"), "#") {
		return 0
	}
	if _, isText := Typed(text[:n]).(string); isText {
		return 0
	}
	return n
}

// Untyped returns the text of a scalar in such a language. It reports false for
// nil, which has none.
func Untyped(value any) (string, bool) {
	switch v := value.(type) {
	case nil:
		return "", false
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), true
	}
	return fmt.Sprint(value), true
}
