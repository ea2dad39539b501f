// Package diff makes unified diffs of configuration. It depends on nothing but the texts: the same texts give the same diff on
// every machine.
//
// What it prints is what git apply and patch take: paths behind a/ and b/, three lines of context, lines with the line ends they
// have. Behind the second @@ of a hunk, where both take any text, stand the resources the hunk is in and the functions that changed
// them. Coloured, it is for people, and marks within a changed line what is new about it.
//
// The time is about linear in the length of the texts, whatever is in them.
package diff

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
)

// File is a file of which there are two texts.
type File struct {
	Name          string // the path, with slashes
	Before, After []byte
	// Steps are what became of Before, one function after the other; the last text is After. They tell which function changed
	// what. There may be none.
	Steps []Step
	// Places tells where in a text its resources begin, in order. It is asked only when something changed, and may be nil.
	Places func(text []byte) []Place
	// Shown makes of the texts what people see of them, line by line: without secret values, say. The diff is then for people only, with
	// control characters escaped. It is asked only when something changed.
	Shown func(before, after []byte) (shownBefore, shownAfter []byte)
	// Style colours the diff; the zero Style leaves it plain.
	Style Style
}

// Step is what a function made of the text, which is asked for when it is needed: not all of them are in memory at a time.
type Step struct {
	Name string // of the function
	Text func() []byte
}

// Place is the line (from 1) at which what belongs to a resource begins, comments and separator included. Places without a name
// are no resources.
type Place struct {
	Line int
	Name string
}

// Unified returns the unified diff of the texts of a file; nothing when they are equal.
func Unified(f File) []byte {
	if bytes.Equal(f.Before, f.After) {
		return nil
	}
	p := printer{style: f.Style, before: lines(f.Before), after: lines(f.After)}
	edits := compare(p.before, p.after)
	l := newLabeller(f, p.before)
	if f.Shown != nil {
		before, after := f.Shown(f.Before, f.After)
		p.before, p.after = lines(before), lines(after)
		p.before.forPeople, p.after.forPeople = true, true
	}
	p.say(f.Style.File, "--- ", quoted("a/"+f.Name))
	p.say(f.Style.File, "+++ ", quoted("b/"+f.Name))
	for len(edits) > 0 {
		n := 1
		for n < len(edits) && edits[n].oldFrom-edits[n-1].oldTo <= 2*context {
			n++
		}
		p.hunk(edits[:n], l.label(edits[:n]))
		edits = edits[n:]
	}
	return p.b.Bytes()
}

// context is the number of unchanged lines around a change.
const context = 3

// printer prints the hunks of a diff.
type printer struct {
	b             bytes.Buffer
	style         Style
	before, after text
}

// say prints a line that is not one of the texts'.
func (p *printer) say(style func(string) string, parts ...string) {
	p.b.WriteString(apply(style, strings.Join(parts, "")))
	p.b.WriteByte('\n')
}

// hunk prints edits with the lines around and between them.
func (p *printer) hunk(edits []edit, label string) {
	first, last := edits[0], edits[len(edits)-1]
	above := min(context, first.oldFrom)
	below := min(context, p.before.len()-last.oldTo)
	oldFrom, oldTo := first.oldFrom-above, last.oldTo+below
	newFrom, newTo := first.newFrom-above, last.newTo+below
	header := fmt.Sprintf("@@ -%s +%s @@", span(oldFrom, oldTo), span(newFrom, newTo))
	if label != "" {
		label = " " + label
	}
	p.say(nil, apply(p.style.Hunk, header), apply(p.style.Label, label))
	at := oldFrom
	for _, e := range edits {
		p.same(at, e.oldFrom)
		p.change(e)
		at = e.oldTo
	}
	p.same(at, oldTo)
}

// span is a range of lines as hunks give it. A range without lines stands behind the line in front of it.
func span(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

// same prints lines that both texts have.
func (p *printer) same(from, to int) {
	for i := from; i < to; i++ {
		p.line(" ", p.before.shown(i), nil)
	}
}

// change prints the lines of an edit.
func (p *printer) change(e edit) {
	if p.style.Old != nil {
		p.coloured(e)
		return
	}
	for i := e.oldFrom; i < e.oldTo; i++ {
		p.line("-", p.before.shown(i), nil)
	}
	for i := e.newFrom; i < e.newTo; i++ {
		p.line("+", p.after.shown(i), nil)
	}
}

// line prints a line of one of the texts; paint colours it, without its line end.
func (p *printer) line(mark string, line []byte, paint func(mark string, line []byte) string) {
	body, ended := bytes.CutSuffix(line, []byte{'\n'})
	if paint == nil {
		p.b.WriteString(mark)
		p.b.Write(body)
	} else {
		p.b.WriteString(paint(mark, body))
	}
	p.b.WriteByte('\n')
	if !ended {
		p.b.WriteString("\\ No newline at end of file\n")
	}
}

// quoted is a path as git writes it: in quotes when there is something in it that would be taken for something else, and with a
// tab behind it when it has a blank, at which patch would end it.
func quoted(path string) string {
	special := func(r rune) bool {
		return r == '"' || r == '\\' || r == unicode.ReplacementChar || !unicode.IsPrint(r)
	}
	if strings.IndexFunc(path, special) < 0 {
		if strings.Contains(path, " ") {
			return path + "\t"
		}
		return path
	}
	b := []byte{'"'}
	for _, c := range []byte(path) {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ' || c >= 0x7f:
			b = fmt.Appendf(b, "\\%03o", c)
		default:
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}
