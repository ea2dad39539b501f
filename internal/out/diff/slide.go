package diff

import (
	"strings"

	"github.com/fctl-dev/fctl/internal/lines"
)

// slide moves hunks that only add or only remove lines. Often such a hunk has several equivalent
// positions: of two equal lines, either can be the new one. Among them slide prefers the one that
// begins with the least indented line, because what is added usually begins with its key or dash,
// and else the one furthest down.
func slide(hunks []lines.Hunk, before, after []string) {
	for k := range hunks {
		h := &hunks[k]
		t, from, to := after, &h.NewFrom, &h.NewTo
		if h.NewFrom == h.NewTo {
			t, from, to = before, &h.From, &h.To
		} else if h.From < h.To {
			continue
		}
		up, down := h.NewFrom, len(after)-h.NewTo // unchanged lines on either side
		if k > 0 {
			up -= hunks[k-1].NewTo
		}
		if k+1 < len(hunks) {
			down = hunks[k+1].NewFrom - h.NewTo
		}
		best, bestIndent := 0, indent(t[*from])
		for n := 1; n <= down && t[*from+n-1] == t[*to+n-1]; n++ {
			if in := indent(t[*from+n]); in <= bestIndent {
				best, bestIndent = n, in
			}
		}
		for n := 1; n <= up && t[*from-n] == t[*to-n]; n++ {
			if in := indent(t[*from-n]); in < bestIndent {
				best, bestIndent = -n, in
			}
		}
		h.From, h.To, h.NewFrom, h.NewTo = h.From+best, h.To+best, h.NewFrom+best, h.NewTo+best
	}
}

// indent returns the width of a line's indentation. Separators of documents count as less than any
// indentation, blank lines as more.
func indent(line string) int {
	if strings.HasPrefix(line, "---") {
		return -1
	}
	text := strings.TrimLeft(line, " ")
	if len(strings.TrimRight(text, "\r\n")) == 0 {
		return 1 << 30
	}
	return len(line) - len(text)
}
