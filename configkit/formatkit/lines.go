package formatkit

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// LineStart is where the line of a byte begins.
func LineStart(text []byte, at int) int {
	return max(bytes.LastIndexAny(text[:at], "\r\n")+1, min(firstLine(text), at))
}

// LineAbove is where the line above the one that begins at a byte begins; 0 when there is none.
func LineAbove(text []byte, at int) int {
	end := max(at-1, 0)
	if end > 0 && text[end] == '\n' && text[end-1] == '\r' {
		end--
	}
	return LineStart(text, end)
}

// firstLine is where the first line begins: behind a byte order mark, which belongs to none.
func firstLine(text []byte) int {
	if mark := "\ufeff"; bytes.HasPrefix(text, []byte(mark)) {
		return len(mark)
	}
	return 0
}

// LineEnd is where the line of a byte ends, in front of its line end.
func LineEnd(text []byte, at int) int {
	if i := bytes.IndexAny(text[at:], "\r\n"); i >= 0 {
		return at + i
	}
	return len(text)
}

// StartsLine tells where the line of a byte begins, if there are only blanks in front of the byte. However long the line is, only
// these are looked at.
func StartsLine(text []byte, at int) (start int, ok bool) {
	for at > 0 && (text[at-1] == ' ' || text[at-1] == '\t') {
		at--
	}
	return at, at <= firstLine(text) || text[at-1] == '\n' || text[at-1] == '\r'
}

// EndsLine reports whether only blanks follow on the line. However long the line is, only these are looked at.
func EndsLine(text []byte, at int) bool {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	return at == len(text) || text[at] == '\n' || text[at] == '\r'
}

// NextLine is where the line behind that of a byte begins.
func NextLine(text []byte, at int) int {
	at = LineEnd(text, at)
	switch {
	case bytes.HasPrefix(text[at:], []byte("\r\n")):
		return at + 2
	case at < len(text):
		return at + 1
	}
	return at
}

// longPrefix is how far in a line something stands so that the line's beginning is of no account for it.
const longPrefix = 4 << 10

// nearStart is where the line of a byte begins, or some place in it far in front of the byte.
func nearStart(text []byte, at int) int {
	near := max(at-longPrefix, 0)
	if start := near + LineStart(text[near:at], at-near); start > near {
		return start
	}
	return max(near, min(firstLine(text), at))
}

// Indent is the blanks the line of a byte begins with, as far as the byte. Of a line that is very long in front of the byte there are
// none.
func Indent(text []byte, at int) string {
	from := nearStart(text, at)
	if from == at-longPrefix {
		return ""
	}
	to := from
	for to < at && (text[to] == ' ' || text[to] == '\t') {
		to++
	}
	return string(text[from:to])
}

// Blank reports whether text is nothing but blanks and line ends.
func Blank(text []byte) bool { return len(bytes.TrimLeft(text, " \t\r\n\f")) == 0 }

// CommentsAbove returns where the comment lines directly above the line at from begin, and their text. Nothing is looked for in front
// of before, where the entry above ends: what looks like a comment may be a line of its value. is tells comment lines, given
// without their indentation, and how long the mark is.
func CommentsAbove(text []byte, before, from int, is func(line []byte) int) (head int, comment string) {
	text, head = text[before:], from-before
	var lines []string
	for first := firstLine(text); head > first; {
		start := LineAbove(text, head)
		line := bytes.Trim(text[start:LineEnd(text, start)], " \t\f")
		mark := 0
		if len(line) > 0 {
			mark = is(line)
		}
		if mark == 0 {
			break
		}
		lines = append(lines, CommentText(string(line), mark))
		head = start
	}
	for i, j := 0, len(lines)-1; i < j; i, j = i+1, j-1 {
		lines[i], lines[j] = lines[j], lines[i]
	}
	return before + head, strings.Join(lines, "\n")
}

// CommentsOnLines returns the comments of an entry in a format that has them on lines of their own only, as CommentsAbove returns them:
// the line directly above the entry is what set-path-comment sets.
func CommentsOnLines(above string) gaby.Comments {
	i := strings.LastIndexByte(above, '\n')
	return gaby.Comments{Head: above[:max(i, 0)], Line: above[i+1:]}
}

// CommentAbove writes a comment into a line of its own directly above n, below those that are there. An empty one removes all of them.
func (w *Writer) CommentAbove(n *Node, mark, text string) {
	if text == "" {
		w.Remove(Span{n.Head, n.Entry.From})
		return
	}
	w.Insert(n.Entry.From, Indent(w.Text, n.KeySpan.From)+mark+" "+text+w.LineEnd)
}

// CommentText is a comment without its mark and the blank behind it.
func CommentText(comment string, mark int) string {
	return strings.TrimSpace(strings.TrimPrefix(comment[mark:], " "))
}

// RemoveLines takes out the lines of n with the comments above it.
func (w *Writer) RemoveLines(n *Node) { w.Remove(Span{n.Head, n.Entry.To}) }

// neighbourhood is how many entries on each side of a place are looked at for how things are written there.
const neighbourhood = 8

// Neighbours are those of the entries, which stand in the order of the text, that stand around one of them without blank lines in
// between.
func Neighbours(text []byte, entries []*Node, of *Node) []*Node {
	at, ok := slices.BinarySearchFunc(entries, of, func(a, b *Node) int { return a.Entry.From - b.Entry.From })
	if !ok {
		return nil
	}
	apart := func(a, b *Node) bool {
		if b.Head <= a.Entry.To {
			return false
		}
		between := text[a.Entry.To:b.Head]
		ended := a.Entry.To > 0 && (text[a.Entry.To-1] == '\n' || text[a.Entry.To-1] == '\r')
		return Blank(between) && (ended || NextLine(between, 0) < LineStart(between, len(between)))
	}
	from, to := at, at+1
	for from > 0 && at-from < neighbourhood && !apart(entries[from-1], entries[from]) {
		from--
	}
	for to < len(entries) && to-at < neighbourhood && !apart(entries[to-1], entries[to]) {
		to++
	}
	return entries[from:to]
}

// Delimiter is how the entries of lines around a place write what stands between key and value.
type Delimiter struct {
	Indent, Before, After string // blanks in front of the key, and around the sign
	Sign                  string
	column                int // where the sign stands in all of them, -1 when there is none
}

// DelimiterOf reads it off an entry, whose sign stands at sign, and its neighbours, whose signs are found by signOf (-1: none).
func DelimiterOf(text []byte, model *Node, neighbours []*Node, signOf func(*Node) Span) Delimiter {
	sign := signOf(model)
	d := Delimiter{
		Indent: Indent(text, model.KeySpan.From),
		Before: string(text[model.KeySpan.To:sign.From]),
		Sign:   string(text[sign.From:sign.To]),
		After:  string(text[sign.To:max(sign.To, model.Span.From)]),
		column: -1,
	}
	if strings.ContainsAny(d.After, "\r\n\\") {
		d.After = " "
	}
	if strings.ContainsAny(d.Before, "\r\n\\") {
		d.Before = " "
	}
	// Keys of several lengths with their signs below each other are aligned.
	columns, lengths := map[int]bool{}, map[int]bool{}
	for _, n := range neighbours {
		s := signOf(n)
		columns[utf8.RuneCount(text[nearStart(text, n.KeySpan.From):s.From])] = true
		lengths[n.KeySpan.Len()] = true
	}
	if len(columns) == 1 && len(lengths) > 1 {
		for c := range columns {
			d.column = c
		}
	}
	return d
}

// Line is the key with its delimiter, as the neighbours write it.
func (d Delimiter) Line(key string) string {
	before := d.Before
	if d.column >= 0 {
		before = strings.Repeat(" ", max(d.column-utf8.RuneCountInString(d.Indent+key), min(len(before), 1)))
	}
	return d.Indent + key + before + d.Sign + d.After
}

// Elsewhere is the delimiter for new keys that do not stand with the entries it was read off: they are aligned if those are, with each
// other.
func (d Delimiter) Elsewhere(keys []string) Delimiter {
	if d.column < 0 {
		return d
	}
	d.Before = d.Before[:min(len(d.Before), 1)]
	d.column = -1
	if len(keys) > 1 {
		for _, key := range keys {
			d.column = max(d.column, utf8.RuneCountInString(d.Indent+key+d.Before))
		}
	}
	return d
}

// Trim is a span without the blanks at its ends.
func Trim(text []byte, s Span) Span {
	for s.From < s.To && (text[s.From] == ' ' || text[s.From] == '\t') {
		s.From++
	}
	for s.From < s.To && (text[s.To-1] == ' ' || text[s.To-1] == '\t') {
		s.To--
	}
	return s
}
