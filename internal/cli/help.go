package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// newHelp is `fctl help`. cobra's own answers an unknown topic with status 0.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC]",
		Short: "Help about a command or a topic",
		RunE: func(_ *cobra.Command, words []string) error {
			cmd, rest, err := root.Find(words)
			if err != nil || len(rest) > 0 {
				return unknownCommand(root, "help topic", strings.Join(words, " "))
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
		ValidArgsFunction: func(_ *cobra.Command, words []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			if len(words) == 0 {
				for _, c := range root.Commands() {
					names = append(names, c.Name()+"\t"+c.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// newExitCodes is a topic: a command without anything to run.
func newExitCodes() *cobra.Command {
	var b strings.Builder
	b.WriteString("Every command ends with one of these statuses:\n\n")
	for _, c := range exitCodes() {
		fmt.Fprintf(&b, "%5d  %s\n", c.status, c.meaning)
	}
	b.WriteString("\nOf several problems the largest status counts.")
	return &cobra.Command{Use: "exit-codes", Short: "What the exit statuses mean", Long: b.String()}
}
