package lines

import "slices"

// Hunk says that lines [From, To) of a text became lines [NewFrom, NewTo) of another.
type Hunk struct {
	From, To       int
	NewFrom, NewTo int
}

// maxCost is the number of changed lines, counted from either end of the texts, up to which the fewest are looked for. What differs
// more is cut at lines that both texts have once, or where the search got furthest. So the time is bounded by maxCost times the
// length of the texts, whatever is in them; short texts can afford more.
func maxCost(lines int) int { return max(256, 30_000_000/lines) }

// maxAnchoring is how often a part between anchors is cut at anchors again.
const maxAnchoring = 8

// Diff returns how b differs from a: hunks in order that neither overlap nor touch. They are the fewest lines for texts that differ
// little, close to that for others.
func Diff(a, b []string) []Hunk {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	ids := map[string]int32{}
	old, changed := places(ids, a[head:len(a)-tail]), places(ids, b[head:len(b)-tail])
	c := &comparison{
		kept:  [2][]bool{make([]bool, len(old)), make([]bool, len(changed))},
		seen:  [2][]int32{make([]int32, len(ids)), make([]int32, len(ids))},
		place: make([]int32, len(ids)),
	}
	c.solve(old, changed, 0)
	return c.hunks(head)
}

// place is a line by its number, which equal lines share, and where it stands.
type place struct{ number, at int32 }

func places(ids map[string]int32, lines []string) []place {
	all := make([]place, len(lines))
	for i, line := range lines {
		id, ok := ids[line]
		if !ok {
			id = int32(len(ids))
			ids[line] = id
		}
		all[i] = place{number: id, at: int32(i)}
	}
	return all
}

// comparison finds the lines that two lists of lines have in common.
type comparison struct {
	kept  [2][]bool  // what is found: the lines of either list that the other has too, in the same order
	seen  [2][]int32 // how often a line stands in the part of the list being looked at; zero in between
	place []int32    // where a line stands in the second list
	reach [2][]int32 // of the searches from both ends, by diagonal
}

// hunks are the gaps between the lines that are kept, below the first lines of both texts.
func (c *comparison) hunks(head int) []Hunk {
	var hunks []Hunk
	old, changed := c.kept[0], c.kept[1]
	i, j := 0, 0
	for i < len(old) || j < len(changed) {
		h := Hunk{From: i + head, NewFrom: j + head}
		for i < len(old) && !old[i] {
			i++
		}
		for j < len(changed) && !changed[j] {
			j++
		}
		if h.To, h.NewTo = i+head, j+head; h.To > h.From || h.NewTo > h.NewFrom {
			hunks = append(hunks, h)
		}
		i, j = min(i+1, len(old)), min(j+1, len(changed))
	}
	return hunks
}

// solve finds the lines a and b have in common. Lines that only one of them has are out of the question. depth is how often
// anchors cut a and b out of longer ones.
func (c *comparison) solve(a, b []place, depth int) {
	a, b = c.trim(a, b)
	if len(a) == 0 || len(b) == 0 {
		return
	}
	c.count(a, b, 1)
	isIn := func(side int) func(place) bool { return func(p place) bool { return c.seen[side][p.number] > 0 } }
	inA, inB := keep(a, isIn(1)), keep(b, isIn(0))
	c.count(a, b, -1)
	c.box(inA, inB, depth)
}

func (c *comparison) count(a, b []place, n int32) {
	for side, list := range [...][]place{a, b} {
		for _, p := range list {
			c.seen[side][p.number] += n
		}
	}
}

// keep is the list of those that are wanted, which most often are all.
func keep(list []place, wanted func(place) bool) []place {
	first := slices.IndexFunc(list, func(p place) bool { return !wanted(p) })
	if first < 0 {
		return list
	}
	kept := append(make([]place, 0, len(list)), list[:first]...)
	for _, p := range list[first:] {
		if wanted(p) {
			kept = append(kept, p)
		}
	}
	return kept
}

// trim takes off and keeps what a and b begin and end with alike.
func (c *comparison) trim(a, b []place) ([]place, []place) {
	for len(a) > 0 && len(b) > 0 && a[0].number == b[0].number {
		c.keep(a[0], b[0])
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1].number == b[len(b)-1].number {
		c.keep(a[len(a)-1], b[len(b)-1])
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return a, b
}

func (c *comparison) keep(a, b place) { c.kept[0][a.at], c.kept[1][b.at] = true, true }

// box is the algorithm of Myers ("An O(ND) difference algorithm and its variations", 1986) in its form that needs linear space: it
// cuts a and b where the middle of the shortest list of edits is, and goes on with the two halves.
func (c *comparison) box(a, b []place, depth int) {
	for {
		if a, b = c.trim(a, b); len(a) == 0 || len(b) == 0 {
			return
		}
		i, j, found := c.middle(a, b)
		if !found && depth < maxAnchoring {
			if anchors := c.anchors(a, b); len(anchors) > 0 {
				c.between(anchors, a, b, depth+1)
				return
			}
		}
		c.box(a[:i], b[:j], depth)
		a, b = a[i:], b[j:]
	}
}

// anchors are the longest list of lines, in the same order, that a and b have exactly once; pairs of indexes. When most of such
// lines are in another order there are none: keeping a few would part a lot that goes together.
func (c *comparison) anchors(a, b []place) [][2]int {
	c.count(a, b, 1)
	for j, p := range b {
		c.place[p.number] = int32(j)
	}
	var once, seconds []int
	for i, p := range a {
		if c.seen[0][p.number] == 1 && c.seen[1][p.number] == 1 {
			once, seconds = append(once, i), append(seconds, int(c.place[p.number]))
		}
	}
	c.count(a, b, -1)
	rising := Rising(seconds)
	if 2*len(rising) < len(once) {
		return nil
	}
	anchors := make([][2]int, len(rising))
	for at, k := range rising {
		anchors[at] = [2]int{once[k], seconds[k]}
	}
	return anchors
}

// between solves what is between the anchors.
func (c *comparison) between(anchors [][2]int, a, b []place, depth int) {
	i, j := 0, 0
	for _, at := range anchors {
		c.solve(a[i:at[0]], b[j:at[1]], depth)
		c.keep(a[at[0]], b[at[1]])
		i, j = at[0]+1, at[1]+1
	}
	c.solve(a[i:], b[j:], depth)
}

// middle searches from both ends at once, with one more changed line at a time. Where the searches meet is the middle of the
// shortest list of edits. When they do not soon enough, found is false and the place is the one a search got furthest to.
//
// A diagonal holds the places (i, j) with the same i-j; reach has how far, as i, each search got on it.
func (c *comparison) middle(a, b []place) (i, j int, found bool) {
	n, m := len(a), len(b)
	for side := range c.reach {
		if len(c.reach[side]) < n+m+3 {
			c.reach[side] = make([]int32, n+m+3)
		}
	}
	forward, backward := c.reach[0], c.reach[1]
	zero := m + 1 // the index of diagonal 0
	lowest, highest := zero-m, zero+n
	end := zero + n - m
	odd := (n-m)%2 != 0
	fromF, toF, fromB, toB := zero, zero, end, end
	forward[zero], backward[end] = 0, int32(n)
	limit := maxCost(n + m)
	for cost := 1; ; cost++ {
		if fromF > lowest {
			fromF--
			forward[fromF-1] = -1
		} else {
			fromF++
		}
		if toF < highest {
			toF++
			forward[toF+1] = -1
		} else {
			toF--
		}
		for d := toF; d >= fromF; d -= 2 {
			i = int(max(forward[d-1]+1, forward[d+1]))
			for j = i - (d - zero); i < n && j < m && a[i].number == b[j].number; {
				i, j = i+1, j+1
			}
			forward[d] = int32(i)
			if odd && d >= fromB && d <= toB && int(backward[d]) <= i {
				return i, j, true
			}
		}
		if fromB > lowest {
			fromB--
			backward[fromB-1] = int32(n + m + 1)
		} else {
			fromB++
		}
		if toB < highest {
			toB++
			backward[toB+1] = int32(n + m + 1)
		} else {
			toB--
		}
		for d := toB; d >= fromB; d -= 2 {
			i = int(min(backward[d-1], backward[d+1]-1))
			for j = i - (d - zero); i > 0 && j > 0 && a[i-1].number == b[j-1].number; {
				i, j = i-1, j-1
			}
			backward[d] = int32(i)
			if !odd && d >= fromF && d <= toF && i <= int(forward[d]) {
				return i, j, true
			}
		}
		if cost < limit {
			continue
		}
		best := -1
		for d := toF; d >= fromF; d -= 2 {
			x := min(int(forward[d]), n, m+d-zero)
			if y := x - (d - zero); x+y > best {
				best, i, j = x+y, x, y
			}
		}
		for d := toB; d >= fromB; d -= 2 {
			x := max(int(backward[d]), 0, d-zero)
			if y := x - (d - zero); n+m-(x+y) > best {
				best, i, j = n+m-(x+y), x, y
			}
		}
		return i, j, false
	}
}
