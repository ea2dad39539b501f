package fn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/runflags"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/fntest"
	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/source"
)

// testFlags are the flags of fn test.
type testFlags struct {
	app *command.App
	chosen
	update, asNobody bool
	showSecrets      bool
	execution        runflags.Flags
}

func newTest(a *command.App) *cobra.Command {
	o := &testFlags{app: a}
	cmd := &cobra.Command{
		Use:   "test [flags] DIR {--image IMAGE | --exec COMMAND | --function NAME}",
		Short: "Test a function on golden directories",
		Long: `Run a function on the golden directories in DIR and below it, and compare what it
returns with what is expected there. The layouts are those of the two SDKs:

  kyaml              config.yaml, input*.yaml, expected.yaml or errors.txt
  krm-functions-sdk  _fnconfig.yaml, _expected.yaml, other *.yaml are the input

Data is compared; layout and comments make no difference. Each line of errors.txt
must occur in what the function says when it fails. Each test runs twice: the
same input must give the same bytes. A function that loses comments is noted.

--update, or WRITE_GOLDEN_OUTPUT=1, writes what the function returns.`,
		Example: `  fctl fn test testdata --allow-exec --exec ./my-function
  fctl fn test testdata --image my-function:v1 --update`,
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.image, "image", "i", "", "test this `IMAGE`")
	flags.StringVar(&o.exec, "exec", "", "test this `COMMAND`, split into words as a shell does")
	flags.StringVar(&o.function, "function", "", "test fctl's own function of this `NAME`")
	flags.BoolVar(&o.update, "update", false, "write what the function returns as what is expected")
	flags.BoolVar(&o.asNobody, "as-nobody", false,
		"check that a program also works for the user nobody; only root can")
	command.AddShowSecrets(flags, &o.showSecrets)
	o.execution.Add(flags)
	cmd.RunE = o.run
	cmd.ValidArgsFunction = command.CompleteFiles(1)
	return cmd
}

// runTests runs a function on golden directories.
func (o *testFlags) run(cmd *cobra.Command, words []string) error {
	ctx, a := cmd.Context(), o.app
	dir, err := pathWord(cmd, words, "")
	if err != nil {
		return err
	}
	declared, err := o.declared(cmd, o.execution.Network, false)
	if err != nil {
		return err
	}
	if o.asNobody && (declared.Exec == "" || os.Geteuid() != 0) {
		return diag.Usage("--as-nobody is for programs, and only root can become nobody")
	}
	r, err := newRunner(a, cmd)
	if err != nil {
		return err
	}
	dir = source.InDirectory(a.Dir, dir)
	cases, err := fntest.Find(dir)
	if err != nil {
		return err
	}
	if len(cases) == 0 {
		return diag.UsageHint("'fctl fn test --help' shows the two layouts",
			"%s has no golden directory", diag.FileName(dir))
	}
	function, err := r.tested(ctx, o, declared, dir)
	if err != nil {
		return err
	}
	update := o.update || a.Streams.Getenv("WRITE_GOLDEN_OUTPUT") != ""
	if update {
		r.app.Writes.Begin()
		defer r.app.Writes.End()
	}
	options := fntest.Options{Update: update, Hide: r.hide, Secret: r.isSecret}
	if !o.showSecrets {
		options.Shown = r.shown
	}
	failed := 0
	var b strings.Builder
	for _, c := range cases {
		notes, err := c.Run(ctx, function, options)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if e, ok := errors.AsType[*fntest.NotWrittenError](err); ok {
			return do.NotWritten(diag.FileName(e.File), e.Err)
		}
		switch {
		case err != nil:
			failed++
			fmt.Fprintf(&b, "FAIL  %s\n      %s\n", c.Dir,
				strings.ReplaceAll(r.said(err), "\n", "\n      "))
		case update:
			fmt.Fprintf(&b, "wrote %s\n", c.Dir)
		default:
			fmt.Fprintf(&b, "ok    %s\n", c.Dir)
		}
		for _, note := range notes {
			r.note(diag.FileName(c.Dir), r.secrets().Message(note))
		}
	}
	if err := r.app.WriteText(b.String()); err != nil {
		return err
	}
	if failed > 0 {
		return diag.ExitError(diag.ExitNo)
	}
	return nil
}

// said returns the message of a test that failed, without secret values.
func (r *runner) said(err error) string {
	return strings.TrimSpace(r.secrets().Message(err.Error()))
}

// tested returns the function that is tested.
func (r *runner) tested(ctx context.Context, o *testFlags, declared *krm.Declared, dir string,
) (fntest.TestedFunction, error) {
	executors, err := o.execution.Executors(ctx, r.app, r.settings, dir, nil)
	if err != nil {
		return nil, err
	}
	if o.function != "" && !r.app.IsFunction(o.function) {
		return nil, diag.UsageHint("'fctl list' shows the functions", "unknown function %q",
			o.function)
	}
	executors.Own = func(name string) (krm.Function, error) {
		return func(ctx context.Context, list *krm.ResourceList) error {
			return r.configured(ctx, name, list)
		}, nil
	}
	step, _, err := executors.Resolve(ctx, declared, "")
	if err != nil {
		return nil, err
	}
	return func(
		ctx context.Context, config *krm.Item, items []*krm.Item,
	) (*fntest.TestOutput, error) {
		one := *step
		if config != nil {
			one.Config = config.Doc
		}
		pipeline := &krm.Pipeline{Provider: r.provider, Gave: r.hide, KeepIO: true}
		after, results, err := pipeline.Run(ctx, items, []*krm.Step{&one})
		if len(results) == 0 {
			return nil, err
		}
		result := results[0]
		output := &fntest.TestOutput{
			Items: after, Results: result.Results, Stderr: result.Stderr, Err: err,
			In: result.In, Raw: result.Out,
		}
		if o.asNobody {
			output.AsNobody = r.asNobody(declared)
		}
		return output, nil
	}, nil
}

// asNobody returns a function that runs a program as nobody, who must be able to reach it.
func (r *runner) asNobody(declared *krm.Declared,
) func(ctx context.Context, stdin []byte) ([]byte, error) {
	return func(ctx context.Context, stdin []byte) ([]byte, error) {
		dir, err := filepath.Abs(r.app.Dir)
		if err != nil {
			return nil, err
		}
		path, err := process.FindProgram(declared.Exec, dir, dir, true)
		if err != nil {
			return nil, err
		}
		p := &process.Program{Path: path, Args: declared.Args, Nobody: true, AnyDir: true}
		out, err := p.Run(ctx, process.Call{Dir: "/", Stdin: stdin})
		if err != nil && len(out.Stderr) > 0 {
			err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(out.Stderr))
		}
		return out.Stdout, err
	}
}

// configured runs one of fctl's own functions with the arguments in the data of a ConfigMap.
func (r *runner) configured(ctx context.Context, name string, list *krm.ResourceList) error {
	var arguments []string
	if list.FunctionConfig != nil {
		data := list.FunctionConfig.Value().Get("data")
		for _, v := range data.All() {
			arguments = append(arguments, v.Key()+"="+v.Text())
		}
	}
	function, err := r.ownFunction(ctx, name, arguments)
	if err != nil {
		return err
	}
	return function(ctx, list)
}
