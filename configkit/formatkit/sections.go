package formatkit

import (
	"bytes"
	"strings"
)

// BlankLinesAbove is where the blank lines in front of a line begin.
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

// BehindComments is where the comment lines at the end of a section, which begin with one of the marks, end, if they do not belong
// to what follows: what is commented out is part of the section.
func (w *Writer) BehindComments(at int, marks string) int {
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
		end = NextLine(w.Text, end)
	}
	return end
}

// RemoveSection takes out the lines of a section, with one of the functions of the writer, and the blank lines that set it apart.
func (w *Writer) RemoveSection(lines Span, remove func(Span)) {
	to := lines.To
	for to < len(w.Text) && Blank(w.Text[to:LineEnd(w.Text, to)]) {
		to = NextLine(w.Text, to)
	}
	if w.sectionsGone == nil {
		w.sectionsGone = map[int]int{}
	}
	w.sectionsGone[to] = lines.From
	if to == len(w.Text) {
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

// InsertSection puts a section in front of a line. apart is what sets sections apart, a line end or nothing, with which the text
// begins.
func (w *Writer) InsertSection(at int, text, apart string) {
	follows := at < len(w.Text) && !Blank(w.Text[at:LineEnd(w.Text, at)])
	begin := w.BlankLinesAbove(at)
	if trim := begin < at || begin == firstLine(w.Text); w.inserted[at] && follows || !w.inserted[at] && trim {
		text = strings.TrimPrefix(text, apart)
	}
	if follows {
		text += apart
	}
	w.InsertBelow(at, text)
}

// Apart is what sets sections apart whose lines begin at these places: a line end, unless they stand below each other without blank
// lines.
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
