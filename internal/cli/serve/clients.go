package serve

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/client"
	"github.com/fctl-dev/fctl/internal/cli/command"
)

// newOK makes the command by which scripts wait for a server, newShutdown the one that stops it.
// Most scripts need no server, so both succeed without one.
func newOK() *cobra.Command {
	return ofServer("ok", "Succeed if a server is ready",
		`Succeed if the server at --server is ready, and end with status 1 if not.
Without --server, "ok" does nothing and succeeds: no command of fctl needs a
server, and scripts for a version that needs one wait until "fctl ok" succeeds.`,
		func(ctx context.Context, c *client.Client) error {
			if err := c.OK(ctx); err != nil {
				return &api.Failure{Class: api.FailureNo, Message: err.Error(), Err: err}
			}
			return nil
		})
}

func newShutdown() *cobra.Command {
	return ofServer("shutdown", "Stop a server",
		`Stop the server at --server, which must run on this machine. Requests in work
get time to end. Without --server, "shutdown" does nothing and succeeds.`,
		func(ctx context.Context, c *client.Client) error {
			if err := c.Shutdown(ctx); err != nil {
				return &api.Failure{Class: api.FailureFunction, Message: err.Error(), Err: err}
			}
			return nil
		})
}

// ofServer makes a command about a server.
func ofServer(name, short, long string,
	do func(context.Context, *client.Client) error,
) *cobra.Command {
	cmd := &cobra.Command{
		Use: name + " [flags]", Short: short, Long: long, Args: command.NoArguments,
		Example: "  fctl " + name + "\n  fctl " + name + " --server http://127.0.0.1:9080",
	}
	command.AddServer(cmd.Flags(), "ask")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := command.Client(cmd.Flags())
		if c == nil || err != nil {
			return err
		}
		return do(cmd.Context(), c)
	}
	return cmd
}
