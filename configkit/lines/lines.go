// Package lines compares texts line by line: what differs, as a unified diff, and what two people made of one text together. Texts are
// split into lines that keep their line ends. The same texts give the same result everywhere, in time and memory that are bounded
// whatever the texts are.
package lines

import (
	"sort"
	"strings"
)

// Split splits a text into its lines, each with its line end. The last may have none.
func Split(text string) []string {
	all := make([]string, 0, strings.Count(text, "\n")+1)
	for l := range strings.Lines(text) {
		all = append(all, l)
	}
	return all
}

// Hunk says that lines [From, To) of a text became lines [NewFrom, NewTo) of another.
type Hunk struct {
	From, To       int
	NewFrom, NewTo int
}

// maxEdits bounds the lines that are removed and added, of what lies between equal lines at both ends, up to which the smallest
// difference is looked for. Beyond it lines that occur once in each text divide them; where there are none everything has changed.
const maxEdits = 1000

// Diff returns how b differs from a: hunks in order that neither overlap nor touch.
func Diff(a, b []string) []Hunk {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	a, b = a[head:len(a)-tail], b[head:len(b)-tail]
	if len(a) == 0 && len(b) == 0 {
		return nil
	}
	hunks := []Hunk{{0, len(a), 0, len(b)}}
	if len(a) > 0 && len(b) > 0 {
		if found := shortest(a, b); found != nil {
			hunks = found
		} else if found := divided(a, b); found != nil {
			hunks = found
		}
	}
	for i := range hunks {
		h := &hunks[i]
		h.From, h.To, h.NewFrom, h.NewTo = h.From+head, h.To+head, h.NewFrom+head, h.NewTo+head
	}
	return hunks
}

// divided is the difference between lines that occur once in each text, as long as they stand in the same order; nil when there are none.
func divided(a, b []string) []Hunk {
	pairs := inOrder(once(a, b))
	if len(pairs) == 0 {
		return nil
	}
	var hunks []Hunk
	at := [2]int{}
	for _, pair := range append(pairs, [2]int{len(a), len(b)}) {
		for _, h := range Diff(a[at[0]:pair[0]], b[at[1]:pair[1]]) {
			h = Hunk{h.From + at[0], h.To + at[0], h.NewFrom + at[1], h.NewTo + at[1]}
			if n := len(hunks); n > 0 && hunks[n-1].To == h.From && hunks[n-1].NewTo == h.NewFrom {
				hunks[n-1].To, hunks[n-1].NewTo = h.To, h.NewTo
				continue
			}
			hunks = append(hunks, h)
		}
		at = pair
	}
	return hunks
}

// once are the lines that occur once in each text, as pairs of their indexes in the order of a.
func once(a, b []string) [][2]int {
	type count struct{ inA, inB, at int }
	counts := make(map[string]*count, len(a))
	for _, l := range a {
		if counts[l] == nil {
			counts[l] = &count{}
		}
		counts[l].inA++
	}
	for j, l := range b {
		if c := counts[l]; c != nil {
			c.inB++
			c.at = j
		}
	}
	var pairs [][2]int
	for i, l := range a {
		if c := counts[l]; c.inA == 1 && c.inB == 1 {
			pairs = append(pairs, [2]int{i, c.at})
		}
	}
	return pairs
}

// inOrder is a longest part of pairs in which the second numbers rise, too.
func inOrder(pairs [][2]int) [][2]int {
	seconds := make([]int, len(pairs))
	for i, pair := range pairs {
		seconds[i] = pair[1]
	}
	var part [][2]int
	for _, i := range Rising(seconds) {
		part = append(part, pairs[i])
	}
	return part
}

// Rising are the indexes of a longest part of numbers, none of which is there twice, that rises.
func Rising(numbers []int) []int {
	var ends []int // by length: the index of the smallest number that a part of this length ends in
	before := make([]int, len(numbers))
	for i, number := range numbers {
		n := sort.Search(len(ends), func(k int) bool { return numbers[ends[k]] > number })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	for n := len(ends) - 2; n >= 0; n-- {
		ends[n] = before[ends[n+1]]
	}
	return ends
}

// shortest is the greedy algorithm of Myers: for every number of edits the furthest that can be come on each diagonal. It returns nil
// when too many edits are needed.
func shortest(a, b []string) []Hunk {
	ids := make(map[string]int, len(a))
	number := func(lines []string) []int {
		of := make([]int, len(lines))
		for i, l := range lines {
			id, ok := ids[l]
			if !ok {
				id = len(ids)
				ids[l] = id
			}
			of[i] = id
		}
		return of
	}
	x, y := number(a), number(b)
	limit := min(len(x)+len(y), maxEdits)
	reach := make([]int, 2*limit+2) // by diagonal x-y, shifted by limit
	var history [][]int             // the part of reach in use after each number of edits
	for edits := 0; edits <= limit; edits++ {
		for k := -edits; k <= edits; k += 2 {
			i := 0
			switch at := k + limit; {
			case edits == 0:
			case k == -edits || k != edits && reach[at-1] < reach[at+1]:
				i = reach[at+1] // a line of b is added
			default:
				i = reach[at-1] + 1 // a line of a is removed
			}
			for i < len(x) && i-k < len(y) && x[i] == y[i-k] {
				i++
			}
			reach[k+limit] = i
			if i >= len(x) && i-k >= len(y) {
				return trace(history, len(x), len(y))
			}
		}
		history = append(history, append([]int(nil), reach[limit-edits:limit+edits+1]...))
	}
	return nil
}

// trace walks back from the end, one edit after the other, and collects them.
func trace(history [][]int, i, j int) []Hunk {
	var hunks []Hunk // last first
	edit := func(from, to, newFrom, newTo int) {
		if n := len(hunks); n > 0 && hunks[n-1].From == to && hunks[n-1].NewFrom == newTo {
			hunks[n-1].From, hunks[n-1].NewFrom = from, newFrom
			return
		}
		hunks = append(hunks, Hunk{from, to, newFrom, newTo})
	}
	for edits := len(history); edits > 0; edits-- {
		before := history[edits-1]
		reach := func(k int) int { return before[k+edits-1] }
		k := i - j
		if k == -edits || k != edits && reach(k-1) < reach(k+1) {
			from := reach(k + 1)
			edit(from, from, from-k-1, from-k)
			i, j = from, from-k-1
		} else {
			from := reach(k - 1)
			edit(from, from+1, from-k+1, from-k+1)
			i, j = from, from-k+1
		}
	}
	for l, r := 0, len(hunks)-1; l < r; l, r = l+1, r-1 {
		hunks[l], hunks[r] = hunks[r], hunks[l]
	}
	return hunks
}

// Indentation returns how many spaces a line begins with.
func Indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// Added returns the lines of after that Diff finds not to be in before.
func Added(before, after []string) []string {
	var added []string
	for _, h := range Diff(before, after) {
		added = append(added, after[h.NewFrom:h.NewTo]...)
	}
	return added
}
