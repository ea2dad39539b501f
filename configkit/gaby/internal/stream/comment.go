package stream

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// CommentedDash returns the offset of the dash in a comment such as "# - a", -1 if the comment is
// not a list item.
func CommentedDash(comment []byte) int {
	text := bytes.TrimLeft(comment[1:], " ")
	if len(text) == 0 || text[0] != '-' || len(text) > 1 && text[1] != ' ' && text[1] != '\r' {
		return -1
	}
	return len(comment) - len(text)
}

// CommentedKey returns the offset of the key in a comment such as "# a: 1", -1 if the comment is
// not an entry of a map. As in other formats (formatkit.IsCommentedOut) the value is one word, or
// in quotes or brackets, because a key with more words may begin a sentence. The value may also be
// a block scalar or on the lines below. If the key is an identifier the value may be any text.
func CommentedKey(comment []byte) int {
	text := bytes.TrimRight(bytes.TrimLeft(comment[1:], " "), " \t\r")
	at := len(bytes.TrimRight(comment, " \t\r")) - len(text)
	key := len(text) - len(bytes.TrimLeftFunc(text, isKeyRune))
	if len(text) > 0 && (text[0] == '"' || text[0] == '\'') {
		key = bytes.IndexByte(text[1:], text[0]) + 2
	}
	if key == 0 || key >= len(text) || text[key] != ':' {
		return -1
	}
	rest := text[key+1:]
	value := bytes.TrimLeft(rest, " \t")
	word, _, _ := bytes.Cut(value, []byte(" #"))
	switch {
	case BeginsRemark(string(text[:key])):
		return -1
	case len(value) == 0,
		len(value) < len(rest) && (strings.IndexByte(`"'[{|>&*!#`, value[0]) >= 0 ||
			bytes.IndexByte(bytes.TrimRight(word, " \t"), ' ') < 0 || isIdentifier(text[:key])):
		return at
	}
	return -1
}

// isKeyRune reports whether a key without quotes may contain r.
func isKeyRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_./-", r)
}

// isIdentifier reports whether a key cannot be a word of a sentence: it has other characters than
// letters, or capital letters after small ones.
func isIdentifier(key []byte) bool {
	small := false
	for _, r := range string(key) {
		if !unicode.IsLetter(r) || small && unicode.IsUpper(r) {
			return true
		}
		small = small || unicode.IsLower(r)
	}
	return false
}

// BeginsRemark reports whether a word begins remarks that look like entries: "# default: 5".
func BeginsRemark(word string) bool {
	switch strings.ToLower(word) {
	case "todo", "fixme", "xxx", "hack", "nb", "note", "notes", "warning", "caution", "important",
		"example", "examples", "default", "usage", "see", "ref", "link", "docs", "source",
		"renovate", "yamllint", "yaml-language-server":
		return true
	}
	return false
}

// commentedResource matches the line with which a resource begins that is commented out.
var commentedResource = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^#[ \t]*(?:---|apiVersion:|kind:)`)
})

// CommentedResource returns the offset at which a resource begins that is commented out in a text
// without content, or -1.
func CommentedResource(text []byte) int {
	at := commentedResource().FindIndex(text)
	if at == nil {
		return -1
	}
	return at[0]
}

// OwnText returns the text above a document without directives, ends of documents and blank lines
// at its end.
func OwnText(above []byte, lineEnd string) []byte {
	var text []byte
	for line := range bytes.Lines(above) {
		if line[0] != '%' && !isEnd(line) {
			text = append(text, line...)
		}
	}
	if bytes.HasSuffix(text, []byte("\n")) {
		text = append(bytes.TrimRight(text, "\r\n"), lineEnd...)
	}
	return text
}

// CommentInFlow returns where the comment goes of an entry of a flow collection that ends at an
// offset, and the line break to write after it, which is "" if the line ends there: both take the
// place of src[from:to]. If only comments are edited it goes after the comma of the entry.
func CommentInFlow(src []byte, at int, only bool, lineBreak string) (from, to int, after string) {
	if !only {
		return at, at, lineBreak
	}
	rest := bytes.TrimLeft(src[at:], " \t")
	if len(rest) > 0 && rest[0] == ',' {
		at = len(src) - len(rest) + 1
		rest = bytes.TrimLeft(rest[1:], " \t")
	}
	if len(rest) == 0 || rest[0] == '\n' || rest[0] == '\r' {
		return at, at, ""
	}
	return at, len(src) - len(rest), lineBreak
}

// Join joins two texts without content, with a separator between them.
func Join(above, below []byte, lineEnd string) []byte {
	if len(above) > 0 && len(below) > 0 && !IsMarker(below, 0) {
		above = append(above, "---"+lineEnd...)
	}
	return append(above, below...)
}

// WithoutEnd returns the text below a document without the line that ends it.
func WithoutEnd(below []byte) []byte {
	if isEnd(below) {
		return below[NextLineStart(below, 0):]
	}
	return below
}

// isEnd reports whether a line ends a document without beginning another one.
func isEnd(line []byte) bool { return IsMarker(line, 0) && line[0] == '.' }

// HasComment reports whether a line of text is a comment. The text has no content.
func HasComment(text []byte) bool { return bytes.IndexByte(text, '#') >= 0 }

// CommentedEnd returns the end of the last commented-out entry in src[from:to], or from. The
// entries are items of a list or keys of a map.
func CommentedEnd(src []byte, from, to int, items bool) int {
	begins := CommentedKey
	if items {
		begins = CommentedDash
	}
	end, mark := from, -1 // offset of the current entry from its "#", -1 for none
	for p := from; p < to; p = NextLineStart(src, p) {
		text := bytes.Trim(src[p:NextLineStart(src, p)], " \t\r\n")
		at := -1
		if len(text) > 0 && text[0] == '#' {
			at = begins(text)
			if at < 0 && !items && mark > 0 && CommentedDash(text) == mark {
				at = mark // an item of a list below a key at its indentation
			}
		}
		switch {
		case at >= 0:
			mark = at
		case mark >= 0 && len(text) == 1 && text[0] == '#':
			continue // a blank line of the entry, if more of it follows
		case mark < 0 || len(text) <= mark || len(bytes.TrimLeft(text[1:mark+1], " ")) > 0:
			mark = -1
			continue
		}
		end = NextLineStart(src, p)
	}
	return end
}

// CommentText returns the text of comment lines, without "#".
func CommentText(raw string) string {
	if raw == "" {
		return ""
	}
	lines := strings.Split(strings.TrimRight(raw, "\r\n"), "\n")
	for i, l := range lines {
		l = strings.TrimRight(strings.TrimLeft(l, " \t"), " \t\r")
		lines[i] = strings.TrimPrefix(strings.TrimPrefix(l, "#"), " ")
	}
	return strings.Join(lines, "\n")
}
