package picture

import (
	"fmt"
	"html"
	"strings"
	"unicode/utf8"
)

// Measures of the SVG in pixels. Text is measured by its number of characters, because the fonts of
// the reader are not known.
const (
	charWidth  = 8
	boxHeight  = 34
	boxPadding = 12
	gapAcross  = 28
	gapDown    = 96
	margin     = 24
)

// box is a node with its position.
type box struct{ x, y, width int }

func (b box) middle() int { return b.x + b.width/2 }

// SVG draws the graph in rows: upstreams above what takes from them. An arrow points from a unit to
// the unit that it takes from.
func (g *Graph) SVG() string {
	boxes, width, height := g.layout()
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" `+
		`font-family="sans-serif" font-size="13">`+"\n", width, height, width, height)
	b.WriteString(`<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" ` +
		`markerHeight="8" orient="auto"><path d="M0,0 L10,5 L0,10 z" fill="#555"/></marker></defs>` + "\n")
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", width, height)
	parallel := map[[2]int]int{} // edges drawn between two nodes
	for _, e := range sortEdges(g) {
		pair := [2]int{e.From, e.To}
		svgEdge(&b, boxes, e, parallel[pair])
		parallel[pair]++
	}
	for i, n := range g.Nodes {
		at := boxes[i]
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" rx="5" fill="#eef4fb" stroke="#36648b"/>`+"\n",
			at.x, at.y, at.width, boxHeight)
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", at.middle(),
			at.y+boxHeight/2+5, html.EscapeString(n.Name))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// layout puts nodes of one level in a row, each below the middle of what it takes from as far as
// there is space.
func (g *Graph) layout() (boxes []box, width, height int) {
	boxes = make([]box, len(g.Nodes))
	rows := map[int][]int{}
	last := 0
	for i, n := range g.Nodes {
		level := max(n.Level, 0) // nodes of a cycle have no level
		rows[level] = append(rows[level], i)
		last = max(last, level)
		boxes[i].width = utf8.RuneCountInString(n.Name)*charWidth + 2*boxPadding
		boxes[i].y = margin + level*(boxHeight+gapDown)
	}
	for level := range last + 1 {
		x := margin
		for _, i := range rows[level] {
			boxes[i].x = x
			x += boxes[i].width + gapAcross
		}
		width = max(width, x-gapAcross+margin)
	}
	for level := range last + 1 { // centre the rows
		row := rows[level]
		if len(row) == 0 {
			continue
		}
		end := boxes[row[len(row)-1]]
		shift := (width - margin - end.x - end.width) / 2
		for _, i := range row {
			boxes[i].x += shift
		}
	}
	return boxes, max(width, 2*margin), margin*2 + boxHeight + last*(boxHeight+gapDown)
}

// svgEdge draws an edge as a curve with its label. The n-th edge between two nodes is shifted.
func svgEdge(b *strings.Builder, boxes []box, e Edge, n int) {
	from, to := boxes[e.From], boxes[e.To]
	x1, y1 := from.middle()+n*18, from.y
	x2, y2 := to.middle()+n*18, to.y+boxHeight
	if y1 <= y2 { // a cycle: upwards or in the same row
		y1, y2 = from.y+boxHeight, to.y+boxHeight
	}
	bend := (y1 - y2) / 2
	if bend <= 0 {
		bend = -gapDown / 2
	}
	colour, dash := "#555", ""
	if e.Cycle {
		colour = "#c00"
	}
	if e.Dashed {
		dash = ` stroke-dasharray="5,4"`
	}
	fmt.Fprintf(b, `<path d="M%d,%d C%d,%d %d,%d %d,%d" fill="none" stroke="%s"%s marker-end="url(#arrow)"/>`+"\n",
		x1, y1, x1, y1-bend, x2, y2+bend, x2, y2, colour, dash)
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle" font-size="11" fill="%s" stroke="#fff" `+
		`stroke-width="3" paint-order="stroke">%s</text>`+"\n", (x1+x2)/2, (y1+y2)/2+4+n*14, colour,
		html.EscapeString(e.title()))
}
