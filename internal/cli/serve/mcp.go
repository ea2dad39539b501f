package serve

import (
	"errors"
	"os"
	"os/exec"
	"time"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/process"
)

// patience is how long fctl-mcp may take to end its calls, each of which may tidy up for 2 seconds.
const patience = 5 * time.Second

// newMCP makes the command that starts the program for agents.
func newMCP(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcp [flags]",
		Short: "Give an agent the functions as tools",
		Long: `Serve the Model Context Protocol on the standard input and output, for an agent
that reads, checks and changes configuration. Its tools list and explain
functions, read values, preview a chain as a diff, validate, and plan links.
With --allow-write another one writes files.

Calls use only files below --root. They never run programs or containers, use
the network or follow the settings of the project. Secret values are masked. A
call that reaches --timeout (default 1m) or --max-memory costs only itself.

The program fctl-mcp does the work: 'go install' puts it beside fctl. Agents
start it from a file such as .mcp.json:

  {"mcpServers": {"fctl": {"command": "fctl",
    "args": ["mcp", "--root", "/home/me/src/shop"]}}}

VS Code reads .vscode/mcp.json, which has servers in place of mcpServers.`,
		Example: `  fctl mcp
  fctl mcp --root ~/src/shop --allow-write`,
		Args: command.NoArguments,
	}
	roots := cmd.Flags().StringArray("root", nil,
		"let calls use the files below `DIR` (default: the working directory); can be repeated")
	write := cmd.Flags().Bool("allow-write", false, "let calls change files")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		program, err := process.FindOwn("fctl-mcp", "FCTL_MCP", a.Streams.Getenv)
		if err != nil {
			return &api.Failure{
				Class: api.FailureFunction, Message: err.Error(), Hint: process.Hint(err), Err: err,
			}
		}
		self, err := os.Executable()
		if err != nil {
			return err
		}
		words := []string{program, "--fctl=" + self}
		for _, root := range *roots {
			words = append(words, "--root="+root)
		}
		if *write {
			words = append(words, "--allow-write")
		}
		for _, name := range []string{"timeout", "max-memory"} {
			if f := cmd.Flags().Lookup(name); f.Changed {
				words = append(words, "--"+name+"="+f.Value.String())
			}
		}
		tool := process.Tool{ //nolint:forbidigo // it talks to the agent itself
			Words: words, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
			Patience: patience,
		}
		err = tool.Run(cmd.Context())
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			return diag.ExitError(exit.ExitCode())
		}
		return err
	}
	return cmd
}
