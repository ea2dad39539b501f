package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/plan"
	"github.com/fctl-dev/fctl/internal/run"
	"github.com/fctl-dev/fctl/internal/settings"
)

func (a *App) newDo() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "do [flags] {FILE UNIT | -f PATH...} FUNCTION [ARG...] [then FUNCTION [ARG...]]...",
		Short: "Run functions on files",
		Long: `Run a chain of functions on the configuration in FILE, or on the standard input
when FILE is "-", and print the result. UNIT is the name of the configuration.
With -f there can be several files, which give the units their names.

From FUNCTION on, the word "then" starts the next function, --param=value or
--param value is an argument by its name, other flags are those of fctl, and
every other word is an argument. After "--" all words are arguments, taken
literally, but for --param=value of a parameter of this function.

An argument file:PATH is the content of that file (file:- the standard input; a
URL file://... is literal), template: and cel: are evaluated for the unit, text:
takes the rest as it is.

--functions FILE runs the functions that FILE lists, before those on the command
line, of which there may then be none: "fctl help chains".

Nothing is written to a file without -i or -O: --diff shows what would change,
--check lists the files and ends with status 1, --dry-run counts. 'fctl help
files' tells which files are read and how they are written.

Values of Secrets are masked in messages, reports and tables, and in --diff and
-o mutations on a terminal; in a pipe these have the values: 'fctl help
secrets'.`,
		Example: `  fctl do deployment.yaml MyUnit set-replicas 5
  fctl do deployment.yaml MyUnit set-replicas 5 then set-container-image web nginx:1.27
  fctl do -n shop --kind Deployment all.yaml MyUnit set-replicas 0
  fctl do -o table deployment.yaml MyUnit get-container-image '*'
  fctl do --diff --functions release.yaml all.yaml MyUnit
  cat deployment.yaml | fctl do - MyUnit set-replicas --replicas=5
  fctl do -f apps/ -R --diff set-container-image web nginx:1.27
  fctl do -f 'apps/**/*.yaml' -i set-container-image web nginx:1.27`,
	}
	// Words from FUNCTION on are not pflag's to decide.
	cmd.Flags().SetInterspersed(false)
	o := &runFlags{}
	a.addRunFlags(cmd, o)
	cmd.Flags().BoolVarP(&o.help, "help", "h", false, "help for do")
	cmd.Flags().StringArrayVar(&o.functions, "functions", nil, "run the functions that `FILE` lists, before those on the command line")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return a.do(cmd.Context(), cmd, o, words)
	}
	cmd.ValidArgsFunction = func(cmd *cobra.Command, words []string, typed string) ([]string, cobra.ShellCompDirective) {
		return a.completeDo(cmd, o, words, typed)
	}
	return cmd
}

// do is the whole of the command: arguments, settings, source, plan, and the run.
func (a *App) do(ctx context.Context, cmd *cobra.Command, o *runFlags, words []string) error {
	given, err := splitArgs(cmd, o, words)
	if o.help {
		return cmd.Help()
	}
	if err != nil {
		return err
	}
	if err := takeToolchain(cmd, given.words); err != nil {
		return err
	}
	p, err := a.prepare(ctx, cmd, o)
	if err != nil {
		return err
	}
	taker := &flagTaker{cmd: cmd}
	problems := p.request.Plan(ctx, func(walk *plan.Walk) (*plan.Plan, error) {
		walk.Flags = taker
		defer func() { taker.again = true }()
		return given.resolve(ctx, o, p.request, walk)
	})
	if o.help {
		return cmd.Help()
	}
	if taker.taken {
		s, err := a.settings(cmd.Flags())
		if err == nil {
			p.settings = s
		} else if problems == nil {
			return err
		}
	}
	if problems != nil {
		return problems
	}
	return a.run(ctx, cmd, o, p)
}

// prepared is a run of which the files are known.
type prepared struct {
	settings *settings.Settings
	deps     run.Deps
	request  *run.Request
}

// prepare loads the settings, makes the executor and finds the files.
func (a *App) prepare(ctx context.Context, cmd *cobra.Command, o *runFlags) (*prepared, error) {
	if slices.Contains(o.files.Paths, "") {
		return nil, diag.Usage("-f: the path is empty")
	}
	s, err := a.settings(cmd.Flags())
	if err != nil {
		return nil, err
	}
	executor, err := a.executorFor(ctx, s)
	if err != nil {
		return nil, err
	}
	o.files.Dir = a.global.dir
	p := &prepared{settings: s, deps: a.deps(executor)}
	p.request, err = run.Prepare(ctx, o.files, s, p.deps)
	return p, err
}

// run runs the chain of a request.
func (a *App) run(ctx context.Context, cmd *cobra.Command, o *runFlags, p *prepared) error {
	options, err := o.runOptions(cmd.Flags(), p.settings)
	if err != nil {
		return err
	}
	if p.request.ReadsStdin() {
		if err := a.refuseTerminal(cmd); err != nil {
			return err
		}
	}
	options.Request, options.Notes = p.request, run.SettingsNotes(p.settings, p.deps.Executor)
	result, err := run.Run(ctx, options, p.deps)
	if err != nil {
		return err
	}
	return resultError(result)
}

// resolve makes the chain of the files of --functions and the words from the function on.
func (g args) resolve(ctx context.Context, o *runFlags, request *run.Request, walk *plan.Walk) (*plan.Plan, error) {
	if problem := g.checkUnit(o, walk); problem != nil {
		return nil, problem
	}
	if g.problem != nil {
		return nil, g.problem
	}
	var problems diag.List
	part := func(p *plan.Plan, err error) *plan.Plan {
		if err != nil {
			problems = append(problems, diag.Failures(err, api.FailureInput)...)
		}
		return p
	}
	typed := &plan.Plan{}
	if len(g.words) > 0 {
		typed = part(walk.Resolve(g.words)) // sets the flags that stand among the words
	}
	if slices.Contains(o.functions, "") {
		return nil, diag.UsageHint("fctl do --functions CHAIN FILE UNIT", "--functions: the name of a file is expected")
	}
	all := &plan.Plan{}
	for _, path := range o.functions {
		if written := part(request.Chain(ctx, walk, path)); len(problems) == 0 {
			all.Append(written)
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	all.Append(typed)
	return all, nil
}

// refuseTerminal is what a command says on a terminal when FILE is "-", where it
// would wait for somebody to type a manifest.
func (a *App) refuseTerminal(cmd *cobra.Command) error {
	if !a.Streams.InIsTerminal() {
		return nil
	}
	cmd.SetOut(a.Streams.ErrOut)
	if err := cmd.Help(); err != nil {
		return err
	}
	words := map[string]string{"do": "- UNIT FUNCTION", "doseq": "- UNIT INVOCATIONS", "diff": "- B", "merge": "BASE - THEIRS"}[cmd.Name()]
	return diag.UsageHint(fmt.Sprintf("cat FILE | %s %s", cmd.CommandPath(), words), "the standard input is a terminal")
}

// decidesFunctions is true of flags that decide which functions there are, and how much is read for their arguments: what they say
// must be known before the first is looked up.
func decidesFunctions(f *pflag.Flag) bool {
	return slices.Contains([]string{"resource-types", "config", "directory", "no-project-settings", "max-size"}, f.Name)
}

// isPathFlag is true of flags that stand in the place of FILE and UNIT.
func isPathFlag(f *pflag.Flag) bool { return f.Name == "filename" || f.Name == "recursive" }

// flagTaker lets the walk set the command's flags.
type flagTaker struct {
	cmd   *cobra.Command
	again bool // they are set already
	taken bool // there was one
}

// Take implements plan.Flags.
func (t *flagTaker) Take(words []string) (int, error) {
	flags := t.cmd.Flags()
	flag, needsValue := lookupFlag(flags, words[0])
	if flag == nil {
		return 0, nil
	}
	switch {
	case decidesFunctions(flag):
		example := "--" + flag.Name
		if flag.NoOptDefVal == "" {
			example += "=..."
		}
		return 1, diag.UsageHint("fctl do "+example+" FILE UNIT FUNCTION", "--%s must stand before FUNCTION", flag.Name)
	case isPathFlag(flag):
		return 1, diag.UsageHint("fctl do -f PATH [-R] FUNCTION [ARG...]", "-%s must stand before FUNCTION, and in the place of FILE and UNIT", flag.Shorthand)
	}
	n := 1
	if needsValue && len(words) > 1 {
		n = 2
	}
	if t.again {
		return n, nil
	}
	if err := flags.Parse(words[:n]); err != nil {
		return n, flagProblem(t.cmd, err)
	}
	t.taken = true
	return n, nil
}

// Names implements plan.Flags.
func (t *flagTaker) Names() []string { return flagNames(t.cmd.Flags()) }
