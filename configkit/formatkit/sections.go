package formatkit

import (
	"bytes"
	"strings"
)

// BlankLinesAbove returns the beginning of the blank lines before the line at at.
func (w *Writer) BlankLinesAbove(at int) int {
	for first := w.Begin(); at > first; {
		before := w.LineAbove(at)
		if !Blank(w.Text[before:at]) {
			break
		}
		at = before
	}
	return at
}

// AfterComments returns the end of the comment lines that follow a section which ends at at.
// Comments before a blank line belong to the section, as they may be commented-out entries.
// Comments directly before other lines belong to those, and the result is at. A header that is
// commented out begins a section that belongs to nobody.
func (w *Writer) AfterComments(at int, marks Marks) int {
	at = max(at, w.Begin())
	end := at
	for end < len(w.Text) {
		line := bytes.TrimLeft(w.Text[end:w.LineEnd(end)], " \t")
		if len(line) == 0 {
			return end
		}
		if !marks.Begin(line) {
			return at
		}
		if isHeader(bytes.TrimLeft(line, string(marks)+" \t")) {
			return end
		}
		end = w.NextLine(end)
	}
	return end
}

// isHeader reports whether the text of a comment is the header of a section.
func isHeader(text []byte) bool {
	text = bytes.TrimRight(text, " \t")
	return len(text) > 2 && text[0] == '[' && text[len(text)-1] == ']'
}

// RemoveSection deletes the lines of a section with remove, which is Remove or Wipe, and the blank
// lines that separate it from others.
func (w *Writer) RemoveSection(lines Span, remove func(Span)) {
	to := lines.To
	for to < len(w.Text) && Blank(w.Text[to:w.LineEnd(to)]) {
		to = w.NextLine(to)
	}
	w.sectionsGone[to] = lines.From
	if to == len(w.Text) {
		// At the end of the text the blank lines above go, which are those above the first of all
		// adjacent sections that are deleted.
		first := lines.From
		for before, ok := w.sectionsGone[first]; ok; before, ok = w.sectionsGone[first] {
			first = before
		}
		w.Remove(Span{w.BlankLinesAbove(first), first})
	} else {
		w.Remove(Span{lines.To, to})
	}
	remove(lines)
}

// InsertSection inserts a section before the line at at. apart is the separator of sections, a line
// end or nothing, with which text begins.
func (w *Writer) InsertSection(at int, text, apart string) {
	follows := at < len(w.Text) && !Blank(w.Text[at:w.LineEnd(at)])
	begin := w.BlankLinesAbove(at)
	if trim := begin < at || begin == w.Begin(); w.inserted[at] && follows ||
		!w.inserted[at] && trim {
		text = strings.TrimPrefix(text, apart)
	}
	if follows {
		text += apart
	}
	w.InsertBelow(at, text)
}

// Apart returns the separator of sections: nothing if the sections that begin at heads follow each
// other without blank lines, else a line end.
func (w *Writer) Apart(heads []int) string {
	below := false
	for _, at := range heads {
		if at == w.Begin() {
			continue
		}
		if w.BlankLinesAbove(at) < at {
			return w.Newline
		}
		below = true
	}
	if below {
		return ""
	}
	return w.Newline
}
