// Package cli is the command line of fctl-runner: serve, install, eval and others.
//
// Layer: commands.
package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/runner/invocation"
	"github.com/fctl-dev/fctl/internal/version"
)

// problem returns an error whose class is the exit status.
func problem(class api.FailureClass, err error, hint string) error {
	return &api.Failure{Class: class, Message: err.Error(), Hint: hint, Err: err}
}

// program is a run of fctl-runner.
type program struct{ invocation.CommandRun }

// Main runs a command line and returns the exit status.
func Main(ctx context.Context, args []string, streams *iostreams.Streams,
	getenv func(string) string,
) int {
	p := &program{invocation.CommandRun{Name: "fctl-runner", Streams: streams, Getenv: getenv}}
	if len(args) > 0 && args[0] == process.SandboxCommand { // of this program, in new namespaces
		return p.Ended(ctx, process.EnterSandbox(args[1:]))
	}
	return p.Run(ctx, p.command(), args)
}

// command returns the command line.
func (p *program) command() *cobra.Command {
	root := &cobra.Command{
		Use: p.Name, Long: "fctl-runner runs configuration functions for others.",
		Args: cobra.ArbitraryArgs,
	}
	// It also gets the words after help, and a command that does not exist.
	root.RunE = func(_ *cobra.Command, args []string) error {
		about, rest, err := root.Find(args)
		if err != nil || len(rest) > 0 {
			return diag.UsageHint("fctl-runner help", "unknown command %q", args[0])
		}
		return about.Help()
	}
	root.SetHelpCommand(&cobra.Command{Use: "help", Hidden: true, RunE: root.RunE})
	root.AddCommand(p.serveCommand(), p.installCommand(), p.evalCommand(), p.explainCommand(), p.objectsCommand(),
		p.versionCommand())
	return root
}

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "print the version", Long: "Print the version.",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return diag.Usage("unexpected argument %q", args[0])
			}
			_, err := fmt.Fprint(p.Streams.Out, version.Read().Line(p.Name))
			return err
		},
	}
}
