package gaby

import (
	"slices"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
)

// Duplicate inserts n copies of a list item after it, written like the item, with its comments, and
// returns them. Anchors are not copied; aliases are replaced by their values.
//
// Errors: *[EditError] if d is not a list item or the list cannot be edited, *[SyntaxError] if the
// document cannot be read.
func (d *YamlDoc) Duplicate(n int) ([]*YamlDoc, error) {
	e, err := d.newEditor(nil)
	if err != nil {
		return nil, err
	}
	v, doc := d.v, d.v.d
	if v.owner < 0 || doc.n[v.owner].Kind != scan.ListNode || v.through != 0 {
		return nil, e.fail(v, "not an item of a list", "")
	}
	if err := e.checkEditable(doc.cursor(v.owner), false); err != nil {
		return nil, err
	}
	if err := doc.grow(n * len(d.Bytes())); err != nil {
		return nil, err
	}
	kids := doc.kids(v.owner)
	at := slices.Index(kids, v.slot) + 1
	slots := make([]int32, n)
	copies := make([]*YamlDoc, n)
	for i := range n {
		// no deeper than the original, so it cannot exceed the limit
		slot := doc.clone(v, "", v.owner, 0)
		if from := &doc.newNodes[doc.n[slot].Val].cloneOf; from.entry > 0 &&
			doc.n[from.entry].Flags&scan.InFlow == 0 {
			from.lead = uint32(doc.headStart(from.entry))
		}
		v := doc.entry(v.owner, slot)
		v.pos = int32(at + i)
		slots[i], copies[i] = slot, v.Doc()
	}
	doc.setKids(v.owner, slices.Insert(slices.Clone(kids), at, slots...))
	return copies, nil
}
