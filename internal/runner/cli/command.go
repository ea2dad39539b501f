// Package cli is the command line of fctl-runner: serve, wrapper and eval. Each command is a
// function from words and streams to an error; Main decides the exit status.
//
// Layer: commands.
package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/version"
)

// notStarted is the class of errors without a class: the function did not run.
const notStarted = api.FailureFunction

// problem returns an error whose class is the exit status.
func problem(class api.FailureClass, err error, hint string) error {
	return &api.Failure{Class: class, Message: err.Error(), Hint: hint, Err: err}
}

// program is a run of fctl-runner.
type program struct {
	streams *iostreams.Streams
	getenv  func(string) string
	log     *slog.Logger // of --log json, nil for lines of text
}

// Main runs a command line and returns the exit status.
func Main(ctx context.Context, args []string, streams *iostreams.Streams,
	getenv func(string) string,
) int {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	p := &program{streams: streams, getenv: getenv}
	if len(args) > 0 && args[0] == process.SandboxCommand { // of this program, in new namespaces
		return p.ended(ctx, process.EnterSandbox(args[1:]))
	}
	root := p.command()
	root.SetArgs(args)
	return p.ended(ctx, root.ExecuteContext(ctx))
}

// ended reports the error of a run and returns its exit status.
func (p *program) ended(ctx context.Context, err error) int {
	_ = p.streams.Flush() // of what functions say without a line end; nowhere to report it
	if err == nil {
		return diag.ExitDone
	}
	status := diag.ExitStatus(err, notStarted)
	if ctx.Err() != nil {
		status = diag.ExitSignal + int(syscall.SIGINT)
	}
	// One line is the reason: programs that start this one show it.
	if f, ok := errors.AsType[*api.Failure](err); ok && f.Hint != "" {
		err = fmt.Errorf("%w (%s)", err, f.Hint)
	}
	p.say("%v", err)
	return status
}

// command returns the command line.
func (p *program) command() *cobra.Command {
	root := &cobra.Command{
		Use: "fctl-runner", Long: "fctl-runner runs configuration functions for others.",
		Args: cobra.ArbitraryArgs, SilenceErrors: true, SilenceUsage: true,
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
	root.AddCommand(p.serveCommand(), p.installCommand(), p.evalCommand(), p.objectsCommand(),
		p.wrapperCommand(), p.versionCommand())
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetOut(p.streams.Out)
	root.SetErr(p.streams.ErrOut)
	root.SetHelpFunc(help)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return diag.UsageHint(cmd.CommandPath()+" --help", "%w", err)
	})
	return root
}

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "print the version", Long: "Print the version.",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return diag.Usage("unexpected argument %q", args[0])
			}
			_, err := fmt.Fprint(p.streams.Out, version.Read().Line("fctl-runner"))
			return err
		},
	}
}

// help prints what a command does, with its commands or flags.
func help(cmd *cobra.Command, _ []string) {
	cmd.Println(cmd.Long)
	cmd.Println()
	if !cmd.HasSubCommands() {
		cmd.Print(cmd.LocalFlags().FlagUsagesWrapped(100))
		return
	}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			cmd.Printf("  %s %-8s %s\n", cmd.Name(), c.Name(), c.Short)
		}
	}
	cmd.Println("\n\"fctl-runner COMMAND --help\" says more.")
}

// say writes a message of fctl-runner itself.
func (p *program) say(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if p.log != nil {
		p.log.Info(strings.TrimRight(text, "\n"))
		return
	}
	for line := range strings.Lines(text) {
		// A message that cannot be written has nowhere to go.
		_, _ = fmt.Fprintf(p.streams.ErrOut, "fctl-runner: %s\n", strings.TrimRight(line, "\n"))
	}
}
