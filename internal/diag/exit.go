package diag

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/fctl-dev/fctl/api"
)

// The exit statuses of fctl and fctl-runner. No other file maps errors to statuses; `fctl help
// exit-codes` prints ExitCodes.
const (
	ExitDone     = 0
	ExitNo       = int(api.FailureNo)
	ExitUsage    = int(api.FailureUsage)
	ExitInput    = int(api.FailureInput)
	ExitFunction = int(api.FailureFunction)
	ExitSignal   = 128 // plus the number of the signal
)

// ExitCode is an exit status and its meaning, in short lines.
type ExitCode struct {
	Status  int
	Meaning string
}

// ExitCodes lists the exit statuses in ascending order.
func ExitCodes() []ExitCode {
	return []ExitCode{
		{ExitDone, "success"},
		{ExitNo, "no: a validation did not pass, --check found files that would\n" +
			"change, diff found a difference, merge found a conflict, or a bundle is\n" +
			"not ready yet"},
		{ExitUsage, "wrong usage: an unknown flag or function, an invalid argument,\n" +
			"a mistake in settings, a chain or another definition"},
		{ExitInput, "the input could not be read or parsed, or a definition is not YAML"},
		{ExitFunction, "a function failed, or an output could not be written (full disk)"},
		{ExitSignal + int(syscall.SIGHUP), "ended by SIGHUP"},
		{ExitSignal + int(syscall.SIGINT), "interrupted (SIGINT)"},
		{ExitSignal + int(syscall.SIGTERM), "ended by SIGTERM"},
	}
}

// ExitError is the exit status of a run whose problems have been reported.
type ExitError int

func (e ExitError) Error() string { return fmt.Sprintf("ended with status %d", int(e)) }

// ExitStatus returns the status of an error: that of its worst problem. Errors without a class have
// the class unknown.
func ExitStatus(err error, unknown api.FailureClass) int {
	if err == nil {
		return ExitDone
	}
	if by, ok := errors.AsType[Interrupted](err); ok {
		return ExitSignal + int(by.Signal)
	}
	if status, ok := errors.AsType[ExitError](err); ok {
		return int(status)
	}
	worst := ExitNo
	for _, f := range Failures(err, unknown) {
		worst = max(worst, int(f.Class))
	}
	return worst
}

// Interrupted is the signal that ended a run.
type Interrupted struct{ Signal syscall.Signal }

func (i Interrupted) Error() string {
	if i.Signal == syscall.SIGINT {
		return "interrupted"
	}
	return i.Signal.String()
}
