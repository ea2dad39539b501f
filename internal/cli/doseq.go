package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/do/plan"
)

func newDoseq(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doseq [flags] {FILE [UNIT] | -f PATH...} INVOCATIONS",
		Short: "Run a list of function invocations on files",
		Long: `Run a list of function invocations on the configuration in FILE. INVOCATIONS is
the list in YAML or JSON, file:PATH, or "-" for the standard input. UNIT is the
name of the configuration; if it is left out, the unit is named after the file.
With -f there can be several files.

  - function: set-replicas
    arguments: {replicas: 5}
    where: ConfigHub.ResourceType = 'apps/v1/Deployment'

'fctl help chains' describes such lists.`,
		Example: `  fctl doseq deployment.yaml file:chain.yaml
  fctl doseq deployment.yaml '[{function: get-replicas}]'
  fctl doseq -f apps/ -R -i file:chain.yaml`,
	}
	o := &runFlags{}
	addRunFlags(a, cmd, o)
	// A list in YAML begins with a dash, but is not a flag.
	cmd.DisableFlagParsing = true
	cmd.Args = func(cmd *cobra.Command, words []string) error { return doseqArgs(cmd, o, words) }
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return runDoseq(cmd.Context(), newRun(a, cmd, o))
	}
	cmd.ValidArgsFunction = func(_ *cobra.Command, words []string,
		typed string,
	) ([]string, cobra.ShellCompDirective) {
		return completeDoseq(o, words, typed)
	}
	return cmd
}

// listLast moves a list in YAML to the end, after a "--", because its leading dash would make pflag
// read it as a flag.
func listLast(args []string) []string {
	i := slices.IndexFunc(args, func(word string) bool {
		return word == "--" || strings.HasPrefix(word, "- ") || strings.HasPrefix(word, "-\n")
	})
	if i < 0 || args[i] == "--" {
		return args
	}
	return slices.Concat(args[:i], args[i+1:], []string{"--", args[i]})
}

// doseqArgs parses the flags and the words.
func doseqArgs(cmd *cobra.Command, o *runFlags, words []string) error {
	if err := cmd.Flags().Parse(listLast(words)); err != nil {
		return flagProblem(cmd, err)
	}
	words = cmd.Flags().Args()
	switch several := len(o.files.Paths) > 0; {
	case o.help, several && len(words) == 1:
	case len(words) == 0 && several:
		return command.Missing(cmd, "INVOCATIONS")
	case several:
		return command.Surplus(cmd, words[1])
	case len(words) < 2:
		return command.Missing(cmd, []string{"FILE", "INVOCATIONS"}[len(words):]...)
	case len(words) == 2:
		o.files.File = words[0]
	case len(words) > 3:
		return command.Surplus(cmd, words[3])
	default:
		o.files.File, o.files.Unit = words[0], words[1]
		if problem := plan.CheckUnitName(o.files.Unit); problem != nil {
			return problem
		}
	}
	return nil
}

// runDoseq runs the command: settings, files, plan, and the run.
func runDoseq(ctx context.Context, r *run) error {
	if r.flags.help {
		return r.cmd.Help()
	}
	r.chain.List = r.cmd.Flags().Arg(r.cmd.Flags().NArg() - 1)
	for _, step := range []func(context.Context) error{r.load, r.find, r.plan, r.execute} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}
