package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
)

// totals counts what a text report ends with.
type totals struct {
	files, resources, findings, ignored, failed int

	unchecked []finding // one for each function, type and reason

	// held are findings whose lines wait for the end, because of places in later units. Once there
	// is one, all others wait, too.
	held []finding
}

// textUnit returns the lines of the findings of a unit.
func (p *Printer) textUnit(r Result, found []finding) []byte {
	p.totals.files++
	p.totals.resources += r.Resources
	if len(r.Response.Failures) > 0 {
		p.totals.failed++
	}
	var b []byte
	for _, f := range append(found, r.filterFindings()...) {
		p.totals.findings++
		if p.Several && f.Missing != "" || len(p.totals.held) > 0 {
			p.totals.held = append(p.totals.held, f)
		} else {
			b = append(b, p.line(f)...)
		}
	}
	for _, result := range r.results() {
		p.totals.ignored += result.Ignored
	}
	return b
}

// Findings returns the number of findings of a text report, 0 if some are ignored as exceptions:
// their owner knows about those.
func (p *Printer) Findings() int {
	if p.totals.ignored > 0 {
		return 0
	}
	return p.totals.findings
}

// Misses reports whether a finding is about a resource that the input lacks.
func (p *Printer) Misses() bool { return len(p.joined) > 0 }

// Unchecked is what the validations of a unit could not check.
type Unchecked struct{ findings []finding }

// Unchecked returns what the validations of a unit could not check. It can be called concurrently.
func (r Result) Unchecked() Unchecked { return Unchecked{r.uncheckedFindings(r.results())} }

// AddUnchecked adds a unit to what UncheckedNotes and the totals of a text report count.
func (p *Printer) AddUnchecked(u Unchecked) {
	for _, f := range u.findings {
		p.totals.addUnchecked(f)
	}
}

// addUnchecked adds the count of a finding to that of an earlier one that says the same.
func (t *totals) addUnchecked(f finding) {
	i := slices.IndexFunc(t.unchecked, func(known finding) bool {
		return known.Function == f.Function && known.Resource == f.Resource &&
			known.Unchecked.Reason == f.Unchecked.Reason
	})
	if i < 0 {
		t.unchecked = append(t.unchecked, f)
		return
	}
	t.unchecked[i].Unchecked.Count += f.Unchecked.Count
}

// NoSchemaHint says what adds the schema that a type does not have.
const NoSchemaHint = "--schema FILE adds one"

// UncheckedNotes returns a note for each unchecked type, with the number of its resources in
// all units.
func (p *Printer) UncheckedNotes() []api.Note {
	var notes []api.Note
	for _, f := range p.totals.unchecked {
		if f.level() == "error" { // a failure says so
			continue
		}
		message := f.Unchecked.Reason
		message += ", so " + diag.Count(f.Unchecked.Count, "resource") + " of that type "
		if f.Unchecked.Count == 1 {
			message += "is unchecked"
		} else {
			message += "are unchecked"
		}
		if f.Unchecked.NoSchema {
			message += "; " + NoSchemaHint
		}
		notes = append(notes, api.Note{
			Pos: f.Position, Function: f.Function, Invocation: f.Name, Message: message,
		})
	}
	return notes
}

// Without returns the notes except those that UncheckedNotes repeats.
func (u Unchecked) Without(notes []api.Note) []api.Note {
	return slices.DeleteFunc(slices.Clone(notes), func(n api.Note) bool {
		return n.Kind == api.NoteSkippedDocument && slices.ContainsFunc(u.findings,
			func(f finding) bool {
				return f.Function == n.Function && f.Position.Line == n.Pos.Line &&
					f.Position.Column == n.Pos.Column
			})
	})
}

// textEnd returns the lines that waited and the line of totals.
func (p *Printer) textEnd() []byte {
	t := &p.totals
	var b []byte
	for _, f := range t.held {
		if f.Missing != "" {
			f.Also = p.joined[f.lack()].also
		}
		b = append(b, p.line(f)...)
	}
	if p.Quiet {
		return b
	}
	unchecked := 0
	for _, f := range t.unchecked {
		unchecked += f.unchecked()
	}
	b = fmt.Appendf(b, "%s, %s, %s", diag.Count(t.files, "file"),
		diag.Count(t.resources, "resource"), diag.Count(t.findings, "finding"))
	if unchecked > 0 {
		b = fmt.Appendf(b, ", %d unchecked", unchecked)
	}
	if t.ignored > 0 {
		b = fmt.Appendf(b, ", %d ignored", t.ignored)
	}
	if t.failed > 0 {
		b = fmt.Appendf(b, "; %d failed", t.failed)
	}
	return append(b, '\n')
}

// line prints a finding as linters do: position, resource, rule, path, message.
func (p *Printer) line(f finding) string {
	most := mostAlso
	if p.Verbose {
		most = len(f.Also)
	}
	parts := slices.DeleteFunc([]string{f.Resource, f.rule(), f.Path, f.message(most)},
		func(part string) bool { return part == "" })
	return p.Terminal.head(diag.Printable(f.Position.String())+":") + " " +
		firstLine(strings.ReplaceAll(diag.PrintableLines(strings.Join(parts, ": ")), "\n", " ")) +
		"\n"
}
