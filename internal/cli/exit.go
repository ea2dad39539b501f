package cli

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
)

// The exit statuses of every command. This file is the only one that knows
// what an error means for them; `fctl help exit-codes` prints exitCodes.
const (
	exitDone     = 0
	exitNo       = 1
	exitUsage    = int(api.FailureUsage)
	exitInput    = int(api.FailureInput)
	exitFunction = int(api.FailureFunction)
	exitSignal   = 128 // and the number of the signal
)

// exitCodes describes them, in order and in short lines.
func exitCodes() []struct {
	status  int
	meaning string
} {
	return []struct {
		status  int
		meaning string
	}{
		{exitDone, "done"},
		{exitNo, "no, or not yet: a validation did not pass, --check found files that\nwould change, diff found a difference, merge a conflict"},
		{exitUsage, "usage or rejected input: a bad flag, an unknown function, a bad\nargument, an invalid fctl file"},
		{exitInput, "the input could not be read or parsed"},
		{exitFunction, "a function or operation failed, or an output could not be written:\nno space, or a closed standard output or standard error"},
		{exitSignal + int(syscall.SIGHUP), "ended by SIGHUP"},
		{exitSignal + int(syscall.SIGINT), "interrupted (SIGINT)"},
		{exitSignal + int(syscall.SIGTERM), "ended by SIGTERM"},
	}
}

// told is the exit status of a run everything about which has been said.
type told int

func (t told) Error() string { return fmt.Sprintf("ended with status %d", int(t)) }

// exitStatus is the status an error stands for: that of its worst problem.
// What nobody classified comes from cobra and pflag, and is about usage.
func exitStatus(err error) int {
	if err == nil {
		return exitDone
	}
	if by, ok := errors.AsType[interrupted](err); ok {
		return exitSignal + int(by.signal)
	}
	if status, ok := errors.AsType[told](err); ok {
		return int(status)
	}
	worst := exitNo
	for _, f := range diag.Failures(err, api.FailureUsage) {
		worst = max(worst, int(f.Class))
	}
	return worst
}
