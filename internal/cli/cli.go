// Package cli implements the command line: the root command, the commands of units, one file each,
// help and completion. Families of commands have a package below this one. These are the only
// packages that use cobra; package app has what all of them share.
//
// Layer: commands.
package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
	"github.com/fctl-dev/fctl/smith/plugin"
)

// Main runs the command line of this process and returns its exit status. plugins make Smith
// plugins besides those of fctl.
func Main(executor func() (*functions.Executor, error), plugins ...plugin.NewFunc) int {
	// A team's own program is completed under its own name.
	name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	return watch(&command.App{
		Name: name, Streams: iostreams.System(), Executor: executor, Plugins: plugins,
	}, renamed(name, os.Args[1:]))
}

// gcPercent is GOGC. A run is short, so less frequent collections pay: with the default, 100,
// get-container-image on 10,000 resources takes 12 % more CPU time, and set-namespace 8 %.
const gcPercent = 200

// renamed returns the words of a command line that was given to a symbolic link of another name:
// kustomize has wrap and xargs below "config run".
func renamed(name string, args []string) []string {
	if name != "kpt" && name != "config" || len(args) < 2 || args[0] != "run" ||
		args[1] != "wrap" && args[1] != "xargs" {
		return args
	}
	return append([]string{"fn"}, args[1:]...)
}

// Run runs a command line and returns the exit status. Problems are reported on the error stream.
func Run(ctx context.Context, a *command.App, args []string) int {
	debug.SetGCPercent(gcPercent)
	pager := a.StartPager(args)
	status := execute(ctx, a, args)
	if pager != nil {
		_ = pager.Close() // the user may end it early, and its status says nothing about the run
	}
	return status
}

// execute runs a command line and returns the exit status.
func execute(ctx context.Context, a *command.App, args []string) int {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	a.Limits = limit.New(func(err error) { end(diag.Failures(err, api.FailureFunction)) })
	defer a.Limits.Close()
	a.OpenGate()
	ctx = files.WithGate(limit.With(ctx, a.Limits), &a.Gate)
	var help bytes.Buffer
	root := newRoot(a, &help)
	if isCompletion(args) {
		prepareCompletion(a, root, args)
	}
	root.SetArgs(args)
	root.SetIn(a.Streams.In)
	root.SetErr(a.Streams.ErrOut)
	err := untilCancelled(ctx, a, func() error {
		err := root.ExecuteContext(ctx)
		if problem := errors.Join(a.Write(help.Bytes()), a.Flush()); err == nil {
			err = problem
		}
		return err
	})
	if ctx.Err() != nil { // perhaps nobody reads the error stream
		within(3*time.Second, func() { reportError(a, err) })
	} else {
		reportError(a, err)
	}
	if a.Streams.Lost() {
		return max(diag.ExitStatus(err, api.FailureUsage), diag.ExitFunction)
	}
	return diag.ExitStatus(err, api.FailureUsage)
}

// reportError reports err on the error stream, unless it has been reported.
func reportError(a *command.App, err error) {
	if _, ok := errors.AsType[diag.ExitError](err); ok || err == nil {
		return
	}
	a.Console().Problems(diag.Failures(err, api.FailureUsage))
}
