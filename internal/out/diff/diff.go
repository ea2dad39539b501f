// Package diff makes unified diffs of configuration. The result depends only on the texts, so it is
// the same on every machine.
//
// The format is the one that git apply and patch read: paths with the prefixes a/ and b/, three
// lines of context, lines with their original line ends. The second @@ of a hunk is followed by the
// resources that the hunk is in and the functions that changed them; git apply and patch accept any
// text there. A coloured diff is for people, and highlights the differences within a changed line.
//
// The running time is about linear in the length of the texts, whatever their content.
//
// Layer: base.
package diff

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unsafe"

	"github.com/fctl-dev/fctl/internal/lines"
)

// FileDiff is a file with two versions of its text.
type FileDiff struct {
	Name          string // the path, with slashes
	Before, After []byte
	// Steps are the successive versions of Before, one for each function; the last text is After.
	// They determine which function changed what. They may be empty.
	Steps []Version
	// Resources are the positions at which the resources of Before begin, in order.
	Resources []Start
	// Starts returns the same for parts of After that begin at a separator of documents. If it is
	// nil, hunks do not name resources.
	Starts func(text []byte) []Start
	// Shown returns the texts as people see them, line for line, for example with secret values
	// masked. If it is set, the diff is for people only, with control characters escaped. It is
	// only called if something changed.
	Shown func(before, after []byte) (shownBefore, shownAfter []byte)
	// Style colours the diff; the zero Style leaves it plain.
	Style Colors
}

// Version is the text that a function made. Text is called when the text is needed, so that not all
// texts are in memory at once.
type Version struct {
	Name string // of the function
	Text func() []byte
}

// Start is the line (from 1) at which a resource begins, including its comments and separator. A
// Start without a name is not a resource.
type Start struct {
	Line int
	Name string
}

// Unified returns the unified diff of the texts of a file, nil if they are equal.
func Unified(f FileDiff) []byte {
	if bytes.Equal(f.Before, f.After) {
		return nil
	}
	p := printer{style: f.Style}
	p.say(f.Style.File, "--- ", quoted("a/"+f.Name))
	p.say(f.Style.File, "+++ ", quoted("b/"+f.Name))
	var all []window
	if f.Shown == nil && len(f.Steps) <= 1 {
		all = windows(f.Before, f.After)
	} else { // these refer to the whole texts
		all = whole(f.Before, f.After)
	}
	for _, w := range all {
		p.window(f, w)
	}
	return p.b.Bytes()
}

// window prints a part of the texts.
func (p *printer) window(f FileDiff, w window) {
	before, after := f.Before[w.from:w.to], f.After[w.newFrom:w.newTo]
	p.before = lines.AppendSplit(p.before[:0], view(before))
	p.after = lines.AppendSplit(p.after[:0], view(after))
	p.skipped, p.newSkipped = w.line, w.newLine
	hunks := compare(w.parts, p.before, p.after)
	l := newLabeller(f, p.before)
	if f.Starts != nil {
		l.find(f, w, cursor{text: after, lines: p.after})
	}
	if f.Shown != nil {
		before, after := f.Shown(f.Before, f.After)
		p.before, p.after = split(before), split(after)
	}
	for _, near := range lines.Near(hunks, context) {
		p.hunk(near, l.label(near))
	}
}

// view returns text as a string without a copy. Nothing changes the texts while a diff is made.
func view(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }

func split(text []byte) []string { return lines.Split(view(text)) }

// compare returns the hunks that turn before into after, of the parts that differ.
func compare(parts []lines.Hunk, before, after []string) []lines.Hunk {
	var all []lines.Hunk
	for _, part := range parts {
		old, now := before[part.From:part.To], after[part.NewFrom:part.NewTo]
		hunks := lines.Diff(old, now)
		slide(hunks, old, now)
		for _, h := range hunks {
			all = append(all, lines.Hunk{
				From: h.From + part.From, To: h.To + part.From,
				NewFrom: h.NewFrom + part.NewFrom, NewTo: h.NewTo + part.NewFrom,
			})
		}
	}
	return all
}

// context is the number of unchanged lines around a change.
const context = 3

// printer prints the hunks of a diff.
type printer struct {
	b             bytes.Buffer
	style         Colors
	before, after []string
	// The lines of the texts above these.
	skipped, newSkipped int
}

// ofTexts returns hunks with the numbers that their lines have in the whole texts.
func (p *printer) ofTexts(hunks []lines.Hunk) []lines.Hunk {
	all := slices.Clone(hunks)
	for i := range all {
		h := &all[i]
		h.From, h.To = h.From+p.skipped, h.To+p.skipped
		h.NewFrom, h.NewTo = h.NewFrom+p.newSkipped, h.NewTo+p.newSkipped
	}
	return all
}

// say prints a line that is not from the texts.
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
	p.say(nil, apply(p.style.Hunk, lines.Header(p.ofTexts(near), lead, trail)),
		apply(p.style.Label, label))
	at := first.From - lead
	for _, h := range near {
		p.lines(" ", p.before[at:h.From])
		p.change(h)
		at = h.To
	}
	p.lines(" ", p.before[at:at+trail])
}

// lines prints lines without colour.
func (p *printer) lines(mark string, all []string) {
	for _, line := range all {
		p.line(mark, line, nil)
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

// line prints a line of one of the texts. paint colours it, without its line end.
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

// quoted returns a path as git writes it: in quotes if it has special characters, and followed by a
// tab if it has a space, where patch would end it otherwise. ## counts as special, because CI
// systems obey ##vso[...] anywhere in a line.
func quoted(path string) string {
	special := func(r rune) bool {
		return r == '"' || r == '\\' || r == unicode.ReplacementChar || !unicode.IsPrint(r)
	}
	if strings.IndexFunc(path, special) < 0 && !strings.Contains(path, "##") {
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
		case c < ' ' || c >= 0x7f || c == '#':
			b = fmt.Appendf(b, "\\%03o", c)
		default:
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}
