package fn

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/source"
)

// runFlags are the flags of fn run.
type runFlags struct {
	app *command.App
	commonFlags
	image, exec string
	paths       []string
	global      bool
	selfDelete  bool
	below       bool
}

func newRun(a *command.App) *cobra.Command {
	o := &runFlags{app: a}
	cmd := &cobra.Command{
		Use:   "run [flags] [DIR|-] [-- [KIND] KEY=VALUE...]",
		Short: "Run the functions that the resources of a directory declare",
		Long: `Run the functions that resources in DIR declare, with metadata.configFn or the
annotation config.kubernetes.io/function, and write what they return to the
files. Without DIR, or when it is "-", a ResourceList is read from the standard
input and printed.

A function gets the resources in the directory of its file, and below; one in
the top directory gets all. Functions in deeper directories run first. The
functions of --fn-path, --image and --exec run in place of the declared ones,
and get all resources.

Nothing is written unless all functions succeed. A resource that no function
changed keeps its bytes. --diff, --check and --dry-run write nothing.`,
		Example: `  fctl fn run apps
  fctl fn run apps --check
  fctl fn run apps --allow-exec --fn-path functions
  fctl fn run apps --image set-namespace:v0.4 -- namespace=shop`,
	}
	flags := cmd.Flags()
	flags.StringVar(&o.image, "image", "", "run this `IMAGE`")
	flags.StringVar(&o.exec, "exec", "", "run this `COMMAND`, split into words as a shell does")
	flags.StringVar(&o.exec, "exec-path", "", "--exec")
	_ = flags.MarkHidden("exec-path")
	flags.StringArrayVar(&o.paths, "fn-path", nil,
		"run the functions that the resources in `DIR` declare")
	flags.BoolVar(&o.global, "global-scope", false, "give every function all resources")
	addSubpackagesFlag(flags, &o.below)
	flags.BoolVar(&o.selfDelete, "allow-self-delete", false,
		"let a function remove the resource that declares it")
	o.add(flags)
	cmd.RunE = o.run
	cmd.ValidArgsFunction = command.CompleteFiles(1)
	return cmd
}

// direct returns the function of --image or --exec, nil without these.
func (o *runFlags) direct() (*krm.Declared, error) {
	switch {
	case o.image != "" && o.exec != "":
		return nil, diag.Usage("--image and --exec exclude each other")
	case o.image != "":
		return &krm.Declared{Image: o.image, Network: o.execution.Network, Direct: true}, nil
	case o.exec == "":
		return nil, nil
	}
	program, args, err := splitCommand("--exec", o.exec)
	return &krm.Declared{Exec: program, Args: args, Direct: true}, err
}

func (o *runFlags) run(cmd *cobra.Command, words []string) error {
	ctx := cmd.Context()
	var inline []string
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		words, inline = words[:dash], words[dash:]
	}
	dir, err := pathWord(cmd, words, "-")
	if err != nil {
		return err
	}
	direct, err := o.direct()
	switch {
	case err != nil:
		return err
	case direct == nil && len(inline) > 0:
		return diag.Usage("arguments after -- need --image or --exec")
	}
	o.results.each = true
	r, version, err := o.start(o.app, cmd, dir == "-")
	if err != nil {
		return err
	}
	f := &foreignRun{runner: r, flags: o, direct: direct, inline: inline, version: version}
	if dir == "-" {
		return f.stream(ctx, cmd)
	}
	return f.files(ctx, dir, source.InDirectory(o.app.Dir, dir))
}

// foreignRun is one run of fn run.
type foreignRun struct {
	*runner
	flags     *runFlags
	direct    *krm.Declared
	inline    []string
	version   string
	executors *krm.Executors
}

// plan makes the steps: those of --fn-path and of the command line, or those that items declare.
func (f *foreignRun) plan(ctx context.Context, items []*krm.Item) ([]*krm.Step, error) {
	var steps []*krm.Step
	if f.direct == nil && len(f.flags.paths) == 0 {
		declared, err := krm.Declarations(items)
		if err != nil {
			return nil, err
		}
		return f.declared(ctx, declared, f.flags.global)
	}
	for _, path := range f.flags.paths {
		p, err := f.readPackage(ctx, path, krm.ReadOptions{})
		if err != nil {
			return nil, err
		}
		var declared []krm.DeclaredStep
		for _, item := range p.Items() {
			d, err := krm.Declaration(item)
			if err != nil {
				return nil, err
			}
			if d != nil {
				declared = append(declared, krm.DeclaredStep{Item: item, Declared: d})
			}
		}
		more, err := f.declared(ctx, declared, true)
		if err != nil {
			return nil, err
		}
		for _, step := range more {
			step.PathOf = krm.RootPath
		}
		steps = append(steps, more...)
	}
	if f.direct == nil {
		return steps, nil
	}
	step, _, err := f.executors.Resolve(ctx, f.direct, "")
	if err != nil {
		return nil, err
	}
	var config *gaby.YamlDoc
	if config, err = krm.InlineConfig(f.inline); err != nil {
		return nil, err
	}
	step.Config = config
	step.PathOf = krm.RootPath
	return append(steps, step), nil
}

// declared makes the steps of declared functions. All problems are reported before anything runs.
func (f *foreignRun) declared(ctx context.Context, declared []krm.DeclaredStep, global bool,
) ([]*krm.Step, error) {
	var steps []*krm.Step
	var problems []error
	for _, d := range declared {
		step, _, err := f.executors.Resolve(ctx, d.Declared, d.Item.Directory())
		if err != nil {
			problems = append(problems, d.Item.Located(err))
			continue
		}
		step.Declare(d.Item, global)
		if f.version != "" {
			step.Version = f.version
		}
		steps = append(steps, step)
	}
	return steps, errors.Join(problems...)
}

// run runs the functions on the items of a directory, which is "" for those of the standard input.
// finish writes the result.
func (f *foreignRun) run(ctx context.Context, root string, items []*krm.Item,
	finish func([]*krm.Item, []*krm.StepResult) error,
) (err error) {
	configured := items
	if root == "" {
		configured = nil // a stream has no FunctionConfigs of its own
	}
	f.executors, err = f.flags.execution.Executors(ctx, f.app, f.settings, root, configured)
	if err != nil {
		return err
	}
	steps, err := f.plan(ctx, items)
	if err != nil {
		return err
	}
	if len(steps) == 0 {
		f.note("", "no resource declares a function")
	}
	after, results, err := f.steps(ctx, items, steps, &f.flags.results, f.flags.selfDelete)
	deferred, isDeferred := errors.AsType[*krm.DeferredError](err)
	if isDeferred {
		err = nil
	}
	if err := f.outcome(ctx, &f.flags.results, root, items, results, err); err != nil {
		return err
	}
	if err := finish(after, results); err != nil {
		return err
	}
	if isDeferred {
		return f.report(deferred)
	}
	return nil
}

// report writes deferred failures with a line --- between them, and returns their status.
func (f *foreignRun) report(deferred *krm.DeferredError) error {
	status := diag.ExitDone
	for i, failure := range deferred.Unwrap() {
		if i > 0 {
			_, _ = io.WriteString(f.app.Streams.ErrOut, "---\n")
		}
		problems := diag.Failures(f.masked(failure), api.FailureFunction)
		f.app.Console().Problems(problems)
		status = max(status, diag.ExitStatus(problems, api.FailureUsage))
	}
	return diag.ExitError(status)
}

func (f *foreignRun) stream(ctx context.Context, cmd *cobra.Command) error {
	s, err := f.readStream(ctx, cmd)
	if err != nil {
		return err
	}
	return f.run(ctx, "", s.List.Items, func(items []*krm.Item, results []*krm.StepResult) error {
		return f.emitStream(ctx, s, items, results, &f.flags.output)
	})
}

func (f *foreignRun) files(ctx context.Context, dir, root string) error {
	p, err := f.readPackage(ctx, dir, krm.ReadOptions{All: true})
	if err != nil {
		return err
	}
	given, others := p.Items(), []*krm.Item(nil)
	if !f.flags.below {
		given, others = p.WithoutSubpackages(given)
	}
	return f.run(ctx, root, given, func(items []*krm.Item, results []*krm.StepResult) error {
		return f.emit(ctx, p, append(items, others...), results, &f.flags.output)
	})
}
