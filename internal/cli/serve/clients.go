package serve

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"os"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/client"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
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
	address := cmd.Flags().String("server", "", "ask the server at `URL`")
	tokenFile := cmd.Flags().String("token-file", "", "send the token in `FILE`")
	authorities := cmd.Flags().String("ca-file", "",
		"trust the certificates of servers that those in `FILE` sign, no others")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *address == "" {
			return nil
		}
		token, err := newToken(*tokenFile, nil)
		if err != nil {
			return err
		}
		c, err := client.New(*address, token())
		if err != nil {
			return diag.Usage("--server: %w", err)
		}
		if err := trust(c, *authorities); err != nil {
			return err
		}
		return do(cmd.Context(), c)
	}
	return cmd
}

// trust lets a client trust the authorities in a file, if there is one, and no others.
func trust(c *client.Client, file string) error {
	if file == "" {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return diag.Input(file, "", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return diag.Usage("--ca-file: %s has no certificates", file)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	c.HTTP.Transport = transport
	return nil
}
