// Package suggest answers "did you mean": which of the known words a word
// nobody knows was probably meant to be.
package suggest

import (
	"slices"
	"strings"
)

// Nearest returns the names closest to word, the closest first and three at
// most; none when nothing is close. Two words are close when few letters must
// be typed anew, or when one is the beginning of the other.
func Nearest(word string, names []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var found []candidate
	limit := max(1, len(word)/3)
	for _, name := range names {
		d := distance(strings.ToLower(word), strings.ToLower(name))
		if d > limit && len(word) >= 3 && strings.HasPrefix(name, word) {
			d = limit
		}
		if d <= limit {
			found = append(found, candidate{name, d})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return a.distance - b.distance })
	var nearest []string
	for _, c := range found[:min(3, len(found))] {
		nearest = append(nearest, c.name)
	}
	return nearest
}

// DidYouMean is the hint made of Nearest, each name after prefix; empty when nothing is close.
func DidYouMean(word string, names []string, prefix string) string {
	nearest := Nearest(word, names)
	if len(nearest) == 0 {
		return ""
	}
	for i := range nearest {
		nearest[i] = prefix + nearest[i]
	}
	return "did you mean " + strings.Join(nearest, " or ") + "?"
}

// distance is the number of letters inserted, deleted, replaced or swapped
// with their neighbour to make b of a.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
