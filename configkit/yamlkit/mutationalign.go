package yamlkit

import (
	"slices"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// plainLists compares lists without merge keys: elements that belong together are compared, the others are gone or new.
func (d *differ) plainLists(before, after gaby.Value, keys *configkit.MergeKeyTree) {
	old, now := elements(before), elements(after)
	pairs, gone, added := d.align(old, now, keys.Child("*"))
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
	for _, p := range pairs {
		if a, b := old[p[0]], now[p[1]]; !a.Equal(b) {
			d.below(element(p[0]), func() { d.value(a, b, keys.Child("*")) })
		}
	}
	for _, i := range gone {
		d.below(element(i), func() { d.delete(old[i]) })
	}
	if len(added) == 0 {
		return
	}
	var newDigest []string
	var newNth []int
	if !d.dry {
		newDigest, newNth = digests(after)
	}
	for _, j := range added {
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
// and 1 if there are any; an element that is gone or new costs twice its leaves. Of equal costs a pair is preferred. Of lists that are
// too long only what is between equal elements at both ends is looked at, and if that is too long, elements belong together by
// their index.
func (d *differ) align(old, now []gaby.Value, keys *configkit.MergeKeyTree) (pairs [][2]int, gone, added []int) {
	head, tail := 0, 0
	if len(old)*len(now) > maxPairs {
		for head < min(len(old), len(now)) && old[head].Equal(now[head]) {
			head++
		}
		for tail < min(len(old), len(now))-head && old[len(old)-1-tail].Equal(now[len(now)-1-tail]) {
			tail++
		}
	}
	for i := range head {
		pairs = append(pairs, [2]int{i, i})
	}
	n, m := len(old)-head-tail, len(now)-head-tail
	work := n * m * max(d.nesting, 1)
	if n*m <= maxPairs && work <= maxNestedPairs && d.pairs+n*m <= maxAllPairs {
		pairs, gone, added = d.alignBetween(old[head:head+n], now[head:head+m], head, keys, pairs)
	} else {
		for i := range max(n, m) {
			switch {
			case i >= n:
				added = append(added, head+i)
			case i >= m:
				gone = append(gone, head+i)
			default:
				pairs = append(pairs, [2]int{head + i, head + i})
			}
		}
	}
	for i := range tail {
		pairs = append(pairs, [2]int{len(old) - tail + i, len(now) - tail + i})
	}
	return pairs, gone, added
}

// alignBetween is align for lists that are short enough; indexes in the result count from offset.
func (d *differ) alignBetween(old, now []gaby.Value, offset int, keys *configkit.MergeKeyTree, pairs [][2]int) (_ [][2]int, gone, added []int) {
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
				best += 2*d.costOf(old[i], now[j], keys) + 1
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
	var found [][2]int
	for i, j := n, m; i > 0 || j > 0; {
		switch move[at(i, j)] {
		case paired:
			i, j = i-1, j-1
			found = append(found, [2]int{offset + i, offset + j})
		case isGone:
			i--
			gone = append(gone, offset+i)
		default:
			j--
			added = append(added, offset+j)
		}
	}
	slices.Reverse(found)
	slices.Reverse(gone)
	slices.Reverse(added)
	newLast(found, added, now, offset)
	return append(pairs, found...), gone, added
}

// newLast makes, of elements that are equal and of which one is new, the last the new one. Inserting an element where an equal one
// stands cannot be told from having inserted it already.
func newLast(pairs [][2]int, added []int, now []gaby.Value, offset int) {
	for moved := true; moved; {
		moved = false
		for k := range added {
			next, _ := slices.BinarySearchFunc(pairs, added[k], func(p [2]int, j int) int { return p[1] - j })
			for ; next < len(pairs) && now[added[k]-offset].Equal(now[pairs[next][1]-offset]); next++ {
				added[k], pairs[next][1] = pairs[next][1], added[k]
				moved = true
			}
		}
	}
	slices.Sort(added)
}
