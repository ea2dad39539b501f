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

	"github.com/fctl-dev/fctl/configkit/lines"
	"github.com/fctl-dev/fctl/internal/diag"
)

// File is a file of which there are two texts.
type File struct {
	Name          string // the path, with slashes
	Before, After []byte
	// Steps are what became of Before, one function after the other; the last text is After. They tell which function changed
	// what. There may be none.
	Steps []Step
	// BeforePlaces and AfterPlaces are where the resources of the texts begin, in order; they may be nil.
	BeforePlaces, AfterPlaces []Place
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
	p := printer{style: f.Style, before: split(f.Before), after: split(f.After)}
	hunks := compare(p.before, p.after)
	l := newLabeller(f, p.before)
	if f.Shown != nil {
		before, after := f.Shown(f.Before, f.After)
		p.before, p.after, p.forPeople = split(before), split(after), true
	}
	p.say(f.Style.File, "--- ", quoted("a/"+f.Name))
	p.say(f.Style.File, "+++ ", quoted("b/"+f.Name))
	for _, near := range lines.Near(hunks, context) {
		p.hunk(near, l.label(near))
	}
	return p.b.Bytes()
}

func split(text []byte) []string { return lines.Split(string(text)) }

// compare finds the hunks that make after of before.
func compare(before, after []string) []lines.Hunk {
	hunks := lines.Diff(before, after)
	slide(hunks, before, after)
	return hunks
}

// context is the number of unchanged lines around a change.
const context = 3

// printer prints the hunks of a diff.
type printer struct {
	b             bytes.Buffer
	style         Style
	before, after []string
	forPeople     bool // control characters are escaped
}

// say prints a line that is not one of the texts'.
func (p *printer) say(style func(string) string, parts ...string) {
	p.b.WriteString(apply(style, strings.Join(parts, "")))
	p.b.WriteByte('\n')
}

// hunk prints hunks that are near each other with the lines around and between them.
func (p *printer) hunk(near []lines.Hunk, label string) {
	first, last := near[0], near[len(near)-1]
	lead, trail := min(context, first.From), min(context, len(p.before)-last.To)
	if label != "" {
		label = " " + label
	}
	p.say(nil, apply(p.style.Hunk, lines.Header(near, lead, trail)), apply(p.style.Label, label))
	at := first.From - lead
	for _, h := range near {
		p.lines(" ", p.before[at:h.From])
		p.change(h)
		at = h.To
	}
	p.lines(" ", p.before[at:at+trail])
}

// shown is a line as it is printed.
func (p *printer) shown(line string) string {
	if p.forPeople {
		return diag.PrintableLine(line)
	}
	return line
}

// lines prints lines without colour.
func (p *printer) lines(mark string, all []string) {
	for _, line := range all {
		p.line(mark, p.shown(line), nil)
	}
}

// change prints the lines of a hunk.
func (p *printer) change(h lines.Hunk) {
	if p.style.Old != nil {
		p.coloured(h)
		return
	}
	p.lines("-", p.before[h.From:h.To])
	p.lines("+", p.after[h.NewFrom:h.NewTo])
}

// line prints a line of one of the texts; paint colours it, without its line end.
func (p *printer) line(mark, line string, paint func(mark, line string) string) {
	body, ended := strings.CutSuffix(line, "\n")
	if paint == nil {
		p.b.WriteString(mark)
		p.b.WriteString(body)
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
