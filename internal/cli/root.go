package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/functions/shellwords"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/plan"
	"github.com/fctl-dev/fctl/internal/settings"
)

// newRoot makes the commands. Help and completion scripts, which cobra prints, go to help: cobra
// does not return write errors.
func (a *App) newRoot(help io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   cmp.Or(a.Name, "fctl"),
		Short: "Run configuration functions",
		Long: `fctl runs configuration functions: small, named operations that read, change or
validate configuration. Bytes that you did not ask to change stay. Results go to
the standard output; -i and -O write files.`,
		Example: `  fctl do deployment.yaml MyUnit set-replicas 5
  fctl do deployment.yaml MyUnit set-replicas 5 then set-container-image web nginx:1.27
  cat deployment.yaml | fctl do - MyUnit get-container-image '*'
  fctl do -f apps/ -R -i set-container-image web nginx:1.27
  fctl list
  fctl explain set-replicas`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          a.noSuchCommand,
	}
	root.PersistentFlags().String("color", "auto", "use colour `WHEN`: auto, always or never")
	root.PersistentFlags().BoolP("quiet", "q", false,
		"print only problems on the error stream, no notes")
	root.PersistentFlags().BoolP("verbose", "v", false,
		"print more notes, such as what each function matched")
	root.PersistentFlags().Bool("debug", false, "show the stack when a function panics")
	root.PersistentFlags().StringVarP(&a.global.dir, "directory", "C", "",
		"work in `DIR`: paths are relative to it, and .fctl.yaml is searched from there")
	root.PersistentFlags().StringVar(&a.global.config, "config", "",
		"your settings `FILE`, instead of fctl/config.yaml in your configuration directory")
	root.PersistentFlags().Bool("no-project-settings", false, "ignore the project's .fctl.yaml")
	root.PersistentFlags().String("max-size", "2GiB",
		"fail on input larger than `SIZE`")
	version := root.Flags().Bool("version", false, "print the version")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if *version {
			return a.printVersion("text")
		}
		return cmd.Help()
	}
	root.SetOut(help)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		// a flag of a command that does not exist
		if words := cmd.Flags().Args(); cmd == root && len(words) > 0 {
			return a.noSuchCommand(cmd, words)
		}
		return flagProblem(cmd, err)
	})
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages ",
		fmt.Sprintf(".FlagUsagesWrapped %d ", helpWidth)))
	root.AddCommand(a.newDo(), a.newDoseq(), a.newVet(), a.newDiff(), a.newMerge(), a.newList(),
		a.newListPaths(), a.newExplain(), a.newConfig(), a.newFn(), a.newKRM(),
		newEnterSandbox(), newOK(), newShutdown(), a.newVersion())
	for _, t := range topics() {
		root.AddCommand(newTopic(t))
	}
	root.SetHelpCommand(a.newHelp(root))
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" { // cobra's accepts any shell and exits with 0
			c.Args, c.RunE = a.noSuchCommand, showHelp
		}
	}
	return root
}

// helpWidth is the maximum width of help in columns. Commands, which are meant to be copied, may be
// longer.
const helpWidth = 80

func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// noSuchCommand returns an error if there are words: the first of them is not a command. At the top
// level it may be the name of a function.
func (a *App) noSuchCommand(cmd *cobra.Command, words []string) error {
	if len(words) == 0 {
		return nil
	}
	err := unknownCommand(cmd, "command", words[0], "")
	if !cmd.HasParent() && a.isFunction(words[0]) {
		err.Hint = "it is a function: fctl do FILE " + shellwords.Quote(words...)
	}
	return err
}

// isFunction reports whether a toolchain has a function of the name.
func (a *App) isFunction(name string) bool {
	executor, err := a.executor()
	return err == nil && plan.ToolchainHint(executor, name) != ""
}

// unknownCommand returns the error for a word that is not a command or help topic, as what says.
// help is put before the suggested names.
func unknownCommand(parent *cobra.Command, what, word, help string) *api.Failure {
	var names []string
	for _, c := range parent.Commands() {
		names = append(names, c.Name())
	}
	hint := configkit.DidYouMean(parent.CommandPath()+" "+help, configkit.Suggest(word, names))
	switch {
	case hint != "":
	case parent.HasParent():
		hint = fmt.Sprintf("'%s --help' shows the commands", parent.CommandPath())
	default:
		hint = "'fctl help' shows the commands and topics"
	}
	return diag.UsageHint(hint, "unknown %s %q", what, word)
}

// flagProblem adds to an error of pflag a hint, such as the flag that was probably meant.
func flagProblem(cmd *cobra.Command, err error) error {
	hint := fmt.Sprintf("'%s --help' shows the flags", cmd.CommandPath())
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if meant := configkit.DidYouMean("--",
			configkit.Suggest(unknown.GetSpecifiedName(), flagNames(cmd.Flags()))); meant != "" {
			hint = meant
		}
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		if problem := selectorProblem(invalid.GetFlag(), err); problem != nil {
			return problem
		}
		if _, ok := invalid.GetFlag().Value.(*choice); ok {
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

func flagNames(flags *pflag.FlagSet) []string {
	var names []string
	flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// settings loads the settings and sets the colour of the streams.
func (a *App) settings(flags *pflag.FlagSet) (*settings.Settings, error) {
	sources, err := a.sources(flags)
	if err != nil {
		return nil, err
	}
	return a.settle(sources, flags)
}

// sources reads the settings files.
func (a *App) sources(flags *pflag.FlagSet) (*settings.Sources, error) {
	if err := checkDirectory(a.global.dir); err != nil {
		return nil, err
	}
	return settings.Read(flags, settings.DefaultLocations(a.global.dir, a.global.config)), nil
}

// settle combines the settings with the current values of the flags.
func (a *App) settle(sources *settings.Sources, flags *pflag.FlagSet) (*settings.Settings, error) {
	s, err := sources.Settings(flags, a.global.context)
	if err != nil {
		return nil, err
	}
	if err := a.Streams.SetColor(s.Color); err != nil {
		return nil, s.Invalid("color", err)
	}
	return s, nil
}

// checkDirectory returns an error if dir, given with -C, is not a directory.
func checkDirectory(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = errors.New("no such directory")
	case err == nil && !info.IsDir():
		err = errors.New("a directory is expected, not a file")
	case err == nil:
		return nil
	}
	return diag.Input(diag.FileName(dir), "", err)
}
