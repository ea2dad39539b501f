package process

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/fctl-dev/fctl/internal/lang/limit"
)

// Cause is why a function was not started.
type Cause int

// The causes that callers distinguish.
const (
	OtherCause    Cause = iota
	Missing             // the program does not exist
	NotExecutable       // the program exists
	NotPossible         // the call itself, for example because of its mounts
	NoNetwork           // it is declared, and the caller did not allow it
	NotPulled           // the image is not present, and the engine did not get it
	EngineFailed        // the container engine, before the function ran
	NoEngine
	NotAllowed // the caller did not allow programs
)

// NotStartedError reports that a function was certainly not started. Only then may another executor
// run it.
type NotStartedError struct {
	Cause    Cause
	Function string // if it is not the subject of Err
	Err      error
	Advice   string // the hint, if any
}

func (e *NotStartedError) Error() string {
	if e.Function == "" {
		return e.Err.Error()
	}
	return "function " + e.Function + ": " + e.Err.Error()
}

// Outcome implements Ended.
func (e *NotStartedError) Outcome() (function, text string) { return e.Function, e.Err.Error() }

// Unwrap returns the cause.
func (e *NotStartedError) Unwrap() error { return e.Err }

// Hint says what to do about it.
func (e *NotStartedError) Hint() string { return e.Advice }

// Refuse returns a NotStartedError.
func Refuse(cause Cause, format string, args ...any) *NotStartedError {
	return &NotStartedError{Cause: cause, Err: fmt.Errorf(format, args...)}
}

// NotStarted reports whether err says that the function was certainly not started, for one of some
// causes if there are any.
func NotStarted(err error, causes ...Cause) bool {
	e, ok := errors.AsType[*NotStartedError](err)
	return ok && (len(causes) == 0 || slices.Contains(causes, e.Cause))
}

// missing returns the error for a program that does not exist.
func missing(program string) error { return Refuse(Missing, "program %s does not exist", program) }

// notExecutable returns the error for a program that exists and cannot be executed.
func notExecutable(program string, err error) error {
	return Refuse(NotExecutable, "program %s is not executable: %w", program, err)
}

// impossible returns the error for a call that is not possible.
func impossible(function string, err error) error {
	e := Refuse(NotPossible, "cannot be started: %w", err)
	e.Function = function
	return e
}

func noNetwork(function string) error {
	e := Refuse(NoNetwork, "network required but not enabled with --network")
	e.Function = function
	return e
}

// Ended is an error that says how a function ended, or why it was not started. Outcome returns the
// name of the function, "" if the text does not have it, and the text after that.
type Ended interface {
	error
	Outcome() (function, text string)
}

// textOf returns the text of an error about a function.
func textOf(e Ended) string {
	function, text := e.Outcome()
	return "function " + function + " " + text
}

// ExitError reports that a function ended with a status other than 0.
type ExitError struct {
	Function string
	Code     int
	// Engine is the container engine if the status is one that it uses for its own failures. The
	// function ended with it nevertheless.
	Engine string
}

// Hint says who ended with a status that has several meanings, "" for any other.
func (e *ExitError) Hint() string {
	if e.Engine == "" {
		return ""
	}
	hint := fmt.Sprintf("the function ended with status %d, not %s", e.Code, e.Engine)
	switch e.Code {
	case statusExecutable:
		hint += "; in a shell that is a command that cannot be executed"
	case statusNotFound:
		hint += "; in a shell that is a command that does not exist"
	}
	return hint
}

func (e *ExitError) Error() string { return textOf(e) }

// Outcome implements Ended.
func (e *ExitError) Outcome() (function, text string) {
	return e.Function, fmt.Sprintf("failed: exit status %d", e.Code)
}

// RunError reports that a function was started and that it is not known how it ended.
type RunError struct {
	Function string
	Err      error
}

func (e *RunError) Error() string { return textOf(e) }

// Outcome implements Ended.
func (e *RunError) Outcome() (function, text string) {
	return e.Function, fmt.Sprintf("failed: %v", e.Err)
}

// Unwrap returns the cause.
func (e *RunError) Unwrap() error { return e.Err }

// SignalError reports that a signal ended a function.
type SignalError struct {
	Function string
	Signal   os.Signal
}

func (e *SignalError) Error() string { return textOf(e) }

// Outcome implements Ended.
func (e *SignalError) Outcome() (function, text string) {
	return e.Function, fmt.Sprintf("was killed by a signal: %v", e.Signal)
}

// TimeoutError reports that a function was killed because it ran too long.
type TimeoutError struct {
	Function string
	Limit    time.Duration
}

func (e *TimeoutError) Error() string { return textOf(e) }

// Outcome implements Ended.
func (e *TimeoutError) Outcome() (function, text string) {
	return e.Function, fmt.Sprintf("was killed: it ran longer than %v", e.Limit)
}

// OutputError reports that a function was killed because it wrote too much.
type OutputError struct {
	Function string
	Stream   string // "standard output" or "standard error"
	Limit    int64
}

func (e *OutputError) Error() string { return textOf(e) }

// Outcome implements Ended.
func (e *OutputError) Outcome() (function, text string) {
	return e.Function, fmt.Sprintf("was killed: it wrote more than %s to its %s",
		limit.Size(e.Limit), e.Stream)
}

// IsCut reports whether an error says that the output is not complete, because the function was
// killed when it had written too much.
func IsCut(err error) bool {
	_, tooMuch := errors.AsType[*OutputError](err)
	_, limited := errors.AsType[*limit.Error](err)
	return tooMuch || limited
}

// Hint returns what an error of this package, or one of those that err joins, says about what to
// do, "" if none does.
func Hint(err error) string {
	if e, ok := err.(interface{ Hint() string }); ok && e.Hint() != "" {
		return e.Hint()
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		return Hint(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			if hint := Hint(err); hint != "" {
				return hint
			}
		}
	}
	return ""
}
