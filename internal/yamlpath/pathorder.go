package yamlpath

import (
	"cmp"
	"strings"
)

// Compare compares paths segment by segment: a path precedes those below it, indexes compare by
// number (args.2 before args.10) and precede other segments, and other segments compare by their
// bytes.
func Compare(a, b string) int {
	for a != "" && b != "" && a != b {
		var segmentA, segmentB string
		segmentA, a, _ = strings.Cut(a, ".")
		segmentB, b, _ = strings.Cut(b, ".")
		if c := compareSegments(segmentA, segmentB); c != 0 {
			return c
		}
	}
	return strings.Compare(a, b)
}

// compareSegments compares two segments: indexes by number and before all others.
func compareSegments(a, b string) int {
	i, j := decimal(a), decimal(b)
	switch {
	case i >= 0 && j >= 0:
		return cmp.Compare(i, j)
	case i >= 0:
		return -1
	case j >= 0:
		return 1
	}
	return strings.Compare(a, b)
}
