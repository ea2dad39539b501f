package gaby

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/fctl-dev/fctl/configkit/gaby/internal/scalar"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/scan"
	"github.com/fctl-dev/fctl/configkit/gaby/internal/stream"
)

// headStart returns the offset at which the lines of entry slot begin, including the comments
// directly above it at its indentation. Commented-out items of the list above, and remarks before
// these, belong to the entry above. Commented-out entries of the collection of slot belong to no
// entry.
func (d *document) headStart(slot int32) int {
	start := d.entryStart(slot)
	bol := d.lineStart(start)
	col := start - bol
	floor := d.endBefore(slot)
	items, keys := false, false
	isItem := d.n[slot].KeyStyle == scalar.NoStyle
	for bol > floor {
		above := d.lineStart(bol - 1)
		line := d.src[above : bol-1]
		if len(line) <= col || line[col] != '#' || len(bytes.TrimLeft(line[:col], " ")) > 0 ||
			above < floor {
			break
		}
		items = items || commentedDash(line[col:]) >= 0
		keys = keys || !isItem && commentedKey(line[col:]) >= 0
		bol = above
	}
	if items {
		if above := d.entryAbove(slot); above > 0 {
			bol = max(bol, d.commentsEnd(above, true))
		}
	}
	if slot > 0 && (items && isItem || keys) {
		bol = d.commentedEnd(bol, start-col, isItem)
	}
	return bol
}

// endBefore returns the end of the last token before entry slot: a value, a key or a dash.
func (d *document) endBefore(slot int32) int {
	if slot == 0 {
		return d.bodyStart
	}
	before := d.n[slot-1]
	if int32(before.Next) <= slot { // not the collection around the entry
		return int(max(before.KeyEnd, before.ValEnd))
	}
	return int(before.KeyEnd)
}

// commentedEnd returns the end of the last commented-out entry in src[from:to], or from. The
// entries are items of a list or keys of a map.
func (d *document) commentedEnd(from, to int, items bool) int {
	begins := commentedKey
	if items {
		begins = commentedDash
	}
	end, mark := from, -1 // offset of the current entry from its "#", -1 for none
	for p := from; p < to; p = stream.NextLineStart(d.src, p) {
		text := bytes.Trim(d.src[p:d.lineEnd(p)], " \t\r")
		at := -1
		if len(text) > 0 && text[0] == '#' {
			at = begins(text)
			if at < 0 && !items && mark > 0 && commentedDash(text) == mark {
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
		end = stream.NextLineStart(d.src, p)
	}
	return end
}

// entryAbove returns the entry before slot in its collection, 0 if slot is the first.
func (d *document) entryAbove(slot int32) int32 {
	above := int32(0)
	for j := slot - 1; j > 0 && int32(d.n[j].Next) <= slot; j-- {
		if int32(d.n[j].Next) == slot {
			above = j
		}
	}
	return above
}

// entryEnd returns the end of the lines of entry slot, including the newline.
func (d *document) entryEnd(slot int32) int {
	n := &d.n[slot]
	end := int(max(n.ValEnd, n.KeyEnd))
	if end > 0 && d.src[end-1] == '\n' { // a block scalar that keeps its newlines
		return end
	}
	end = d.lineEnd(end)
	return min(end+1, len(d.src))
}

// ownedEnd returns the end of the lines of entry slot and of the comments below it that belong to
// its value: those indented deeper than the entry and, directly below the key of a list or of no
// value, commented-out items at its indentation.
func (d *document) ownedEnd(slot int32) int { return d.commentsEnd(slot, false) }

// commentsEnd returns the end of the comments below entry slot that belong to its value. With all,
// commented-out items belong to it even after blank lines and remarks at its indentation.
func (d *document) commentsEnd(slot int32, all bool) int {
	end := d.entryEnd(slot)
	col := d.column(d.entryStart(slot))
	n := &d.n[slot]
	dash := -1 // offset of the dash from the "#" of the current commented-out item, -1 for none
	hasItems := n.KeyStyle != scalar.NoStyle &&
		(n.Kind == scan.ListNode || n.Kind == scan.ScalarNode && n.Style == scalar.NoStyle)
	all = all && hasItems
	attached := hasItems
	remark := false // the lines from end on begin with a remark
	// end advances only past lines that belong to the value. Remarks before a commented-out item
	// are included when that item is found; remarks at the end stay outside.
	for p := end; p < d.bodyEnd; p = stream.NextLineStart(d.src, p) {
		line := bytes.TrimRight(d.src[p:d.lineEnd(p)], "\r")
		text := bytes.TrimLeft(line, " \t")
		indent := len(line) - len(text)
		if len(text) == 0 {
			attached = all
			continue
		}
		if text[0] != '#' || indent < col {
			break
		}
		if indent == col {
			if at := commentedDash(text); at >= 0 {
				dash, remark = at, false
			} else if dash < 0 || len(text) <= dash ||
				len(bytes.TrimLeft(text[1:dash+1], " ")) > 0 {
				dash, remark = -1, true
			}
			if !attached || remark && !all {
				break
			}
		}
		if !remark {
			end = stream.NextLineStart(d.src, p)
		}
	}
	return end
}

// commentedDash returns the offset of the dash in a comment such as "# - a", -1 if the comment is
// not a list item.
func commentedDash(comment []byte) int {
	text := bytes.TrimLeft(comment[1:], " ")
	if len(text) == 0 || text[0] != '-' || len(text) > 1 && text[1] != ' ' && text[1] != '\r' {
		return -1
	}
	return len(comment) - len(text)
}

// commentedKey returns the offset of the key in a comment such as "# a: 1", -1 if the comment is
// not an entry of a map. As in other formats (formatkit.IsCommentedOut) the value is one word, or
// in quotes or brackets, because a key with more words may begin a sentence. The value may also be
// a block scalar or on the lines below. If the key is an identifier the value may be any text.
func commentedKey(comment []byte) int {
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
