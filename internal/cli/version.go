package cli

import (
	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/version"
)

func newVersion(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  fctl version -o json",
		Args:    command.NoArguments,
	}
	form := command.AddOutput(cmd.Flags(), "text, json", "text", "json")
	cmd.RunE = func(*cobra.Command, []string) error { return printVersion(a, form.Value) }
	return cmd
}

func printVersion(a *command.App, form string) error {
	v := version.Read()
	if form == "json" {
		return a.WriteJSON(v)
	}
	return a.Write([]byte(v.Line("fctl")))
}
