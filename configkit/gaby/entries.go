package gaby

import (
	"slices"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
)

// cache holds what is worked out from the tree on demand. Edits drop what they make wrong.
type cache struct {
	entries map[int32][]int32          // long lists and maps: their children, for access by index
	keys    map[int32]map[string]int32 // long maps: their last child of each key
	merged  map[int32][]mergedEntry    // maps with "<<" or repeated keys: what a reader sees
	around  map[int32]int32            // what edits made: the slot or collection it was put into
	// Of the source, whatever is edited.
	referrers  map[int32][]int32 // the aliases of each anchored value
	expandable bool              // the document is not too large without aliases
	touched    map[int32]bool    // copies that were edited since they were made, or something in them was
}

// mergedEntry is one entry a reader of a map with "<<" or repeated keys sees.
type mergedEntry struct {
	slot int32
	via  via
}

// longCollection is the length from which maps get an index of their keys and lists one of their items.
const longCollection = 16

// remember puts v into a map that is made for its first entry.
func remember[V any](m *map[int32]V, k int32, v V) {
	if *m == nil {
		*m = map[int32]V{}
	}
	(*m)[k] = v
}

// entries returns the children of source collection i as the source has them.
func (d *document) entries(i int32) []int32 {
	if l, ok := d.cache.entries[i]; ok {
		return l
	}
	count, end := 0, int32(d.n[i].next)
	for k := i + 1; k < end; k = int32(d.n[k].next) {
		count++
	}
	l := make([]int32, 0, count+1) // with room for one more, which many an edit adds
	for k := i + 1; k < end; k = int32(d.n[k].next) {
		l = append(l, k)
	}
	if count > longCollection {
		l = slices.Clip(l) // appending to it makes a list of its own
		remember(&d.cache.entries, i, l)
	}
	return l
}

// keyIndex returns the places of the keys of map i among its children.
func (d *document) keyIndex(i int32, kids []int32) map[string]int32 {
	m, ok := d.cache.keys[i]
	if !ok {
		m = make(map[string]int32, len(kids))
		for k, kid := range kids {
			m[d.keyText(kid)] = int32(k)
		}
		remember(&d.cache.keys, i, m)
	}
	return m
}

// editedKids returns the children of collection i when edits have changed them or made the collection.
func (d *document) editedKids(i int32) ([]int32, bool) {
	if d.edits == nil {
		return nil, false
	}
	return d.edits.kids.get(i)
}

// kids lists the children of collection i.
func (d *document) kids(i int32) []int32 {
	if kids, ok := d.editedKids(i); ok {
		return kids
	}
	return d.entries(i)
}

// sourceAround returns collection i when it is in the source, else the nearest one around it that is; -1 when there is none.
func (d *document) sourceAround(i int32) int32 {
	if !d.source(i) && d.cache.around == nil {
		d.cache.around = map[int32]int32{}
		for slot, value := range d.edits.values.all() {
			d.cache.around[value] = slot
		}
		for of, kids := range d.edits.kids.all() {
			for _, kid := range kids {
				if !d.source(kid) {
					d.cache.around[kid] = of
				}
			}
		}
	}
	for !d.source(i) {
		outer, ok := d.cache.around[i]
		if !ok {
			return -1
		}
		i = outer
	}
	return i
}

// mergedEntries returns what a reader sees of a map with "<<" or repeated keys, nil for any other collection.
func (d *document) mergedEntries(i int32) []mergedEntry {
	if d.n[i].flags&(hasMerge|hasDuplicates) == 0 {
		return nil
	}
	if m, ok := d.cache.merged[i]; ok {
		return m
	}
	seen := map[string]int{}
	m := []mergedEntry{}
	var inherited []int32
	for _, kid := range d.kids(i) {
		if d.isMergeKey(kid) {
			inherited = append(inherited, kid)
			continue
		}
		k := d.keyText(kid)
		if at, again := seen[k]; again {
			m[at].slot = kid
			continue
		}
		seen[k] = len(m)
		m = append(m, mergedEntry{slot: kid})
	}
	for _, kid := range inherited {
		from := d.deref(d.at(kid))
		maps := []int32{from}
		if d.n[from].kind == listNode {
			maps = maps[:0]
			for _, item := range d.kids(from) {
				maps = append(maps, d.deref(d.at(item)))
			}
		}
		for _, mp := range maps {
			v := Value{d: d, slot: mp, origin: origin{-1, -1}}
			for e := v.First(); e.Exists(); e = e.Next() {
				k := d.keyText(e.slot)
				if _, again := seen[k]; !again {
					seen[k] = len(m)
					m = append(m, mergedEntry{slot: e.slot, via: viaMerge})
				}
			}
		}
	}
	remember(&d.cache.merged, i, m)
	return m
}

func (d *document) isMergeKey(kid int32) bool {
	n := &d.n[kid]
	return n.keyStyle == scalar.PlainStyle && d.keyIs(kid, "<<")
}
