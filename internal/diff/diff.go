// Package diff makes unified diffs of configuration. It depends on nothing but the two texts: the same texts give the same diff
// on every machine.
package diff

import (
	"bytes"
	"fmt"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// context is the number of unchanged lines around a change.
const context = 3

// line is one line of a diff: its text with its line end, and whether it is in both texts (' '), in the first ('-') or in the
// second ('+').
type line struct {
	op   byte
	text []byte
}

// Unified returns the unified diff of two texts of the file called name, in the form patch and git apply take; nothing when the
// texts are equal.
func Unified(name string, before, after []byte) []byte {
	if bytes.Equal(before, after) {
		return nil
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "--- a/%s\n+++ b/%s\n", name, name)
	lines := compare(before, after)
	oldLine, newLine := 1, 1 // of lines[at]
	at := 0
	for at < len(lines) {
		first := at
		for first < len(lines) && lines[first].op == ' ' {
			first++
		}
		if first == len(lines) {
			break
		}
		from := max(at, first-context)
		oldLine += from - at
		newLine += from - at
		to := hunkEnd(lines, first)
		oldCount, newCount := count(lines[from:to])
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", span(oldLine, oldCount), span(newLine, newCount))
		for _, l := range lines[from:to] {
			b.WriteByte(l.op)
			b.Write(l.text)
			if l.text[len(l.text)-1] != '\n' {
				b.WriteString("\n\\ No newline at end of file\n")
			}
		}
		oldLine += oldCount
		newLine += newCount
		at = to
	}
	return b.Bytes()
}

// hunkEnd returns the end of the hunk whose first change is lines[at]: behind the context of the last change that is not further
// away from the one before it than two contexts.
func hunkEnd(lines []line, at int) int {
	last := at
	for i := at; i < len(lines) && i <= last+2*context+1; i++ {
		if lines[i].op != ' ' {
			last = i
		}
	}
	return min(last+1+context, len(lines))
}

func count(lines []line) (before, after int) {
	for _, l := range lines {
		if l.op != '+' {
			before++
		}
		if l.op != '-' {
			after++
		}
	}
	return before, after
}

// span is the place of a hunk in one of the texts. A hunk without lines there stands behind the line in front of it.
func span(first, n int) string {
	switch n {
	case 0:
		return fmt.Sprintf("%d,0", first-1)
	case 1:
		return fmt.Sprint(first)
	}
	return fmt.Sprintf("%d,%d", first, n)
}

// compare finds the lines that differ. Texts with as many documents are compared document by document, which keeps changes of one
// from being mixed up with those of another and large texts from being compared as a whole.
func compare(before, after []byte) []line {
	old, changed := documents(before), documents(after)
	if len(old) != len(changed) {
		return compareDocument(nil, before, after)
	}
	var lines []line
	for i := range old {
		lines = compareDocument(lines, old[i], changed[i])
	}
	return lines
}

// documents splits text in front of its separator lines.
func documents(text []byte) [][]byte {
	var docs [][]byte
	for {
		i := bytes.Index(text, []byte("\n---"))
		if i < 0 {
			return append(docs, text)
		}
		docs = append(docs, text[:i+1])
		text = text[i+1:]
	}
}

// compareDocument appends the lines of two texts.
func compareDocument(lines []line, before, after []byte) []line {
	if bytes.Equal(before, after) {
		return appendLines(lines, ' ', string(before))
	}
	d := diffmatchpatch.New()
	d.DiffTimeout = 0 // a time limit would make the result depend on the machine
	a, b, texts := d.DiffLinesToRunes(string(before), string(after))
	for _, part := range d.DiffCharsToLines(d.DiffMainRunes(a, b, false), texts) {
		op := byte(' ')
		switch part.Type {
		case diffmatchpatch.DiffDelete:
			op = '-'
		case diffmatchpatch.DiffInsert:
			op = '+'
		}
		lines = appendLines(lines, op, part.Text)
	}
	return lines
}

func appendLines(lines []line, op byte, text string) []line {
	for l := range bytes.Lines([]byte(text)) {
		lines = append(lines, line{op: op, text: l})
	}
	return lines
}
