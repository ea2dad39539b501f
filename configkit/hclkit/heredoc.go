package hclkit

import "strings"

// heredoc is a string over several lines between marks.
type heredoc struct {
	open   string   // the line that opens it, with its end
	lines  []string // with their ends
	close  string   // the line with the mark
	indent string   // what all lines begin with that is no part of them
}

func parseHeredoc(raw string) (h heredoc, ok bool) {
	if !strings.HasPrefix(raw, "<<") {
		return h, false
	}
	lines := strings.SplitAfter(raw, "\n")
	if len(lines) < 2 {
		return h, false
	}
	h.open, h.lines, h.close = lines[0], lines[1:len(lines)-1], lines[len(lines)-1]
	if strings.TrimSpace(h.close) != h.mark() {
		return h, false
	}
	if strings.HasPrefix(raw, "<<-") {
		first := true
		for _, line := range h.lines {
			blanks := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
			if strings.TrimSpace(line) == "" {
				continue
			}
			if first || len(blanks) < len(h.indent) {
				h.indent, first = blanks, false
			}
		}
	}
	return h, true
}

func (h heredoc) mark() string {
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(h.open, "<<"), "-"))
}

// text is its value, in which templates stand as they are written.
func (h heredoc) text() string {
	var b strings.Builder
	for _, line := range h.lines {
		b.WriteString(strings.TrimPrefix(line, h.indent))
	}
	return b.String()
}

// with is it with another value, which may be one it cannot have.
func (h heredoc) with(value string) string {
	var b strings.Builder
	b.WriteString(h.open)
	for _, line := range strings.SplitAfter(value, "\n") {
		if strings.TrimSpace(line) != "" {
			b.WriteString(h.indent)
		}
		b.WriteString(line)
	}
	b.WriteString(h.close)
	return b.String()
}
