package textmerge

import (
	"slices"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/lines"
)

// lineMap maps the lines of one text to those of another.
type lineMap struct {
	hunks []lines.Hunk
	end   int // number of lines of the other text
}

// newLineMap returns the map from the lines of from to those of to.
func newLineMap(from, to []string) lineMap { return lineMap{lines.Diff(from, to), len(to)} }

// at returns the line that corresponds to line, or the line now at that position. Both are counted
// from 0.
func (m lineMap) at(line int) int {
	// the first hunk that begins after the line
	after, _ := slices.BinarySearchFunc(m.hunks, line+1, func(h lines.Hunk, at int) int {
		return h.From - at
	})
	if after == 0 {
		return m.bounded(line)
	}
	h := m.hunks[after-1]
	if line < h.To {
		return m.bounded(min(h.NewFrom+line-h.From, max(h.NewTo-1, h.NewFrom)))
	}
	return m.bounded(line + h.NewTo - h.To)
}

func (m lineMap) bounded(line int) int { return max(0, min(line, m.end-1)) }

// lineIndex finds lines in a text.
type lineIndex struct {
	text []string
	at   map[string][]int // the indexes of each line, in order
}

func newLineIndex(text []string) lineIndex {
	x := lineIndex{text, map[string][]int{}}
	for i, l := range text {
		x.at[l] = append(x.at[l], i)
	}
	return x
}

// nearest returns the occurrence of part in the text closest to at, or at if there is none:
// documents may have changed their order.
func (x lineIndex) nearest(part []string, at int) int {
	if len(part) == 0 {
		return at
	}
	// Of two that are as close, the first one wins.
	all := x.at[part[0]]
	after, _ := slices.BinarySearch(all, at)
	before := after - 1
	for before >= 0 || after < len(all) {
		i := 0
		if after >= len(all) || before >= 0 && at-all[before] <= all[after]-at {
			i = all[before]
			before--
		} else {
			i = all[after]
			after++
		}
		if i+len(part) <= len(x.text) && slices.Equal(x.text[i:i+len(part)], part) {
			return i
		}
	}
	return at
}

// linePosition returns the position of the beginning of a line. line is counted from 0.
func linePosition(line int) gaby.Position { return gaby.Position{Line: line + 1, Column: 1} }

// positionIn returns the position of the beginning of a line of text. Beyond the end it is the last
// line.
func positionIn(text []string, line int) gaby.Position {
	return linePosition(max(0, min(line, len(text)-1)))
}
