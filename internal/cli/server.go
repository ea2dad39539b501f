package cli

import (
	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
)

// newOK makes the command by which scripts wait for a server, newShutdown the one that stops it.
// fctl needs no server, so both succeed.
func newOK() *cobra.Command {
	return withoutServer("ok", "Succeed, for scripts that wait for a server",
		`Scripts for a version of fctl that needs a server wait until "fctl ok" succeeds.
This fctl runs functions itself, so "ok" does nothing and succeeds at once.`)
}

func newShutdown() *cobra.Command {
	return withoutServer("shutdown", "Succeed, for scripts that stop a server",
		`Scripts for a version of fctl that needs a server stop it with "fctl shutdown".
This fctl runs functions itself, so "shutdown" does nothing and succeeds.`)
}

func withoutServer(name, short, long string) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short, Long: long, Args: command.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			return nil
		},
	}
}
