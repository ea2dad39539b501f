package gaby

import "slices"

// KeyMove says after which key of its map a key belongs. If After is empty, that is before all
// others.
type KeyMove struct{ Key, After string }

// MoveKeyAfter moves the map entry that segments name after the entry with the given key, or before
// all others if key is empty. It moves only entries that edits added; for others, or if there is no
// such key, it does nothing.
func (d *YamlDoc) MoveKeyAfter(key string, segments ...string) error {
	last := len(segments) - 1
	if last < 0 {
		return nil
	}
	return d.MoveKeysAfter([]KeyMove{{segments[last], key}}, segments[:last]...)
}

// MoveKeysAfter is MoveKeyAfter for several entries of the map that segments name, one after the
// other. The map is edited once.
func (d *YamlDoc) MoveKeysAfter(moves []KeyMove, segments ...string) error {
	e, err := d.newEditor(segments)
	if err != nil {
		return err
	}
	m := d.Search(segments...).Value()
	if m.Kind() != Map {
		return nil
	}
	owner := m.node()
	have := e.d.kids(owner)
	// Entry i+1 is have[i], and entry 0 is in front of all. They are linked in their new order.
	next, previous := make([]int, len(have)+1), make([]int, len(have)+1)
	numbers, byKey := make(map[int32]int, len(have)), make(map[string]int, len(have))
	for i, kid := range slices.Backward(have) {
		numbers[kid], byKey[e.d.keyText(kid)] = i+1, i+1 // the first one with a key
		next[i], previous[i+1] = i+1, i
	}
	link := func(a, b int) {
		if next[a] = b; b > 0 {
			previous[b] = a
		}
	}
	for _, move := range moves {
		v := m.Get(move.Key)
		if !v.Exists() || v.through != 0 || e.d.source(v.slot) {
			continue
		}
		n, to := numbers[v.slot], byKey[move.After]
		if to == 0 && move.After != "" || to == n {
			continue
		}
		link(previous[n], next[n])
		after := next[to]
		link(to, n)
		link(n, after)
	}
	kids := make([]int32, 0, len(have))
	for n := next[0]; n > 0; n = next[n] {
		kids = append(kids, have[n-1])
	}
	if !slices.Equal(kids, have) {
		e.d.setKids(owner, kids)
	}
	return nil
}
