package hclkit

import "strings"

// heredoc is a string over several lines between two markers.
type heredoc struct {
	open   string   // the line that opens it, with its line end
	lines  []string // with their line ends
	close  string   // the line with the closing marker
	indent string   // what <<- strips from the beginning of every line
}

// parseHeredoc splits raw into the parts of a heredoc. It reports false if raw is something else.
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

// text returns the value. Templates in it are not evaluated.
func (h heredoc) text() string {
	var b strings.Builder
	for _, line := range h.lines {
		b.WriteString(strings.TrimPrefix(line, h.indent))
	}
	return b.String()
}

// with returns the heredoc with another value. The result may be read as something else, as a
// heredoc cannot hold every value.
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
