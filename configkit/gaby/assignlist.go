package gaby

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
)

// assignList makes list v equal to t: items that match items of t are assigned and get their order,
// so that their text and comments move with them. The others are removed, and new ones are
// inserted. If lines cannot be moved, items match by position.
func (e *editContext) assignList(v Value, t *tree) error {
	d := e.d
	path := e.path
	defer func() { e.path = path }()
	owner := v.node()
	old := slices.Clone(d.kids(owner))
	m := d.matchItems(old, t.kids)
	if !e.canArrange(v, m) {
		m = d.matchPositions(old, t.kids)
	}
	for k, i := range m.of {
		if i < 0 {
			continue
		}
		e.path = append(path[:len(path):len(path)], strconv.Itoa(i))
		if err := e.assign(d.entry(owner, old[i]), t.kids[k]); err != nil {
			return err
		}
	}
	for i, slot := range old {
		if !m.taken[i] {
			if err := e.checkEditable(d.entry(owner, slot), true); err != nil {
				return err
			}
		}
	}
	kids := make([]int32, len(t.kids))
	for k, i := range m.of {
		if i >= 0 {
			kids[k] = old[i]
			continue
		}
		if err := e.checkTree(v, t.kids[k]); err != nil {
			return err
		}
		kids[k] = d.build("", t.kids[k])
	}
	if !slices.Equal(kids, old) {
		d.setKids(owner, kids)
	}
	return nil
}

// canArrange reports whether the items of list v can be removed and moved as m says.
func (e *editContext) canArrange(v Value, m itemMatch) bool {
	d, owner := e.d, v.node()
	have := d.kids(owner)
	kids := make([]int32, len(m.of))
	for k, i := range m.of {
		kids[k] = int32(len(d.n)) // not in the source
		if i >= 0 {
			kids[k] = have[i]
		}
	}
	moves := m.moves()
	if e.checkArrangement(v, have, m.taken, moves) != nil {
		return false
	}
	if !moves || !d.source(owner) {
		return true
	}
	if d.native != nil {
		return false // only values move, and comments stay
	}
	p := printer{d: d, e: d.emitter(), unended: -1}
	return p.movable(owner, kids)
}

// checkArrangement checks that the items of list v that do not stay can be removed, and with moves
// that the others can be moved.
func (e *editContext) checkArrangement(v Value, have []int32, stays []bool, moves bool) error {
	for i, slot := range have {
		if moves || !stays[i] {
			// an alias must not end up before its anchor
			if err := e.checkEditable(e.d.entry(v.node(), slot), true); err != nil {
				return err
			}
		}
		if moves && e.d.hasAliases(slot) {
			return e.fail(v, "an item is or has an alias", expandHint)
		}
	}
	return nil
}

// itemMatch says which items of a list become which of another.
type itemMatch struct {
	of    []int  // by new index: the old index, -1 for a new item
	taken []bool // by old index
}

// take matches the item with an old index with the one with a new index.
func (m *itemMatch) take(i, k int) { m.of[k], m.taken[i] = i, true }

// free reports whether there is an item with an old index that nothing matches.
func (m *itemMatch) free(i int) bool { return i >= 0 && i < len(m.taken) && !m.taken[i] }

// moves reports whether the items that match change their order.
func (m *itemMatch) moves() bool {
	last := -1
	for _, i := range m.of {
		if i >= 0 && i < last {
			return true
		}
		last = max(last, i)
	}
	return false
}

// sameEnds matches the equal items at both ends of a list. The others are old[head:len(old)-tail].
func (d *document) sameEnds(old []int32, now []*tree) (m itemMatch, head, tail int) {
	m = itemMatch{slices.Repeat([]int{-1}, len(now)), make([]bool, len(old))}
	same := func(slot int32, t *tree) bool { return d.equal(d.deref(d.at(slot)), t) }
	n := min(len(old), len(now))
	for head < n && same(old[head], now[head]) {
		m.take(head, head)
		head++
	}
	for tail < n-head && same(old[len(old)-1-tail], now[len(now)-1-tail]) {
		tail++
		m.take(len(old)-tail, len(now)-tail)
	}
	return m, head, tail
}

// matchPositions matches items between the equal ones at both ends by their positions.
func (d *document) matchPositions(old []int32, now []*tree) itemMatch {
	m, head, tail := d.sameEnds(old, now)
	for k := head; k < min(len(old), len(now))-tail; k++ {
		m.take(k, k)
	}
	return m
}

// Match returns for each item of list now the index of the item of v that it continues, or -1.
func (v Value) Match(now Value) []int {
	return v.d.matchItems(v.d.kids(v.node()), now.tree().kids).of
}

// matchItems matches equal items, then maps with the same name, and at last items that have a
// neighbour that matches, or the same position. For example, if [a, b, c] becomes [c, b, x], c and
// b match, and x is new.
func (d *document) matchItems(old []int32, now []*tree) itemMatch {
	m, head, tail := d.sameEnds(old, now)
	rest, others := old[head:len(old)-tail], now[head:len(now)-tail]
	if len(rest) > 0 && len(others) > 0 && len(rest)*len(others) > 1 &&
		!slices.ContainsFunc(rest, d.hasAliases) {
		trees := make([]*tree, len(rest))
		for i, slot := range rest {
			trees[i] = d.cursor(d.deref(d.at(slot))).tree()
		}
		m.matchTexts(head, texts(trees), texts(others))
		m.matchTexts(head, names(trees), names(others))
	}
	m.matchNeighbours()
	return m
}

// matchTexts matches items with the same text, the one that follows the last match if there are
// several. An item with the text "" matches none.
func (m *itemMatch) matchTexts(head int, old, now []string) {
	with := map[string]*places{}
	for i, text := range old {
		if text != "" && !m.taken[head+i] {
			if with[text] == nil {
				with[text] = &places{next: []int{0}}
			}
			with[text].add(head + i)
		}
	}
	last := head - 1
	for k, text := range now {
		if i := m.of[head+k]; i >= 0 {
			last = i
		} else if p := with[text]; p != nil {
			if i, ok := p.take(last); ok {
				last = i
				m.take(i, head+k)
			}
		}
	}
}

// places are indexes of equal items, of which each can be taken once.
type places struct {
	at   []int // sorted
	next []int // for each of at, and the end: itself, or one after it if it is taken
}

func (p *places) add(i int) {
	p.at = append(p.at, i)
	p.next = append(p.next, len(p.at))
}

// take takes the first index above last, or else the first of all. ok says that there was one.
func (p *places) take(last int) (i int, ok bool) {
	n, _ := slices.BinarySearch(p.at, last)
	if n = p.free(n); n == len(p.at) {
		n = p.free(0)
	}
	if n == len(p.at) {
		return 0, false
	}
	p.next[n] = n + 1
	return p.at[n], true
}

// free returns the first of at from n on that is not taken. It shortens the way there, so that all
// calls together take little more time than there are items.
func (p *places) free(n int) int {
	for p.next[n] != n {
		p.next[n] = p.next[p.next[n]]
		n = p.next[n]
	}
	return n
}

// matchNeighbours matches items that follow or precede items that match, and items at the
// same position.
func (m *itemMatch) matchNeighbours() {
	last := -1
	for k, i := range m.of {
		if i < 0 && m.free(last+1) {
			m.take(last+1, k)
		}
		if i = m.of[k]; i >= 0 {
			last = i
		}
	}
	next := len(m.taken)
	for k, i := range slices.Backward(m.of) {
		if i < 0 && m.free(next-1) {
			m.take(next-1, k)
		}
		if i = m.of[k]; i >= 0 {
			next = i
		}
	}
	for k, i := range m.of {
		if i < 0 && m.free(k) {
			m.take(k, k)
		}
	}
}

// names returns the names of items, by which people know maps in lists: "" for an item without one.
func names(items []*tree) []string {
	all := make([]string, len(items))
	for i, t := range items {
		if k := slices.Index(t.keys, "name"); k >= 0 && t.kids[k].tag == scalar.StrTag {
			all[i] = t.kids[k].text
		}
	}
	return all
}

// texts returns values as texts that are equal if the values are.
func texts(items []*tree) []string {
	all := make([]string, len(items))
	for i, t := range items {
		all[i] = string(t.appendCanonical(nil))
	}
	return all
}

// appendCanonical appends a text to b that all equal values have.
func (t *tree) appendCanonical(b []byte) []byte {
	switch t.kind {
	case scan.MapNode:
		b = append(b, '{')
		order := make([]int, len(t.keys))
		for k := range order {
			order[k] = k
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(t.keys[a], t.keys[b]) })
		for _, k := range order {
			b = t.kids[k].appendCanonical(strconv.AppendQuote(b, t.keys[k]))
		}
		return append(b, '}')
	case scan.ListNode:
		b = append(b, '[')
		for _, kid := range t.kids {
			b = append(kid.appendCanonical(b), ',')
		}
		return append(b, ']')
	}
	return fmt.Appendf(b, "%d%q", t.tag, scalar.Canonical(t.tag, t.text))
}
