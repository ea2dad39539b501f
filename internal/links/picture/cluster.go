package picture

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"
	"unicode/utf8"
)

// The measures of the frames of groups, in pixels.
const (
	framePadding = 10
	frameTitle   = 16 // above the boxes
	frameGap     = 20 // between frames
)

// band is the part of the picture that a group has, from left to right.
type band struct {
	group    string
	x, width int
	boxes    []*box // its nodes
}

// cluster moves the boxes of each group into a band of its own, so that frames do not overlap.
// Within a row, the boxes of a group keep their order. An edge that passes a row is in the band of
// its downstream node.
func (l *rowLayout) cluster(g *Graph, edges []Edge) {
	groups := g.groups()
	groupOf := func(b int) int {
		node := l.boxes[b].node
		if node < 0 {
			node = edges[l.boxes[b].edge].From
		}
		return slices.Index(groups, g.Nodes[node].Group)
	}
	l.bands = make([]band, len(groups))
	for i, name := range groups {
		l.bands[i] = band{group: name, width: utf8.RuneCountInString(name) * charWidth}
	}
	widths := make([][]int, len(l.rows)) // of each group in each row
	for row := range l.rows {
		widths[row] = make([]int, len(groups))
		slices.SortStableFunc(l.rows[row], func(a, b int) int {
			return cmp.Compare(groupOf(a), groupOf(b))
		})
		for _, b := range l.rows[row] {
			i := groupOf(b)
			if widths[row][i] > 0 {
				widths[row][i] += gapAcross
			}
			widths[row][i] += l.boxes[b].width
			l.bands[i].width = max(l.bands[i].width, widths[row][i])
			if l.boxes[b].node >= 0 {
				l.bands[i].boxes = append(l.bands[i].boxes, &l.boxes[b])
			}
		}
	}
	x := margin
	for i := range l.bands {
		l.bands[i].x = x
		l.bands[i].width += 2 * framePadding
		x += l.bands[i].width + frameGap
	}
	shift := max(0, l.width-(x-frameGap+margin)) / 2
	l.width = max(l.width, x-frameGap+margin)
	for i := range l.bands {
		l.bands[i].x += shift
	}
	for row := range l.rows {
		next := make([]int, len(groups))
		for i := range next {
			next[i] = l.bands[i].x + (l.bands[i].width-widths[row][i])/2
		}
		for _, b := range l.rows[row] {
			i := groupOf(b)
			l.boxes[b].x = next[i]
			next[i] += l.boxes[b].width + gapAcross
		}
	}
}

// frame returns the corners of the frame of a band, once the rows have their positions.
func (b *band) frame() (left, top, right, bottom int) {
	left, right = b.x, b.x+b.width
	for i, box := range b.boxes {
		if i == 0 || box.y < top {
			top = box.y
		}
		bottom = max(bottom, box.y+boxHeight)
	}
	return left, top - framePadding - frameTitle, right, bottom + framePadding
}

// svg draws the frame of a band with its name.
func (b *band) svg(to *strings.Builder) {
	left, top, right, bottom := b.frame()
	fmt.Fprintf(to, `<rect x="%d" y="%d" width="%d" height="%d" rx="7" fill="#f7f7f2" `+
		`stroke="#b0b0a0"/>`+"\n", left, top, right-left, bottom-top)
	fmt.Fprintf(to, `<text x="%d" y="%d" font-size="11" font-weight="bold" `+
		`fill="#777766">%s</text>`+
		"\n", left+framePadding, top+frameTitle-2, html.EscapeString(b.group))
}
