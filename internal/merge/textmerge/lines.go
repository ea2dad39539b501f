package textmerge

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/internal/lines"
)

// differences returns where our lines differ from theirs because they changed them, or all
// differences if that is unknown.
func differences(base, ours, theirs []string) []clash {
	changed := lines.Diff(base, theirs)
	var all, some []clash
	for _, h := range lines.Diff(ours, theirs) {
		c := clash{
			line: h.From, ours: ours[h.From:h.To], theirs: theirs[h.NewFrom:h.NewTo],
			lineOurs: h.From, lineTheirs: h.NewFrom,
		}
		all = append(all, c)
		for len(changed) > 0 && changed[0].NewTo < h.NewFrom {
			changed = changed[1:]
		}
		if len(changed) > 0 && changed[0].NewFrom <= h.NewTo {
			some = append(some, c)
		}
	}
	if len(some) > 0 {
		return some
	}
	return all
}

// bothLines settles a conflict line by line. This is safe because the values are the same on both
// sides already, and comments and layout rarely depend on neighbouring lines.
func bothLines(c lines.Chunk) ([]string, bool) {
	head, tail := lines.Common(c.Ours, c.Theirs)
	ours, theirs := c.Ours[head:len(c.Ours)-tail], c.Theirs[head:len(c.Theirs)-tail]
	var put []string
	switch {
	case slices.Equal(theirs, c.Base):
		put = ours
	case slices.Equal(ours, c.Base):
		put = theirs
	default:
		return bothPartwise(c)
	}
	return slices.Concat(c.Ours[:head], put, c.Ours[len(c.Ours)-tail:]), true
}

// bothPartwise settles a conflict in which both sides differ from the base, change by change.
func bothPartwise(c lines.Chunk) (put []string, ok bool) {
	for _, part := range lines.MergeClose(c.Base, c.Ours, c.Theirs) {
		if part.Conflict {
			if part.Lines, ok = bothAdditions(part); !ok {
				return nil, false
			}
		}
		put = append(put, part.Lines...)
	}
	return put, true
}

// bothAdditions settles a conflict if both sides replaced lines one by one, or added comments.
func bothAdditions(c lines.Chunk) ([]string, bool) {
	if len(c.Base) == len(c.Ours) && len(c.Base) == len(c.Theirs) {
		put := make([]string, len(c.Base))
		for i := range c.Base {
			switch {
			case c.Ours[i] == c.Theirs[i], c.Theirs[i] == c.Base[i]:
				put[i] = c.Ours[i]
			case c.Ours[i] == c.Base[i]:
				put[i] = c.Theirs[i]
			default:
				return nil, false
			}
		}
		return put, true
	}
	switch {
	case len(c.Base) > 0:
		return nil, false
	case contains(c.Ours, c.Theirs):
		return c.Ours, true
	case contains(c.Theirs, c.Ours):
		return c.Theirs, true
	case onlyComments(c.Ours) && !onlyComments(c.Theirs):
		return slices.Concat(c.Theirs, c.Ours), true // comments precede what they describe
	}
	return slices.Concat(c.Ours, c.Theirs), onlyComments(c.Ours) || onlyComments(c.Theirs)
}

// contains reports whether part is a run of lines of text.
func contains(text, part []string) bool {
	return strings.Contains("\n"+strings.Join(text, ""), "\n"+strings.Join(part, ""))
}

// onlyComments reports whether lines have nothing but comments and blanks.
func onlyComments(list []string) bool {
	for _, l := range list {
		if l = strings.TrimSpace(l); l != "" && l[0] != '#' {
			return false
		}
	}
	return true
}

// mark puts both sides of conflicts into the merged text.
func (m *textMerger) mark(merged *Merged, ours, theirs string) {
	text, lineOf := m.marked(lines.Split(ours), lines.Split(theirs))
	merged.Text = []byte(text)
	for i := range merged.Conflicts {
		if p := &merged.Conflicts[i].Pos; p.Line > 0 {
			p.Line = lineOf[min(p.Line, len(lineOf))-1] + 1
		}
	}
}

// marked returns ours with markers where theirs differs, and for each line of ours its index in the
// result, plus one index for the end. If ours is empty between markers, the line after the conflict
// maps to the marker.
func (m *textMerger) marked(ours, theirs []string) (text string, lineOf []int) {
	var out strings.Builder
	at, line := 0, 0
	// The index of the last conflict's marker if ours had no lines there, else -1.
	nothing := -1
	next := func() int {
		to := line
		if nothing >= 0 {
			to, nothing = nothing, -1
		}
		return to
	}
	keep := func(to int) {
		for ; at < to; at++ {
			out.WriteString(ours[at])
			lineOf = append(lineOf, next())
			line++
		}
	}
	for _, h := range lines.Diff(ours, theirs) {
		keep(h.From)
		m.conflict(&out, ours[h.From:h.To], theirs[h.NewFrom:h.NewTo])
		if at == h.To {
			nothing = line
		}
		for ; at < h.To; at++ {
			line++
			lineOf = append(lineOf, line)
		}
		line += 3 + h.NewTo - h.NewFrom
	}
	keep(len(ours))
	return out.String(), append(lineOf, next())
}

// conflict writes both sides of a conflict.
func (m *textMerger) conflict(out *strings.Builder, ours, theirs []string) {
	size := m.options.MarkerSize
	if size <= 0 {
		size = 7
	}
	end := "\n"
	for _, l := range append(ours[:len(ours):len(ours)], theirs...) {
		if strings.HasSuffix(l, "\r\n") {
			end = "\r\n"
		}
	}
	marker := func(c, label string) {
		if label != "" {
			label = " " + label
		}
		out.WriteString(strings.Repeat(c, size) + label + end)
	}
	put := func(list []string) {
		for _, l := range list {
			out.WriteString(l)
			if !strings.HasSuffix(l, "\n") {
				out.WriteString(end)
			}
		}
	}
	marker("<", m.options.Ours)
	put(ours)
	marker("=", "")
	put(theirs)
	marker(">", m.options.Theirs)
}

// MergeLines performs a three-way line merge of any texts.
func MergeLines(base, ours, theirs []byte, options Options) *Merged {
	m := textMerger{base: base, ours: ours, theirs: theirs, options: options}
	return m.byLines()
}

// byLines merges line by line. Without markers, conflicts keep our lines.
func (m *textMerger) byLines() *Merged {
	merged := &Merged{}
	var out strings.Builder
	line := 0
	ours, theirs := lines.Split(string(m.ours)), lines.Split(string(m.theirs))
	for _, c := range lines.Merge(lines.Split(string(m.base)), ours, theirs) {
		text := strings.Join(c.Lines, "")
		if c.Conflict {
			// The conflict is where the sides begin to differ.
			same, _ := lines.Common(c.Ours, c.Theirs)
			at := line + same
			text = strings.Join(c.Ours, "")
			switch {
			case m.options.Favour == Theirs:
				text = strings.Join(c.Theirs, "")
			case m.options.Markers:
				var lineOf []int
				text, lineOf = m.marked(c.Ours, c.Theirs)
				at = line + lineOf[same]
			}
			if m.options.Favour != Neither {
				merged.Settled++
			} else {
				merged.Conflicts = append(merged.Conflicts, Conflict{
					Pos: linePosition(at), Ours: positionIn(ours, c.FromOurs+same),
					Theirs: positionIn(theirs, c.FromTheirs+same), Lines: c.Theirs,
				})
			}
		}
		out.WriteString(text)
		line += strings.Count(text, "\n")
	}
	merged.Text = []byte(out.String())
	return merged
}
