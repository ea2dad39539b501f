package gaby

import (
	"slices"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
)

// cache holds results derived from the tree on demand. Edits drop those that they invalidate.
type cache struct {
	entries map[int32][]int32       // long lists and maps: their children, for access by index
	keys    map[int32]*keyIndex     // maps: their children by key
	merged  map[int32][]mergedEntry // maps with "<<" or repeated keys: the entries a reader sees
	around  map[int32]int32         // nodes made by edits: the slot or collection they are in
	// edited has the sorted nodes whose value or children edits changed, commented those whose
	// comments edits changed.
	edited, commented []int32
	// The following depend only on the source, except for touched.
	referrers map[int32][]int32 // the aliases of each anchored value
	// expandable says that the document stays within the size limit with all aliases expanded.
	expandable bool
	lineEnd    string // of new lines, "" if it is not known yet
	listIndent *int   // see document.listIndent
	flowStyle  *flowStyle
	// touched has the copies that were edited, or in which something was edited, since they were
	// made.
	touched map[int32]bool
}

// mergedEntry is an entry that a reader of a map with "<<" or repeated keys sees.
type mergedEntry struct {
	slot    int32
	through reachedThrough
}

// longCollection is the length above which maps get an index of their keys, and lists one of their
// items.
const longCollection = 16

// remember sets (*m)[k], creating the map on first use.
func remember[V any](m *map[int32]V, k int32, v V) {
	if *m == nil {
		*m = map[int32]V{}
	}
	(*m)[k] = v
}

// entries returns the children of source collection i as they are in the source.
func (d *document) entries(i int32) []int32 {
	if l, ok := d.cache.entries[i]; ok {
		return l
	}
	count, end := 0, int32(d.n[i].Next)
	for k := i + 1; k < end; k = int32(d.n[k].Next) {
		count++
	}
	l := make([]int32, 0, count+1) // space for one more, which many edits add
	for k := i + 1; k < end; k = int32(d.n[k].Next) {
		l = append(l, k)
	}
	if count > longCollection {
		l = slices.Clip(l) // clipped, so that append copies it
		remember(&d.cache.entries, i, l)
	}
	return l
}

// editedKids returns the children of collection i if edits changed them or created the collection.
func (d *document) editedKids(i int32) ([]int32, bool) {
	if d.edits == nil {
		return nil, false
	}
	return d.edits.kids.get(i)
}

// kids returns the present children of collection i.
func (d *document) kids(i int32) []int32 {
	if kids, ok := d.editedKids(i); ok {
		return kids
	}
	return d.entries(i)
}

// sourceAround returns collection i if it is in the source, else the nearest one around it that is,
// -1 if there is none.
func (d *document) sourceAround(i int32) int32 {
	for i >= 0 && !d.source(i) {
		i = d.around(i)
	}
	return i
}

// around returns the slot or the collection that a node made by an edit is in, -1 if it is not in
// the document.
func (d *document) around(i int32) int32 {
	if d.cache.around == nil {
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
	if outer, ok := d.cache.around[i]; ok {
		return outer
	}
	return -1
}

// slotOf returns the slot of which collection i is the value.
func (d *document) slotOf(i int32) int32 {
	if !d.source(i) && d.readOnly == nil {
		if slot := d.around(i); slot >= 0 && d.at(slot) == i {
			return slot
		}
	}
	return i
}

// ownerOf returns the collection that slot is in, -1 for the root. Nodes have no parent: nearly
// everything is reached from above. The source is searched from the root, where the child that
// contains slot is the last one that does not begin after it.
func (d *document) ownerOf(slot int32) int32 {
	switch {
	case slot == 0:
		return -1
	case !d.source(slot) && d.readOnly == nil:
		return d.around(slot)
	}
	owner := int32(0)
	for {
		kids := d.entries(owner)
		k, found := slices.BinarySearch(kids, slot)
		if found {
			return owner
		}
		owner = kids[k-1]
	}
}

// mergedEntries returns the entries that a reader of a map with "<<" or repeated keys sees, nil for
// any other collection. The last of a repeated key wins, at the position of the first. Inherited
// entries follow, the first map of a list of maps before the others
// (https://yaml.org/type/merge.html).
func (d *document) mergedEntries(i int32) []mergedEntry {
	if d.n[i].Flags&(scan.HasMerge|scan.HasDuplicates) == 0 {
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
		if d.n[from].Kind == scan.ListNode {
			maps = maps[:0]
			for _, item := range d.kids(from) {
				maps = append(maps, d.deref(d.at(item)))
			}
		}
		for _, mp := range maps {
			v := d.cursor(mp)
			for _, e := range v.All() {
				k := d.keyText(e.slot)
				if _, again := seen[k]; !again {
					seen[k] = len(m)
					m = append(m, mergedEntry{slot: e.slot, through: throughMerge})
				}
			}
		}
	}
	remember(&d.cache.merged, i, m)
	return m
}

// isMergeKey reports whether entry kid has a plain "<<" as its key.
func (d *document) isMergeKey(kid int32) bool {
	n := &d.n[kid]
	return n.KeyStyle == scalar.PlainStyle && d.keyIs(kid, "<<")
}
