package yamlpath

import (
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// withBeginning returns the one path of a document that p is the end of, with * for the elements of
// lists, or "". If no path ends with p itself, it looks for one that ends with what is nearest to
// p.
func withBeginning(p *Path, root gaby.Value) string {
	if len(p.segments) == 0 {
		return ""
	}
	key, isKey := p.segments[0].MapKey()
	if !isKey || root.Kind() != gaby.Map || root.Get(key).Exists() {
		return ""
	}
	b := beginnings{path: p, key: key, exact: map[string]bool{}, near: map[string]bool{}}
	b.walk(nil, root)
	for _, paths := range []map[string]bool{b.exact, b.near} {
		if found := slices.Sorted(maps.Keys(paths)); len(found) == 1 {
			return found[0]
		} else if len(found) > 1 {
			return ""
		}
	}
	return ""
}

// beginnings is a search for the maps of a document that have the first key of a path.
type beginnings struct {
	path        *Path
	key         string
	exact, near map[string]bool // whole paths
}

func (b *beginnings) walk(words []string, v gaby.Value) {
	list := v.Kind() == gaby.List
	if v.Kind() == gaby.Map && v.Get(b.key).Exists() {
		before := strings.Join(words, ".") + "."
		n := nearest{path: b.path, at: -1}
		if n.walk(0, v); n.found {
			b.exact[before+b.path.text] = true
		} else if near, _ := nearestFrom(b.path, v); near != "" {
			b.near[before+near] = true
		}
	}
	for _, c := range v.All() {
		word := "*"
		if !list {
			word = Escape(c.Key())
		}
		b.walk(append(words, word), c)
	}
}

// Separated returns the keys that a key of another notation consists of: spec/replicas and
// spec[replicas]. It returns nil for any other key.
func Separated(key string) []string {
	words := strings.FieldsFunc(key, func(r rune) bool { return strings.ContainsRune("/[]", r) })
	if len(words) < 2 {
		return nil
	}
	return words
}

// hasAll reports whether the keys lead to a value.
func hasAll(v gaby.Value, keys []string) bool {
	for _, key := range keys {
		if v.Kind() != gaby.Map {
			return false
		}
		v = v.Get(key)
	}
	return v.Exists()
}

// keysWith returns the keys that have a value in an element of a list.
func keysWith(list gaby.Value, value string) []string {
	var keys []string
	for _, element := range list.All() {
		for _, c := range element.All() {
			if c.EqualText(value) && element.Kind() == gaby.Map && !slices.Contains(keys, c.Key()) {
				keys = append(keys, c.Key())
			}
		}
	}
	return keys
}
