package textmerge

import (
	"slices"

	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/lines"
)

// lineMap tells for the lines of one text which of another one they are.
type lineMap struct {
	hunks []lines.Hunk
	end   int // number of lines of the other
}

func newLineMap(from, to []string) lineMap { return lineMap{lines.Diff(from, to), len(to)} }

// at is the line, from 0, that a line is, or stands in the place of.
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

// nearest is the place of some lines in a text that is next to another place, which it is where the lines are not in the text: documents
// may have changed places.
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

// linePosition is the beginning of a line, which is counted from 0.
func linePosition(line int) gaby.Position { return gaby.Position{Line: line + 1, Column: 1} }

// positionIn is the beginning of a line of a text, of the last one for what is behind it.
func positionIn(text []string, line int) gaby.Position {
	return linePosition(max(0, min(line, len(text)-1)))
}
