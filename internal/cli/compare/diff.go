package compare

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fatih/color"
	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/knowledge/sensitive"
	"github.com/fctl-dev/fctl/internal/out/report"
	"github.com/fctl-dev/fctl/internal/source"
)

// diffFlags are the flags of diff.
type diffFlags struct {
	output      *command.Choice
	showSecrets bool
	exitZero    bool
	ignore      []string
	live        bool
	selection   do.Selection
}

const diffHelp = `Show how the configuration in B differs from A: resource by resource, value by
value. Elements of lists are matched by their merge keys. Differences in
comments, order of keys and layout do not count; a note mentions them if the
values are equal. A and B are two files, one of which may be "-", two
directories, or two git revisions. A REVISION alone is compared with the working
tree; A..B and A...B, from where they diverged, are those of git. PATHs limit
the comparison to files and directories of the repository.

The status is 0 if the values are equal and 1 if they differ, unless
--exit-zero is given. With it, git calls fctl diff for each file:

  GIT_EXTERNAL_DIFF='fctl diff --exit-zero' git diff

In directories and revisions, all files are compared, in every format. In
directories, a file whose name implies no format is compared, too: by value if
it has Kubernetes resources, else by its bytes. So are symbolic links, by their
targets. With --toolchain X only the files of X are compared. A file is compared
with the file that has the same path or, if it was renamed, with the file that
it was: one with a resource in common or, without resources, with half of its
lines. A Kubernetes resource that has moved to another file is found if it is
the only one with its type and name. The resources of a file that only one side
has are added or deleted. A .gitignore or .fctlignore excludes nothing in
directories. In revisions, files that a .fctlignore excludes, or that git does
not track, are not compared.

Values of Secrets are masked, unless --show-secrets is given. In a pipe or file,
-o mutations and -o patch print them. See 'fctl help secrets'.

--ignore leaves out values, with what becomes empty without them: at a PATH
('fctl help paths'), or at RESOURCE:PATH. RESOURCE is a type or kind, with or
without a name, and * in a name is any text: Deployment:spec.replicas,
v1/Service:shop/web:spec.ports, Secret/db-*:data. Without a path it is the whole
resource: Secret/db-*, or Event: for all Events. --ignore file:FILE reads a file
with one entry on each line; lines that begin with # do not count.

--live compares a manifest with the exported object (kubectl get -o yaml), in
any order, as applying the manifest would change it: fields that servers set are
left out, and of the object what the manifest does not say, unless it was
applied before (last-applied-configuration). An object is exported if it has a
uid or a resourceVersion; two exported objects are compared as a whole, without
what servers set. These fields are the attribute server-set ('fctl listpaths
--attribute server-set'); the function clean-exported deletes them. kubectl
calls fctl diff with

  KUBECTL_EXTERNAL_DIFF='fctl diff --live' kubectl diff -f apps/

-o mutations prints JSON, like fctl do -o mutations. -o patch prints a patch for
the function patch-mutations, which turns the values of A into those of B:

  fctl diff -o patch a.yaml b.yaml > patch.json
  fctl do a.yaml patch-mutations [] file:patch.json`

// NewDiff returns the command diff.
func NewDiff(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff [flags] {A B | REVISION [REVISION]} [-- PATH...]",
		Short: "Compare configuration, value by value",
		Long:  diffHelp,
		Example: `  fctl diff staging.yaml production.yaml
  fctl diff base/ overlay/
  fctl diff base/ overlay/ --kind Deployment -n shop
  fctl diff HEAD~1
  fctl diff main...HEAD -o table -- apps/
  git show HEAD:deployment.yaml | fctl diff - deployment.yaml
  fctl diff staging/ production/ --ignore spec.replicas --ignore Secret:data
  kubectl get deploy web -o yaml | fctl diff --live - deployment.yaml
  fctl diff -o patch staging.yaml production.yaml`,
	}
	o := &diffFlags{}
	o.output = command.AddOutput(cmd.Flags(),
		"text, table, mutations (JSON), patch (JSON for patch-mutations)",
		"text", "table", "mutations", "patch")
	command.AddSelectors(cmd.Flags(), &o.selection)
	command.AddShowSecrets(cmd.Flags(), &o.showSecrets)
	cmd.Flags().BoolVar(&o.exitZero, "exit-zero", false, "end with status 0 if the values differ")
	cmd.Flags().StringArrayVar(&o.ignore, "ignore", nil,
		"leave out the values at `PATHS`: PATH, RESOURCE:PATH or "+
			"file:FILE with one on each line; can be repeated")
	cmd.Flags().BoolVar(&o.live, "live", false,
		"compare manifests with exported objects: leave out what servers add")
	command.AddToolchainFlags(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		err := compare(cmd.Context(), a, cmd, o, words)
		if o.exitZero && errors.Is(err, diag.ExitError(diag.ExitNo)) {
			return nil
		}
		return err
	}
	cmd.ValidArgsFunction = command.CompleteFiles(2)
	return cmd
}

// printDifferences compares the pairs and prints the differences.
func (c *diffRun) printDifferences() error {
	versions, printer := c.versions(), c.printer()
	stdout := c.app.Streams.Out
	onTerminal := c.app.Streams.OutIsTerminal() // also JSON is for people there
	if onTerminal || printer.ForPeople() {
		stdout = c.app.Streams.Text()
	}
	out := files.NewStream(stdout)
	status, inLayout := diag.ExitDone, 0
	maps.DeleteFunc(c.others, func(_ string, h [2]string) bool {
		return h[0] == h[1] || c.selected.Selects()
	})
	if len(c.others) > 0 {
		status = diag.ExitNo
	}
	var notes [][]api.Note // by pair
	for i, d := range c.executor.Diff(versions, detailFor(printer), c.selected) {
		p := &c.pairs[i]
		c.show(p, d)
		notes = append(notes, nil)
		if d.Err != nil {
			problems := p.problems(c.executor, d.Err)
			c.problems = append(c.problems, c.secrets(versions[i]).Failures(problems)...)
			continue
		}
		if c.flags.output.Value == "patch" {
			problems, err := p.ambiguous(c.executor, d.Mutations)
			if err != nil {
				return err
			}
			if len(problems) > 0 {
				c.problems = append(c.problems, problems...)
				continue
			}
		}
		if len(d.Mutations) > 0 {
			status = diag.ExitNo
		}
		notes[i] = c.moves(p, d)
		if c.selected.All() && len(d.Mutations)+len(d.Moved) == 0 && !p.renamed() && p.before != nil &&
			p.after != nil &&
			!bytes.Equal(p.before.Data, p.after.Data) {
			inLayout++
		}
		result := p.result(d.Mutations)
		if onTerminal || printer.MasksValues(result) {
			result.Secrets = c.secrets(versions[i])
			result.Response.Mutations = result.Secrets.Mutations(d.Mutations)
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
	if err := out.Flush(); err != nil && !errors.Is(err, files.ErrGone) {
		return diag.Failures(err, api.FailureFunction)
	}
	if !c.settings.Quiet {
		for i := range notes {
			c.app.Console().Notes(c.pairs[i].unit().File, notes[i]...)
		}
		c.noteRest(inLayout)
	}
	if len(c.problems) > 0 {
		c.app.Console().Problems(c.problems)
		status = max(status, diag.ExitStatus(c.problems, api.FailureUsage))
	}
	if status != diag.ExitDone {
		return diag.ExitError(status)
	}
	return nil
}

// limited returns the expressions of the flags that select resources.
func (c *diffRun) limited(ctx context.Context) (functions.Only, error) {
	of, err := c.flags.selection.Resolved(do.NewTypeNames(c.executor))
	if err != nil {
		return functions.Only{}, err
	}
	toolchain := cmp.Or(c.toolchain, api.ToolchainKubernetesYAML)
	if err := c.executor.CheckWhereResource(toolchain, of.Where); err != nil {
		return functions.Only{}, diag.Usage("--where-resource: %w", err)
	}
	if of.CEL != "" {
		if err := c.executor.CheckWhereCEL(toolchain, of.CEL); err != nil {
			return functions.Only{}, diag.Usage("--where-cel: %w", err)
		}
	}
	ignore, err := command.Places(ctx, c.reader, c.app.Dir, "ignore", c.flags.ignore)
	if err != nil {
		return functions.Only{}, err
	}
	return functions.Only{
		WhereResource: of.Where, WhereCEL: of.CEL, Ignore: ignore, Live: c.flags.live,
	}, nil
}

// detailFor returns how much differences tell: programs get each leaf of a new map, people the map.
func detailFor(printer *report.Printer) functions.Detail {
	if printer.ForPeople() {
		return functions.NewMaps
	}
	return functions.NewLeaves
}

// versions returns the texts of the pairs.
func (c *diffRun) versions() []functions.Versions {
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
	return versions
}

// result returns the mutations of the pair as what a function returned.
func (p *pair) result(mutations api.ResourceMutationList) report.Result {
	return report.Result{
		Unit: p.unit().Name, File: p.unit().File, Toolchain: p.unit().Toolchain,
		Response: &handler.Result{FunctionInvocationResponse: api.FunctionInvocationResponse{
			Success:   true,
			Mutations: mutations,
		}},
	}
}

// moves returns notes about the file of p, if it was renamed, and about resources that were moved
// there from others.
func (c *diffRun) moves(p *pair, d functions.Difference) (notes []api.Note) {
	if p.renamed() {
		notes = append(notes, api.Note{Message: "renamed from " + p.before.File})
	}
	for _, m := range d.Moved {
		from := c.pairs[m.From].before.File
		notes = append(notes,
			api.Note{Message: fmt.Sprintf("%s moved here from %s", m.Resource, from)})
	}
	return notes
}

// printer returns what prints the differences. Text is what a terminal shows, also in a pipe.
func (c *diffRun) printer() *report.Printer {
	streams := c.app.Streams
	p := &report.Printer{
		Format: report.Mutations, Several: c.several,
		Terminal: report.Terminal{
			Interactive: c.flags.output.Value == "text", Head: streams.OutStyle(color.Bold),
			Diff: do.DiffStyle(streams),
		},
	}
	if c.flags.output.Value == "table" {
		p.Format = report.Table
		p.Terminal.Interactive, p.Terminal.Width = streams.OutIsTerminal(), streams.Width()
	}
	return p
}

// show keeps the names in a difference readable, though a Secret has a value that is a part of them.
func (c *diffRun) show(p *pair, d functions.Difference) {
	for _, unit := range []*source.InputUnit{p.before, p.after} {
		if unit != nil {
			c.app.Show(unit.File, d.Mutations)
		}
	}
}

// secrets returns the secret values in the versions of a unit, nil if they may be shown.
func (c *diffRun) secrets(v functions.Versions) *sensitive.Values {
	if c.flags.showSecrets {
		return nil
	}
	values := c.executor.Sensitive(v.Toolchain, [][]byte{v.Before, v.After})
	c.app.Hide(values, false)
	return values
}

// noteRest notes files that differ only in layout, and files that were skipped.
func (c *diffRun) noteRest(inLayout int) {
	var notes []api.Note
	switch {
	case inLayout > 0 && !c.several:
		notes = append(notes, api.Note{Message: "the values are equal; comments, order or layout " +
			"differ"})
	case inLayout > 0:
		notes = append(notes, api.Note{Message: "in " + diag.Count(inLayout, "file") +
			" the values are equal; comments, order or layout differ"})
	}
	for _, path := range slices.Sorted(maps.Keys(c.others)) {
		why := " differs; its format is not known, so only its bytes are compared"
		if both := c.others[path]; strings.HasPrefix(both[0]+both[1], linkTo) {
			why = " differs; it is a symbolic link, so only its target is compared"
		}
		notes = append(notes, api.Note{Message: diag.Printable(path) + why})
	}
	if c.untracked > 0 {
		verb := " is"
		if c.untracked > 1 {
			verb = " are"
		}
		notes = append(notes, api.Note{Message: diag.Count(c.untracked, "file") +
			" that git does not track" + verb + " not compared"})
	}
	if c.incomplete {
		notes = append(notes, api.Note{
			Message: "too many files were added and deleted to find those that were renamed and " +
				"changed",
		})
	}
	if text := do.SkippedFiles(c.skipped, c.settings.Verbose); text != "" {
		notes = append(notes, api.Note{Message: text})
	}
	c.app.Console().Notes("", notes...)
}

// problems returns why a pair could not be compared, each problem with its file.
func (p *pair) problems(executor *functions.Executor, err error) diag.List {
	var problems diag.List
	for _, u := range []*source.InputUnit{p.before, p.after} {
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
