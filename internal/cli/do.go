package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

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
		return runDo(cmd.Context(), a, cmd, o, words)
	}
	cmd.ValidArgsFunction = func(cmd *cobra.Command, words []string,
		typed string,
	) ([]string, cobra.ShellCompDirective) {
		return completeDo(a, cmd, o, words, typed)
	}
	return cmd
}

// runDo runs the command: arguments, settings, source, plan, and the run.
func runDo(ctx context.Context, a *command.App, cmd *cobra.Command, o *runFlags, words []string) error {
	given, err := splitArgs(a, cmd, o, words)
	if err != nil || o.help {
		return withoutFiles(a, cmd, o, err)
	}
	return runWords(ctx, a, cmd, o, given.words, wordsOf{
		read: func(_ *prepared, words []string) args {
			given.words = words
			return given
		},
		chain: given.resolve,
	})
}

// withoutFiles ends a command whose words are a call for help or not as expected.
func withoutFiles(a *command.App, cmd *cobra.Command, o *runFlags, err error) error {
	switch {
	case o.help:
		return cmd.Help()
	case errors.Is(err, errNoFiles):
		a.Note(&settings.Settings{}, err.Error()+": the list of --files-from is empty")
		return nil
	}
	return err
}

// wordsOf is what differs between the commands whose words from FUNCTION on are a chain.
type wordsOf struct {
	// read returns the words as a chain, after the executor was made.
	read func(*prepared, []string) args
	// settled, if not nil, is called with the settings before the chain is made.
	settled func(*settings.Settings)
	// chain makes the chain.
	chain func(context.Context, *runFlags, *do.Request, *plan.Resolver,
		map[int]error) (*plan.Plan, error)
}

// runWords runs the chain that the words from FUNCTION on describe.
func runWords(ctx context.Context, a *command.App, cmd *cobra.Command, o *runFlags, words []string,
	of wordsOf,
) error {
	if err := takeToolchain(cmd, words); err != nil {
		return err
	}
	p, err := prepare(ctx, a, cmd, o)
	if err != nil {
		return err
	}
	problems, err := of.read(p, words).setFlags(ctx, cmd, p.request)
	if err != nil {
		return err
	}
	if o.help {
		return cmd.Help()
	}
	settled, settingsProblem := p.settings, error(nil)
	if len(problems) > 0 {
		settled, settingsProblem = a.Settle(p.sources, cmd.Flags())
	}
	params, err := plan.Params(o.params)
	if err != nil {
		return err
	}
	if of.settled != nil {
		of.settled(settled)
	}
	err = p.request.Plan(ctx, func(resolver *plan.Resolver) (*plan.Plan, error) {
		resolver.Flags, resolver.Params = recognizer{cmd.Flags()}, params
		resolver.Defaults = map[string]string{"kubernetes-version": settled.KubernetesVersion}
		return of.chain(ctx, o, p.request, resolver, problems)
	})
	if err := cmp.Or(err, settingsProblem); err != nil {
		return err
	}
	p.settings = settled
	return runChain(ctx, a, cmd, o, p)
}

// prepared is a run whose files are known.
type prepared struct {
	sources  *settings.Sources
	settings *settings.Settings
	deps     do.Deps
	request  *do.Request
}

// prepare loads the settings, makes the executor and finds the files.
func prepare(ctx context.Context, a *command.App, cmd *cobra.Command, o *runFlags) (*prepared, error) {
	if slices.Contains(o.files.Paths, "") {
		return nil, diag.Usage("-f: the path is empty")
	}
	l, err := o.load(ctx, a, cmd)
	if err != nil {
		return nil, err
	}
	o.files.Dir = a.Dir
	p := &prepared{sources: l.sources, settings: l.settings, deps: a.Deps(l.executor)}
	p.request, err = do.Prepare(ctx, o.files, l.settings, p.deps)
	return p, err
}

// loaded is the settings and the executor for some flags.
type loaded struct {
	flags    string // what was given, as flagText returns it
	sources  *settings.Sources
	settings *settings.Settings
	executor *functions.Executor
}

// load loads the settings and makes the executor, unless both were made for the same flags before.
func (o *runFlags) load(ctx context.Context, a *command.App, cmd *cobra.Command) (*loaded, error) {
	given := flagText(cmd.Flags())
	if o.loaded != nil && o.loaded.flags == given {
		return o.loaded, nil
	}
	l := &loaded{flags: given}
	var err error
	if l.sources, err = a.Sources(cmd.Flags()); err != nil {
		return nil, err
	}
	if l.settings, err = a.Settle(l.sources, cmd.Flags()); err != nil {
		return nil, err
	}
	if l.executor, err = a.ExecutorFor(ctx, l.settings); err != nil {
		return nil, err
	}
	o.loaded = l
	return l, nil
}

// flagText returns the flags that were given, with their values.
func flagText(flags *pflag.FlagSet) string {
	var b strings.Builder
	flags.Visit(func(f *pflag.Flag) { fmt.Fprintf(&b, "%s=%q\n", f.Name, f.Value) })
	return b.String()
}

// runChain runs the chain of a request.
func runChain(ctx context.Context, a *command.App, cmd *cobra.Command, o *runFlags, p *prepared) error {
	options, err := o.runOptions(cmd.Flags(), p.settings)
	if err != nil {
		return err
	}
	if o.vet {
		if err := o.vetOptions(&options, a.Streams.Getenv); err != nil {
			return err
		}
	}
	if p.request.ReadsStdin() {
		if err := a.RejectTerminal(cmd); err != nil {
			return err
		}
	}
	options.Request, options.Notes = p.request, do.SettingsNotes(p.settings, p.deps.Executor)
	result, err := do.Run(ctx, options, p.deps)
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

// resolve makes the chain from the files of --functions and the words from FUNCTION on.
func (g args) resolve(ctx context.Context, o *runFlags, request *do.Request,
	resolver *plan.Resolver, flagProblems map[int]error,
) (*plan.Plan, error) {
	if problem := g.checkUnit(o, resolver); problem != nil {
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
		words := resolver.Split(g.words)
		for _, f := range words.Flags {
			f.Problem = flagProblems[f.At]
		}
		typed = part(resolver.Resolve(words))
		if hint := resolver.FunctionAsUnit(o.files.File, o.files.Unit, g.words); hint != "" {
			if typed != nil {
				typed.Notes = append(typed.Notes, api.Note{Message: hint})
			} else if problems[0].Hint == "" {
				problems[0].Hint = hint
			}
		}
	}
	if slices.Contains(o.functions, "") {
		return nil, diag.UsageHint("fctl do --functions CHAIN FILE",
			"--functions: the name of a file is expected")
	}
	all := &plan.Plan{}
	for _, path := range o.functions {
		if written := part(request.Chain(ctx, resolver, path)); len(problems) == 0 {
			all.Append(written)
		}
	}
	for _, name := range o.policies {
		if policy := part(request.Policy(ctx, resolver, name)); len(problems) == 0 {
			all.Append(policy)
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	all.Append(typed)
	return all, all.CheckParams(resolver.Params)
}

// decidesFunctions reports whether a flag decides which functions exist, or which files are read for
// their arguments. Its value must be known before the first function is looked up.
func decidesFunctions(f *pflag.Flag) bool {
	return slices.Contains([]string{
		"resource-types", "config", "directory", "no-project-settings", "untrusted", "trust",
		"max-size", "max-memory", "timeout",
	}, f.Name)
}

// isPathFlag reports whether a flag replaces FILE and UNIT.
func isPathFlag(f *pflag.Flag) bool { return f.Name == "filename" || f.Name == "recursive" }

// setFlags sets the flags among the words, and returns the error of each, or nil, by the index of
// its first word. Which words are flags depends on the functions of the toolchain. The toolchain of
// the first files decides.
func (g args) setFlags(ctx context.Context, cmd *cobra.Command,
	request *do.Request,
) (map[int]error, error) {
	toolchains, err := request.Toolchains(ctx)
	if err != nil || g.problem != nil || len(g.words) == 0 {
		return nil, err
	}
	resolver := request.Resolver(ctx, toolchains[0])
	resolver.Flags = recognizer{cmd.Flags()}
	problems := map[int]error{}
	for _, f := range resolver.Split(g.words).Flags {
		problems[f.At] = setFlag(cmd, f.Words)
	}
	return problems, nil
}

// setFlag sets a flag that follows FUNCTION.
func setFlag(cmd *cobra.Command, words []string) error {
	flag, _ := lookupFlag(cmd.Flags(), words[0])
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
type recognizer struct{ flags *pflag.FlagSet }

// Recognize implements plan.Flags.
func (r recognizer) Recognize(words []string) int {
	flag, needsValue := lookupFlag(r.flags, words[0])
	switch {
	case flag == nil:
		return 0
	case needsValue && len(words) > 1 && !decidesFunctions(flag) && !isPathFlag(flag):
		return 2
	}
	return 1
}

// Names implements plan.Flags.
func (r recognizer) Names() []string { return flagNames(r.flags) }
