package cli

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/run"
)

// The exit statuses of every command. No other file maps errors to statuses; `fctl help exit-codes`
// prints exitCodes.
const (
	exitDone     = 0
	exitNo       = 1
	exitUsage    = int(api.FailureUsage)
	exitInput    = int(api.FailureInput)
	exitFunction = int(api.FailureFunction)
	exitSignal   = 128 // plus the number of the signal
)

// exitCode is an exit status and its meaning, in short lines.
type exitCode struct {
	status  int
	meaning string
}

func exitCodes() []exitCode {
	return []exitCode{
		{exitDone, "success"},
		{exitNo, "no: a validation did not pass, --check found files that would\nchange, diff found a difference, or merge found a conflict"},
		{exitUsage, "wrong usage: an unknown flag or function, an invalid argument,\nan invalid settings file or chain"},
		{exitInput, "the input could not be read or parsed"},
		{exitFunction, "a function failed, or an output could not be written: the disk is\nfull, or the standard output or standard error is closed"},
		{exitSignal + int(syscall.SIGHUP), "ended by SIGHUP"},
		{exitSignal + int(syscall.SIGINT), "interrupted (SIGINT)"},
		{exitSignal + int(syscall.SIGTERM), "ended by SIGTERM"},
	}
}

// exitError is the exit status of a run whose problems have been reported.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("ended with status %d", int(e)) }

// resultError returns the exitError of a run, nil if it succeeded.
func resultError(result run.Result) error {
	status := exitDone
	if result.No {
		status = exitNo
	}
	if len(result.Failures) > 0 {
		status = max(status, exitStatus(diag.List(result.Failures)))
	}
	if status == exitDone {
		return nil
	}
	return exitError(status)
}

// exitStatus returns the status of an error: that of its worst problem. Errors without a class come
// from cobra and pflag, and are about usage.
func exitStatus(err error) int {
	if err == nil {
		return exitDone
	}
	if by, ok := errors.AsType[interrupted](err); ok {
		return exitSignal + int(by.signal)
	}
	if status, ok := errors.AsType[exitError](err); ok {
		return int(status)
	}
	worst := exitNo
	for _, f := range diag.Failures(err, api.FailureUsage) {
		worst = max(worst, int(f.Class))
	}
	return worst
}
