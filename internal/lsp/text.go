package lsp

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/api"
)

// text is the text of a file, with places as fctl and the editor count them. Places that are asked
// for in their order are found in linear time, whatever the length of the lines.
type text struct {
	bytes []byte
	lines []int // where they begin
	utf8  bool  // the editor counts bytes, not units of UTF-16
	last  mark
}

// mark is a place in a line.
type mark struct {
	line   int // from 0
	offset int // in the text
	runes  int // of the line before it
	units  int // the same as the editor counts
}

func newText(content []byte, utf8 bool) *text {
	t := &text{bytes: content, lines: make([]int, 1, 1+bytes.Count(content, []byte("\n"))), utf8: utf8}
	for i, c := range content {
		if c == '\n' {
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

// line returns where a line begins and ends, without its line end. A line after the last one is
// empty.
func (t *text) line(n int) (from, to int) {
	if n = max(n, 0); n >= len(t.lines) {
		return len(t.bytes), len(t.bytes)
	}
	from, to = t.lines[n], len(t.bytes)
	if n+1 < len(t.lines) {
		to = t.lines[n+1] - 1
	}
	if to > from && t.bytes[to-1] == '\r' {
		to--
	}
	return from, to
}

// seek returns the place in a line at which what of counts reaches n, or the end of the line.
func (t *text) seek(line, n int, of func(mark) int) mark {
	from, to := t.line(line)
	m := t.last
	if m.line != line || of(m) > n || m.offset < from {
		m = mark{line: line, offset: from}
	}
	for m.offset < to && of(m) < n {
		r, size := utf8.DecodeRune(t.bytes[m.offset:to])
		m.offset, m.runes = m.offset+size, m.runes+1
		if t.utf8 {
			m.units += size
		} else {
			m.units += utf16.RuneLen(r)
		}
	}
	t.last = m
	return m
}

// offset returns the offset of a place of the editor.
func (t *text) offset(p editorPosition) int {
	return t.seek(p.Line, p.Character, func(m mark) int { return m.units }).offset
}

// at returns the offset of a place of fctl.
func (t *text) at(p api.Position) int {
	return t.seek(max(p.Line-1, 0), p.Column-1, func(m mark) int { return m.runes }).offset
}

// position returns the place of an offset as the editor counts.
func (t *text) position(offset int) editorPosition {
	line := t.lineOf(offset)
	m := t.seek(line, offset, func(m mark) int { return m.offset })
	return editorPosition{line, m.units}
}

// place returns the line and the column of an offset as fctl counts.
func (t *text) place(offset int) (line, column int) {
	line = t.lineOf(offset)
	return line + 1, t.seek(line, offset, func(m mark) int { return m.offset }).runes + 1
}

// lineOf returns the line of an offset.
func (t *text) lineOf(offset int) int {
	low, high := 0, len(t.lines)
	for high-low > 1 {
		if middle := (low + high) / 2; t.lines[middle] <= offset {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// span returns a part of the text for the editor.
func (t *text) span(from, to int) editorRange {
	return editorRange{t.position(from), t.position(to)}
}

// wordAt returns the offsets of the word, or of the quoted text, that begins at a place of fctl.
func (t *text) wordAt(p api.Position) (from, to int) {
	from = t.at(p)
	_, end := t.line(max(p.Line-1, 0))
	return from, from + token(string(t.bytes[from:min(end, from+maxToken)]))
}

// maxToken is the length of the longest word that is marked as a whole.
const maxToken = 4096

// token returns the length of the word, or of the quoted text, that a line begins with.
func token(line string) int {
	if line != "" && (line[0] == '"' || line[0] == '\'') {
		if end := strings.IndexByte(line[1:], line[0]); end >= 0 {
			return end + 2
		}
	}
	end := strings.IndexAny(line, " \t,]}")
	if end < 0 {
		end = len(line)
	}
	return max(len(strings.TrimRight(line[:end], ":")), min(1, len(line)))
}

// changed returns the text with a part replaced, in new memory.
func (t *text) changed(r editorRange, with string) []byte {
	from := t.offset(r.Start)
	to := max(from, t.offset(r.End))
	all := make([]byte, 0, len(t.bytes)-(to-from)+len(with))
	all = append(all, t.bytes[:from]...)
	all = append(all, with...)
	return append(all, t.bytes[to:]...)
}
