package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/plan"
	"github.com/fctl-dev/fctl/internal/report"
	"github.com/fctl-dev/fctl/internal/settings"
	"github.com/fctl-dev/fctl/internal/sink"
	"github.com/fctl-dev/fctl/internal/source"
)

func (a *App) newDo() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "do [flags] FILE UNIT FUNCTION [ARG...] [then FUNCTION [ARG...]]...",
		Short: "Run functions on a file",
		Long: `Run a chain of functions on the configuration in FILE, or on the standard input
when FILE is "-", and print the result. UNIT is the name of the configuration.

From FUNCTION on, the word "then" starts the next function, --param=value or
--param value is an argument by its name, other flags are those of fctl, and
every other word is an argument. After "--" all words are arguments.

An argument file:PATH is the content of that file (file:- the standard input),
template: and cel: are evaluated for the unit, text: takes the rest as it is.`,
		Example: `  fctl do deployment.yaml MyUnit set-replicas 5
  fctl do deployment.yaml MyUnit set-replicas 5 then set-image web nginx:1.27
  fctl do -o output deployment.yaml MyUnit get-image '*'
  cat deployment.yaml | fctl do - MyUnit set-replicas --replicas=5`,
	}
	flags := cmd.Flags()
	// Words from FUNCTION on are not pflag's to decide.
	flags.SetInterspersed(false)
	flags.StringP("output", "o", "auto", "what is printed: auto, data (or yaml), output (or json), full")
	flags.Bool("data-only", false, "print the configuration, changed or not: -o data")
	flags.Bool("output-only", false, "print what the functions return: -o output")
	flags.Bool("keep-going", false, "run the functions after one that failed too")
	flags.String("toolchain", "", "what FILE holds (default: by its extension, else Kubernetes/YAML)")
	flags.StringSlice("context", nil, "what functions know of the unit: space=, space-id=, unit-id=, organization-id=, revision-num=, unit-label.KEY=")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return a.do(cmd.Context(), cmd, words)
	}
	return cmd
}

// do is the whole of the command: settings, plan, source, executor, report, sink.
func (a *App) do(ctx context.Context, cmd *cobra.Command, words []string) error {
	target, err := splitTarget(cmd, words)
	if err != nil || target.help {
		return target.helpOr(cmd, err)
	}
	s, err := a.settings(cmd.Flags())
	if err != nil {
		return err
	}
	executor, err := a.executor()
	if err != nil {
		return err
	}
	reader := &source.Reader{In: a.Streams.In, Toolchain: api.ToolchainType(s.Toolchain)}
	var unit *source.Unit
	toolchain, sure := reader.Toolchain, reader.Toolchain != ""
	if !sure {
		toolchain, sure = source.ToolchainByName(target.file)
	}
	if !sure {
		if unit, err = reader.Unit(ctx, target.file, target.unit); err != nil {
			return err
		}
		toolchain = unit.Toolchain
	}
	if err := supported(toolchain, executor.Toolchains()); err != nil {
		return err
	}

	chain, problems := a.resolve(ctx, target, toolchain, executor, reader, flagTaker{cmd})
	if help, _ := cmd.Flags().GetBool("help"); help {
		return cmd.Help()
	}
	// Flags after FUNCTION count like those before it.
	if s, err = a.settings(cmd.Flags()); problems != nil {
		return problems
	}
	if err != nil {
		return err
	}
	format, err := formatOf(cmd, s)
	if err != nil {
		return err
	}
	if unit == nil {
		if target.file == "-" && a.Streams.InIsTerminal() {
			return a.wouldWait(cmd)
		}
		if unit, err = reader.Unit(ctx, target.file, target.unit); err != nil {
			return err
		}
	}
	return a.run(ctx, executor, unit, chain, format, s)
}

// resolve makes the chain of the words from the function on.
func (a *App) resolve(ctx context.Context, t target, toolchain api.ToolchainType, executor *functions.Executor, reader *source.Reader, flags plan.Flags) (*plan.Plan, error) {
	walk := &plan.Walk{
		Toolchain: toolchain, Functions: executor, Flags: flags,
		ReadFile: func(path string) ([]byte, error) {
			if path == "-" && t.file == "-" {
				return nil, diag.Usage("the standard input can be read once only, and it is FILE already")
			}
			return reader.Bytes(ctx, path)
		},
	}
	if problem := walk.CheckUnit(t.file, t.unit, t.words); problem != nil {
		return nil, problem
	}
	if t.problem != nil {
		return nil, t.problem
	}
	return walk.Resolve(t.words)
}

// run executes the chain on the unit and prints the result.
func (a *App) run(ctx context.Context, executor *functions.Executor, unit *source.Unit, chain *plan.Plan, format report.Format, s *settings.Settings) error {
	response, err := executor.Invoke(ctx, &api.FunctionInvocationRequest{
		FunctionContext:     plan.Context(s, unit.Name, unit.Toolchain),
		ConfigData:          unit.Data,
		InParts:             true,
		StopOnError:         !s.KeepGoing,
		FunctionInvocations: chain.Invocations,
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		failures := diag.Failures(err, api.FailureInput)
		return diag.In(unit.File, failures)
	}
	report.Locate(response.Outputs, unit.File)
	payload, notes, err := report.Render(format, chain.Signatures, response)
	if err != nil {
		return diag.In(unit.File, diag.Failures(err, api.FailureFunction))
	}
	if err := (sink.Stdout{W: a.Streams.Out}).Write(payload...); err != nil {
		return diag.Failures(err, api.FailureFunction)
	}
	if !s.Quiet {
		a.note("", s.Notes)
		a.note("", chain.Notes)
		a.note(unit.File, append(response.Notes, notes...))
	}
	switch {
	case !response.Success:
		if s.Debug {
			a.stacks(response.Failures)
		}
		return diag.In(unit.File, response.Failures)
	case response.ValidationFailed:
		return errNo
	}
	return nil
}

// formatOf is what -o, its short forms and the settings say.
func formatOf(cmd *cobra.Command, s *settings.Settings) (report.Format, error) {
	flags := cmd.Flags()
	dataOnly, _ := flags.GetBool("data-only")
	outputOnly, _ := flags.GetBool("output-only")
	switch {
	case dataOnly && outputOnly, (dataOnly || outputOnly) && flags.Changed("output"):
		return "", diag.Usage("--output, --data-only and --output-only exclude each other")
	case dataOnly:
		return report.Data, nil
	case outputOnly:
		return report.Output, nil
	}
	format, err := report.ParseFormat(s.Output)
	if err != nil {
		return "", diag.Usage("%w", err)
	}
	return format, nil
}

// wouldWait is what `fctl do -` says on a terminal, where it would wait for
// somebody to type a manifest.
func (a *App) wouldWait(cmd *cobra.Command) error {
	cmd.SetOut(a.Streams.ErrOut)
	if err := cmd.Help(); err != nil {
		return err
	}
	return diag.UsageHint("cat FILE | fctl do - UNIT FUNCTION", "the standard input is a terminal")
}

// flagTaker lets the walk set the command's flags.
type flagTaker struct{ cmd *cobra.Command }

// Take implements plan.Flags.
func (t flagTaker) Take(words []string) (int, error) {
	flags := t.cmd.Flags()
	flag, needsValue := lookupFlag(flags, words[0])
	if flag == nil {
		return 0, nil
	}
	if flag.Name == "toolchain" {
		return 1, diag.UsageHint("fctl do --toolchain=... FILE UNIT FUNCTION", "--toolchain must stand before FUNCTION")
	}
	n := 1
	if needsValue && len(words) > 1 {
		n = 2
	}
	if err := flags.Parse(words[:n]); err != nil {
		return n, flagProblem(t.cmd, err)
	}
	return n, nil
}

// Names implements plan.Flags.
func (t flagTaker) Names() []string { return flagNames(t.cmd.Flags()) }
