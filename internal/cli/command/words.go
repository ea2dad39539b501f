package command

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/diag"
)

// Words checks the number of words of a command, whose usage names them. most -1 is any.
func Words(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, words []string) error {
		switch n := len(words); {
		case n < least:
			names := strings.Fields(strings.ReplaceAll(cmd.Use, "[flags] ", ""))[1:]
			for i, name := range names {
				names[i] = strings.Trim(name, "[.]")
			}
			return Missing(cmd, names[n:least]...)
		case most >= 0 && n > most:
			return Surplus(cmd, words[most])
		}
		return nil
	}
}

// NoArguments is cobra.NoArgs with an error in the words of fctl.
func NoArguments(cmd *cobra.Command, words []string) error { return Words(0, 0)(cmd, words) }

// Missing returns the error for words or flags that a command needs.
func Missing(cmd *cobra.Command, names ...string) error {
	verb := " is"
	what := names[0]
	if last := len(names) - 1; last > 0 {
		what, verb = strings.Join(names[:last], ", ")+" and "+names[last], " are"
	}
	return diag.UsageHint(usage(cmd), "%s%s missing", what, verb)
}

// Surplus returns the error for a word that a command does not take.
func Surplus(cmd *cobra.Command, word string) error {
	return diag.UsageHint(usage(cmd), "unexpected argument %q", word)
}

// usage returns the line that says how a command is called, with an example.
func usage(cmd *cobra.Command) string {
	line := cmd.UseLine()
	if example, _, _ := strings.Cut(strings.TrimSpace(cmd.Example), "\n"); strings.HasPrefix(example, cmd.CommandPath()) {
		line += ", as in: " + strings.TrimSuffix(example, " \\")
	}
	return line
}
