package mutation

import (
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
	"github.com/fctl-dev/fctl/internal/lines"
)

// plainLists compares lists without merge keys. Elements that align are compared; all others are
// deleted or added.
func (d *differ) plainLists(before, after gaby.Value, keys *configkit.MergeKeyTree) {
	old, now := elements(before), elements(after)
	a := d.align(old, now, keys.Child("*"))
	wasIn, isIn := make([]mutationpath.Segment, len(old)), make([]mutationpath.Segment, len(now))
	if !d.dry && !before.Equal(after) {
		wasIn, isIn = mutationpath.Digests(before), mutationpath.Digests(after)
	}
	for _, p := range a.pairs {
		if was, is := old[p[0]], now[p[1]]; !was.Equal(is) {
			d.below(wasIn[p[0]], func() { d.value(was, is, keys.Child("*")) })
		}
	}
	for _, i := range a.gone {
		d.below(wasIn[i], func() { d.entry(api.MutationTypeDelete, old[i], gaby.Value{}) })
	}
	for _, j := range a.added {
		isIn[j].Kind = mutationpath.New
		d.below(isIn[j], func() { d.entry(api.MutationTypeAdd, now[j], gaby.Value{}) })
	}
}

// Bounds on the work of aligning. Comparing one pair takes time that depends on the size of the two
// elements, so pairs are what is counted. Without bounds, lists in lists in lists would multiply. A
// single list may cost maxPairs; lists nested in aligned lists, maxNestedPairs together; a whole
// comparison, maxAllPairs.
const (
	maxNestedPairs = 100_000
	maxAllPairs    = 2_000_000
)

// align finds which elements of two lists belong together, in order and at the least total cost.
// Pairing two elements costs twice the leaves that differ, plus 1 if any differ, unless both are
// similar texts. Deleting or adding an element costs twice its leaves. At equal cost a pair wins.
//
// This is the alignment of Needleman and Wunsch (1970), with a cost for a pair that depends on how
// much the two elements differ. For example, [a, {x: 1, y: 2}] and [{x: 1, y: 3}] align as follows:
// a is deleted (cost 2), and the maps are a pair with one different leaf (cost 3). The other way,
// which deletes both elements and adds one, would cost 10.
//
// The order of elements never changes: an element that moves is deleted and added. This fits the
// lists in question, such as arguments of a command, in which the order matters.
//
// In lists too long for this, elements equal on both sides are paired first, and only the gaps
// between them are aligned. Gaps that are still too long are paired by index.
func (d *differ) align(old, now []gaby.Value, keys *configkit.MergeKeyTree) *alignment {
	head, tail := 0, 0
	// Too long for dynamic programming. Most long lists differ in one place only, so leave out
	// their common prefix and suffix.
	if len(old)*len(now) > maxPairs {
		for head < min(len(old), len(now)) && old[head].Equal(now[head]) {
			head++
		}
		for tail < min(len(old), len(now))-head &&
			old[len(old)-1-tail].Equal(now[len(now)-1-tail]) {
			tail++
		}
	}
	n, m := len(old)-head-tail, len(now)-head-tail
	// By default there is a single gap with all that is left. If it is too long, equal elements are
	// found by a diff of their canonical texts, which is much cheaper.
	different := []lines.Hunk{{To: n, NewTo: m}}
	if n*m > maxPairs && !d.rough {
		different = lines.Diff(canonicalTexts(old[head:head+n]), canonicalTexts(now[head:head+m]))
	}
	a := &alignment{}
	i, j := 0, 0 // everything before these is done
	same := func(to int) {
		for ; i < to; i, j = i+1, j+1 {
			a.pairs = append(a.pairs, [2]int{i, j})
		}
	}
	// Between the gaps, elements are equal and therefore pairs.
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

// canonicalTexts returns values as canonical JSON, so that equal values have equal texts.
func canonicalTexts(values []gaby.Value) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(mutationpath.AppendCanonicalJSON(nil, v))
	}
	return texts
}

// alignment says which elements of two lists belong together, by index.
type alignment struct {
	pairs       [][2]int
	gone, added []int
}

// alignPart aligns a gap between equal elements.
func (d *differ) alignPart(
	a *alignment, old, now []gaby.Value, part lines.Hunk, keys *configkit.MergeKeyTree,
) {
	n, m := part.To-part.From, part.NewTo-part.NewFrom
	if work := n * m * max(d.nesting, 1); n*m <= maxPairs && work <= maxNestedPairs &&
		d.pairs+n*m <= maxAllPairs {
		d.alignBest(a, old, now, part, keys)
		return
	}
	// Too expensive: pair elements by index.
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

// alignBest is alignPart for short gaps. It computes the cheapest edit script by dynamic
// programming: cost[i][j] is the cost of turning the first i elements of old into the first j of
// now, and move[i][j] is the last step of the cheapest way. Following the moves back from the end
// gives the alignment.
func (d *differ) alignBest(
	a *alignment, old, now []gaby.Value, part lines.Hunk, keys *configkit.MergeKeyTree,
) {
	old, now = old[part.From:part.To], now[part.NewFrom:part.NewTo]
	n, m := len(old), len(now)
	d.pairs += n * m
	nesting := d.nesting
	// Comparing a pair may align lists inside it, so the work multiplies with each level.
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
			// Pairing comes first, so that it wins at equal cost.
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
	// Follow the moves back from the end. This gives the alignment in reverse.
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

// alike reports whether a and b are multi-line texts whose common prefix and suffix make up at
// least half of the longer one.
func alike(a, b gaby.Value) bool {
	if a.Kind() != gaby.Scalar || b.Kind() != gaby.Scalar {
		return false
	}
	x, y := a.Text(), b.Text()
	if !hasLines(x) || !hasLines(y) {
		return false
	}
	head, tail := lines.Common([]byte(x), []byte(y))
	return 2*(head+tail) >= max(len(x), len(y))
}

// newLast makes the last of several equal elements the new one. For example, if [a] becomes [a, a],
// the alignment may pair the old element with either of the two; newLast pairs it with the first.
// Otherwise, merging again could not recognize that an element next to an equal one is already
// inserted.
func newLast(pairs [][2]int, added []int, now []gaby.Value) {
	for moved := true; moved; {
		moved = false
		for k := range added {
			next, _ := slices.BinarySearchFunc(pairs, added[k], func(p [2]int, j int) int {
				return p[1] - j
			})
			for ; next < len(pairs) && now[added[k]].Equal(now[pairs[next][1]]); next++ {
				added[k], pairs[next][1] = pairs[next][1], added[k]
				moved = true
			}
		}
	}
	slices.Sort(added)
}
