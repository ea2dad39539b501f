package gaby

import (
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
)

// keyIndex finds the children of a map by their keys.
type keyIndex struct {
	last   map[string]int32   // the index of the last child that has the key
	folded map[string][]int32 // the children by scalar.FoldCase of their keys; made on first use
}

// keyIndex returns the index of map i, which has the children kids.
func (d *document) keyIndex(i int32, kids []int32) *keyIndex {
	x, ok := d.cache.keys[i]
	if !ok {
		x = &keyIndex{last: make(map[string]int32, len(kids))}
		for at, kid := range kids {
			x.last[d.keyText(kid)] = int32(at)
		}
		remember(&d.cache.keys, i, x)
	}
	return x
}

// fold makes the index of folded keys.
func (x *keyIndex) fold(d *document, kids []int32) {
	x.folded = make(map[string][]int32, len(kids))
	for _, kid := range kids {
		key := scalar.FoldCase(d.keyText(kid))
		x.folded[key] = append(x.folded[key], kid)
	}
}

// add adds a child with a new key at the end.
func (x *keyIndex) add(key string, kid int32, at int) {
	x.last[key] = int32(at)
	if x.folded != nil {
		key = scalar.FoldCase(key)
		x.folded[key] = append(x.folded[key], kid)
	}
}

// drop undoes the last add, of a child with this key.
func (x *keyIndex) drop(key string) {
	delete(x.last, key)
	if x.folded != nil {
		key = scalar.FoldCase(key)
		x.folded[key] = x.folded[key][:len(x.folded[key])-1]
	}
}

// AnyCase returns the entries of a map whose keys are key but for upper and lower case.
func (v Value) AnyCase(key string) []Value {
	c := v.First()
	if c.d == nil || c.d.n[c.owner].Kind != scan.MapNode {
		return nil
	}
	kids := c.d.kids(c.owner)
	x := c.d.keyIndex(c.owner, kids)
	if x.folded == nil {
		x.fold(c.d, kids)
	}
	var entries []Value
	for _, kid := range x.folded[scalar.FoldCase(key)] {
		entries = append(entries, c.d.entry(c.owner, kid))
	}
	return entries
}
