package formatkit

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Marks are the signs that begin a comment, with blanks between them, as in "# //". New comments
// begin with the first of them.
type Marks string

// of returns the mark that a text begins with, or "" if it is not a comment.
func (m Marks) of(text []byte) string {
	for mark := range strings.FieldsSeq(string(m)) {
		if bytes.HasPrefix(text, []byte(mark)) {
			return mark
		}
	}
	return ""
}

// Begin reports whether a text begins with a mark.
func (m Marks) Begin(text []byte) bool { return m.of(text) != "" }

// first returns the mark of new comments.
func (m Marks) first() string {
	first, _, _ := strings.Cut(string(m), " ")
	return first
}

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

// CommentsAbove sets the beginning and the text of the comment lines directly above the entry of n.
// The search ends at an entry that is commented out, and at before, the end of the entry above, as
// the value of that entry may contain lines that look like comments.
func (t Text) CommentsAbove(n *Node, before int, marks Marks) {
	n.Head, n.Comments.Head = t.commentsAbove(before, n.Entry.From, marks)
}

// commentsAbove returns the beginning and the text of the comment lines above the line at from.
func (t Text) commentsAbove(before, from int, marks Marks) (head int, comment string) {
	t, head = t[before:], from-before
	var lines []string
	for first := t.Begin(); head > first; {
		start := t.LineAbove(head)
		line := bytes.Trim(t[start:t.LineEnd(start)], " \t\f")
		mark := marks.of(line)
		if mark == "" {
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
// own only. above is the text of the comments above. Its last line, directly above the entry,
// becomes the line comment, which set-path-comment sets.
func CommentsOnLines(above string) gaby.Comments {
	i := strings.LastIndexByte(above, '\n')
	return gaby.Comments{Head: above[:max(i, 0)], Line: above[i+1:]}
}

// RestOfLine sets the line comment of n if a comment is the rest of the line from offset at on.
func (t Text) RestOfLine(n *Node, at int, marks Marks) {
	at = t.SkipBlanks(at)
	if mark := marks.of(t[at:]); mark != "" {
		n.Remark = Span{at, t.LineEnd(at)}
		n.Comments.Line = CommentText(t.Raw(n.Remark), mark)
	}
}

// CommentText returns a comment without its mark and the blanks around it.
func CommentText(comment, mark string) string {
	return strings.TrimSpace(strings.TrimPrefix(comment[len(mark):], " "))
}

// Gap returns the offset of the first byte from at on that is not part of a blank, line end or
// comment.
func (t Text) Gap(at int, marks Marks) int {
	for at < len(t) {
		switch {
		case isBlank(t[at]) || t.AtLineEnd(at):
			at++
		case bytes.HasPrefix(t[at:], []byte("/*")):
			end := bytes.Index(t[at+2:], []byte("*/"))
			if end < 0 {
				return len(t)
			}
			at += end + 4
		case marks.Begin(t[at:]):
			at = t.LineEnd(at)
		default:
			return at
		}
	}
	return at
}

// CheckLineComment returns an error if n has no line comment and cannot get one at offset at: it
// has no line, or the line goes on.
func (t Text) CheckLineComment(n *Node, at int) error {
	if n.Entry.Len() == 0 {
		return NoLine()
	}
	if n.Remark.Len() > 0 || t.EndsLine(at) {
		return nil
	}
	return Refuse("comment the entry it belongs to",
		"a comment cannot follow the value on its line")
}

// NoLine returns the error of a comment on a map or list whose entries have the lines.
func NoLine() error {
	return Refuse("comment one of its entries", "the value has no line of its own")
}

// CheckCommentText returns an error if a comment has a character that is not allowed.
func CheckCommentText(text string, isForbidden func(rune) bool) error {
	if strings.ContainsFunc(text, isForbidden) {
		return Refuse("", "a comment cannot have control characters")
	}
	return nil
}

// CommentAbove writes a comment on a line of its own directly above n, below existing comments. An
// empty text deletes all of them.
func (w *Writer) CommentAbove(n *Node, mark, text string) {
	if text == "" {
		w.Remove(Span{n.Head, n.Entry.From})
		return
	}
	w.Insert(n.Entry.From, w.Indent(n.KeySpan.From)+mark+" "+text+w.Newline)
}

// LineComment writes the line comment of n, which begins at offset at if it is new. An existing one
// keeps its mark. An empty text deletes it.
func (w *Writer) LineComment(n *Node, at int, marks Marks, text string) {
	switch mark := marks.of(w.Text[n.Remark.From:]); {
	case n.Remark.Len() == 0 && text == "":
	case n.Remark.Len() == 0:
		w.InsertBelow(at, " "+marks.first()+" "+text) // after a comma that another edit inserts there
	case text == "":
		w.Remove(Span{at, n.Remark.To})
	default:
		w.Replace(n.Remark, cmp.Or(mark, marks.first())+" "+text)
	}
}
