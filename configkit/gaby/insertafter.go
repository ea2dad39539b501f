package gaby

import (
	"slices"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
)

// MoveKeyAfter moves the map entry that segments name after the entry with the given key, or before
// all others if key is empty. It moves only entries that edits added; for others, or if there is no
// such key, it does nothing.
func (d *YamlDoc) MoveKeyAfter(key string, segments ...string) error {
	e, err := d.newEditor(segments)
	if err != nil {
		return err
	}
	v := d.Search(segments...).Value()
	if !v.Exists() || v.owner < 0 || v.through != 0 || e.d.source(v.slot) ||
		e.d.n[v.owner].Kind != scan.MapNode {
		return nil
	}
	kids := slices.Clone(e.d.kids(v.owner))
	from := slices.Index(kids, v.slot)
	kids = slices.Delete(kids, from, from+1)
	to := slices.IndexFunc(kids, func(kid int32) bool { return e.d.keyIs(kid, key) })
	if to < 0 && key != "" || to+1 == from {
		return nil
	}
	e.d.setKids(v.owner, slices.Insert(kids, to+1, v.slot))
	return nil
}
