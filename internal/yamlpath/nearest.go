package yamlpath

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// maxRespelled is the number of segments of one path that Nearest replaces.
const maxRespelled = 3

// Nearest returns a path that leads to a value of a document and resembles p, which does not: with
// a lookup in place of a name (containers.c, containers.?name=c), with a key, a name or a key with
// dots that the document has, or with the beginning that p lacks (replicas, spec.replicas). A path
// through an element that is there may lead to a missing value, which a setter can create. Nearest
// also returns the number of segments that both have in common, and "" without such a path.
func Nearest(p *Path, root gaby.Value) (path string, common int) {
	if path = withBeginning(p, root); path != "" {
		return path, 1
	}
	return nearestFrom(p, root)
}

// nearestFrom returns what Nearest does, for a path that has its beginning.
func nearestFrom(p *Path, root gaby.Value) (path string, common int) {
	words := make([]string, len(p.segments))
	for i := range p.segments {
		words[i] = p.segments[i].spelled()
	}
	common = len(words)
	throughElement := false
	for range maxRespelled + 1 {
		current, err := Parse(strings.Join(words, "."))
		if err != nil {
			return "", 0
		}
		n := nearest{path: current, at: -1}
		n.walk(0, root)
		switch {
		case n.found && common == len(words):
			return "", 0 // it leads to a value itself
		case n.found:
			if p.embedded != "" {
				return current.text + "#" + p.embedded, common
			}
			return current.text, common
		case n.at < 0 && throughElement:
			return current.text, common
		case n.at < 0:
			return "", 0
		}
		throughElement = n.isElement
		common = min(common, n.at)
		words = slices.Replace(words, n.at, n.at+n.length, n.words...)
	}
	return "", 0
}

// OtherName returns the value of the first lookup in other that differs from the one in p, or "".
func (p *Path) OtherName(other string) string {
	o, err := Parse(other)
	if err != nil || len(o.segments) != len(p.segments) {
		return ""
	}
	for i, s := range o.segments {
		if s.Kind == lookupSegment && p.segments[i].Kind == lookupSegment &&
			s.value != p.segments[i].value {
			return s.value
		}
	}
	return ""
}

// spelled returns the segment as it is written, without the name of its parameter unless it needs
// one.
func (s *Segment) spelled() string {
	prefix := ""
	switch s.Kind {
	case Any, anyKeySegment:
		return "*"
	case literalSegment:
		return "@" + Escape(s.Key) + ":" + s.Param
	case bindSegment:
		if prefix = "*?"; !s.hasValue {
			return "*"
		}
	case lookupSegment:
		if prefix = "?"; !s.hasValue {
			return "?" + Escape(s.Key) + "=@" + strconv.Itoa(s.Index)
		}
	default:
		return Escape(s.Key)
	}
	return prefix + Escape(s.Key) + "=" + Escape(s.value)
}

// nearest is a walk along a path that looks for the last segment that nothing matches.
type nearest struct {
	path  *Path
	found bool // the path leads to a value
	// What to write instead of length segments from at on.
	at, length int
	words      []string
	isElement  bool // the words select the element that has this name
}

// instead records a suggestion, unless there is one as far along the path. It reports whether it
// did.
func (n *nearest) instead(at, length int, words ...string) bool {
	if at <= n.at {
		return false
	}
	n.at, n.length, n.words, n.isElement = at, length, words, false
	return true
}

func (n *nearest) walk(i int, v gaby.Value) {
	if i == len(n.path.segments) {
		n.found = true
		return
	}
	s := &n.path.segments[i]
	if key, isKey := s.MapKey(); isKey {
		n.key(i, key, v)
		return
	}
	matched := false
	var names []string
	for _, c := range v.All() {
		r := Resolver{}
		switch {
		case s.Kind == Any, s.Kind == anyKeySegment, r.keyMatches(s, c):
			matched = true
			n.walk(i+1, c)
		case v.Kind() == gaby.List:
			names = append(names, c.Get(s.Key).Text())
		}
	}
	switch {
	case matched:
	case v.Kind() == gaby.List:
		for _, name := range configkit.Suggest(s.value, names) {
			n.instead(i, 1, "?"+Escape(s.Key)+"="+Escape(name))
			return
		}
		for _, key := range configkit.Suggest(s.Key, keysWith(v, s.value)) {
			n.instead(i, 1, "?"+Escape(key)+"="+Escape(s.value))
			return
		}
	case v.Kind() == gaby.Map && v.Get(s.value).Exists():
		n.instead(i, 1, Escape(s.value))
	}
}

// key follows the key of a map or the index of a list.
func (n *nearest) key(i int, key string, v gaby.Value) {
	s := &n.path.segments[i]
	switch v.Kind() {
	case gaby.Map:
		if c := v.Get(key); c.Exists() {
			n.walk(i+1, c)
			return
		}
		if dotted, c := keyWithDots(v, key, n.path.segments[i+1:]); c.Exists() {
			n.instead(i, strings.Count(dotted, ".")-strings.Count(key, ".")+1, Escape(dotted))
			return
		}
		if words := Separated(key); words != nil && v.Get(words[0]).Exists() {
			if hasAll(v, words) {
				for at := range words {
					words[at] = Escape(words[at])
				}
				n.instead(i, 1, words...)
			}
			return
		}
		var keys []string
		for _, c := range v.All() {
			keys = append(keys, c.Key())
		}
		for _, meant := range configkit.Suggest(key, keys) {
			n.instead(i, 1, Escape(meant))
			return
		}
	case gaby.List:
		if s.Index >= 0 {
			if c := v.Index(s.Index); c.Exists() {
				n.walk(i+1, c)
			} else if last := v.Len() - 1; last >= 0 && s.Index > last {
				n.instead(i, 1, strconv.Itoa(last))
			}
			return
		}
		n.element(i, key, v)
	}
}

// element suggests how to write a key that is followed by a list: as the name of an element, or as
// a key of all elements.
func (n *nearest) element(i int, key string, list gaby.Value) {
	for _, by := range []string{"name", "key", "id"} {
		for _, c := range list.All() {
			if c.Get(by).EqualText(key) {
				if n.instead(i, 1, "?"+by+"="+Escape(key)) {
					n.isElement = true
				}
				return
			}
		}
	}
	for _, c := range list.All() {
		if c.Get(key).Exists() {
			n.instead(i, 0, "*")
			return
		}
	}
}
