package gaby

import "slices"

// PlaceBehind puts the entry of a map that the segments lead to behind the entry with a key, or in front of all others when the key is
// empty. Only entries that edits have added change their places; for others, and when there is no such entry, it does nothing.
func (d *YamlDoc) PlaceBehind(key string, segments ...string) error {
	e, err := d.begin(segments)
	if err != nil {
		return err
	}
	v := d.Search(segments...).Value()
	if !v.Exists() || v.owner < 0 || v.via != 0 || e.d.source(v.slot) || e.d.n[v.owner].kind != mapNode {
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
