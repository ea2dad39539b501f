package cli

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do"
	"github.com/fctl-dev/fctl/internal/do/plan"
	"github.com/fctl-dev/fctl/internal/settings"
)

func newDo(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "do [flags] {FILE [UNIT] | -f PATH...} FUNCTION [ARG...] [then FUNCTION " +
			"[ARG...]]...",
		Short: "Run functions on files",
		Long: `Run a chain of functions on the configuration in FILE, or on the standard input
if FILE is "-", and print the result. UNIT is the name of the configuration; if
it is left out, the unit is named after the file. With -f there can be several
files, and each unit is named after its file.

After FUNCTION, the word "then" starts the next function. --param=value and
--param value are arguments by name, other flags are those of fctl, and every
other word is an argument. After "--" all words are literal arguments, except
--param=value of a parameter of this function.

The argument file:PATH is the content of a file (file:- is the standard input; a
URL file://... is literal). Arguments with template: and cel: are evaluated for
the unit. text: takes the rest literally. See 'fctl help templates'.

--functions FILE runs the functions in FILE first; functions on the command line
are then optional. See 'fctl help chains'.

Files are written only with -i or -O. To preview, use --diff, which shows what
would change, --check, which lists the files and ends with status 1, or
--dry-run, which counts. 'fctl help files' explains which files are read and how
they are written.

Values of Secrets are masked in messages, reports and tables, and on a terminal
also in --diff and -o mutations. In a pipe, these show the values. See 'fctl
help secrets'.`,
		Example: `  fctl do deployment.yaml set-replicas 5
  fctl do deployment.yaml set-replicas 5 then set-container-image web nginx:1.27
  fctl do deployment.yaml MyUnit set-annotation unit template:{{.UnitSlug}}
  fctl do -n shop --kind Deployment all.yaml set-replicas 0
  fctl do -o table deployment.yaml get-container-image '*'
  fctl do --diff --functions release.yaml all.yaml
  cat deployment.yaml | fctl do - set-replicas --replicas=5
  fctl do -f apps/ -R --diff set-container-image web nginx:1.27
  fctl do -f 'apps/**/*.yaml' -i set-container-image web nginx:1.27`,
	}
	// The words from FUNCTION on are split by plan, not by pflag.
	cmd.Flags().SetInterspersed(false)
	o := &runFlags{}
	addRunFlags(a, cmd, o)
	cmd.Flags().StringArrayVar(&o.functions, "functions", nil,
		"run the functions in `FILE` before those on the command line")
	addParam(cmd.Flags(), o)
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		return runDo(cmd.Context(), newRun(a, cmd, o), words)
	}
	cmd.ValidArgsFunction = func(cmd *cobra.Command, words []string,
		typed string,
	) ([]string, cobra.ShellCompDirective) {
		return completeDo(a, cmd, o, words, typed)
	}
	return cmd
}

// runDo runs the command: words, settings, files, flags, plan, and the run.
func runDo(ctx context.Context, r *run, words []string) error {
	if err := r.takeWords(ctx, words); err != nil || r.flags.help {
		return r.withoutFiles(err)
	}
	return r.runWords(ctx)
}

// runWords runs the chain of words.
func (r *run) runWords(ctx context.Context) error {
	for _, step := range []func(context.Context) error{r.load, r.find, r.setFlags} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if r.flags.help {
		return r.cmd.Help()
	}
	if err := r.plan(ctx); err != nil {
		return err
	}
	return r.execute(ctx)
}

// run is a run of do, doseq or vet.
type run struct {
	app   *command.App
	cmd   *cobra.Command
	flags *runFlags
	chain do.Chain

	sources  *settings.Sources
	settings *settings.Settings
	executor *functions.Executor // nil before load
	request  *do.Request         // nil before find
}

func newRun(a *command.App, cmd *cobra.Command, o *runFlags) *run {
	return &run{app: a, cmd: cmd, flags: o}
}

// withoutFiles ends a command whose words are a call for help or not as expected.
func (r *run) withoutFiles(err error) error {
	switch {
	case r.flags.help:
		return r.cmd.Help()
	case errors.Is(err, errNoFiles):
		r.app.Note(&settings.Settings{}, err.Error()+": the list of --files-from is empty")
		return nil
	}
	return err
}

// load loads the settings and makes the executor, unless that was done.
func (r *run) load(ctx context.Context) (err error) {
	if r.executor != nil {
		return nil
	}
	if r.sources, err = r.app.Sources(r.cmd.Flags()); err != nil {
		return err
	}
	if r.settings, err = r.app.Settle(r.sources, r.cmd.Flags()); err != nil {
		return err
	}
	executor, err := r.app.ExecutorAt(ctx, r.settings, r.cmd.Flags())
	if err == nil {
		r.executor = executor
	}
	return err
}

// find finds the files.
func (r *run) find(ctx context.Context) (err error) {
	if slices.Contains(r.flags.files.Paths, "") {
		return diag.Usage("-f: the path is empty")
	}
	r.flags.files.Dir = r.app.Dir
	r.request, err = do.Find(ctx, r.flags.files, r.settings, r.app.Deps(r.executor))
	return err
}

// setFlags sets the flags among the words of the chain, and keeps the problem of each. Which words
// are flags depends on the functions of the toolchain. The toolchain of the first files decides.
func (r *run) setFlags(ctx context.Context) error {
	r.chain.Flags, r.chain.FlagProblems = recognizer{command.FlagWords{Flags: r.cmd.Flags()}}, map[int]error{}
	toolchains, err := r.request.Toolchains(ctx)
	if err != nil || r.chain.Problem != nil || len(r.chain.Words) == 0 {
		return err
	}
	resolver := r.request.Resolver(ctx, toolchains[0])
	resolver.Flags = r.chain.Flags
	for _, f := range resolver.Split(r.chain.Words).Flags {
		r.chain.FlagProblems[f.At] = setFlag(r.cmd, f.Words)
	}
	return nil
}

// plan resolves the chain. Problems with it come before those with settings that flags among its
// words have changed.
func (r *run) plan(ctx context.Context) error {
	settled, settingsProblem := r.settings, error(nil)
	if len(r.chain.FlagProblems) > 0 {
		settled, settingsProblem = r.app.Settle(r.sources, r.cmd.Flags())
	}
	var err error
	if r.chain.Params, err = plan.Params(r.flags.params); err != nil {
		return err
	}
	r.chain.Files = r.flags.functions
	if settled != nil {
		r.chain.KubernetesVersion = settled.KubernetesVersion
		if r.flags.vet {
			r.chain.Policies, r.chain.Defaults = settled.Policies, do.DefaultValidations()
		}
	}
	if err := cmp.Or(r.request.Plan(ctx, r.chain), settingsProblem); err != nil {
		return err
	}
	r.settings = settled
	return nil
}

// execute runs the chain on the files.
func (r *run) execute(ctx context.Context) error {
	options, err := r.flags.runOptions(r.cmd.Flags(), r.settings)
	if err != nil {
		return err
	}
	if r.flags.vet {
		if err := r.flags.vetOptions(&options, r.app.Streams.Getenv); err != nil {
			return err
		}
	}
	if r.request.ReadsStdin() {
		if err := r.app.RejectTerminal(r.cmd); err != nil {
			return err
		}
	}
	options.Request, options.Notes = r.request, do.SettingsNotes(r.settings, r.executor)
	result, err := do.Run(ctx, options, r.app.Deps(r.executor))
	if err != nil {
		return err
	}
	status := diag.ExitStatus(diag.List(result.Failures).Err(), api.FailureUsage)
	if result.No {
		status = max(status, diag.ExitNo)
	}
	if status == diag.ExitDone {
		return nil
	}
	return diag.ExitError(status)
}

// decidesFunctions reports whether a flag decides which functions exist, or which files are read for
// their arguments. Its value must be known before the first function is looked up.
func decidesFunctions(f *pflag.Flag) bool {
	return slices.Contains([]string{
		"resource-types", "config", "directory", "no-project-settings", "untrusted", "trust",
		"max-size", "max-memory", "timeout", "server", "token-file", "ca-file",
	}, f.Name)
}

// isPathFlag reports whether a flag replaces FILE and UNIT.
func isPathFlag(f *pflag.Flag) bool { return f.Name == "filename" || f.Name == "recursive" }

// setFlag sets a flag that follows FUNCTION.
func setFlag(cmd *cobra.Command, words []string) error {
	flag, _ := command.LookupFlag(cmd.Flags(), words[0])
	switch {
	case decidesFunctions(flag):
		example := "--" + flag.Name
		if flag.NoOptDefVal == "" {
			example += "=..."
		}
		return diag.UsageHint("fctl do "+example+" FILE FUNCTION", "--%s must come before FUNCTION",
			flag.Name)
	case isPathFlag(flag):
		return diag.UsageHint("fctl do -f PATH [-R] FUNCTION [ARG...]",
			"-%s must come before FUNCTION; it replaces FILE and UNIT", flag.Shorthand)
	case flag.Name == "shard" || flag.Name == "files-from":
		return diag.UsageHint("fctl do -f PATH --"+flag.Name+"=... FUNCTION [ARG...]",
			"--%s must come before FUNCTION; it selects the files", flag.Name)
	}
	if err := cmd.Flags().Parse(words); err != nil {
		return flagProblem(cmd, err)
	}
	return nil
}

// recognizer recognizes the flags of a command.
type recognizer struct{ command.FlagWords }

// Recognize implements plan.CommandFlags. A flag that must come before FUNCTION takes no other word
// with it.
func (r recognizer) Recognize(words []string) int {
	flag, _ := command.LookupFlag(r.Flags, words[0])
	if flag != nil && (decidesFunctions(flag) || isPathFlag(flag)) {
		return 1
	}
	return r.FlagWords.Recognize(words)
}
