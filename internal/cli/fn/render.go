package fn

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/runflags"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/source"
)

// renderFlags are the flags of fn render.
type renderFlags struct {
	app *command.App
	commonFlags
	meta   bool
	status bool
	shard  source.Shard

	compare compareFlag
}

func newRender(a *command.App) *cobra.Command {
	o := &renderFlags{app: a}
	cmd := &cobra.Command{
		Use:   "render [flags] [DIR]",
		Short: "Run the pipelines of the Kptfiles in a directory",
		Long: `Run the pipeline in the Kptfile of DIR, and before it those of the packages below
it, and write what they return to the files. DIR is the working directory if it
is left out.

The mutators of a package run on its resources and on those of the packages
below it, one after the other; then the validators, whose changes are dropped.
The pipelines are checked before the first function runs. The first function
that fails ends the rendering, and nothing is written.

--shard I/N renders a part of the packages, so that N machines share the work: a
package with a pipeline and those below it are one piece. Together the parts are
what one run with --render-status=false writes.`,
		Example: `  fctl fn render apps
  fctl fn render apps --check
  fctl fn render apps -o unwrap | kubectl apply -f -`,
	}
	flags := cmd.Flags()
	addMetaFlag(flags, &o.meta)
	flags.BoolVar(&o.status, "render-status", true,
		"record in the status of the Kptfile what the functions did, when files are written")
	command.AddShard(flags, &o.shard)
	o.compare.add(flags)
	o.add(flags)
	cmd.RunE = o.run
	cmd.ValidArgsFunction = command.CompleteFiles(1)
	return cmd
}

func (o *renderFlags) run(cmd *cobra.Command, words []string) error {
	ctx := cmd.Context()
	dir, err := pathWord(cmd, words, ".")
	switch {
	case err != nil:
		return err
	case dir == "-":
		return diag.Usage("a directory with a Kptfile is expected, not the standard input")
	}
	if err := o.compare.validate(cmd.Flags()); err != nil {
		return err
	}
	r, version, err := o.start(o.app, cmd, false)
	if err != nil {
		return err
	}
	if o.compare.on {
		return r.compare(func(builtin bool) (*made, error) {
			p, rendered, err := o.render(ctx, r, dir, version, o.execution.Builtin(builtin))
			if rendered == nil {
				return nil, err
			}
			return &made{p, rendered.Items, rendered.Results, err}, nil
		})
	}
	p, rendered, err := o.render(ctx, r, dir, version, &o.execution)
	if rendered == nil {
		return err
	}
	failed := r.outcome(ctx, &o.results, p.Root, p.Items(), rendered.Results, err)
	if failed != nil && !(rendered.SaveOnFailure && err != nil) {
		return failed
	}
	if o.status && o.shard.IsWhole() && !o.output.elsewhere() {
		if err := setStatus(p, rendered, r.masked(err), o.results.file()); err != nil {
			return err
		}
	}
	if err := r.emit(ctx, p, rendered.Items, rendered.Results, &o.output); err != nil {
		return errors.Join(failed, err)
	}
	if failed == nil {
		r.note("", fmt.Sprintf("%s in %s", diag.Count(executed(rendered.Results), "function"),
			diag.Count(rendered.Packages, "package")))
	}
	return failed
}

// render renders the package in a directory. The error without a rendering is one because of which
// none began.
func (o *renderFlags) render(ctx context.Context, r *runner, dir, version string,
	execution *runflags.Flags,
) (*krm.Package, *krm.Rendered, error) {
	p, err := r.readPackage(ctx, dir, krm.ReadOptions{Kptfile: true})
	if err != nil {
		return nil, nil, err
	}
	if err := r.noteOthers(p); err != nil {
		return nil, nil, err
	}
	executors, err := execution.Executors(ctx, r.app, r.settings,
		source.InDirectory(o.app.Dir, dir), p.Items())
	if err != nil {
		return nil, nil, err
	}
	reporter := &stepReporter{runner: r, log: o.results.logSteps, truncate: o.results.truncate}
	render := &krm.Render{
		Pipeline: &krm.Pipeline{
			Provider: r.provider, Strict: r.settings.Strict,
			KeepIO: o.results.keepIO != "", Started: reporter.started,
			Gave: r.hide,
		},
		Executors: executors, Meta: o.meta, Version: version, Shard: o.shard,
		Ended: func(dir string, results []*krm.StepResult) { reporter.endedPackage(dir, results) },
	}
	rendered, err := render.Run(ctx, p.Items())
	if rendered == nil {
		err = located(p, err)
	}
	return p, rendered, err
}

// setStatus records the rendering in the Kptfile, why it failed, and the file with all results. A rendering that succeeded and
// changed nothing does not change the status either.
func setStatus(p *krm.Package, rendered *krm.Rendered, failed error, file string) error {
	if failed == nil && rendered.HasStatus() {
		changes, err := p.Changes(rendered.Items)
		if err != nil || len(changes) == 0 {
			return err
		}
	}
	return rendered.SetStatus(failed, file)
}

// located adds the directory of a package to an error without a file.
func located(p *krm.Package, err error) error {
	for _, f := range diag.Failures(err, 0) {
		if f.Class == 0 {
			return diag.Input(diag.FileName(p.Root), "fctl fn eval and fctl fn run need no "+
				"Kptfile", err)
		}
	}
	return err
}

// executed counts the functions that were not skipped.
func executed(results []*krm.StepResult) int {
	n := 0
	for _, r := range results {
		if r.Skipped == "" {
			n++
		}
	}
	return n
}

// endedPackage reports the functions of a package.
func (r *stepReporter) endedPackage(dir string, results []*krm.StepResult) {
	if len(results) == 0 {
		return
	}
	if !r.settings.Quiet {
		_, _ = fmt.Fprintf(r.app.Streams.ErrOut, "Package %q:\n", dir)
	}
	for _, s := range results {
		r.ended(s)
	}
}
