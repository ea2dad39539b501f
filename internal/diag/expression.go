package diag

import (
	"errors"
	"strings"

	"github.com/fctl-dev/fctl/api"
)

// expressionError is an error about a text of its own, such as a path, a
// where-expression or a template, that knows the column of the problem (from 1,
// in runes).
type expressionError interface {
	error
	Expression() (text string, column int)
}

// caret shows the expression a problem is about and points into it, if it is
// known where; empty when the problem is about none, or about one that cannot be
// shown in a line.
func caret(f *api.Failure) string {
	var e expressionError
	if f.Err == nil || !errors.As(f.Err, &e) {
		return ""
	}
	text, column := e.Expression()
	runes := []rune(text)
	known := column > 0
	if !known && (text == "" || strings.Contains(text, "\n")) || column < 0 || column > len(runes)+1 {
		return ""
	}
	column = max(column, 1)
	from, to := 0, len(runes)
	for i, r := range runes { // the line the column is in
		if r == '\n' && i < column-1 {
			from = i + 1
		} else if r == '\n' {
			to = i
			break
		}
	}
	// Of a long line the part around the problem.
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
