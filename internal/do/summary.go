package do

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/appkit"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/out/report"
	"github.com/fctl-dev/fctl/internal/source"
)

// summary counts over all units.
type summary struct {
	units, failed int
	skipped       int // files that were read and turned out not to be configuration
	withheld      int // units whose configuration is not valid, and not written
	changes       changes
	formats       map[api.ToolchainType]formatSummary
	steps         []stepSummary
	notes         []noteSummary
	noted         map[api.Note]int // the index of a note in notes
}

// formatSummary counts the files of a toolchain, and those that changed.
type formatSummary struct{ units, changed int }

// stepSummary is what a function of the chain did in all units.
type stepSummary struct {
	function, invocation string

	// matched is true if the function did something in a unit, or may have: it failed or was not
	// reached.
	matched   bool
	unmatched *api.Note // why it had nothing to do in a unit
	differs   bool      // the reason differs between units, as arguments are evaluated per unit
	counted   bool
	matches   int
}

// noteSummary is a note that several units have, about the command rather than a position.
type noteSummary struct {
	note  api.Note
	file  string // the first unit with the note
	units int
}

func (t *summary) add(o *outcome) {
	t.units++
	if len(o.problems) > 0 {
		t.failed++
	} else if o.withheld {
		t.withheld++
	}
	t.changes.files += o.changes.files
	t.changes.resources += o.changes.resources
	t.changes.values += o.changes.values
	t.addFormat(o)
	if o.response == nil {
		return
	}
	for i, f := range o.response.Functions {
		if i >= len(t.steps) {
			t.steps = append(t.steps,
				stepSummary{function: f.FunctionName, invocation: f.Invocation})
		}
		s := &t.steps[i]
		s.counted = s.counted || f.Counted
		s.matches += f.Matches
		if f.Unmatched == nil {
			s.matched = s.matched || f.Ran || len(o.problems) > 0
		} else {
			s.addUnmatched(f.Unmatched)
		}
	}
}

// addUnmatched records why the function had nothing to do in a unit. A unit whose selected
// resources lack what the arguments name is a better explanation than units in which nothing is
// selected.
func (s *stepSummary) addUnmatched(n *api.Note) {
	switch {
	case s.unmatched == nil || s.unmatched.Kind == api.NoteNothingSelected &&
		n.Kind == api.NoteNothingMatched:
		s.unmatched = n
	case s.unmatched.Kind == n.Kind && *s.unmatched != *n:
		if s.unmatched.Message != n.Message {
			s.differs = true
		} else if s.unmatched.Suggestion == "" {
			s.unmatched = n
		}
	}
}

func (t *summary) addFormat(o *outcome) {
	if t.formats == nil {
		t.formats = map[api.ToolchainType]formatSummary{}
	}
	f := t.formats[o.toolchain]
	t.formats[o.toolchain] = formatSummary{f.units + 1, f.changed + o.changes.files}
}

// byFormat returns the number of changed files by toolchain, in parentheses; empty if all files are
// of one toolchain.
func (t *summary) byFormat() string {
	if len(t.formats) < 2 {
		return ""
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(t.formats)) {
		f := t.formats[name]
		parts = append(parts, fmt.Sprintf("%s: %d of %d", name, f.changed, f.units))
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func (t *summary) addNote(file string, n api.Note) {
	if i, known := t.noted[n.Key()]; known {
		t.notes[i].note.Add(n)
		t.notes[i].units++
		return
	}
	if t.noted == nil {
		t.noted = map[api.Note]int{}
	}
	t.noted[n.Key()] = len(t.notes)
	t.notes = append(t.notes, noteSummary{n, file, 1})
}

// showNotes writes the notes about a unit. With several units, notes without a position are
// collected in the summary, and written once for all of them.
func (l *loop) showNotes(o *outcome) {
	file := diag.FileName(o.file.Path)
	notes := o.notes
	if l.request.found.Several {
		notes = nil
		for _, n := range o.notes {
			switch {
			case n.Kind.Unmatched():
			case n.Pos.IsZero():
				l.summary.addNote(file, n)
			default:
				notes = append(notes, n)
			}
		}
	} else if o.response != nil && l.options.Settings.Verbose {
		for _, f := range o.response.Functions {
			note := api.Note{Function: f.FunctionName, Invocation: f.Invocation}
			switch {
			case !f.Ran:
				note.Message = "did not run"
			case f.Counted:
				note.Message = fmt.Sprintf("matches: %d", f.Matches)
			default:
				continue
			}
			notes = append(notes, note)
		}
	}
	if len(notes) > 0 {
		l.say(func() { l.console.Notes(file, notes...) })
	}
}

// readAs returns what makes skipped files be read whose names say that they have no resources.
func readAs(skipped []source.Skipped) string {
	text := ""
	for _, s := range skipped {
		switch {
		case s.Reason != source.NoResource || !source.IsNamed(s.Path):
		case appkit.FileType(s.Path) != appkit.HelmValues:
			return "; --toolchain auto reads values of charts, compose files and workflows"
		default:
			text = "; --toolchain auto reads the values of charts"
		}
	}
	return text
}

// conclude reports what is about all units: notes, functions that matched nothing, skipped files,
// and how much changed.
func (l *loop) conclude() {
	l.noteRefused()
	l.reportRepeated()
	t := &l.summary
	notes := l.printer.UncheckedNotes()
	if l.request.found.Several {
		for _, n := range t.notes {
			if n.units == 1 {
				l.noteUnlessQuiet(n.file, n.note)
				continue
			}
			if n.units < t.units && n.note.Of == "" && n.note.Names == "" {
				n.note.Message += fmt.Sprintf(" (in %d files)", n.units)
			}
			notes = append(notes, n.note)
		}
		notes = append(notes, l.unmatched()...)
		notes = append(notes, l.nothingFound()...)
	}
	if note := SkippedFiles(l.request.found.Skipped, l.options.Settings.Verbose); note != "" {
		if l.request.reader.Toolchain == "" &&
			slices.ContainsFunc(l.request.found.Skipped, func(p source.Skipped) bool {
				return p.Reason == source.OtherFormat
			}) {
			note += "; --toolchain auto or a pattern reads other formats from a directory"
		} else {
			note += readAs(l.request.found.Skipped)
		}
		notes = append(notes, api.Note{Message: note})
	}
	if l.request.found.Several && l.options.Settings.Verbose {
		for _, s := range t.steps {
			if s.counted {
				notes = append(notes, api.Note{
					Function: s.function, Invocation: s.invocation,
					Message: fmt.Sprintf("matches: %d", s.matches),
				})
			}
		}
	}
	for _, n := range notes {
		l.noteUnlessQuiet("", n)
	}
	if l.options.Report == report.Text && l.printer.Findings() > 0 && l.baseline == nil {
		hint := acceptHint
		if l.printer.Misses() {
			hint += "; --learn prints the setting for resources that the cluster has"
		}
		l.noteUnlessQuiet("", api.Note{Message: hint})
	}
	if l.options.Settings.ShowsNotes() {
		l.console.Notes("", clashNotes(l.deps.Executor.SchemaClashes())...)
	}
	if l.summarises() && !l.options.Settings.Quiet {
		_, _ = l.deps.Streams.ErrOut.Write([]byte(l.summaryLine() + "\n"))
	}
}

func (l *loop) noteUnlessQuiet(file string, n api.Note) {
	if !l.options.Settings.Quiet {
		l.console.Notes(file, n)
	}
}

// unmatched returns the notes about functions that matched nothing in any unit. It reports those
// that must match as problems instead.
func (l *loop) unmatched() []api.Note {
	var notes []api.Note
	if l.chain.Defaults &&
		slices.ContainsFunc(l.summary.steps, func(s stepSummary) bool { return s.matched }) {
		return nil
	}
	for _, s := range l.summary.steps {
		if s.matched || s.unmatched == nil || slices.Contains(notes, *s.unmatched) {
			continue
		}
		note := *s.unmatched
		if s.differs {
			note.Message += " (other arguments in other files)"
		}
		notes = append(notes, note)
	}
	var kept []api.Note
	var problems diag.List
	for _, n := range mergeUnmatched(notes) {
		if !l.mustMatch(n) {
			kept = append(kept, n)
			continue
		}
		problems = append(problems, &api.Failure{
			Class: api.FailureFunction, Function: n.Function,
			Invocation: n.Invocation, Message: n.Text(),
		})
	}
	if len(problems) > 0 {
		l.fail(problems)
	}
	return kept
}

// mergeUnmatched replaces the notes of several named steps with the same function that matched
// nothing, as in a policy, by one.
func mergeUnmatched(notes []api.Note) []api.Note {
	key := func(n api.Note) api.Note {
		if !n.Kind.Unmatched() || n.Function == "" || n.Invocation == "" {
			return api.Note{}
		}
		return api.Note{
			Function: n.Function, Message: n.Message, Suggestion: n.Suggestion, Kind: n.Kind,
		}
	}
	steps := map[api.Note]int{}
	for _, n := range notes {
		steps[key(n)]++
	}
	var kept []api.Note
	for _, n := range notes {
		k := key(n)
		switch count := steps[k]; {
		case k == api.Note{} || count == 1:
			kept = append(kept, n)
		case count > 1:
			n.Invocation, n.Message = "", fmt.Sprintf("%s (%d steps)", n.Message, count)
			kept = append(kept, n)
			steps[k] = 0
		}
	}
	return kept
}

// mustMatch reports whether a function that matched nothing failed: with --require-match, and with
// --strict if it is a validation, which then checked nothing.
func (l *loop) mustMatch(n api.Note) bool {
	if l.options.Settings.RequireMatch && n.Kind != api.NoteNothingGiven {
		return true
	}
	return l.options.Settings.Strict && slices.ContainsFunc(l.chain.Signatures,
		func(s api.FunctionSignature) bool {
			return s.Validating && (n.Function == "" || n.Function == s.FunctionName)
		})
}

// nothingFound reports a problem if no configuration was found, or returns a note with
// --allow-empty. A shard may be empty: there can be more of them than files.
func (l *loop) nothingFound() []api.Note {
	if l.summary.units > 0 || l.ctx.Err() != nil {
		return nil
	}
	message := "no configuration was found"
	if l.options.AllowEmpty || !l.request.files.Shard.IsWhole() {
		return []api.Note{{Message: message}}
	}
	hint := "--allow-empty accepts that"
	if !l.request.files.Recursive {
		hint = "-R descends into subdirectories; " + hint
	}
	l.fail(diag.List{{Class: api.FailureInput, Message: message, Hint: hint}})
	return nil
}

// shownFiles is the number of files that a note names.
const shownFiles = 3

// SkippedFiles says in one line which files were found and skipped. Files with another extension
// are only counted, as there may be many; with verbose all are named.
func SkippedFiles(passed []source.Skipped, verbose bool) string {
	if len(passed) == 0 {
		return ""
	}
	byReason := map[source.SkipReason][]string{}
	var reasons []source.SkipReason
	for _, p := range passed {
		if byReason[p.Reason] == nil {
			reasons = append(reasons, p.Reason)
		}
		byReason[p.Reason] = append(byReason[p.Reason], diag.FileName(p.Path))
	}
	slices.Sort(reasons)
	var parts []string
	for _, why := range reasons {
		files := byReason[why]
		slices.Sort(files)
		names := ""
		switch {
		case verbose || why != source.OtherExtension && len(files) <= shownFiles:
			names = strings.Join(files, ", ")
		case why != source.OtherExtension:
			names = strings.Join(files[:shownFiles], ", ") + ", ..."
		}
		text := why.Describe(len(files))
		switch {
		case len(reasons) == 1 && names != "":
			return "skipped " + diag.Count(len(files), "file") + " " + text + ": " + names
		case len(reasons) == 1:
			return "skipped " + diag.Count(len(files), "file") + " " + text
		case names != "":
			text += " (" + names + ")"
		}
		parts = append(parts, fmt.Sprint(len(files), " ", text))
	}
	return "skipped " + diag.Count(len(passed), "file") + ": " + strings.Join(parts, ", ")
}

// summarises reports whether the run ends with a line that says how much changed.
func (l *loop) summarises() bool {
	return mutating(l.chain) && (l.request.found.Several || l.options.Output != Stdout)
}

// counts reports whether changes must be counted.
func (l *loop) counts() bool {
	return l.options.Output == Check || l.summarises() && !l.options.Settings.Quiet
}

// summaryLine returns the line that says how much changed.
func (l *loop) summaryLine() string {
	t := &l.summary
	verb, printed := "changed", l.options.Output == Stdout && t.changes.files > 0
	if printed || l.options.Output == DryRun || l.options.Output == Check {
		verb = "would change"
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d of %s %s%s", t.changes.files, diag.Count(t.units, "file"), verb,
		t.byFormat())
	fmt.Fprintf(&b, ", %s, %s", diag.Count(t.changes.resources, "resource"),
		diag.Count(t.changes.values, "value"))
	if t.failed > 0 {
		fmt.Fprintf(&b, "; %d failed", t.failed)
	}
	if left := len(l.request.found.Files) - t.units - t.skipped; l.ctx.Err() != nil && left > 0 {
		fmt.Fprintf(&b, "; %d not reached", left)
	}
	switch {
	case printed && t.changes.files == 1:
		b.WriteString("; -i writes it")
	case printed:
		b.WriteString("; -i writes them")
	case l.options.Output == Directory && t.units > t.failed+t.withheld:
		b.WriteString("; written to " + diag.Printable(diag.FileName(l.options.OutputDir)))
	}
	return b.String()
}
