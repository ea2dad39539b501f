package lines

import "slices"

// Hunk says that lines [From, To) of a text became lines [NewFrom, NewTo) of another.
type Hunk struct {
	From, To       int
	NewFrom, NewTo int
}

// maxCost is the number of changed lines, counted from either end of the texts, up to which the
// shortest diff is searched. Texts that differ more are cut where the search got furthest, as git
// does. This bounds the time to maxCost times the length of the texts; short texts can afford more.
func maxCost(lines int) int { return max(256, 30_000_000/lines) }

// Diff returns the differences between a and b: hunks in order that neither overlap nor touch.
// Their number of lines is minimal for texts that differ little, and close to minimal for others.
func Diff(a, b []string) []Hunk {
	head, tail := Common(a, b)
	a, b = a[head:len(a)-tail], b[head:len(b)-tail]
	c := &comparison{kept: [2][]bool{make([]bool, len(a)), make([]bool, len(b))}}
	if !c.walk(a, b) {
		clear(c.kept[0])
		clear(c.kept[1])
		c.search(a, b)
	}
	return c.hunks(head)
}

// search keeps the lines of a shortest edit script.
func (c *comparison) search(a, b []string) {
	// Lines that only one text has are certain differences, so the search can do without them.
	numbers := map[string]int32{}
	old, changed := numbered(numbers, a), numbered(numbers, b)
	inOld, inChanged := make([]bool, len(numbers)), make([]bool, len(numbers))
	for _, l := range old {
		inOld[l.number] = true
	}
	for _, l := range changed {
		inChanged[l.number] = true
	}
	c.box(
		slices.DeleteFunc(old, func(l line) bool { return !inChanged[l.number] }),
		slices.DeleteFunc(changed, func(l line) bool { return !inOld[l.number] }),
	)
}

// maxLookups is the number of lines up to which looking for each in the other text takes less time
// than numbering all lines.
const maxLookups = 16

// walk is search for texts whose differences are all certain. It reports whether they are, and
// whether they are few.
func (c *comparison) walk(a, b []string) bool {
	i, j, lookups := 0, 0, 0
	onlyIn := func(line string, other []string) bool {
		lookups++
		return lookups <= maxLookups && !slices.Contains(other, line)
	}
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			c.kept[0][i], c.kept[1][j] = true, true
			i, j = i+1, j+1
		case i < len(a) && onlyIn(a[i], b):
			i++
		case j < len(b) && onlyIn(b[j], a):
			j++
		default:
			return false
		}
	}
	return true
}

// line is a line of a text: its number, which equal lines share, and its index.
type line struct{ number, at int32 }

// numbered numbers lines so that equal lines have equal numbers. numbers is shared by both texts.
func numbered(numbers map[string]int32, lines []string) []line {
	all := make([]line, len(lines))
	for i, text := range lines {
		n, ok := numbers[text]
		if !ok {
			n = int32(len(numbers))
			numbers[text] = n
		}
		all[i] = line{number: n, at: int32(i)}
	}
	return all
}

// comparison finds the lines that two lists of lines have in common.
type comparison struct {
	// The result: the lines of either list that the other one has too, in the same order.
	kept [2][]bool
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

// trim keeps the common prefix and suffix of a and b and returns what is between.
func (c *comparison) trim(a, b []line) ([]line, []line) {
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
func (c *comparison) keep(a, b line) { c.kept[0][a.at], c.kept[1][b.at] = true, true }

// box is the linear-space variant of Myers' algorithm ("An O(ND) Difference Algorithm and Its
// Variations", 1986). It splits a and b in the middle of a shortest edit script and continues with
// both halves.
func (c *comparison) box(a, b []line) {
	for {
		if a, b = c.trim(a, b); len(a) == 0 || len(b) == 0 {
			return
		}
		i, j := c.middle(a, b)
		c.box(a[:i], b[:j])
		a, b = a[i:], b[j:]
	}
}

// middle searches from both ends at once, allowing one more changed line in each round. The
// searches meet in the middle of a shortest edit script. If they do not meet within maxCost rounds,
// (i, j) is the point where a search got furthest.
//
// Diagonal d holds the points (i, j) with i-j = d. reach stores for each search how far, as i, it
// got on each diagonal.
func (c *comparison) middle(a, b []line) (i, j int) {
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
				return i, j
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
				return i, j
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
		return i, j
	}
}
