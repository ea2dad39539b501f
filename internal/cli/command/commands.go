package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/do/plan"
)

// ShowHelp prints the help of a command that only has subcommands.
func ShowHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// NoSuchCommand returns an error if there are words: the first of them is not a command. At the top
// level it may be the name of a function.
func (a *App) NoSuchCommand(cmd *cobra.Command, words []string) error {
	if len(words) == 0 {
		return nil
	}
	err := UnknownCommand(cmd, "command", words[0], "")
	if !cmd.HasParent() {
		if meant := a.Meant(words); meant != "" {
			err.Hint = meant
		} else if a.isVerb(words[0]) {
			err.Hint = fmt.Sprintf("'fctl list %s' shows the functions, and fctl do FILE FUNCTION runs "+
				"one", words[0])
		}
	}
	return err
}

// isVerb reports whether functions have names that begin with a word, such as rename.
func (a *App) isVerb(word string) bool {
	executor, err := a.NewExecutor()
	if err != nil {
		return false
	}
	for _, t := range executor.Toolchains() {
		if slices.ContainsFunc(executor.Signatures(t), func(s api.FunctionSignature) bool {
			return strings.HasPrefix(s.FunctionName, word+"-")
		}) {
			return true
		}
	}
	return false
}

// IsFunction reports whether a toolchain has a function of the name.
func (a *App) IsFunction(name string) bool {
	executor, err := a.NewExecutor()
	return err == nil && plan.ToolchainHint(executor, name) != ""
}

// UnknownCommand returns the error for a word that is not a command or help topic, as what says.
// help is put before the suggested names.
func UnknownCommand(parent *cobra.Command, what, word, help string) *api.Failure {
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

// RejectTerminal returns an error if the standard input is a terminal: with "-" for FILE, the
// command would wait for somebody to type a manifest.
func (a *App) RejectTerminal(cmd *cobra.Command) error {
	if !a.Streams.InIsTerminal() {
		return nil
	}
	cmd.SetOut(a.Streams.ErrOut)
	if err := cmd.Help(); err != nil {
		return err
	}
	words := map[string]string{
		"do": "- FUNCTION", "vet": "-", "doseq": "- INVOCATIONS",
		"diff": "- B", "merge": "BASE - THEIRS",
		"sink": "DIR", "eval": "- --function NAME", "run": "-",
	}[cmd.Name()]
	return diag.UsageHint(fmt.Sprintf("cat FILE | %s %s", cmd.CommandPath(), words),
		"the standard input is a terminal")
}
