package formatkit

import (
	"bytes"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Text is the text of a file. Offsets are in bytes, and lines end with \n, \r\n or \r.
type Text []byte

// Begin returns the beginning of the first line, which is after a byte order mark.
func (t Text) Begin() int {
	if mark := "\ufeff"; bytes.HasPrefix(t, []byte(mark)) {
		return len(mark)
	}
	return 0
}

// Raw returns the text of a span.
func (t Text) Raw(s Span) string { return string(t[s.From:s.To]) }

// Fail returns a *gaby.SyntaxError at an offset.
func (t Text) Fail(at int, msg, hint string) error {
	return &gaby.SyntaxError{Pos: gaby.NewNativeText(t, 0).Position(at), Msg: msg, Hint: hint}
}

// LineEnding returns the line end that the text uses, which is that of its first line.
func (t Text) LineEnding() string {
	switch i := t.LineEnd(0); {
	case i == len(t) || t[i] == '\n':
		return "\n"
	case i+1 < len(t) && t[i+1] == '\n':
		return "\r\n"
	case bytes.IndexByte(t, '\n') >= 0:
		return "\n" // a carriage return inside a line
	}
	return "\r"
}

// LineStart returns the beginning of the line that contains offset at.
func (t Text) LineStart(at int) int {
	return max(bytes.LastIndexAny(t[:at], "\r\n")+1, min(t.Begin(), at))
}

// LineAbove returns the beginning of the line before the one that begins at at, or of the first
// line if there is none.
func (t Text) LineAbove(at int) int {
	end := max(at-1, 0)
	if end > 0 && t[end] == '\n' && t[end-1] == '\r' {
		end--
	}
	return t.LineStart(end)
}

// LineEnd returns the end of the line that contains offset at, before its line end.
func (t Text) LineEnd(at int) int {
	if i := bytes.IndexAny(t[at:], "\r\n"); i >= 0 {
		return at + i
	}
	return len(t)
}

// NextLine returns the beginning of the line after the one that contains offset at.
func (t Text) NextLine(at int) int {
	at = t.LineEnd(at)
	switch {
	case bytes.HasPrefix(t[at:], []byte("\r\n")):
		return at + 2
	case at < len(t):
		return at + 1
	}
	return at
}

// AtLineEnd reports whether a line ends at at.
func (t Text) AtLineEnd(at int) bool { return at == len(t) || t[at] == '\n' || t[at] == '\r' }

// SkipBlanks returns the offset of the first byte from at on that is neither a space nor a tab.
func (t Text) SkipBlanks(at int) int {
	for at < len(t) && isBlank(t[at]) {
		at++
	}
	return at
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// StartsLine reports whether there are only blanks before at on its line. If so start is the
// beginning of the line. The cost does not depend on the length of the line.
func (t Text) StartsLine(at int) (start int, ok bool) {
	for at > 0 && isBlank(t[at-1]) {
		at--
	}
	return at, at <= t.Begin() || t.AtLineEnd(at-1)
}

// EndsLine reports whether there are only blanks after at on its line. The cost does not depend on
// the length of the line.
func (t Text) EndsLine(at int) bool { return t.AtLineEnd(t.SkipBlanks(at)) }

// longPrefix limits how far back in a line the search for its beginning goes, in bytes. Without a
// limit texts of one long line would take quadratic time.
const longPrefix = 4 << 10

// nearStart returns the beginning of the line, but at most longPrefix bytes before at.
func (t Text) nearStart(at int) int {
	near := max(at-longPrefix, 0)
	if start := near + t[near:at].LineStart(at-near); start > near {
		return start
	}
	return max(near, min(t.Begin(), at))
}

// Indent returns the blanks at the beginning of the line, up to at. It returns "" if the line
// begins more than longPrefix bytes before at.
func (t Text) Indent(at int) string {
	from := t.nearStart(at)
	if from == at-longPrefix {
		return ""
	}
	return string(t[from:t[:at].SkipBlanks(from)])
}

// Trim returns a span without the blanks at its ends.
func (t Text) Trim(s Span) Span {
	s.From = t[:s.To].SkipBlanks(s.From)
	for s.From < s.To && isBlank(t[s.To-1]) {
		s.To--
	}
	return s
}

// Blank reports whether text consists of blanks and line ends.
func Blank(text []byte) bool { return len(bytes.TrimLeft(text, " \t\r\n\f")) == 0 }
