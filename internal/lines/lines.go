// Package lines compares and merges texts line by line: differences, unified diffs and three-way
// merges. Lines keep their line ends. Results are deterministic, and time and memory are bounded
// whatever the texts are.
//
// Layer: base.
package lines

import (
	"slices"
	"sort"
	"strings"
)

// Split splits text into lines, each with its line end. The last line may have none.
func Split(text string) []string { return AppendSplit(nil, text) }

// AppendSplit appends the lines of text to all; see [Split].
func AppendSplit(all []string, text string) []string {
	all = slices.Grow(all, strings.Count(text, "\n")+1)
	for text != "" {
		end := strings.IndexByte(text, '\n') + 1
		if end == 0 {
			end = len(text)
		}
		all, text = append(all, text[:end]), text[end:]
	}
	return all
}

// Rising returns the indexes of a longest increasing subsequence of numbers. The numbers must be
// different.
func Rising(numbers []int) []int {
	// By length: the index of the smallest number that ends a subsequence of this length.
	var ends []int
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

// Common returns the lengths of the common prefix and of the common suffix, which do not overlap.
func Common[T comparable](a, b []T) (head, tail int) {
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return head, tail
}

// Indentation returns the number of spaces at the beginning of line.
func Indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// Added returns the lines of after that, according to Diff, are not in before.
func Added(before, after []string) []string {
	var added []string
	for _, h := range Diff(before, after) {
		added = append(added, after[h.NewFrom:h.NewTo]...)
	}
	return added
}
