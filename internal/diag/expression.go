package diag

import (
	"errors"
	"strings"

	"github.com/fctl-dev/fctl/api"
)

// expressionError is an error about a text of its own, such as a path, a where-expression or a
// template, that knows the column of the problem (from 1, in runes; 0 if unknown).
type expressionError interface {
	error
	Expression() (text string, column int)
}

// caret returns the expression that a problem is about, with a caret below the position of the
// problem, if it is known. It returns "" if the problem is not about an expression, or if the
// expression cannot be shown on a line.
func caret(f *api.Failure) string {
	var e expressionError
	if f.Err == nil || !errors.As(f.Err, &e) {
		return ""
	}
	text, column := e.Expression()
	runes := []rune(text)
	known := column > 0
	if !known && (text == "" || strings.Contains(text, "\n")) || column < 0 ||
		column > len(runes)+1 {
		return ""
	}
	column = max(column, 1)
	from, to := 0, len(runes)
	for i, r := range runes { // find the line of the column
		if r == '\n' && i < column-1 {
			from = i + 1
		} else if r == '\n' {
			to = i
			break
		}
	}
	// A long line is cut to the part around the problem.
	const before, width = 50, 100
	head, tail := "", ""
	if column-1-from > before && to-from > width {
		from, head = column-1-before, "…"
	}
	if to-from > width {
		to, tail = from+width, "…"
	}
	line := string(runes[from:to])
	if line != Printable(line) {
		return ""
	}
	shown := "  " + head + line + tail + "\n"
	if !known {
		return shown
	}
	pad := strings.Repeat(" ", column-1-from+len([]rune(head)))
	return shown + "  " + pad + "^\n"
}
