package mutation

import (
	"cmp"
	"iter"
	"slices"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
)

// follower follows the paths of changes in two states of a resource at once: in the base, from
// which the changes were computed, and in a later text. What a path leads to may have another path
// there, because elements move and get other names.
//
// It is used for two purposes: to find the position of a conflict in the text of either side, and
// to find in the source's later state what a change of the source is about. Map entries correspond
// by key, elements of lists with merge keys by their IDs, and elements of other lists by the
// alignment that the comparison of the two states used, too.
type follower struct {
	base, text gaby.Value
	keys       *configkit.MergeKeyTree
	renamed    renamedElements   // from base to text
	known      map[string]*level // by path
}

func newFollower(
	base, text *gaby.YamlDoc, keys *configkit.MergeKeyTree, renames []elementRename,
) *follower {
	return &follower{
		base: base.Value(), text: text.Value(), keys: keys,
		renamed: newRenamedElements(renames), known: map[string]*level{},
	}
}

// match is what a path leads to.
type match struct {
	value, base gaby.Value // in the text and in the base
	at          gaby.Position
	path        mutationpath.Path // in the text
}

// level pairs the children of a map or list in the base with those in the text.
type level struct {
	base, text     []gaby.Value
	inBase, inText map[string]int // indexes by key, or by element ID
	textOf         []int          // for each child of the base, its index in the text or -1
	textAfter      []int          // likewise, of the first child from there on that is in the text
	named          map[string]int // indexes in the text by element name; nil until needed
	keyed, isMap   bool
}

// level returns the children of p, which is at path. Each level is computed once.
func (f *follower) level(path mutationpath.Path, p match, keys *configkit.MergeKeyTree) *level {
	name := path.String() // with indexes, because the paths of texts have no digests
	if l := f.known[name]; l != nil {
		return l
	}
	l := &level{text: elements(p.value), isMap: p.value.Kind() == gaby.Map}
	f.known[name] = l
	if p.value.Kind() == p.base.Kind() {
		l.base = elements(p.base)
	}
	if l.base != nil && !l.isMap {
		_, l.keyed = mutationpath.KeyedLists(keys, p.base, p.value)
	}
	l.inBase, l.inText = l.number(l.base, keys), l.number(l.text, keys)
	// Elements without merge keys are matched by alignment, as in the merge itself.
	if !l.isMap && !l.keyed && l.base != nil {
		l.textOf = alignedIndexes(p.base, p.value, keys)
	} else {
		l.textOf = slices.Repeat([]int{-1}, len(l.base))
		for name, i := range l.inBase {
			l.textOf[i] = index(l.inText, name)
		}
	}
	l.textAfter = slices.Clone(l.textOf)
	for i, at := range slices.Backward(l.textOf) {
		if at < 0 && i+1 < len(l.textOf) {
			l.textAfter[i] = l.textAfter[i+1]
		}
	}
	return l
}

// name returns the index in the text of the first element with a name, or -1.
func (l *level) name(name string, keys *configkit.MergeKeyTree) int {
	if l.named == nil {
		l.named = map[string]int{}
		for i, e := range slices.Backward(l.text) {
			l.named[mutationpath.ElementName(e, keys)] = i
		}
	}
	return index(l.named, name)
}

// alignedIndexes returns, for each element of base, the index of the matching element of target, or
// -1.
func alignedIndexes(base, target gaby.Value, keys *configkit.MergeKeyTree) []int {
	old, now := elements(base), elements(target)
	at := slices.Repeat([]int{-1}, len(old))
	d := differ{dry: true}
	for _, pair := range d.align(old, now, keys.Child("*")).pairs {
		at[pair[0]] = pair[1]
	}
	return at
}

// number maps the keys of map entries, or the IDs of elements, to indexes. The first one wins.
func (l *level) number(list []gaby.Value, keys *configkit.MergeKeyTree) map[string]int {
	at := map[string]int{}
	for i, e := range list {
		id := ""
		if l.isMap {
			id = e.Key()
		} else if mutationpath.HasKeys(keys) {
			id = mutationpath.ElementID(e, keys)
		}
		if (l.isMap || id != "") && !has(at, id) {
			at[id] = i
		}
	}
	return at
}

// find follows path as far as possible and reports whether it reached the end. If element is not
// empty, find goes on to the element of that name (its name in the base) in the list at path. news
// says whether new list elements in path are new in this text rather than in the other one.
func (f *follower) find(path mutationpath.Path, element string, news bool) (p match, found bool) {
	p = match{value: f.text, base: f.base, at: f.text.Position()}
	keys := f.keys
	for i, s := range path {
		if p.value.Kind() == gaby.Scalar {
			return p, false
		}
		l := f.level(path[:i], p, keys)
		was, is := l.follow(s, f.newName(path[:i], s.Name()), news)
		if is < 0 {
			if near := l.near(was, s, news); near >= 0 {
				p.at = keyPosition(l.text[near])
			}
			return p, false
		}
		below := childKeys(keys, p.value, s)
		if !l.isMap {
			s = l.element(is, keys)
		}
		keys = below
		p = match{value: l.text[is], at: keyPosition(l.text[is]), path: p.path.Child(s)}
		if was >= 0 {
			p.base = l.base[was]
		}
	}
	if element == "" || keys == nil {
		return p, true
	}
	l := f.level(path, p, keys)
	if i := l.name(f.newName(path, element), keys); i >= 0 {
		e := l.text[i]
		s := mutationpath.Element(mutationpath.ElementID(e, keys), -1)
		return match{value: e, at: keyPosition(e), path: p.path.Child(s)}, true
	}
	return p, false
}

// keysBefore iterates over the keys that precede a key in the map at path of the text, the nearest
// first. A key that is not there follows all others.
func (f *follower) keysBefore(path mutationpath.Path, key string) iter.Seq[string] {
	return func(yield func(string) bool) {
		p, found := f.find(path, "", true)
		if !found || p.value.Kind() != gaby.Map {
			return
		}
		l := f.level(path, p, nil)
		at := len(l.text)
		if i := index(l.inText, key); i >= 0 {
			at = i
		}
		for _, c := range slices.Backward(l.text[:at]) {
			if !yield(c.Key()) {
				return
			}
		}
	}
}

// element returns the segment that leads to element i of the text.
func (l *level) element(i int, keys *configkit.MergeKeyTree) mutationpath.Segment {
	if l.keyed {
		return mutationpath.Element(mutationpath.ElementID(l.text[i], keys), i)
	}
	return mutationpath.Segment{Kind: mutationpath.ByDigest, Index: i}
}

// follow returns the indexes of segment s among the base's and the text's children, or -1. now is
// the name that an element with a merge key has in the text.
func (l *level) follow(s mutationpath.Segment, now string, news bool) (was, is int) {
	was, is = -1, -1
	switch {
	case l.isMap:
		return index(l.inBase, s.AsKey()), index(l.inText, s.AsKey())
	case s.Kind == mutationpath.New:
		if news && s.Index < len(l.text) {
			is = s.Index
		}
	case s.Kind == mutationpath.ByDigest && !l.keyed:
		if s.Index >= 0 && s.Index < len(l.textOf) {
			was, is = s.Index, l.textOf[s.Index]
		}
	case s.Kind == mutationpath.ByKey:
		was = index(l.inBase, s.Text)
		if is = index(l.inText, s.Renamed(now)); is < 0 {
			is = index(l.inText, s.Text)
		}
	default:
		if i, ok := parseIndex(s.Text); ok && i < len(l.text) {
			is = i
		}
	}
	return was, is
}

// near returns the index of the child of the text closest to where the missing child would be, or
// -1 if there are no children.
func (l *level) near(was int, s mutationpath.Segment, news bool) int {
	if s.Kind == mutationpath.New && !news {
		return min(s.Index, len(l.text)-1)
	}
	if i := was + 1; was >= 0 && i < len(l.textAfter) && l.textAfter[i] >= 0 {
		return l.textAfter[i]
	}
	return len(l.text) - 1
}

// index returns the index of name, or -1.
func index(of map[string]int, name string) int {
	if i, ok := of[name]; ok {
		return i
	}
	return -1
}

// newName returns the name in the text of the element called name in the base.
func (f *follower) newName(list mutationpath.Path, name string) string {
	return cmp.Or(f.renamed.of(list, name), name)
}

// keyPosition returns the position of the key of a map entry, or else of the value.
func keyPosition(v gaby.Value) gaby.Position {
	if pos := v.KeyPosition(); pos.Line > 0 {
		return pos
	}
	return v.Position()
}
