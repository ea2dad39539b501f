package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/fatih/color"
	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/sensitive"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/cli/app"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/report"
	"github.com/fctl-dev/fctl/internal/run"
	"github.com/fctl-dev/fctl/internal/sink"
	"github.com/fctl-dev/fctl/internal/source"
)

// diffFlags are the flags of diff.
type diffFlags struct {
	output      *app.Choice
	showSecrets bool
}

func newDiff(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff [flags] A B",
		Short: "Compare configuration, value by value",
		Long: `Show how the configuration in B differs from A: resource by resource, value by
value. Elements of lists are matched by their merge keys. Differences in
comments, order of keys and layout do not count; a note mentions them if the
values are equal. A and B are two files, one of which may be "-", or two
directories.

The status is 0 if the values are equal and 1 if they differ.

In directories, all files below them are compared, in every format. With
--toolchain X only the files of X are compared. A file is compared with the file
that has the same path. A Kubernetes resource that has moved to another file is
found if it is the only one with its type and name. The resources of a file that
only one of the directories has are added or deleted.

Values of Secrets are masked, unless --show-secrets is given. -o mutations and
-o patch print them. See 'fctl help secrets'.

-o mutations prints JSON, like fctl do -o mutations. -o patch prints a patch for
the function patch-mutations, which turns the values of A into those of B:

  fctl diff -o patch a.yaml b.yaml > patch.json
  fctl do a.yaml MyUnit patch-mutations [] file:patch.json`,
		Example: `  fctl diff staging.yaml production.yaml
  fctl diff base/ overlay/
  git show HEAD:deployment.yaml | fctl diff - deployment.yaml
  fctl diff -o patch staging.yaml production.yaml`,
	}
	o := &diffFlags{}
	o.output = app.AddOutput(cmd.Flags(), "text, mutations (JSON), patch (JSON for patch-mutations)",
		"text", "mutations", "patch")
	app.AddShowSecrets(cmd.Flags(), &o.showSecrets)
	addToolchainFlags(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return compareFiles(cmd.Context(), a, cmd, o, words)
	}
	cmd.ValidArgsFunction = app.CompleteFiles(2)
	return cmd
}

// comparison is one run of diff.
type comparison struct {
	app      *app.App
	flags    *diffFlags
	set      functionSet
	reader   *source.Reader
	pairs    []pair
	several  bool
	problems diag.List
	skipped  []source.Skipped
}

// pair is a unit in A and in B. One of them may be nil.
type pair struct{ before, after *source.Unit }

// unit returns the version that names the pair: B's, or A's if B has none.
func (p *pair) unit() *source.Unit {
	if p.after != nil {
		return p.after
	}
	return p.before
}

func compareFiles(
	ctx context.Context, a *app.App, cmd *cobra.Command, o *diffFlags, words []string,
) error {
	if len(words) != 2 {
		return diag.UsageHint("fctl diff A B, as in: fctl diff staging.yaml production.yaml",
			"two files or directories are expected, got %d words", len(words))
	}
	set, err := loadFunctions(a, cmd)
	if err != nil {
		return err
	}
	c := &comparison{app: a, flags: o, set: set, reader: run.Reader(set.settings, a.Streams)}
	c.reader.Toolchain = set.toolchain
	if err := c.read(ctx, cmd, source.InDirectory(a.Dir, words[0]),
		source.InDirectory(a.Dir, words[1])); err != nil {
		return err
	}
	if o.output.Value == "patch" && c.several {
		return diag.UsageHint("fctl diff -o patch A/FILE B/FILE",
			"a patch describes one file, not directories")
	}
	return c.printDifferences()
}

// read reads the two files or directories.
func (c *comparison) read(ctx context.Context, cmd *cobra.Command, a, b string) error {
	switch aDir, bDir := isDirectory(a), isDirectory(b); {
	case a == "-" && b == "-":
		return diag.Usage("A and B cannot both be the standard input")
	case aDir && bDir:
		c.several = true
		return c.directories(ctx, a, b)
	case aDir || bDir:
		directory, file := a, b
		if bDir {
			directory, file = b, a
		}
		if _, err := os.Stat(file); file != "-" && err != nil {
			_, err = c.reader.Unit(ctx, file, "")
			return err
		}
		return diag.UsageHint("compare two files, or two directories", "%s is a directory, and %s is not",
			diag.FileName(directory), diag.FileName(file))
	case a == "-" || b == "-":
		if err := c.app.RejectTerminal(cmd); err != nil {
			return err
		}
	}
	before, errBefore := c.reader.Unit(ctx, a, "")
	after, err := c.reader.Unit(ctx, b, "")
	if err = errors.Join(errBefore, err); err != nil {
		return err
	}
	if before.Toolchain != after.Toolchain {
		switch { // a file whose name implies no toolchain gets that of the other
		case !source.NameImpliesToolchain(a):
			before.Toolchain = after.Toolchain
		case !source.NameImpliesToolchain(b):
			after.Toolchain = before.Toolchain
		default:
			return diag.UsageHint("set --toolchain for both files", "%s is %s, and %s is %s",
				before.File, before.Toolchain, after.File, after.Toolchain)
		}
	}
	err = errors.Join(source.CheckConflict(before), source.CheckConflict(after))
	if err != nil {
		return err
	}
	c.pairs = []pair{{before, after}}
	return run.Supported(before.Toolchain, c.set.executor.Toolchains())
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return path != "-" && err == nil && info.IsDir()
}

// directories pairs the files in two directories by their paths.
func (c *comparison) directories(ctx context.Context, a, b string) error {
	pairs := map[string]*pair{}
	for i, dir := range []string{a, b} {
		finder := &source.Finder{
			Dir: dir, Recursive: true, Toolchain: c.reader.Toolchain,
			AnyFormat: c.reader.Toolchain == "", Temporary: sink.IsTemporary,
		}
		found, err := finder.Find(ctx, []string{"."})
		if err != nil {
			return err
		}
		c.skipped = append(c.skipped, found.Skipped...)
		for _, f := range found.Files {
			unit, err := (*source.Unit)(nil), f.Problem
			if err == nil {
				unit, err = c.reader.Unit(ctx, f.Path, f.Unit)
			}
			if err != nil {
				c.problems = append(c.problems, diag.Failures(err, api.FailureInput)...)
				continue
			}
			if pairs[f.Rel] == nil {
				pairs[f.Rel] = &pair{}
			}
			if i == 0 {
				pairs[f.Rel].before = unit
			} else {
				pairs[f.Rel].after = unit
			}
		}
	}
	for _, rel := range slices.Sorted(maps.Keys(pairs)) {
		p := *pairs[rel]
		if u := p.unit(); run.Supported(u.Toolchain, c.set.executor.Toolchains()) != nil {
			c.skipped = append(c.skipped, source.Skipped{Path: u.File, Reason: source.NoFunction})
			continue
		}
		c.pairs = append(c.pairs, p)
	}
	return nil
}

// printDifferences compares the pairs and prints the differences.
func (c *comparison) printDifferences() error {
	versions := make([]functions.Versions, len(c.pairs))
	for i, p := range c.pairs {
		v := &versions[i]
		v.Toolchain = p.unit().Toolchain
		if p.before != nil {
			v.Before = p.before.Data
		}
		if p.after != nil {
			v.After = p.after.Data
		}
	}
	printer := &report.Printer{
		Format: report.Mutations, Several: c.several,
		Terminal: report.Terminal{
			Interactive: c.flags.output.Value == "text", Head: c.app.Streams.OutStyle(color.Bold),
			Diff: run.DiffStyle(c.app.Streams),
		},
	}
	out := sink.NewStream(c.app.Streams.Out)
	status, inLayout := app.ExitDone, 0
	var notes [][]api.Note // by pair
	for i, d := range c.set.executor.Diff(versions) {
		p := &c.pairs[i]
		notes = append(notes, nil)
		if d.Err != nil {
			problems := p.problems(c.set.executor, d.Err)
			c.problems = append(c.problems, c.secrets(versions[i]).Failures(problems)...)
			continue
		}
		if c.flags.output.Value == "patch" {
			problems, err := p.ambiguous(c.set.executor, d.Mutations)
			if err != nil {
				return err
			}
			if len(problems) > 0 {
				c.problems = append(c.problems, problems...)
				continue
			}
		}
		if len(d.Mutations) > 0 {
			status = app.ExitNo
		}
		for _, m := range d.Moved {
			from := c.pairs[m.From].before.File
			notes[i] = append(notes[i],
				api.Note{Message: fmt.Sprintf("%s moved here from %s", m.Resource, from)})
		}
		if len(d.Mutations)+len(d.Moved) == 0 && p.before != nil && p.after != nil &&
			!bytes.Equal(p.before.Data, p.after.Data) {
			inLayout++
		}
		result := report.Result{
			Unit: p.unit().Name, File: p.unit().File, Toolchain: p.unit().Toolchain,
			Response: &handler.Result{FunctionInvocationResponse: api.FunctionInvocationResponse{
				Success:   true,
				Mutations: d.Mutations,
			}},
		}
		if printer.MasksValues(result) {
			result.Secrets = c.secrets(versions[i])
		}
		rendered, err := printer.Render(result)
		if err != nil {
			return err
		}
		if err := out.Write(printer.Print(rendered)...); err != nil {
			break // Flush returns the error
		}
	}
	end, err := printer.End()
	if err != nil {
		return err
	}
	_ = out.Write(end...) // Flush returns the error
	if err := out.Flush(); err != nil && !errors.Is(err, sink.ErrGone) {
		return diag.Failures(err, api.FailureFunction)
	}
	if !c.set.settings.Quiet {
		for i := range notes {
			c.app.Console().Notes(c.pairs[i].unit().File, notes[i]...)
		}
		c.noteRest(inLayout)
	}
	if len(c.problems) > 0 {
		reportError(c.app, c.problems)
		status = max(status, app.ExitStatus(c.problems))
	}
	if status != app.ExitDone {
		return app.ExitError(status)
	}
	return nil
}

// secrets returns the secret values in the versions of a unit, nil if they may be shown.
func (c *comparison) secrets(v functions.Versions) *sensitive.Values {
	if c.flags.showSecrets {
		return nil
	}
	return c.set.executor.Sensitive(v.Toolchain, [][]byte{v.Before, v.After})
}

// noteRest notes files that differ only in layout, and files that were skipped.
func (c *comparison) noteRest(inLayout int) {
	var notes []api.Note
	switch {
	case inLayout > 0 && !c.several:
		notes = append(notes, api.Note{Message: "the values are equal; comments, order or layout differ"})
	case inLayout > 0:
		notes = append(notes, api.Note{Message: "in " + run.Count(inLayout, "file") +
			" the values are equal; comments, order or layout differ"})
	}
	if text := run.SkippedFiles(c.skipped, c.set.settings.Verbose); text != "" {
		notes = append(notes, api.Note{Message: text})
	}
	c.app.Console().Notes("", notes...)
}

// problems returns why a pair could not be compared, each problem with its file.
func (p *pair) problems(executor *functions.Executor, err error) diag.List {
	var problems diag.List
	for _, u := range []*source.Unit{p.before, p.after} {
		if u == nil {
			continue
		}
		if failures, err := executor.CheckDocuments(u.Toolchain, u.Data); err == nil {
			problems = append(problems, diag.In(u.File, failures)...)
		}
	}
	if len(problems) == 0 {
		problems = diag.In(p.unit().File, diag.Failures(err, api.FailureFunction))
	}
	return problems
}
