package diff

import (
	"strings"

	"github.com/fctl-dev/fctl/configkit/lines"
)

// slide moves hunks that only add or only remove lines. Often they can stand in several places: between two equal lines it is
// all the same which one is new. They begin with the line that is indented least, as what is added begins with its key or dash, and
// else stand as far down as they can.
func slide(hunks []lines.Hunk, before, after []string) {
	for k := range hunks {
		h := &hunks[k]
		t, from, to := after, &h.NewFrom, &h.NewTo
		if h.NewFrom == h.NewTo {
			t, from, to = before, &h.From, &h.To
		} else if h.From < h.To {
			continue
		}
		up, down := h.NewFrom, len(after)-h.NewTo // how many kept lines are on either side
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

// indent is how far in a line begins. Separators of documents come before everything, blank lines after it.
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
