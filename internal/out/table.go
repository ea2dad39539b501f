// Package out lays out text for people: tables and the widths of their cells. Cells are escaped,
// so that data never begins a line or a column, and lines have no blanks at their end.
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
			widths[i] = max(widths[i], utf8.RuneCountInString(cells[i]))
		}
		return cells
	}
	head, rows := escape(t.Head), make([][]string, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = escape(row)
	}
	if t.Width > 0 {
		fit(t.Head, widths, t.Width-utf8.RuneCountInString(t.Indent))
	}
	var b strings.Builder
	if t.Head != nil {
		line := t.Indent + line(head, widths)
		if t.HeadStyle != nil {
			line = t.HeadStyle(line)
		}
		b.WriteString(line + "\n")
	}
	for _, row := range rows {
		b.WriteString(t.Indent + line(row, widths) + "\n")
	}
	return b.String()
}

func line(cells []string, widths []int) string {
	var b strings.Builder
	for i, cell := range cells {
		b.WriteString(Pad(Shorten(cell, widths[i]), widths[i]) + "  ")
	}
	return strings.TrimRight(b.String(), " ")
}

// narrowest is the number of characters below which fit shortens no column.
const narrowest = 10

// fit reduces the widest columns until a table fits into a number of characters, or until they are
// too narrow to be useful. Columns with long texts are reduced before columns that identify a row.
func fit(head []string, widths []int, width int) {
	texts := []string{"PATH", "COMMENT", "MESSAGE", "VALUE", "OLD", "NEW"}
	for _, all := range []bool{false, true} {
		for {
			total, widest := 0, -1
			for i, w := range widths {
				total += w + 2
				if (all || i < len(head) && slices.Contains(texts, head[i])) &&
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
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return strings.TrimRight(string([]rune(text)[:max(width-1, 0)]), " ") + Ellipsis
}

// Pad returns text with blanks up to width characters.
func Pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}
