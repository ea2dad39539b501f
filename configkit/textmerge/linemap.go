package textmerge

import (
	"slices"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/lines"
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
	moved := 0
	for _, h := range m.hunks {
		if line < h.From {
			break
		}
		if line < h.To {
			return m.bounded(min(h.NewFrom+line-h.From, max(h.NewTo-1, h.NewFrom)))
		}
		moved = h.NewTo - h.To
	}
	return m.bounded(line + moved)
}

func (m lineMap) bounded(line int) int { return max(0, min(line, m.end-1)) }

// nearest returns the occurrence of part in text closest to at, or at if there is none: documents
// may have changed their order.
func nearest(text, part []string, at int) int {
	best := -1
	for i := 0; len(part) > 0 && i+len(part) <= len(text); i++ {
		if slices.Equal(text[i:i+len(part)], part) && (best < 0 || abs(i-at) < abs(best-at)) {
			best = i
		}
	}
	if best < 0 {
		return at
	}
	return best
}

func abs(n int) int { return max(n, -n) }

// linePosition returns the position of the beginning of a line. line is counted from 0.
func linePosition(line int) gaby.Position { return gaby.Position{Line: line + 1, Column: 1} }

// positionIn returns the position of the beginning of a line of text. Beyond the end it is the last
// line.
func positionIn(text []string, line int) gaby.Position {
	return linePosition(max(0, min(line, len(text)-1)))
}
