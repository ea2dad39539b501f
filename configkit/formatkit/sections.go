package formatkit

import (
	"bytes"
	"strings"
)

// BlankLinesAbove returns the beginning of the blank lines before the line at at.
func (w *Writer) BlankLinesAbove(at int) int {
	for first := firstLine(w.Text); at > first; {
		before := LineAbove(w.Text, at)
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
// commented out begins a section that belongs to nobody. marks are the first bytes of comments.
func (w *Writer) AfterComments(at int, marks string) int {
	at = max(at, firstLine(w.Text))
	end := at
	for end < len(w.Text) {
		line := bytes.TrimLeft(w.Text[end:LineEnd(w.Text, end)], " \t")
		if len(line) == 0 {
			return end
		}
		if strings.IndexByte(marks, line[0]) < 0 {
			return at
		}
		if isHeader(bytes.TrimLeft(line, marks+" \t")) {
			return end
		}
		end = NextLine(w.Text, end)
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
	for to < len(w.Text) && Blank(w.Text[to:LineEnd(w.Text, to)]) {
		to = NextLine(w.Text, to)
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
	follows := at < len(w.Text) && !Blank(w.Text[at:LineEnd(w.Text, at)])
	begin := w.BlankLinesAbove(at)
	if trim := begin < at || begin == firstLine(w.Text); w.inserted[at] && follows ||
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
		if at == firstLine(w.Text) {
			continue
		}
		if w.BlankLinesAbove(at) < at {
			return w.LineEnd
		}
		below = true
	}
	if below {
		return ""
	}
	return w.LineEnd
}
