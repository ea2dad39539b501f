package picture

import (
	"fmt"
	"html"
	"strings"
)

// SVG draws the graph in rows: upstreams above what takes from them. An arrow points from a unit to
// the unit that it takes from. With clusters each group is framed.
func (g *Graph) SVG(clusters bool) string {
	edges := sortEdges(g)
	l := arrange(g, edges, clusters)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" `+
		`viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">`+"\n",
		l.width, l.height, l.width, l.height)
	b.WriteString("<defs>")
	for _, colour := range []string{normal, alarm} {
		fmt.Fprintf(&b, `<marker id="arrow-%s" viewBox="0 0 10 10" refX="9" refY="5" `+
			`markerWidth="8" markerHeight="8" orient="auto"><path d="M0,0 L10,5 L0,10 z" `+
			`fill="#%s"/></marker>`, colour, colour)
	}
	b.WriteString("</defs>\n")
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", l.width, l.height)
	for i := range l.bands {
		l.bands[i].svg(&b)
	}
	for i := range l.segments {
		s := &l.segments[i]
		bend := (s.y1 + s.y2) / 2
		path := fmt.Sprintf("M%d,%d C%d,%d %d,%d %d,%d", s.x1, s.y1, s.x1, bend, s.x2, bend, s.x2,
			s.y2)
		svgPath(&b, path, &edges[s.edge], l.boxes[s.to].node >= 0)
	}
	for i := range l.level {
		s := &l.level[i]
		x1, x2, y2 := l.boxes[s.from].middle(), l.boxes[s.to].middle(), l.boxes[s.to].y+boxHeight
		low := s.at.y + laneHeight/2
		path := fmt.Sprintf("M%d,%d C%d,%d %d,%d %d,%d", x1, s.y1, x1, low, x2, max(low, y2), x2,
			y2)
		svgPath(&b, path, &edges[s.edge], true)
	}
	for i := range l.boxes {
		at := &l.boxes[i]
		if at.node < 0 {
			continue
		}
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" rx="5" fill="#eef4fb" `+
			`stroke="#36648b"/>`+"\n", at.x, at.y, at.width, boxHeight)
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", at.middle(),
			at.y+boxHeight/2+5, html.EscapeString(g.Nodes[at.node].Name))
	}
	for _, list := range [][]segment{l.segments, l.level} { // above all lines
		for i := range list {
			if s := &list[i]; s.label != "" {
				fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle" font-size="11" `+
					`fill="#%s" stroke="#fff" stroke-width="4" paint-order="stroke">%s</text>`+"\n",
					s.at.x, s.at.y, colourOf(&edges[s.edge]), html.EscapeString(s.label))
			}
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// The colours of edges.
const (
	normal = "555555"
	alarm  = "cc0000" // of cycles
)

func colourOf(e *Edge) string {
	if e.Cycle {
		return alarm
	}
	return normal
}

// svgPath draws a part of an edge. The last part has the arrow.
func svgPath(b *strings.Builder, path string, e *Edge, last bool) {
	more := ""
	if e.Dashed {
		more = ` stroke-dasharray="5,4"`
	}
	if last {
		more += ` marker-end="url(#arrow-` + colourOf(e) + `)"`
	}
	fmt.Fprintf(b, `<path d="%s" fill="none" stroke="#%s"%s/>`+"\n", path, colourOf(e), more)
}
