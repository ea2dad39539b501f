package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/cli/bundle"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/compare"
	"github.com/fctl-dev/fctl/internal/cli/completion"
	"github.com/fctl-dev/fctl/internal/cli/fn"
	"github.com/fctl-dev/fctl/internal/cli/functionconfig"
	"github.com/fctl-dev/fctl/internal/cli/serve"
	"github.com/fctl-dev/fctl/internal/cli/workspace"
	"github.com/fctl-dev/fctl/internal/diag"
)

// newRoot makes the commands. Help and completion scripts, which cobra prints, go to help: cobra
// does not return write errors.
func newRoot(a *command.App, help io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   cmp.Or(a.Name, "fctl"),
		Short: "Run configuration functions",
		Long: `fctl runs configuration functions: small, named operations that read, change or
validate configuration. Bytes that you did not ask to change stay. Results go to
the standard output; -i and -O write files.`,
		Example: `  fctl do deployment.yaml set-replicas 5
  fctl do deployment.yaml set-replicas 5 then set-container-image web nginx:1.27
  cat deployment.yaml | fctl do - get-container-image '*'
  fctl do -f apps/ -R -i set-container-image web nginx:1.27
  fctl list
  fctl explain set-replicas`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          a.NoSuchCommand,
	}
	root.PersistentFlags().String("color", "auto", "use colour `WHEN`: auto, always or never")
	root.PersistentFlags().BoolP("quiet", "q", false,
		"print only problems on the error stream, no notes")
	root.PersistentFlags().BoolP("verbose", "v", false,
		"print more notes, such as what each function matched")
	root.PersistentFlags().Bool("debug", false, "show the stack when a function panics")
	root.PersistentFlags().StringVarP(&a.Dir, "directory", "C", "",
		"work in `DIR`: paths are relative to it, and .fctl.yaml is searched from there")
	root.PersistentFlags().StringVar(&a.Config, "config", "",
		"read your settings from `FILE` instead of fctl/config.yaml in your configuration "+
			"directory")
	root.PersistentFlags().Bool("no-project-settings", false, "ignore the project's .fctl.yaml")
	root.PersistentFlags().Bool("untrusted", false,
		"do not let the repository run anything, read other files or change the checks; "+
			"default in CI for changes of other repositories")
	root.PersistentFlags().Bool("trust", false, "trust the repository also where CI builds a "+
		"change of another one")
	root.PersistentFlags().String("max-size", "2GiB",
		"fail on input larger than `SIZE`")
	root.PersistentFlags().String("max-memory", "",
		"end an expression that needs more memory than `SIZE` (default: half of the machine's "+
			"or the container's, at most 8GiB)")
	root.PersistentFlags().String("timeout", "",
		"end a function or an expression that runs longer than `TIME` (default 5m)")
	version := root.Flags().Bool("version", false, "print the version")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if *version {
			return printVersion(a, "text")
		}
		return cmd.Help()
	}
	root.SetOut(help)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		// a flag of a command that does not exist
		if words := cmd.Flags().Args(); cmd == root && len(words) > 0 {
			return a.NoSuchCommand(cmd, words)
		}
		return flagProblem(cmd, err)
	})
	setUsage(root)
	root.AddCommand(newDo(a), newDoseq(a), newVet(a), compare.NewDiff(a), compare.NewReview(a), newMerge(a), newImages(a), newList(a),
		newListPaths(a), newExplain(a), newConfig(a), fn.New(a), fn.NewKRM(a),
		bundle.New(a), bundle.NewPlugin(a), functionconfig.New(a),
		fn.NewEnterSandbox(), newVersion(a))
	root.AddCommand(serve.New(a)...)
	root.AddCommand(workspace.New(a)...)
	addTopics(root)
	root.SetHelpCommand(newHelp(a, root))
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			completion.Prepare(a, c)
		}
	}
	return root
}

// flagProblem adds to an error of pflag a hint, such as the flag that was probably meant.
func flagProblem(cmd *cobra.Command, err error) error {
	hint := fmt.Sprintf("'%s --help' shows the flags", cmd.CommandPath())
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if meant := configkit.DidYouMean("--",
			configkit.Suggest(unknown.GetSpecifiedName(), command.FlagNames(cmd.Flags()))); meant != "" {
			hint = meant
		}
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		if problem := command.SelectorProblem(invalid.GetFlag(), err); problem != nil {
			return problem
		}
		if _, ok := invalid.GetFlag().Value.(*command.Choice); ok {
			return invalid.Unwrap()
		}
		if why, ok := errors.AsType[*strconv.NumError](err); ok {
			expected := map[string]string{
				"int":  "a whole number",
				"bool": "true or false",
			}[invalid.GetFlag().Value.Type()]
			if errors.Is(why, strconv.ErrRange) {
				expected = "a smaller number"
				if strings.HasPrefix(invalid.GetValue(), "-") {
					expected = "a larger number"
				}
			}
			if expected != "" {
				return diag.UsageHint(hint, "--%s: %s is expected, not %q", invalid.GetFlag().Name,
					expected, invalid.GetValue())
			}
		}
	}
	return diag.UsageHint(hint, "%w", err)
}
