package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/lines"
)

// labeller makes the text after the second @@ of a hunk.
type labeller struct {
	steps         []string // their names
	authors       *authors // nil if there is at most one step
	before, after []Start
}

func newLabeller(f FileDiff, before []string) *labeller {
	l := &labeller{}
	for _, s := range f.Steps {
		l.steps = append(l.steps, s.Name)
	}
	if len(f.Steps) > 1 {
		l.authors = findAuthors(before, f.Steps)
	}
	return l
}

// find finds the resources in the parts of the texts that differ.
func (l *labeller) find(f FileDiff, w window, now cursor) {
	for _, part := range w.parts {
		found := slices.Clone(beginning(f.Resources, w.line+part.From, w.line+part.To))
		for i := range found {
			found[i].Line -= w.line
		}
		l.before = append(l.before, found...)
		if !w.byDocument || len(found) != 1 || found[0].Line != part.From+1 {
			found = now.starts(f.Starts, part.NewFrom, part.NewTo)
		} else { // a document that is a resource is one after the change
			found[0].Line = part.NewFrom + 1
		}
		l.after = append(l.after, found...)
	}
}

// cursor reads parts of a text in order.
type cursor struct {
	text  []byte // from line at on
	lines []string
	at    int
}

// starts returns the starts in lines [from, to).
func (c *cursor) starts(of func(text []byte) []Start, from, to int) []Start {
	c.take(from)
	found := of(c.take(to))
	for i := range found {
		found[i].Line += from
	}
	return found
}

// take returns the text up to a line, and continues there.
func (c *cursor) take(line int) []byte {
	n := 0
	for _, l := range c.lines[c.at:line] {
		n += len(l)
	}
	taken := c.text[:n]
	c.text, c.at = c.text[n:], line
	return taken
}

// maxLabels is the number of resources that a hunk names.
const maxLabels = 3

// label returns "resource  function, function; resource  function", with functions in the order of
// the chain.
func (l *labeller) label(hunks []lines.Hunk) string {
	var names []string
	by := map[string][]bool{}
	for _, h := range hunks {
		for _, name := range l.resources(h) {
			if by[name] == nil {
				names, by[name] = append(names, name), make([]bool, len(l.steps))
			}
			l.mark(by[name], h)
		}
	}
	var parts []string
	for i, name := range names {
		if i == maxLabels {
			parts = append(parts, fmt.Sprintf("and %d more", len(names)-i))
			break
		}
		var functions []string
		for step, function := range l.steps {
			if by[name][step] && !slices.Contains(functions, function) {
				functions = append(functions, function)
			}
		}
		parts = append(parts, strings.TrimSpace(diag.Printable(name+"  "+strings.Join(functions,
			", "))))
	}
	return strings.Join(parts, "; ")
}

// mark marks the steps that made an edit.
func (l *labeller) mark(by []bool, h lines.Hunk) {
	if l.authors == nil {
		for step := range by {
			by[step] = true
		}
		return
	}
	for _, authors := range [...][]int32{
		l.authors.removed[h.From:h.To],
		l.authors.added[h.NewFrom:h.NewTo],
	} {
		for _, step := range authors {
			if step != nobody {
				by[step] = true
			}
		}
	}
}

// resources returns the names of the resources that an edit is in, as they were before it, and of
// those it adds.
func (l *labeller) resources(h lines.Hunk) []string {
	old := within(l.before, h.From, h.To)
	if h.From == h.To && h.From > 0 {
		old = within(l.before, h.From-1, h.From) // added lines belong to the resource above
	}
	had := beginning(l.before, h.From, h.To)
	has := beginning(l.after, h.NewFrom, h.NewTo)
	added := has[min(len(had), len(has)):]
	if whole := h.From == h.To && len(has) > 0 && has[0].Line == h.NewFrom+1; whole {
		old = nil // only new resources
	}
	names := make([]string, 0, 1)
	for _, p := range append(slices.Clip(old), added...) {
		names = append(names, p.Name)
	}
	if len(names) == 0 {
		names = append(names, "")
	}
	return names
}

// within returns the starts that lines [from, to) belong to.
func within(starts []Start, from, to int) []Start {
	if from == to {
		return nil
	}
	last := beginningBefore(starts, to)
	return starts[max(0, beginningBefore(starts, from+1)-1):last]
}

// beginning returns the starts in lines [from, to).
func beginning(starts []Start, from, to int) []Start {
	return starts[beginningBefore(starts, from):beginningBefore(starts, to)]
}

// beginningBefore returns the number of starts before line i (from 0).
func beginningBefore(starts []Start, i int) int {
	n, _ := slices.BinarySearchFunc(starts, i, func(p Start, i int) int { return p.Line - 1 - i })
	return n
}
