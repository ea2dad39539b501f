// Package cli has the commands, one file each, and is the only place that
// knows cobra. A command reads its words and flags, calls the other rooms and
// returns an error; it never writes to the process's streams itself and never
// exits. What errors mean for the exit status is in exit.go, and only there.
package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fatih/color"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/iostreams"
)

// App is what the commands work with.
type App struct {
	// Name is what the program is called in usage lines, in what explain shows and by the shells that complete its words; fctl when
	// it is empty.
	Name    string
	Streams *iostreams.Streams
	// Executor makes the executor; commands that need none never call it.
	Executor func() (*functions.Executor, error)

	files fileWrites
}

// executor makes the executor. That it cannot be made is the fault of whoever
// registered functions, not of the command line.
func (a *App) executor() (*functions.Executor, error) {
	e, err := a.Executor()
	if err != nil {
		return nil, diag.Failures(err, api.FailureFunction)
	}
	return e, nil
}

// Main runs the command line of this process and returns its exit status.
func Main(executor func() (*functions.Executor, error)) int {
	// A team's own program is completed under its own name.
	name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	app := &App{Name: name, Streams: iostreams.System(), Executor: executor}
	return app.watch(os.Args[1:])
}

// Run runs a command line and returns the exit status. Problems are told on
// the error stream.
func (a *App) Run(ctx context.Context, args []string) int {
	var help bytes.Buffer
	root := a.newRoot(&help)
	if isCompletion(args) {
		a.prepareCompletion(root, args)
	}
	if cmd, _, err := root.Find(args); err == nil && cmd.Name() == "doseq" {
		args = listLast(args)
	}
	root.SetArgs(args)
	root.SetIn(a.Streams.In)
	root.SetErr(a.Streams.ErrOut)
	err := a.untilCancelled(ctx, func() error {
		err := root.ExecuteContext(ctx)
		if problem := a.write(help.Bytes()); err == nil {
			err = problem
		}
		return err
	})
	if ctx.Err() != nil { // perhaps nobody reads
		within(time.Second, func() { a.tell(err) })
	} else {
		a.tell(err)
	}
	if a.Streams.Lost() {
		return max(exitStatus(err), exitFunction)
	}
	return exitStatus(err)
}

// tell writes what err has to say to a person.
func (a *App) tell(err error) {
	if _, ok := errors.AsType[told](err); ok || err == nil {
		return
	}
	problems := diag.Failures(err, api.FailureUsage)
	problems.Sort()
	_ = problems.Write(a.Streams.ErrOut, a.style())
}

// note tells what is worth knowing about a file.
func (a *App) note(file string, notes []api.Note) {
	_ = diag.WriteNotes(a.Streams.ErrOut, file, notes, a.style())
}

// stacks shows where functions panicked.
func (a *App) stacks(failures []*api.Failure) {
	for _, f := range failures {
		if p, ok := errors.AsType[*handler.PanicError](f); ok {
			_, _ = a.Streams.ErrOut.Write(p.Stack)
		}
	}
}

func (a *App) style() diag.Style {
	return diag.Style{Place: a.Streams.ErrStyle(color.Bold), Hint: a.Streams.ErrStyle(color.FgCyan), Caret: a.Streams.ErrStyle(color.FgCyan)}
}
