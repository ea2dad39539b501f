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
	addRunFlags(cmd.Flags())
	cmd.Flags().StringArray("functions", nil, "run the functions that `FILE` lists, before those on the command line")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return a.do(cmd.Context(), cmd, words)
	}
	cmd.ValidArgsFunction = a.completeDo
	return cmd
}

// do is the whole of the command: settings, source, plan, executor, report, sink.
func (a *App) do(ctx context.Context, cmd *cobra.Command, words []string) error {
	target, err := splitTarget(cmd, words)
	if err != nil || target.help {
		return target.helpOr(cmd, err)
	}
	if err := takeToolchain(cmd, target.words); err != nil {
		return err
	}
	j, err := a.newJob(ctx, cmd, target)
	if err != nil {
		return err
	}
	plans, problems := j.plan(ctx, func(walk *plan.Walk, again bool) (*plan.Plan, error) {
		walk.Flags = flagTaker{j, again}
		return j.resolve(walk, target)
	})
	if help, _ := cmd.Flags().GetBool("help"); help {
		return cmd.Help()
	}
	if problems != nil {
		// Flags after FUNCTION say how problems are told.
		_, _ = a.settings(cmd.Flags())
		return problems
	}
	return j.run(ctx, plans)
}

// resolve makes the chain of the words from the function on.
func (j *job) resolve(walk *plan.Walk, t target) (*plan.Plan, error) {
	if problem := t.checkUnit(walk); problem != nil {
		return nil, problem
	}
	if t.problem != nil {
		return nil, t.problem
	}
	return j.chain(j.cmd.Context(), walk, t.words)
}

// chain is what the files of --functions say, and then the words.
func (j *job) chain(ctx context.Context, walk *plan.Walk, words []string) (*plan.Plan, error) {
	var problems diag.List
	part := func(p *plan.Plan, err error) *plan.Plan {
		if err != nil {
			problems = append(problems, diag.Failures(err, api.FailureInput)...)
		}
		return p
	}
	typed := &plan.Plan{}
	if len(words) > 0 {
		typed = part(walk.Resolve(words)) // sets the flags that stand among the words
	}
	files, _ := j.cmd.Flags().GetStringArray("functions")
	if len(words) == 0 && len(files) == 0 { // --functions ""
		return nil, diag.UsageHint("fctl do --functions CHAIN FILE UNIT", "--functions: the name of a file is expected")
	}
	all := &plan.Plan{}
	for _, path := range files {
		if written := part(j.chainFile(ctx, walk, path)); len(problems) == 0 {
			all.Append(written)
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	all.Append(typed)
	return all, nil
}

// wouldWait is what a command says on a terminal when FILE is "-", where it
// would wait for somebody to type a manifest.
func (a *App) wouldWait(cmd *cobra.Command) error {
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
	job   *job
	again bool // they are set already
}

// Take implements plan.Flags.
func (t flagTaker) Take(words []string) (int, error) {
	flags := t.job.cmd.Flags()
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
		return n, flagProblem(t.job.cmd, err)
	}
	t.job.moreFlags = true
	return n, nil
}

// Names implements plan.Flags.
func (t flagTaker) Names() []string { return flagNames(t.job.cmd.Flags()) }
