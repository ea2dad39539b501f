// Package command is the command line of fctl-runner: serve, wrapper and eval. Each command is a
// function from words and streams to an error; Main decides the exit status.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/internal/iostreams"
	"github.com/fctl-dev/fctl/internal/runtime"
)

// The exit statuses. They are those of fctl, except that notStarted makes sure that the function
// did not run.
const (
	statusDone        = 0
	statusFailed      = 1
	statusUsage       = 2
	statusInput       = 3
	statusNotStarted  = 4
	statusInterrupted = 130
)

// statusError is an error with an exit status.
type statusError struct {
	status int
	err    error
	hint   string
}

func (e *statusError) Error() string { return e.err.Error() }

func (e *statusError) Unwrap() error { return e.err }

func usage(hint, format string, args ...any) error {
	return &statusError{statusUsage, fmt.Errorf(format, args...), hint}
}

// program is a run of fctl-runner.
type program struct {
	streams *iostreams.Streams
	getenv  func(string) string
}

// subcommand is one of the commands.
type subcommand struct {
	name, brief, long string
	run               func(p *program, ctx context.Context, c *call) error
	flags             func(*pflag.FlagSet)
}

// call is the command line of a subcommand after its flags were read.
type call struct {
	flags *pflag.FlagSet
	args  []string
	// dashed are the words after "--", nil without it.
	dashed []string
}

// Main runs a command line and returns the exit status.
func Main(ctx context.Context, args []string, streams *iostreams.Streams,
	getenv func(string) string,
) int {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	p := &program{streams: streams, getenv: getenv}
	err := p.run(ctx, args)
	_ = streams.Flush() // of what functions say without a line end; nowhere to report it
	if err == nil || errors.Is(err, pflag.ErrHelp) {
		return statusDone
	}
	status, hint := statusNotStarted, ""
	if e, ok := errors.AsType[*statusError](err); ok {
		status, hint = e.status, e.hint
	}
	if ctx.Err() != nil {
		status = statusInterrupted
	}
	// One line is the reason: programs that start this one show it.
	if hint != "" {
		err = fmt.Errorf("%w (%s)", err, hint)
	}
	p.say("%v", err)
	return status
}

// say writes a message of fctl-runner itself.
func (p *program) say(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for line := range strings.Lines(text) {
		// A message that cannot be written has nowhere to go.
		_, _ = fmt.Fprintf(p.streams.ErrOut, "fctl-runner: %s\n", strings.TrimRight(line, "\n"))
	}
}

func (p *program) run(ctx context.Context, args []string) error {
	commands := []subcommand{
		serveCommand(), evalCommand(), objectsCommand(), wrapperCommand(),
	}
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		if len(args) > 1 {
			args = []string{args[1], "--help"}
		} else {
			return p.help(commands)
		}
	}
	if args[0] == runtime.SandboxCommand { // of this program, in new namespaces
		return runtime.EnterSandbox(args[1:])
	}
	for _, c := range commands {
		if c.name == args[0] {
			return p.subcommand(ctx, &c, args[1:])
		}
	}
	return usage("fctl-runner help", "unknown command %q", args[0])
}

// help lists the commands.
func (p *program) help(commands []subcommand) error {
	var b strings.Builder
	b.WriteString("fctl-runner runs configuration functions for others.\n\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "  fctl-runner %-8s %s\n", c.name, c.brief)
	}
	b.WriteString("\n\"fctl-runner COMMAND --help\" says more.\n")
	_, err := io.WriteString(p.streams.Out, b.String())
	return err
}

func (p *program) subcommand(ctx context.Context, c *subcommand, args []string) error {
	set := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	set.SortFlags = false
	c.flags(set)
	if err := set.Parse(args); errors.Is(err, pflag.ErrHelp) {
		_, err := fmt.Fprintf(p.streams.Out, "%s\n\n%s", c.long, set.FlagUsagesWrapped(100))
		return err
	} else if err != nil {
		return usage("fctl-runner "+c.name+" --help", "%v", err)
	}
	words := &call{flags: set, args: set.Args()}
	if n := set.ArgsLenAtDash(); n >= 0 {
		words.args, words.dashed = set.Args()[:n], append([]string{}, set.Args()[n:]...)
	}
	return c.run(p, ctx, words)
}
