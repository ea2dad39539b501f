package cli

import (
	"context"
	"errors"

	"github.com/fctl-dev/fctl/functions/api"
	"github.com/fctl-dev/fctl/internal/diag"
)

// The exit statuses of every command. This file is the only one that knows
// what an error means for them; `fctl help exit-codes` prints exitCodes.
const (
	exitDone        = 0
	exitNo          = 1
	exitUsage       = int(api.FailureUsage)
	exitInput       = int(api.FailureInput)
	exitFunction    = int(api.FailureFunction)
	exitInterrupted = 130
)

// exitCodes describes them, in order.
func exitCodes() []struct {
	status  int
	meaning string
} {
	return []struct {
		status  int
		meaning string
	}{
		{exitDone, "done"},
		{exitNo, "no, or not yet: a validation did not pass"},
		{exitUsage, "usage or rejected input: a bad flag, an unknown function, a bad argument, an invalid fctl file"},
		{exitInput, "the input could not be read or parsed"},
		{exitFunction, "a function or operation failed"},
		{exitInterrupted, "interrupted"},
	}
}

// errNo is the answer no: everything worked, everything is printed, and the
// exit status says it.
var errNo = errors.New("the answer is no")

// exitStatus is the status an error stands for: that of its worst problem.
// What nobody classified comes from cobra and pflag, and is about usage.
func exitStatus(err error) int {
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, errNo):
		return exitNo
	}
	worst := exitNo
	for _, f := range diag.Failures(err, api.FailureUsage) {
		worst = max(worst, int(f.Class))
	}
	return worst
}
