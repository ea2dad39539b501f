package lines

import "slices"

// Hunk says that lines [From, To) of a text became lines [NewFrom, NewTo) of another.
type Hunk struct {
	From, To       int
	NewFrom, NewTo int
}

// maxCost is the number of changed lines, counted from either end of the texts, up to which the
// shortest diff is searched. Texts that differ more are cut at lines that occur once in both, or
// where the search got furthest. This bounds the time to maxCost times the length of the texts;
// short texts can afford more.
func maxCost(lines int) int { return max(256, 30_000_000/lines) }

// maxAnchoring bounds how often a part between anchors is cut at anchors again.
const maxAnchoring = 8

// Diff returns the differences between a and b: hunks in order that neither overlap nor touch.
// Their number of lines is minimal for texts that differ little, and close to minimal for others.
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

// place is a line: its number, which equal lines share, and its index.
type place struct{ number, at int32 }

// places numbers lines so that equal lines have equal numbers. ids is shared by both texts.
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
	// The result: the lines of either list that the other one has too, in the same order.
	kept [2][]bool
	// How often a line occurs in the current part of either list. All zero between uses.
	seen [2][]int32
	// By line number: the index in the second list.
	place []int32
	// How far the searches from both ends got, by diagonal.
	reach [2][]int32
}

// hunks returns the gaps between the kept lines. head is the number of lines before both lists.
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

// solve finds the common lines of a and b. It ignores lines that only one of them has. depth counts
// how often anchors have cut a and b out of longer lists.
func (c *comparison) solve(a, b []place, depth int) {
	a, b = c.trim(a, b)
	if len(a) == 0 || len(b) == 0 {
		return
	}
	c.count(a, b, 1)
	isIn := func(side int) func(place) bool {
		return func(p place) bool { return c.seen[side][p.number] > 0 }
	}
	inA, inB := keep(a, isIn(1)), keep(b, isIn(0))
	c.count(a, b, -1)
	c.box(inA, inB, depth)
}

// count adds n to the counts of all lines in a and b. Calling it again with -n resets them.
func (c *comparison) count(a, b []place, n int32) {
	for side, list := range [...][]place{a, b} {
		for _, p := range list {
			c.seen[side][p.number] += n
		}
	}
}

// keep returns the lines that are wanted. If all are, as is usual, it does not copy the list.
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

// trim keeps the common prefix and suffix of a and b and returns what is between.
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

// keep records that lines a and b are common.
func (c *comparison) keep(a, b place) { c.kept[0][a.at], c.kept[1][b.at] = true, true }

// box is the linear-space variant of Myers' algorithm ("An O(ND) Difference Algorithm and Its
// Variations", 1986). It splits a and b in the middle of a shortest edit script and continues with
// both halves.
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

// anchors returns a longest list of lines that occur exactly once in a and in b, in the same order,
// as pairs of indexes. It returns none if most of such lines changed their order: keeping a few
// would tear apart what belongs together.
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

// between solves the parts between the anchors.
func (c *comparison) between(anchors [][2]int, a, b []place, depth int) {
	i, j := 0, 0
	for _, at := range anchors {
		c.solve(a[i:at[0]], b[j:at[1]], depth)
		c.keep(a[at[0]], b[at[1]])
		i, j = at[0]+1, at[1]+1
	}
	c.solve(a[i:], b[j:], depth)
}

// middle searches from both ends at once, allowing one more changed line in each round. The
// searches meet in the middle of a shortest edit script. If they do not meet within maxCost rounds,
// found is false and (i, j) is the point where a search got furthest.
//
// Diagonal d holds the points (i, j) with i-j = d. reach stores for each search how far, as i, it
// got on each diagonal.
func (c *comparison) middle(a, b []place) (i, j int, found bool) {
	n, m := len(a), len(b)
	for side := range c.reach {
		if len(c.reach[side]) < n+m+3 {
			c.reach[side] = make([]int32, n+m+3)
		}
	}
	forward, backward := c.reach[0], c.reach[1]
	zero := m + 1 // index of diagonal 0
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
