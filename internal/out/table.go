// Package out lays out text for people: tables and the widths of their cells. Cells are escaped,
// so that data never begins a line or a column, and lines have no blanks at their end.
//
// Layer: base.
package out

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/internal/diag"
)

// Table is rows of cells, in columns two blanks apart. Rows may have fewer cells than others.
type Table struct {
	Indent    string              // before each line
	Head      []string            // names of the columns; nil prints none
	HeadStyle func(string) string // nil leaves the head plain
	Rows      [][]string
	Width     int // columns of the terminal that the table must fit in; 0 is no limit
	// LongNames keeps the first cell of a row whole: the few that are long move the rest of their
	// line to the right, out of the columns.
	LongNames bool
	// Mask replaces secret values before cells are shortened, as part of one would not be recognized
	// later; nil replaces none.
	Mask func(string) string
}

// String returns the lines of the table.
func (t *Table) String() string {
	var widths []int
	escape := func(row []string) []string {
		cells := make([]string, len(row))
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if t.Mask != nil {
				cell = t.Mask(cell)
			}
			cells[i] = diag.Printable(cell)
			widths[i] = max(widths[i], Width(cells[i]))
		}
		return cells
	}
	head, rows := escape(t.Head), make([][]string, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = escape(row)
	}
	if t.Width > 0 {
		if t.LongNames && len(widths) > 0 {
			widths[0] = min(widths[0], t.Width*2/5)
		}
		fit(t.Head, widths, t.Width-Width(t.Indent))
	}
	var b strings.Builder
	if t.Head != nil {
		line := t.line(head, widths)
		if t.HeadStyle != nil {
			line = t.HeadStyle(line)
		}
		b.WriteString(line + "\n")
	}
	for _, row := range rows {
		b.WriteString(t.line(row, widths) + "\n")
	}
	return b.String()
}

func (t *Table) line(cells []string, widths []int) string {
	var b strings.Builder
	b.WriteString(t.Indent)
	for i, cell := range cells {
		switch {
		case i == 0 && t.LongNames:
		case i < len(t.Head) && slices.Contains([]string{"NAME", "TYPE", "PATH", "POSITION"}, t.Head[i]):
			cell = shortenBeginning(cell, widths[i]) // the end says more: the kind, the line
		default:
			cell = Shorten(cell, widths[i])
		}
		b.WriteString(Pad(cell, widths[i]) + "  ")
	}
	text := strings.TrimRight(b.String(), " ")
	if t.LongNames && t.Width > 0 {
		text = Shorten(text, t.Width)
	}
	return text
}

// narrowest is the number of characters below which fit shortens no column.
const narrowest = 10

// fit reduces the widest columns until a table fits into a number of characters, or until they are
// too narrow to be useful. Columns that say which thing has which value are reduced after all others.
func fit(head []string, widths []int, width int) {
	last := []string{"NAME", "UNIT", "LINK", "CREATED", "VALUE", "OLD", "NEW"}
	for _, all := range []bool{false, true} {
		for {
			total, widest := 0, -1
			for i, w := range widths {
				total += w + 2
				if (all || i < len(head) && !slices.Contains(last, head[i])) &&
					(widest < 0 || w > widths[widest]) {
					widest = i
				}
			}
			if total-2 <= width {
				return
			}
			if widest < 0 || widths[widest] <= narrowest {
				break
			}
			widths[widest]--
		}
	}
}

// Ellipsis follows a text of which a part is not shown.
const Ellipsis = "…"

// Shorten returns the beginning of a text that is longer than width characters, with an ellipsis.
func Shorten(text string, width int) string {
	if Width(text) <= width {
		return text
	}
	return strings.TrimRight(string([]rune(text)[:max(width-1, 0)]), " ") + Ellipsis
}

// shortenBeginning returns the end of a text that is longer than width characters.
func shortenBeginning(text string, width int) string {
	over := Width(text) - width
	if over <= 0 {
		return text
	}
	return Ellipsis + strings.TrimLeft(string([]rune(text)[over+1:]), " ")
}

// Width returns the number of characters that a text takes on a line.
func Width(text string) int { return utf8.RuneCountInString(text) }

// Pad returns text with blanks up to width characters.
func Pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-Width(text)))
}
