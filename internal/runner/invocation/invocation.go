// Package invocation has what the command lines of fctl-runner and fctl-wrapper share: signals, messages,
// help and the exit status.
//
// Layer: commands.
package invocation

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
)

// NotStarted is the class of errors without a class: the function did not run.
const NotStarted = api.FailureFunction

// CommandRun is one run of a program.
type CommandRun struct {
	Name    string // of the program
	Streams *iostreams.Streams
	Getenv  func(string) string
	Log     *slog.Logger // of --log json, nil for lines of text
}

// Run runs a command until it ends or a signal comes, and returns the exit status. Each command is a
// function from words and streams to an error.
func (i *CommandRun) Run(ctx context.Context, root *cobra.Command, args []string) int {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetArgs(args)
	root.SetOut(i.Streams.Out)
	root.SetErr(i.Streams.ErrOut)
	root.SetHelpFunc(help)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return diag.UsageHint(cmd.CommandPath()+" --help", "%w", err)
	})
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	return i.Ended(ctx, root.ExecuteContext(ctx))
}

// Ended reports the error of a run and returns its exit status.
func (i *CommandRun) Ended(ctx context.Context, err error) int {
	_ = i.Streams.Flush() // of what functions say without a line end; nowhere to report it
	if err == nil {
		return diag.ExitDone
	}
	status := diag.ExitStatus(err, NotStarted)
	if ctx.Err() != nil {
		status = diag.ExitSignal + int(syscall.SIGINT)
	}
	// One line is the reason: programs that start this one show it.
	if f, ok := errors.AsType[*api.Failure](err); ok && f.Hint != "" {
		err = fmt.Errorf("%w (%s)", err, f.Hint)
	}
	i.Say("%v", err)
	return status
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
	cmd.Println("\n\"" + cmd.Name() + " COMMAND --help\" says more.")
}

// Say writes a message of the program itself.
func (i *CommandRun) Say(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if i.Log != nil {
		i.Log.Info(strings.TrimRight(text, "\n"))
		return
	}
	for line := range strings.Lines(text) {
		// A message that cannot be written has nowhere to go.
		_, _ = fmt.Fprintf(i.Streams.ErrOut, "%s: %s\n", i.Name, strings.TrimRight(line, "\n"))
	}
}
