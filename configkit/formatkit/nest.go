package formatkit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// maxSegments bounds how deep a key nests. A key with more segments is one segment.
const maxSegments = 100

// Nest makes the tree of leaves whose keys are paths, the segments joined with dots. Segments that number their neighbours from 0 on
// make a list. A key that is the beginning of other keys, such as a of a=1 and a.b=2, is a scalar, and what is below it an entry
// besides it with the rest of its segments in one: a and "a.b".
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

// nests reports whether a key has segments that a path can name.
func nests(key string) bool {
	n := strings.Count(key, ".")
	return n > 0 && n < maxSegments && key[0] != '.' && key[len(key)-1] != '.' && !strings.Contains(key, "..")
}

// Segments splits a key at its dots, unless a path could not name the segments.
func Segments(key string) []string {
	if nests(key) {
		return strings.Split(key, ".")
	}
	return []string{key}
}

// number makes lists of the maps in n whose keys are the numbers from 0 on.
func number(n *Node) {
	if n.Kind == gaby.Scalar {
		return
	}
	seen := make([]bool, len(n.Kids))
	isList := true
	for _, kid := range n.Kids {
		number(kid)
		i, err := strconv.Atoi(kid.Key)
		isList = isList && err == nil && i >= 0 && i < len(seen) && !seen[i] && strconv.Itoa(i) == kid.Key
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

// Typed is the value that text stands for in a language whose scalars are nothing but text: true and false, whole numbers written
// the usual way, and strings. 007 and 1.0 are strings, so that nothing of how they are written is lost.
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

// BeforeRemark returns the length of the number, true or false that text begins with when blanks and # follow it, else 0. The
// reference implementation reads such a value without what follows. No program can use the whole text as a number.
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

// Untyped is the text of a scalar in such a language. There is none for nil.
func Untyped(value any) (string, bool) {
	switch v := value.(type) {
	case nil:
		return "", false
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case int:
		return strconv.Itoa(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case uint64:
		return strconv.FormatUint(v, 10), true
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), true
	}
	return "", false
}
