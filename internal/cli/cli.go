// Package cli implements the commands, one file each. It is the only package that uses cobra. A
// command reads its words and flags, calls the other packages and returns an error; it never writes
// to the process's streams itself and never exits. exit.go alone maps errors to exit statuses.
package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/iostreams"
	"github.com/fctl-dev/fctl/internal/run"
	"github.com/fctl-dev/fctl/internal/settings"
)

// App holds what the commands share.
type App struct {
	// Name is the name of the program in usage lines, in the output of explain and in shell
	// completion; fctl if empty.
	Name    string
	Streams *iostreams.Streams
	// Executor makes the executor; commands that do not need one never call it.
	Executor func() (*functions.Executor, error)

	global globalFlags
	writes run.Writes
}

// executor makes the executor. If that fails, the fault lies with the registered functions, not
// with the command line.
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

// Run runs a command line and returns the exit status. Problems are reported on the error stream.
func (a *App) Run(ctx context.Context, args []string) int {
	var help bytes.Buffer
	root := a.newRoot(&help)
	if isCompletion(args) {
		a.prepareCompletion(root, args)
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
	if ctx.Err() != nil { // perhaps nobody reads the error stream
		within(time.Second, func() { a.reportError(err) })
	} else {
		a.reportError(err)
	}
	if a.Streams.Lost() {
		return max(exitStatus(err), exitFunction)
	}
	return exitStatus(err)
}

// reportError reports err on the error stream, unless it has been reported.
func (a *App) reportError(err error) {
	if _, ok := errors.AsType[exitError](err); ok || err == nil {
		return
	}
	a.console().Problems(diag.Failures(err, api.FailureUsage))
}

func (a *App) console() run.Console { return run.Console{Streams: a.Streams} }

// deps returns what a run works with.
func (a *App) deps(executor *functions.Executor) run.Deps {
	return run.Deps{Streams: a.Streams, Executor: executor, Writes: &a.writes, Alone: true}
}

// executorFor makes the executor and adds the resource types of the settings. It checks that there
// are functions for the toolchain in the settings.
func (a *App) executorFor(ctx context.Context, s *settings.Settings) (*functions.Executor, error) {
	executor, err := a.executor()
	if err != nil {
		return nil, err
	}
	if t := api.ToolchainType(s.Toolchain); t != "" {
		if err := run.Supported(t, executor.Toolchains()); err != nil {
			return nil, s.Invalid("toolchain", err)
		}
	}
	return executor, run.AddResourceTypes(ctx, executor, run.Reader(s, a.Streams), s)
}
