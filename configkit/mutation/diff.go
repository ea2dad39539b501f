package mutation

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
)

// differ compares two values and records the differences, or only their cost.
//
// Both values are walked together from the root, and path is where the walk is. Scalars and values
// of different kinds are compared as a whole. Maps are compared key by key, lists with merge keys
// element by element, and other lists by an alignment (align.go). The last two may themselves need
// the cost of a comparison, to recognize elements that were changed or renamed; they get it from a
// dry run of another differ.
//
// Two states of the same document share everything that was not edited between them, and
// [gaby.Value.Same] recognizes that. Therefore the time depends on the size of the changes, not on
// that of the document.
type differ struct {
	index   int
	out     *resourceChange
	dry     bool // compute only the cost
	rough   bool // the cost may be higher than the minimum: long lists are compared by index
	cost    int  // leaves of the values of all entries
	renames bool // treat elements that differ in little but the key as renamed
	newMaps bool // a new map is one entry, not one for each leaf
	folded  bool // entries recorded now are inside a wholeMap
	pairs   int  // pairs of elements compared so far, to align lists
	nesting int  // how many pairs the alignments around this comparison need, multiplied
	path    mutationpath.Path
}

// diff records in r what happened between two states of a resource.
func (d *differ) diff(r *resourceChange, before, after gaby.Value, keys *configkit.MergeKeyTree) {
	d.out = r
	d.value(before, after, keys)
	r.settle()
}

// below runs do with the path extended by s.
func (d *differ) below(s mutationpath.Segment, do func()) {
	d.path = append(d.path, s)
	do()
	d.path = d.path[:len(d.path)-1]
}

// value compares the values at the current path.
func (d *differ) value(before, after gaby.Value, keys *configkit.MergeKeyTree) {
	// Nothing was edited here between the two states.
	if before.Same(after) {
		return
	}
	switch kind := after.Kind(); {
	case kind != before.Kind():
		d.entry(api.MutationTypeUpdate, after, before)
	case kind == gaby.Map:
		d.maps(before, after, keys)
	case kind == gaby.List:
		d.lists(before, after, keys)
	case !before.Equal(after):
		d.entry(api.MutationTypeUpdate, after, before)
	}
}

// maps compares the maps at the current path key by key. Keys mostly are in the same order, so both
// maps are walked side by side; a key is looked up only if they differ.
func (d *differ) maps(before, after gaby.Value, keys *configkit.MergeKeyTree) {
	next, c := before.First(), after.First()
	// Entries of keys cannot express whether an empty map exists. If the map is or was empty, it
	// gets an entry of its own, and the entries of its keys are folded into that.
	if next.Exists() != c.Exists() && len(d.path) > 0 && !d.dry {
		d.out.whole = append(d.out.whole, wholeMap{
			slices.Clone(d.path),
			change{op: api.MutationTypeUpdate, index: d.index, value: after, old: before},
		})
		d.folded = true
		defer func() { d.folded = false }()
	}
	kept := 0 // keys of before that after has
	for ; c.Exists(); c = c.Next() {
		if next.Same(c) {
			next = next.Next()
			kept++
			continue
		}
		old, key := next, c.Key()
		if !old.Exists() || old.Key() != key {
			old = before.Get(key)
		}
		if !old.Exists() {
			d.below(mutationpath.Key(key), func() { d.add(c) })
			continue
		}
		d.below(mutationpath.Key(key), func() { d.value(old, c, keys.Child(key)) })
		next = old.Next()
		kept++
	}
	if kept == before.Len() {
		return
	}
	for _, c := range before.All() {
		if key := c.Key(); !after.Get(key).Exists() {
			d.below(mutationpath.Key(key), func() {
				d.entry(api.MutationTypeDelete, c, gaby.Value{})
			})
		}
	}
}

// add records the leaves of a value that is new in a map.
func (d *differ) add(v gaby.Value) {
	if d.newMaps || v.Kind() != gaby.Map || !v.First().Exists() || hasLookupKey(v) {
		d.entry(api.MutationTypeAdd, v, gaby.Value{})
		return
	}
	for _, c := range v.All() {
		d.below(mutationpath.Key(c.Key()), func() { d.add(c) })
	}
}

// hasLookupKey reports whether v has a key that looks like an element lookup (?key=value). Below a
// new map, a path with such a key would create a list instead.
func hasLookupKey(v gaby.Value) bool {
	for _, c := range v.All() {
		if key := c.Key(); strings.HasPrefix(key, "?") && strings.Contains(key, "=") {
			return true
		}
	}
	return false
}

// entry records a change at the current path or, in a dry run, adds its cost.
func (d *differ) entry(op api.MutationType, value, old gaby.Value) {
	if !d.dry {
		d.out.paths = append(d.out.paths, &pathChange{
			path: slices.Clone(d.path), folded: d.folded,
			change: change{op: op, index: d.index, value: value, old: old},
		})
		return
	}
	d.cost += leaves(value)
	if old.Exists() && old.Kind() != value.Kind() {
		d.cost += leaves(old) // all of it is gone
	}
}

// leaves returns the number of scalars in v, those of aliases included, as they are compared too.
// Empty maps and lists count as one.
func leaves(v gaby.Value) int {
	n := 0
	for _, c := range v.All() {
		n += leaves(c)
	}
	return max(n, 1)
}

// lists compares the lists at the current path: by merge key if they have keys and every element a
// different one, otherwise by alignment.
func (d *differ) lists(before, after gaby.Value, keys *configkit.MergeKeyTree) {
	if keyed, ok := mutationpath.KeyedLists(keys, before, after); ok {
		d.keyedLists(elements(before), elements(after), keyed[0], keyed[1], keys)
		return
	}
	d.plainLists(before, after, keys)
}

// elements returns the elements of a list or the entries of a map.
func elements(v gaby.Value) []gaby.Value {
	var all []gaby.Value
	for _, c := range v.All() {
		all = append(all, c)
	}
	return all
}

// keyedLists compares the elements of two lists, old and now, by merge key. An element that is new
// counts as a renamed one if it resembles a deleted one. If the keys differ in any way, the order
// of the new list is recorded, because the entries of elements do not say where an element belongs.
func (d *differ) keyedLists(
	old, now []gaby.Value, was, is mutationpath.KeyedList, keys *configkit.MergeKeyTree,
) {
	var gone, added []int
	for i, id := range was.IDs {
		if !has(is.At, id) {
			gone = append(gone, i)
		}
	}
	for j, id := range is.IDs {
		if !has(was.At, id) {
			added = append(added, j)
		}
	}
	var renamed map[int]int // by index in now: the index in old
	if d.renames && !d.dry && len(added) > 0 && len(gone) > 0 {
		renamed = d.findRenames(old, now, gone, added, keys)
	}
	element := func(id string, index int) mutationpath.Segment {
		return mutationpath.Segment{Kind: mutationpath.ByKey, Text: id, Index: index}
	}
	// appended: the old elements kept their order and the new ones come last.
	appended, last := true, -1
	for j, e := range now {
		id := is.IDs[j]
		i, ok := was.At[id]
		if ok {
			d.below(element(id, j), func() { d.value(old[i], e, keys.Child("*")) })
		} else if i, ok = renamed[j]; ok {
			d.renamed(element(was.IDs[i], i), old[i], e, keys)
			gone = slices.DeleteFunc(gone, func(k int) bool { return k == i })
		} else {
			d.below(element(id, j), func() { d.entry(api.MutationTypeAdd, e, gaby.Value{}) })
			i = len(old)
		}
		appended = appended && i >= last
		last = i
	}
	for _, i := range gone {
		d.below(element(was.IDs[i], i), func() {
			d.entry(api.MutationTypeDelete, old[i], gaby.Value{})
		})
	}
	if d.dry || slices.Equal(was.IDs, is.IDs) {
		return
	}
	order := arrayOrder{
		path: slices.Clone(d.path), keys: make([]string, len(now)), appended: appended,
	}
	for j, e := range now {
		order.keys[j] = mutationpath.ElementName(e, keys)
	}
	d.out.orders = append(d.out.orders, order)
}

// renamed records an element whose key changed. Other changes in the element are recorded under the
// old key.
func (d *differ) renamed(
	at mutationpath.Segment, before, after gaby.Value, keys *configkit.MergeKeyTree,
) {
	d.out.renames = append(d.out.renames, elementRename{
		path: slices.Clone(d.path), old: mutationpath.ElementName(before, keys),
		now: mutationpath.ElementName(after, keys),
	})
	// Compare the elements, but drop the changes of the key itself: the rename covers them.
	from, depth := len(d.out.paths), len(d.path)+1
	d.below(at, func() { d.value(before, after, keys.Child("*")) })
	inside := slices.DeleteFunc(d.out.paths[from:], func(p *pathChange) bool {
		return len(p.path) == depth+1 && slices.Contains(keys.Keys, p.path[depth].Text)
	})
	d.out.paths = d.out.paths[:from+len(inside)]
}

// maxPairs bounds how many pairs of elements of two lists, or of resources, are compared.
const maxPairs = 2500

// findRenames pairs deleted with added elements that differ in little besides the key: in fewer
// leaves than three tenths of the element's lines. The cheapest pairs are taken first. The result
// maps indexes in now to indexes in old.
func (d *differ) findRenames(
	old, now []gaby.Value, gone, added []int, keys *configkit.MergeKeyTree,
) map[int]int {
	if len(gone)*len(added) > maxPairs {
		return nil
	}
	var pairs []pairing
	for _, i := range gone {
		for _, j := range added {
			cost := d.costOf(old[i], now[j], keys.Child("*"))
			if n := lineCount(old[i]); 10*cost < 3*n {
				pairs = append(pairs, pairing{i, j, float64(cost) / float64(n)})
			}
		}
	}
	found := map[int]int{}
	for _, p := range bestPairs(pairs) {
		found[p.after] = p.before
	}
	return found
}

// costOf returns the number of leaves that differ.
func (d *differ) costOf(before, after gaby.Value, keys *configkit.MergeKeyTree) int {
	c := differ{dry: true, rough: true, pairs: d.pairs, nesting: d.nesting}
	c.value(before, after, keys)
	d.pairs = c.pairs
	return c.cost
}

// lineCount returns the number of lines of v in block style.
func lineCount(v gaby.Value) int {
	n := 0
	for _, c := range v.All() {
		n += lineCount(c)
		if v.Kind() == gaby.Map && c.First().Exists() {
			n++
		}
	}
	return max(n, 1)
}
