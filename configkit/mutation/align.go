package mutation

import (
	"slices"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/lines"
)

// plainLists compares lists without merge keys: elements that belong together are compared, the others are gone or new.
func (d *differ) plainLists(before, after gaby.Value, keys *configkit.MergeKeyTree) {
	old, now := elements(before), elements(after)
	a := d.align(old, now, keys.Child("*"))
	var digest []string // of before; made when something has changed
	var nth []int
	element := func(i int) mutationSegment {
		if digest == nil && !d.dry {
			digest, nth = digests(before)
		} else if d.dry {
			return mutationSegment{}
		}
		return mutationSegment{kind: elementByDigest, text: digest[i], nth: nth[i], index: i}
	}
	for _, p := range a.pairs {
		if was, is := old[p[0]], now[p[1]]; !was.Equal(is) {
			d.below(element(p[0]), func() { d.value(was, is, keys.Child("*")) })
		}
	}
	for _, i := range a.gone {
		d.below(element(i), func() { d.delete(old[i]) })
	}
	if len(a.added) == 0 {
		return
	}
	var newDigest []string
	var newNth []int
	if !d.dry {
		newDigest, newNth = digests(after)
	}
	for _, j := range a.added {
		var s mutationSegment
		if !d.dry {
			s = mutationSegment{kind: newElement, text: newDigest[j], nth: newNth[j], index: j}
		}
		d.below(s, func() { d.whole(now[j]) })
	}
}

// Bounds for the work of aligning: of one list maxPairs; of lists in lists that are being aligned, as many in each other; and in all.
const (
	maxNestedPairs = 100_000
	maxAllPairs    = 2_000_000
)

// align finds which elements of two lists belong together, in order and at the least cost: a pair costs twice the leaves that differ,
// and 1 if there are any that are not texts much alike; an element that is gone or new costs twice its leaves. Of equal costs a pair is preferred. Of lists that are
// too long only what is between equal elements is looked at, and where that is too long, elements belong together by their index.
func (d *differ) align(old, now []gaby.Value, keys *configkit.MergeKeyTree) *alignment {
	head, tail := 0, 0
	if len(old)*len(now) > maxPairs {
		for head < min(len(old), len(now)) && old[head].Equal(now[head]) {
			head++
		}
		for tail < min(len(old), len(now))-head && old[len(old)-1-tail].Equal(now[len(now)-1-tail]) {
			tail++
		}
	}
	n, m := len(old)-head-tail, len(now)-head-tail
	different := []lines.Hunk{{To: n, NewTo: m}}
	if n*m > maxPairs && !d.rough {
		different = lines.Diff(canonicalTexts(old[head:head+n]), canonicalTexts(now[head:head+m]))
	}
	a := &alignment{}
	i, j := 0, 0 // what has been dealt with
	same := func(to int) {
		for ; i < to; i, j = i+1, j+1 {
			a.pairs = append(a.pairs, [2]int{i, j})
		}
	}
	for _, h := range different {
		same(head + h.From)
		h = lines.Hunk{From: i, To: head + h.To, NewFrom: j, NewTo: head + h.NewTo}
		d.alignPart(a, old, now, h, keys)
		i, j = h.To, h.NewTo
	}
	same(len(old))
	newLast(a.pairs, a.added, now)
	return a
}

// canonicalTexts are values as texts that are equal when the values are.
func canonicalTexts(values []gaby.Value) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(appendCanonicalJSON(nil, v))
	}
	return texts
}

// alignment is which elements of two lists belong together, by their indexes.
type alignment struct {
	pairs       [][2]int
	gone, added []int
}

// alignPart aligns what stands between equal elements.
func (d *differ) alignPart(a *alignment, old, now []gaby.Value, part lines.Hunk, keys *configkit.MergeKeyTree) {
	n, m := part.To-part.From, part.NewTo-part.NewFrom
	if work := n * m * max(d.nesting, 1); n*m <= maxPairs && work <= maxNestedPairs && d.pairs+n*m <= maxAllPairs {
		d.alignBest(a, old, now, part, keys)
		return
	}
	for i := range max(n, m) {
		switch {
		case i >= n:
			a.added = append(a.added, part.NewFrom+i)
		case i >= m:
			a.gone = append(a.gone, part.From+i)
		default:
			a.pairs = append(a.pairs, [2]int{part.From + i, part.NewFrom + i})
		}
	}
}

// alignBest is alignPart for parts that are short enough.
func (d *differ) alignBest(a *alignment, old, now []gaby.Value, part lines.Hunk, keys *configkit.MergeKeyTree) {
	old, now = old[part.From:part.To], now[part.NewFrom:part.NewTo]
	n, m := len(old), len(now)
	d.pairs += n * m
	nesting := d.nesting
	d.nesting = max(nesting, 1) * max(n*m, 1)
	defer func() { d.nesting = nesting }()

	const paired, isGone, isNew = 'P', 'D', 'A'
	cost := make([]int, (n+1)*(m+1))
	move := make([]byte, (n+1)*(m+1))
	at := func(i, j int) int { return i*(m+1) + j }
	leavesOld, leavesNow := make([]int, n), make([]int, m)
	for i := range old {
		leavesOld[i] = 2 * leaves(old[i])
		cost[at(i+1, 0)], move[at(i+1, 0)] = cost[at(i, 0)]+leavesOld[i], isGone
	}
	for j := range now {
		leavesNow[j] = 2 * leaves(now[j])
		cost[at(0, j+1)], move[at(0, j+1)] = cost[at(0, j)]+leavesNow[j], isNew
	}
	for i := range old {
		for j := range now {
			best, how := cost[at(i, j)], byte(paired)
			if !old[i].Equal(now[j]) {
				best += 2 * d.costOf(old[i], now[j], keys)
				if !alike(old[i], now[j]) {
					best++
				}
			}
			if c := cost[at(i, j+1)] + leavesOld[i]; c < best {
				best, how = c, isGone
			}
			if c := cost[at(i+1, j)] + leavesNow[j]; c < best {
				best, how = c, isNew
			}
			cost[at(i+1, j+1)], move[at(i+1, j+1)] = best, how
		}
	}
	p, g, f := len(a.pairs), len(a.gone), len(a.added)
	for i, j := n, m; i > 0 || j > 0; {
		switch move[at(i, j)] {
		case paired:
			i, j = i-1, j-1
			a.pairs = append(a.pairs, [2]int{part.From + i, part.NewFrom + j})
		case isGone:
			i--
			a.gone = append(a.gone, part.From+i)
		default:
			j--
			a.added = append(a.added, part.NewFrom+j)
		}
	}
	slices.Reverse(a.pairs[p:])
	slices.Reverse(a.gone[g:])
	slices.Reverse(a.added[f:])
}

// alike reports whether values are texts of several lines that have at least half in common, at their ends.
func alike(a, b gaby.Value) bool {
	if a.Kind() != gaby.Scalar || b.Kind() != gaby.Scalar {
		return false
	}
	x, y := a.Text(), b.Text()
	if !hasLines(x) || !hasLines(y) {
		return false
	}
	n := min(len(x), len(y))
	head := 0
	for head < n && x[head] == y[head] {
		head++
	}
	tail := 0
	for tail < n-head && x[len(x)-1-tail] == y[len(y)-1-tail] {
		tail++
	}
	return 2*(head+tail) >= max(len(x), len(y))
}

// newLast makes, of elements that are equal and of which one is new, the last the new one. Inserting an element where an equal one
// stands cannot be told from having inserted it already.
func newLast(pairs [][2]int, added []int, now []gaby.Value) {
	for moved := true; moved; {
		moved = false
		for k := range added {
			next, _ := slices.BinarySearchFunc(pairs, added[k], func(p [2]int, j int) int { return p[1] - j })
			for ; next < len(pairs) && now[added[k]].Equal(now[pairs[next][1]]); next++ {
				added[k], pairs[next][1] = pairs[next][1], added[k]
				moved = true
			}
		}
	}
	slices.Sort(added)
}
