package formatkit

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// LineStart returns the beginning of the line that contains offset at.
func LineStart(text []byte, at int) int {
	return max(bytes.LastIndexAny(text[:at], "\r\n")+1, min(firstLine(text), at))
}

// LineAbove returns the beginning of the line before the one that begins at at, or of the first
// line if there is none.
func LineAbove(text []byte, at int) int {
	end := max(at-1, 0)
	if end > 0 && text[end] == '\n' && text[end-1] == '\r' {
		end--
	}
	return LineStart(text, end)
}

// firstLine returns the beginning of the first line, which is after a byte order mark.
func firstLine(text []byte) int {
	if mark := "\ufeff"; bytes.HasPrefix(text, []byte(mark)) {
		return len(mark)
	}
	return 0
}

// LineEnd returns the end of the line that contains offset at, before its line end.
func LineEnd(text []byte, at int) int {
	if i := bytes.IndexAny(text[at:], "\r\n"); i >= 0 {
		return at + i
	}
	return len(text)
}

// StartsLine reports whether there are only blanks before at on its line. If so start is the
// beginning of the line. The cost does not depend on the length of the line.
func StartsLine(text []byte, at int) (start int, ok bool) {
	for at > 0 && (text[at-1] == ' ' || text[at-1] == '\t') {
		at--
	}
	return at, at <= firstLine(text) || text[at-1] == '\n' || text[at-1] == '\r'
}

// EndsLine reports whether there are only blanks after at on its line. The cost does not depend on
// the length of the line.
func EndsLine(text []byte, at int) bool {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	return at == len(text) || text[at] == '\n' || text[at] == '\r'
}

// NextLine returns the beginning of the line after the one that contains offset at.
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

// longPrefix limits how far back in a line the search for its beginning goes, in bytes. Without a
// limit texts of one long line would take quadratic time.
const longPrefix = 4 << 10

// nearStart returns the beginning of the line, but at most longPrefix bytes before at.
func nearStart(text []byte, at int) int {
	near := max(at-longPrefix, 0)
	if start := near + LineStart(text[near:at], at-near); start > near {
		return start
	}
	return max(near, min(firstLine(text), at))
}

// Indent returns the blanks at the beginning of the line, up to at. It returns "" if the line
// begins more than longPrefix bytes before at.
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

// Blank reports whether text consists of blanks and line ends.
func Blank(text []byte) bool { return len(bytes.TrimLeft(text, " \t\r\n\f")) == 0 }

// commentedOut matches an entry in a comment, with a value of one word, in quotes or in brackets,
// a word after a colon, or a number after blanks. It also matches a section, the first line of a
// block, an element of a list, which needs its comma if it is another word, and the line on which
// brackets end.
var commentedOut = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:export\s+)?(?:"[^"]*"|[\w.-]+)\s*=\s*` +
		`(?:\S*|["'[{].*)$|^"[^"]*"\s*:|^\[[^ ]*\]$` +
		`|^([\w.-]+)\s*:(?:\s+\S+|[^\s/]\S*)$|^[a-z][\w.-]*\s+(?:-?[\d.]+|true|false)$` +
		`|^[\w-]+(?:\s+"[^"]*")*\s*\{(?:.*\})?$` +
		`|^[\w.+:-]*[\d.][\w.+:-]*\s*,(?:\s*(?:#|//).*)?$` +
		`|^(?:"[^"]*"|'[^']*'|-?\d+(?:\.\d+)?|true|false|null|[[{].*[]}])` +
		`\s*,?(?:\s*(?:#|//).*)?$` +
		`|^[])}]+,?$`)
})

// IsCommentedOut reports whether a comment is an entry that is commented out, which belongs to no
// other entry.
func IsCommentedOut(comment string) bool {
	m := commentedOut().FindStringSubmatch(comment)
	return m != nil && !gaby.BeginsRemark(m[1])
}

// CommentsAbove returns the beginning of the comment lines directly above the line at from, and
// their text. The search ends at an entry that is commented out, and at before, the end of the
// entry above, as the value of that entry may contain lines that look like comments. Given a line
// without its indentation, is returns the length of the comment mark, or 0 if the line is not a
// comment.
func CommentsAbove(
	text []byte, before, from int, is func(line []byte) int,
) (head int, comment string) {
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
		remark := CommentText(string(line), mark)
		if IsCommentedOut(remark) {
			break
		}
		lines = append(lines, remark)
		head = start
	}
	slices.Reverse(lines)
	return before + head, strings.Join(lines, "\n")
}

// CommentsOnLines returns the comments of an entry in a format that has comments on lines of their
// own only. above is the result of CommentsAbove. Its last line, directly above the entry, becomes
// the line comment, which set-path-comment sets.
func CommentsOnLines(above string) gaby.Comments {
	i := strings.LastIndexByte(above, '\n')
	return gaby.Comments{Head: above[:max(i, 0)], Line: above[i+1:]}
}

// CommentAbove writes a comment on a line of its own directly above n, below existing comments. An
// empty text deletes all of them.
func (w *Writer) CommentAbove(n *Node, mark, text string) {
	if text == "" {
		w.Remove(Span{n.Head, n.Entry.From})
		return
	}
	w.Insert(n.Entry.From, Indent(w.Text, n.KeySpan.From)+mark+" "+text+w.LineEnd)
}

// RestOfLine returns the span and the text of the comment that is the rest of the line from offset
// at on. The span is empty if there is no comment. mark is as in CommentsAbove.
func RestOfLine(text []byte, at int, mark func(line []byte) int) (Span, string) {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	if at == len(text) || mark(text[at:]) == 0 {
		return Span{}, ""
	}
	end := LineEnd(text, at)
	return Span{at, end}, CommentText(string(text[at:end]), mark(text[at:]))
}

// CheckLineComment returns an error if n has no line comment and cannot get one at offset at,
// because the line goes on.
func CheckLineComment(text []byte, n *Node, at int) error {
	if n.Remark.Len() > 0 || EndsLine(text, at) {
		return nil
	}
	return Refuse("comment the entry it belongs to",
		"a comment cannot follow the value on its line")
}

// CheckCommentText returns an error if a comment has a character that is not allowed.
func CheckCommentText(text string, isForbidden func(rune) bool) error {
	if strings.ContainsFunc(text, isForbidden) {
		return Refuse("", "a comment cannot have control characters")
	}
	return nil
}

// LineComment writes the line comment of n, which begins at offset at if it is new. An empty text
// deletes it.
func (w *Writer) LineComment(n *Node, at int, mark, text string) {
	switch {
	case n.Remark.Len() == 0 && text == "":
	case n.Remark.Len() == 0:
		w.InsertBelow(at, " "+mark+" "+text) // after a comma that another edit inserts there
	case text == "":
		w.Remove(Span{at, n.Remark.To})
	default:
		w.Replace(n.Remark, mark+" "+text)
	}
}

// CommentText returns a comment without its mark and the blanks around it.
func CommentText(comment string, mark int) string {
	return strings.TrimSpace(strings.TrimPrefix(comment[mark:], " "))
}

// RemoveLines deletes the lines of n and the comments above it.
func (w *Writer) RemoveLines(n *Node) { w.Remove(Span{n.Head, n.Entry.To}) }

// neighbourhood limits how many entries on each side of an entry count as its neighbours.
const neighbourhood = 8

// Neighbours returns the entries around of, including of itself, that no blank lines separate from
// it. The entries must be in the order of the text.
func Neighbours(text []byte, entries []*Node, of *Node) []*Node {
	at, ok := slices.BinarySearchFunc(entries, of,
		func(a, b *Node) int { return a.Entry.From - b.Entry.From })
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

// Delimiter is the style in which entries on lines separate keys and values.
type Delimiter struct {
	Indent, Before, After string // blanks before the key, and before and after the sign
	Sign                  string
	column                int // the column of the sign if the entries are aligned, else -1
}

// DelimiterLike returns the delimiter of the entry model, one of entries, which are in the order of
// the text. It is aligned if the signs of all its neighbours are in one column.
func DelimiterLike(text []byte, model *Node, entries []*Node) Delimiter {
	sign := model.Sign
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
	// Keys of different lengths whose signs are in one column are aligned.
	columns, lengths := map[int]bool{}, map[int]bool{}
	for _, n := range Neighbours(text, entries, model) {
		columns[utf8.RuneCount(text[nearStart(text, n.KeySpan.From):n.Sign.From])] = true
		lengths[n.KeySpan.Len()] = true
	}
	if len(columns) == 1 && len(lengths) > 1 {
		for c := range columns {
			d.column = c
		}
	}
	return d
}

// Line returns a key with its indentation and delimiter.
func (d Delimiter) Line(key string) string {
	before := d.Before
	if d.column >= 0 {
		before = strings.Repeat(" ",
			max(d.column-utf8.RuneCountInString(d.Indent+key), min(len(before), 1)))
	}
	return d.Indent + key + before + d.Sign + d.After
}

// Elsewhere returns the delimiter for new keys that are not next to the entries it was taken from.
// If those are aligned the new keys are aligned with each other.
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

// Trim returns a span without the blanks at its ends.
func Trim(text []byte, s Span) Span {
	for s.From < s.To && (text[s.From] == ' ' || text[s.From] == '\t') {
		s.From++
	}
	for s.From < s.To && (text[s.To-1] == ' ' || text[s.To-1] == '\t') {
		s.To--
	}
	return s
}
