package lines

import (
	"errors"
	"fmt"
	"strings"
)

// noLineEnd follows a line without a newline in a unified diff, as in GNU diff and git.
const noLineEnd = "\\ No newline at end of file\n"

// Unified returns the hunks of a unified diff, with context unchanged lines around each change. It
// is "" if the texts are equal.
func Unified(before, after string, context int) string {
	a, b := Split(before), Split(after)
	hunks := Diff(a, b)
	var out strings.Builder
	for _, near := range Near(hunks, context) {
		printHunk(&out, a, b, near, context)
	}
	return out.String()
}

// Near groups hunks whose contexts touch or overlap. A unified diff prints each group as one hunk.
func Near(hunks []Hunk, context int) [][]Hunk {
	var groups [][]Hunk
	for len(hunks) > 0 {
		n := 1
		for n < len(hunks) && hunks[n].From-hunks[n-1].To <= 2*context {
			n++
		}
		groups, hunks = append(groups, hunks[:n]), hunks[n:]
	}
	return groups
}

// Header returns the first line (@@ ... @@) of a group of hunks with lead unchanged lines before it
// and trail after it.
func Header(near []Hunk, lead, trail int) string {
	first, last := near[0], near[len(near)-1]
	return fmt.Sprintf(
		"@@ -%s +%s @@", span(first.From-lead, last.To+trail),
		span(first.NewFrom-lead, last.NewTo+trail),
	)
}

func printHunk(out *strings.Builder, a, b []string, hunks []Hunk, context int) {
	first, last := hunks[0], hunks[len(hunks)-1]
	lead, trail := min(context, first.From), min(context, len(a)-last.To)
	out.WriteString(Header(hunks, lead, trail) + "\n")
	print := func(mark byte, lines []string) {
		for _, l := range lines {
			out.WriteByte(mark)
			out.WriteString(l)
			if !strings.HasSuffix(l, "\n") {
				out.WriteString("\n" + noLineEnd)
			}
		}
	}
	at := first.From - lead
	for _, h := range hunks {
		print(' ', a[at:h.From])
		print('-', a[h.From:h.To])
		print('+', b[h.NewFrom:h.NewTo])
		at = h.To
	}
	print(' ', a[at:at+trail])
}

// span formats a range of lines as "first,count", with first counted from 1 and ",count" omitted if
// it is 1. An empty range has the number of the line before it.
func span(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

// errNotThisPatch reports that a patch belongs to another text.
var errNotThisPatch = errors.New("the patch does not belong to the text")

// Revert undoes a patch made by Unified: it returns the text that the patch turned into after.
func Revert(patch, after string) (string, error) {
	var out strings.Builder
	b := Split(after)
	at := 0
	copyTo := func(line int) error {
		if line < at || line > len(b) {
			return errNotThisPatch
		}
		for _, l := range b[at:line] {
			out.WriteString(l)
		}
		at = line
		return nil
	}
	rows := Split(patch)
	for i, row := range rows {
		text := row[1:]
		if i+1 < len(rows) && rows[i+1] == noLineEnd {
			text = strings.TrimSuffix(text, "\n")
		}
		switch row[0] {
		case '@':
			var line, count int
			_, rest, _ := strings.Cut(row, " +")
			if n, _ := fmt.Sscanf(rest, "%d,%d", &line, &count); n == 1 {
				count = 1
			} else if n == 0 {
				return "", errNotThisPatch
			}
			if count > 0 {
				line--
			}
			if err := copyTo(line); err != nil {
				return "", err
			}
		case '-':
			out.WriteString(text)
		case ' ', '+':
			if at >= len(b) || b[at] != text {
				return "", errNotThisPatch
			}
			at++
			if row[0] == ' ' {
				out.WriteString(text)
			}
		case '\\':
		default:
			return "", errNotThisPatch
		}
	}
	if err := copyTo(len(b)); err != nil {
		return "", err
	}
	return out.String(), nil
}
