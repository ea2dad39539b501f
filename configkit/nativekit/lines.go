package nativekit

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// LineStart is where the line of a byte begins.
func LineStart(text []byte, at int) int {
	return bytes.LastIndexAny(text[:at], "\r\n") + 1
}

// LineEnd is where the line of a byte ends, in front of its line end.
func LineEnd(text []byte, at int) int {
	if i := bytes.IndexAny(text[at:], "\r\n"); i >= 0 {
		return at + i
	}
	return len(text)
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

// Indent is the blanks the line of a byte begins with, as far as the byte.
func Indent(text []byte, at int) string {
	from := LineStart(text, at)
	to := from
	for to < at && (text[to] == ' ' || text[to] == '\t') {
		to++
	}
	return string(text[from:to])
}

// Blank reports whether text is nothing but blanks and line ends.
func Blank(text []byte) bool { return len(bytes.TrimLeft(text, " \t\r\n\f")) == 0 }

// CommentsAbove returns where the comment lines directly above the line at from begin, and their text. is tells comment lines, given
// without their indentation, and how long the mark is.
func CommentsAbove(text []byte, from int, is func(line []byte) int) (head int, comment string) {
	head = from
	var lines []string
	for head > 0 {
		start := LineStart(text, head-1)
		if head >= 2 && text[head-1] == '\n' && text[head-2] == '\r' {
			start = LineStart(text, head-2)
		}
		line := bytes.Trim(text[start:LineEnd(text, start)], " \t\f")
		mark := 0
		if len(line) > 0 {
			mark = is(bytes.TrimPrefix(line, []byte("\ufeff")))
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
	return head, strings.Join(lines, "\n")
}

// CommentText is a comment without its mark and the blank behind it.
func CommentText(comment string, mark int) string {
	comment = strings.TrimPrefix(comment, "\ufeff")
	return strings.TrimSpace(strings.TrimPrefix(comment[mark:], " "))
}

// RemoveLines takes out the lines of n with the comments above it.
func (w *Writer) RemoveLines(n *Node) { w.Remove(Span{n.Head, n.Entry.To}) }

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
		if s.From < 0 || n.Kind != gaby.Scalar && n.Span.Len() == 0 {
			continue
		}
		columns[utf8.RuneCount(text[LineStart(text, n.KeySpan.From):s.From])] = true
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
