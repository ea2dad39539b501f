package picture

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// Measures of the SVG in pixels. Text is measured by its number of characters, because the fonts of
// the reader are not known.
const (
	charWidth  = 8
	labelWidth = 7 // of a character of a label
	boxHeight  = 34
	boxPadding = 12
	gapAcross  = 28
	gapDown    = 56 // between rows, without labels
	laneHeight = 16 // of a row of labels
	margin     = 24
	bendWidth  = 14 // the space that an edge takes where it passes a row
)

// box is a node with its position, or the position where a long edge passes a row.
type box struct {
	x, y, width int
	row         int
	node        int // -1 for an edge
	edge        int // that passes, if node is -1
}

func (b *box) middle() int { return b.x + b.width/2 }

// segment is the part of an edge between two rows. A long edge has several.
type segment struct {
	from, to       int // boxes; from is in the lower row
	x1, y1, x2, y2 int
	edge           int
	label          string // of the first segment of an edge
	at             point  // of the label
}

type point struct{ x, y int }

// rowLayout is a graph in rows: upstreams above what takes from them.
type rowLayout struct {
	boxes         []box   // the nodes, and then the passing edges
	rows          [][]int // boxes, from left to right
	segments      []segment
	level         []segment // edges of cycles: within a row, or downwards
	width, height int
	bands         []band // with clusters
}

// arrange puts nodes of one level in a row. Rows are ordered so that few edges cross, long edges
// pass rows between the boxes, and labels do not overlap.
// With clusters each group has a band from top to bottom.
func arrange(g *Graph, edges []Edge, clusters bool) *rowLayout {
	l := &rowLayout{boxes: make([]box, len(g.Nodes))}
	last := 0
	for i, n := range g.Nodes {
		row := max(n.Level, 0) // nodes of a cycle have no level
		last = max(last, row)
		l.boxes[i] = box{
			row: row, node: i, width: utf8.RuneCountInString(n.Name)*charWidth + 2*boxPadding,
		}
	}
	l.rows = make([][]int, last+1)
	for i := range g.Nodes {
		row := l.boxes[i].row
		l.rows[row] = append(l.rows[row], i)
	}
	for i, e := range edges {
		l.connect(i, e)
	}
	l.order()
	l.place()
	if clusters {
		l.cluster(g, edges)
	}
	l.ports()
	l.labels()
	return l
}

// connect makes the segments of an edge.
func (l *rowLayout) connect(i int, e Edge) {
	from, to := l.boxes[e.From].row, l.boxes[e.To].row
	if to >= from {
		l.level = append(l.level, segment{from: e.From, to: e.To, edge: i, label: e.title()})
		return
	}
	at := e.From
	for row := from - 1; row >= to; row-- {
		next := e.To
		if row > to {
			next = len(l.boxes)
			l.boxes = append(l.boxes, box{row: row, node: -1, edge: i, width: bendWidth})
			l.rows[row] = append(l.rows[row], next)
		}
		s := segment{from: at, to: next, edge: i}
		if at == e.From {
			s.label = e.title()
		}
		l.segments = append(l.segments, s)
		at = next
	}
}

// order sorts each row by the mean position of what its boxes are connected with, some times down
// and up.
func (l *rowLayout) order() {
	above, below := make([][]int, len(l.boxes)), make([][]int, len(l.boxes))
	for _, s := range l.segments {
		above[s.from] = append(above[s.from], s.to)
		below[s.to] = append(below[s.to], s.from)
	}
	place := make([]int, len(l.boxes))
	number := func() {
		for _, row := range l.rows {
			for i, b := range row {
				// Positions in rows of other lengths are comparable as parts of the row.
				place[b] = (2*i + 1) << 20 / (2 * len(row))
			}
		}
	}
	number()
	mean := make([]int, len(l.boxes))
	sortRow := func(row []int, of [][]int) {
		for _, b := range row {
			mean[b] = place[b]
			if n := len(of[b]); n > 0 {
				sum := 0
				for _, other := range of[b] {
					sum += place[other]
				}
				mean[b] = sum / n
			}
		}
		slices.SortStableFunc(row, func(a, b int) int { return cmp.Compare(mean[a], mean[b]) })
		number()
	}
	const sweeps = 4
	for range sweeps {
		for _, row := range l.rows[1:] {
			sortRow(row, above)
		}
		for i := len(l.rows) - 2; i >= 0; i-- {
			sortRow(l.rows[i], below)
		}
	}
}

// place gives the boxes their position from left to right. All rows have the same middle.
func (l *rowLayout) place() {
	var widths []int
	for _, row := range l.rows {
		x := margin
		for _, b := range row {
			l.boxes[b].x = x
			x += l.boxes[b].width + gapAcross
		}
		widths = append(widths, x-gapAcross+margin)
		l.width = max(l.width, x-gapAcross+margin)
	}
	for _, s := range slices.Concat(l.segments, l.level) {
		l.width = max(l.width, textWidth(s.label)+2*margin)
	}
	for i, row := range l.rows {
		for _, b := range row {
			l.boxes[b].x += (l.width - widths[i]) / 2
		}
	}
}

func textWidth(text string) int { return utf8.RuneCountInString(text) * labelWidth }

// ports spreads the ends of edges over the sides of the boxes.
func (l *rowLayout) ports() {
	out, in := map[int][]int{}, map[int][]int{}
	for i := range l.segments {
		out[l.segments[i].from] = append(out[l.segments[i].from], i)
		in[l.segments[i].to] = append(in[l.segments[i].to], i)
	}
	spread := func(of []int, b *box, other func(*segment) int, set func(*segment, int)) {
		slices.SortStableFunc(of, func(a, b int) int {
			return cmp.Compare(l.boxes[other(&l.segments[a])].middle(),
				l.boxes[other(&l.segments[b])].middle())
		})
		for i, s := range of {
			set(&l.segments[s], b.x+b.width*(i+1)/(len(of)+1))
		}
	}
	for i := range l.boxes {
		b := &l.boxes[i]
		spread(out[i], b, func(s *segment) int { return s.to },
			func(s *segment, x int) { s.x1 = x })
		spread(in[i], b, func(s *segment) int { return s.from },
			func(s *segment, x int) { s.x2 = x })
	}
}

// labels gives rows their position from top to bottom, with as many lanes between them as the
// labels need.
func (l *rowLayout) labels() {
	y := margin
	if l.bands != nil {
		y += frameTitle
	}
	for row := range l.rows {
		if row > 0 {
			y += l.between(row, y)
		}
		for _, b := range l.rows[row] {
			l.boxes[b].y = y
		}
		y += boxHeight
		n := 0
		for i := range l.level {
			if s := &l.level[i]; l.boxes[s.from].row == row {
				n++
				s.at = point{(l.boxes[s.from].middle() + l.boxes[s.to].middle()) / 2, y +
					n*laneHeight}
				s.at.x = l.inside(s.at.x, s.label)
				s.y1 = y
			}
		}
		if n > 0 {
			y += (n + 1) * laneHeight
		}
	}
	l.height = y + margin
}

// inside moves the middle of a label into the picture.
func (l *rowLayout) inside(x int, label string) int {
	half := textWidth(label)/2 + 4
	return max(half, min(x, l.width-half))
}

// between places the segments between a row and the one above, which ends at y, and their labels.
// It returns the distance of the rows.
func (l *rowLayout) between(row, y int) int {
	var all []*segment
	total := 0
	for i := range l.segments {
		if s := &l.segments[i]; l.boxes[s.from].row == row {
			all = append(all, s)
			total += textWidth(s.label)
		}
	}
	slices.SortStableFunc(all, func(a, b *segment) int { return cmp.Compare(a.x1+a.x2, b.x1+b.x2) })
	for lanes := 1 + total/l.width; ; lanes += 1 + lanes/8 {
		gap := gapDown + lanes*laneHeight
		for _, s := range all {
			s.y1, s.y2 = y+gap, l.boxes[s.to].y
			if l.boxes[s.to].node >= 0 { // otherwise it passes the row
				s.y2 += boxHeight
			}
		}
		if l.lanes(all, lanes, y+gapDown/2+laneHeight) {
			return gap
		}
	}
}

// lanes places labels in lanes from y on, each where its edge is at that height. It reports false
// if they overlap.
func (l *rowLayout) lanes(all []*segment, lanes, y int) bool {
	ends := make([][]point, lanes) // the taken ranges
	for n, s := range all {
		if s.label == "" {
			continue
		}
		placed := false
		for try := range lanes {
			lane := (n + try) % lanes
			at := point{l.inside(s.xAt(y+lane*laneHeight-4), s.label), y + lane*laneHeight}
			half := textWidth(s.label)/2 + 6
			if slices.ContainsFunc(ends[lane], func(r point) bool {
				return at.x-half < r.y && r.x < at.x+half
			}) {
				continue
			}
			ends[lane] = append(ends[lane], point{at.x - half, at.x + half})
			s.at, placed = at, true
			break
		}
		if !placed {
			return false
		}
	}
	return true
}

// xAt returns where the curve of a segment is at a height: it begins and ends upright.
func (s *segment) xAt(y int) int {
	low, high := 0, 1000 // thousandths of the curve
	top := s.y2
	for high-low > 1 {
		t := (low + high) / 2
		// All control points are at the ends or in the middle.
		if mid := (s.y1 + top) / 2; bezier(s.y1, mid, mid, top, t) > y {
			low = t
		} else {
			high = t
		}
	}
	return bezier(s.x1, s.x1, s.x2, s.x2, low)
}

// bezier returns a coordinate of a cubic curve at t thousandths.
func bezier(a, b, c, d, t int) int {
	u := 1000 - t
	return (a*u*u*u + 3*b*u*u*t + 3*c*u*t*t + d*t*t*t) / 1_000_000_000
}
