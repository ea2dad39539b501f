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
