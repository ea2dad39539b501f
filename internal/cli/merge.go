package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/compare"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
	"github.com/fctl-dev/fctl/internal/knowledge/sops"
	"github.com/fctl-dev/fctl/internal/merge/textmerge"
	"github.com/fctl-dev/fctl/internal/source"
)

// mergeFlags are the flags of merge.
type mergeFlags struct {
	inPlace       bool
	conflictStyle command.Choice
	markerSize    int
	labels        []string
	ours, theirs  bool
	path          string
	showSecrets   bool
	outputDir     string // of directories
	keepConflicts bool   // of directories: they are written
}

func newMerge(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "merge [flags] BASE OURS THEIRS",
		Short: "Three-way merge, value by value",
		Long: `Apply to OURS the changes from BASE to THEIRS, and print the result. Values are
merged one by one, and elements of lists by their merge keys, so that changes of
adjacent lines do not conflict. Comments, blank lines, order and layout are
taken from THEIRS where OURS has not changed them. All other bytes of OURS stay.
One of the files may be "-".

If both sides change the same value differently, or one side changes what the
other deletes, there is a conflict. It is reported on the error stream with its
position in OURS (with -i or --path, in the result) and in THEIRS, and the
status is 1. The result shows both sides between markers, as in git, or with
--conflict-style=list only the text of OURS. --ours and --theirs settle such
conflicts instead: they keep the value of OURS, or take that of THEIRS. Files
that cannot be parsed are merged line by line, with a note. Values of Secrets
are masked in messages, but not in the result.

BASE, OURS and THEIRS can be directories, such as three versions of a package.
If THEIRS added, changed, deleted or renamed a file, OURS gets the same change;
a file renamed on one side and changed on the other is renamed and changed. A
list of what changes is printed. -i writes it to OURS, and -O DIR writes the
whole result to DIR. With conflicts nothing is written, unless --write-conflicts
is given. It is a conflict if one side deleted what the other changed or
renamed, if both renamed a file differently, and if two files would have the
same path. Modes (chmod +x) and the targets of symbolic links merge as values;
links are never followed.

'fctl help merging' explains how to use it with git, and the rules of merging.`,
		Example: `  fctl merge base.yaml ours.yaml theirs.yaml
  fctl merge -i base.yaml deployment.yaml theirs.yaml
  fctl merge -i --theirs base.yaml deployment.yaml theirs.yaml
  fctl merge package-1.0/ deployed/ package-2.0/
  fctl merge -i package-1.0/ deployed/ package-2.0/
  git config merge.fctl.driver 'fctl merge -i --marker-size %L --path %P %O %A %B'`,
	}
	o := &mergeFlags{conflictStyle: command.Choice{
		What: "conflict style", Value: "markers", Values: []string{"markers", "list"},
	}}
	cmd.Flags().BoolVarP(&o.inPlace, "in-place", "i", false, "write the result to OURS")
	cmd.Flags().StringVarP(&o.outputDir, "output-dir", "O", "",
		"write the whole result to `DIR` (directories only)")
	cmd.Flags().BoolVar(&o.keepConflicts, "write-conflicts", false,
		"write the result even if there are conflicts (directories only)")
	cmd.Flags().Var(&o.conflictStyle, "conflict-style",
		"write conflicts in `STYLE`: markers, list (the text of OURS)")
	cmd.Flags().IntVar(&o.markerSize, "marker-size", 7,
		"write conflict markers of `N` characters")
	cmd.Flags().StringArrayVarP(&o.labels, "label", "L", nil,
		"print `NAME` after a marker: first for OURS, then for THEIRS")
	cmd.Flags().BoolVar(&o.ours, "ours", false,
		"keep OURS where both sides changed the same")
	cmd.Flags().BoolVar(&o.theirs, "theirs", false,
		"take THEIRS where both sides changed the same")
	cmd.Flags().StringVar(&o.path, "path", "",
		"use `PATH` for the toolchain and in messages, if OURS is a temporary file")
	command.AddShowSecrets(cmd.Flags(), &o.showSecrets)
	command.AddToolchainFlags(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return mergeFiles(cmd.Context(), a, cmd, o, words)
	}
	cmd.ValidArgsFunction = command.CompleteFiles(3)
	return cmd
}

// merging is one run of merge.
type merging struct {
	app                *command.App
	set                functionSet // its toolchain is that of the files, after read
	base, ours, theirs *source.InputUnit
	target             *files.Target // OURS, locked; nil without -i
	name               string        // of the result in messages
	written            bool          // the result is in the file called name
	temporary          bool          // OURS and THEIRS are temporary files
	secrets            *sensitive.Values
}

func mergeFiles(
	ctx context.Context, a *command.App, cmd *cobra.Command, o *mergeFlags, words []string,
) error {
	options, err := o.options()
	if err != nil {
		return err
	}
	switch {
	case len(words) > 3:
		return command.Surplus(cmd, words[3])
	case len(words) < 3:
		return command.Missing(cmd, []string{"BASE", "OURS", "THEIRS"}[len(words):]...)
	case len(slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w != "-" })) > 1:
		return diag.Usage("only one of the files can be the standard input")
	case o.inPlace && words[1] == "-":
		return diag.Usage("-i writes to OURS, which is the standard input")
	case slices.Contains(words, "-"):
		if err := a.RejectTerminal(cmd); err != nil {
			return err
		}
	}
	m := &merging{app: a, written: o.inPlace}
	if m.set, err = loadFunctions(a, cmd); err != nil {
		return err
	}
	for i := range words {
		words[i] = source.InDirectory(a.Dir, words[i])
	}
	if slices.ContainsFunc(words, compare.IsDirectory) {
		trees := &treeMerging{app: a, flags: o, set: m.set, options: options}
		return mergeDirectories(ctx, trees, words)
	}
	if err := o.onlyDirectories(cmd); err != nil {
		return err
	}
	err = m.read(ctx, words, o.path)
	defer m.target.Release()
	if err != nil {
		return err
	}
	merged := m.set.executor.Merge(m.set.toolchain, m.base.Data, m.ours.Data, m.theirs.Data,
		options)
	if err := m.write(merged.Text); err != nil {
		return err
	}
	if !o.showSecrets && (merged.ByLines != nil || len(merged.Conflicts) > 0) {
		m.secrets = m.set.executor.Sensitive(m.set.toolchain,
			[][]byte{m.base.Data, m.ours.Data, m.theirs.Data})
	}
	return m.conclude(merged, options)
}

// write prints the result or writes it to OURS.
func (m *merging) write(text []byte) error {
	if m.target == nil {
		return m.app.Write(text)
	}
	if bytes.Equal(text, m.ours.Data) {
		return nil
	}
	m.app.Writes.Begin()
	defer m.app.Writes.End()
	if err := m.app.Writes.Write(func() error {
		return m.target.Write(m.ours.Info, m.ours.Data, text)
	}); err != nil {
		return do.NotWritten(m.ours.File, err)
	}
	return nil
}

// options checks the flags.
func (o *mergeFlags) options() (options textmerge.Options, err error) {
	size, labels := o.markerSize, o.labels
	switch {
	case size < 1 || size > 1000:
		return options, diag.Usage("--marker-size: a number from 1 to 1000 is expected, got %d",
			size)
	case len(labels) > 2:
		return options, diag.Usage("--label: two names are expected, of OURS and of THEIRS, got %d",
			len(labels))
	case o.ours && o.theirs:
		return options, diag.Usage("--ours and --theirs exclude each other")
	case strings.ContainsAny(strings.Join(labels, ""), "\r\n"):
		return options, diag.Usage("--label: a name cannot contain a newline")
	}
	options = textmerge.Options{
		Markers: o.conflictStyle.Value == "markers", MarkerSize: size, Ours: "ours",
		Theirs: "theirs",
	}
	if o.ours || o.theirs {
		options.Markers, options.Favour = false, textmerge.Ours
		if o.theirs {
			options.Favour = textmerge.Theirs
		}
	}
	for i, name := range []*string{&options.Ours, &options.Theirs} {
		if i < len(labels) {
			*name = labels[i]
		}
	}
	return options, nil
}

// read reads the files. OURS is read last, so that nothing is waited for while it is locked. The
// first name that implies a toolchain decides: --path, OURS, BASE, THEIRS.
func (m *merging) read(ctx context.Context, paths []string, path string) error {
	reader := do.Reader(m.set.settings, m.app.Streams)
	reader.Formats = m.set.executor.ToolchainsOf
	problems := make([]error, len(paths))
	m.base, problems[0] = reader.Unit(ctx, paths[0], "")
	m.theirs, problems[2] = reader.Unit(ctx, paths[2], "")
	if m.written {
		m.target = (&files.InPlace{}).Target(paths[1], true)
		reader.RegularOnly = true
		reader.Hold = m.app.Console().Hold(ctx, m.target, diag.FileName(paths[1]),
			func(write func()) {
				write()
			})
	}
	m.ours, problems[1] = reader.Unit(ctx, paths[1], "")
	if err := errors.Join(problems...); err != nil {
		return err
	}
	m.name = m.ours.File
	if path != "" {
		m.name, m.written = diag.FileName(path), true
		m.temporary = m.name != m.ours.File
	}
	for _, name := range []string{path, paths[1], paths[0], paths[2]} {
		if m.set.toolchain == "" && reader.Formats.Implied(name) {
			m.set.toolchain = reader.Formats.Toolchain(name, m.ours.Data)
		}
	}
	m.set.toolchain = cmp.Or(m.set.toolchain, api.ToolchainKubernetesYAML)
	return nil
}

// conclude reports conflicts, and a merge by lines, on the error stream.
func (m *merging) conclude(merged *textmerge.Merged, options textmerge.Options) error {
	for _, note := range append(m.notes(merged), settledNote(merged.Settled, options)...) {
		if !m.set.settings.Quiet {
			m.app.Console().Notes(m.name, api.Note{Message: note})
		}
	}
	if len(merged.Conflicts) == 0 {
		return nil
	}
	problems := m.conflicts(merged, options.Markers)
	problems.Sort()
	reportError(m.app, problems)
	if !m.set.settings.Quiet && !m.temporary { // git counts conflicts itself
		how := howToSettle(options)
		if options.Markers && m.target != nil {
			how = " between markers: edit them, or merge the former file with --ours or --theirs"
		}
		m.app.Console().Notes(m.name, api.Note{
			Message: diag.Count(len(problems), "conflict") + how,
		})
	}
	return diag.ExitError(diag.ExitNo)
}

// settledNote says how many conflicts --ours or --theirs settled.
func settledNote(settled int, options textmerge.Options) []string {
	if settled == 0 {
		return nil
	}
	side := map[textmerge.Side]string{textmerge.Ours: "OURS", textmerge.Theirs: "THEIRS"}
	return []string{diag.Count(settled, "conflict") + " settled in favour of " +
		side[options.Favour]}
}

// howToSettle says which flags settle conflicts, if none of them was given.
func howToSettle(options textmerge.Options) string {
	if options.Favour != textmerge.Neither {
		return ""
	}
	return "; --ours keeps the values of OURS, --theirs takes those of THEIRS"
}

// notes returns notes about a merge by lines and about MACs of SOPS that are outdated.
func (m *merging) notes(merged *textmerge.Merged) (notes []string) {
	if merged.ByLines != nil {
		notes = append(notes,
			m.secrets.Message("merged line by line: "+m.whyByLines(merged.ByLines)))
	}
	if merged.Outdated > 0 {
		notes = append(notes, sops.Outdated(merged.Outdated).Text())
	}
	return notes
}

// conflicts returns the conflicts with their positions, in words.
func (m *merging) conflicts(merged *textmerge.Merged, markers bool) diag.List {
	problems := make(diag.List, len(merged.Conflicts))
	for i, c := range merged.Conflicts {
		pos := c.Ours
		if m.written {
			pos = c.Pos
		}
		problems[i] = &api.Failure{Pos: api.Position{
			File: m.name, Line: pos.Line,
			Column: pos.Column,
		}, Message: m.masked(c.Value, m.conflictText(c, markers))}
	}
	return problems
}

// masked returns text, the description of a conflict, without secret values. value is nil for a
// conflict of lines.
func (m *merging) masked(value *api.MutationConflict, text string) string {
	if value == nil {
		return m.secrets.Message(text)
	}
	message, _ := strings.CutPrefix(text, value.Resource.String()+": ")
	return text[:len(text)-len(message)] +
		m.secrets.About(value.Resource.ResourceType, value.Path, message)
}

// conflictAt returns the file and line, and what is wrong there.
func conflictAt(err error) string {
	f := diag.Failures(err, api.FailureInput)[0]
	return fmt.Sprintf("%s:%d: %s", f.Pos.File, f.Pos.Line, f.Message)
}

// whyByLines returns what is wrong with which of the texts.
func (m *merging) whyByLines(err error) string {
	for _, text := range []struct {
		name string
		unit *source.InputUnit
	}{{"OURS", m.ours}, {"THEIRS", m.theirs}, {"BASE", m.base}} {
		if err := source.CheckConflict(text.unit); err != nil {
			return fmt.Sprintf("%s has a conflict of its own, %s", text.name, conflictAt(err))
		}
		failures, _ := m.set.executor.CheckDocuments(m.set.toolchain, text.unit.Data)
		if len(failures) > 0 {
			f := failures[0]
			return fmt.Sprintf("%s cannot be parsed, line %d: %s", text.name, f.Pos.Line, f.Message)
		}
	}
	return diag.Failures(err, api.FailureFunction)[0].Message
}

// shownLines is the number of lines printed of a conflict that the result shows between markers,
// too.
const shownLines = 5

// conflictText describes a conflict in words.
func (m *merging) conflictText(c textmerge.Conflict, markers bool) string {
	at := ""
	switch {
	case c.Theirs.Line == 0:
	case m.temporary:
		at = fmt.Sprintf("line %d", c.Theirs.Line)
	default:
		at = m.theirs.File + ":" + c.Theirs.String()
	}
	var text string
	switch {
	case c.Value != nil:
		theirs := "THEIRS"
		if at != "" {
			theirs += " (" + at + ")"
		}
		text = c.Value.Resource.String()
		if c.Value.Path != "" {
			text += ": " + mutation.PlainPath(c.Value.Path)
		}
		text += ": " + c.Value.Describe("OURS", theirs, markers)
		if len(c.Lines) > 0 && !markers {
			text += "; " + theirLines(c.Lines, "", len(c.Lines))
		}
		return text
	case c.Lost != "":
		text = "one side wrote a comment in what the other side deleted or replaced: " + c.Lost
	case len(c.Lines) == 0:
		text = "both sides changed this; THEIRS has nothing here"
	default:
		limit := len(c.Lines)
		if markers {
			limit = min(limit, shownLines)
		}
		return "both sides changed this; " + theirLines(c.Lines, at, limit)
	}
	if at != "" {
		text += "; THEIRS: " + at
	}
	return text
}

// theirLines joins lines of THEIRS into one line, up to a limit, with their position. Their
// relative indentation is kept.
func theirLines(list []string, at string, limit int) string {
	indent := -1
	for _, l := range list {
		if text := strings.TrimLeft(l, " "); strings.TrimSpace(text) != "" &&
			(indent < 0 || len(l)-len(text) < indent) {
			indent = len(l) - len(text)
		}
	}
	var shown []string
	for _, l := range list[:limit] {
		l = strings.TrimRight(l, " \t\r\n")
		shown = append(shown, l[min(max(indent, 0), len(l)):])
	}
	if at != "" {
		at = " (" + at + ")"
	}
	text := "THEIRS" + at + " has: " + strings.Join(shown, " | ")
	if n := len(list) - limit; n > 0 {
		text += " | and " + diag.Count(n, "line") + " more"
	}
	return text
}
