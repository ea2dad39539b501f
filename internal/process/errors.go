package process

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// MissingError reports that a program does not exist.
type MissingError struct{ Program string }

func (e *MissingError) Error() string { return fmt.Sprintf("program %s does not exist", e.Program) }

// NotExecutableError reports that a program exists but cannot be executed.
type NotExecutableError struct {
	Program string
	Err     error
}

func (e *NotExecutableError) Error() string {
	return fmt.Sprintf("program %s is not executable: %v", e.Program, e.Err)
}

// Unwrap returns the cause.
func (e *NotExecutableError) Unwrap() error { return e.Err }

// OutsideError reports that a program or a mounted directory is outside of the directory that it
// must be in.
type OutsideError struct{ Path, Root string }

func (e *OutsideError) Error() string { return fmt.Sprintf("%s is outside of %s", e.Path, e.Root) }

// Hint names the flag that allows it.
func (e *OutsideError) Hint() string { return "--allow-outside allows it" }

// MountError reports a declared mount that the user has to allow.
type MountError struct{ Source, Why string }

func (e *MountError) Error() string {
	return fmt.Sprintf("mount of %q: %s, and the user has to allow that", e.Source, e.Why)
}

// Hint says what allows it.
func (e *MountError) Hint() string { return "--allow-mount allows it" }

// StartError reports that the call itself is not possible, for example because of its mounts.
type StartError struct {
	Function string
	Err      error
}

func (e *StartError) Error() string {
	return fmt.Sprintf("function %s cannot be started: %v", e.Function, e.Err)
}

// Unwrap returns the cause.
func (e *StartError) Unwrap() error { return e.Err }

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

func (e *ExitError) Error() string {
	return fmt.Sprintf("function %s failed: exit status %d", e.Function, e.Code)
}

// RunError reports that a function was started and that it is not known how it ended.
type RunError struct {
	Function string
	Err      error
}

func (e *RunError) Error() string {
	return fmt.Sprintf("function %s failed: %v", e.Function, e.Err)
}

// Unwrap returns the cause.
func (e *RunError) Unwrap() error { return e.Err }

// SignalError reports that a signal ended a function.
type SignalError struct {
	Function string
	Signal   os.Signal
}

func (e *SignalError) Error() string {
	return fmt.Sprintf("function %s was killed by a signal: %v", e.Function, e.Signal)
}

// TimeoutError reports that a function was killed because it ran too long.
type TimeoutError struct {
	Function string
	Limit    time.Duration
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("function %s was killed: it ran longer than %v", e.Function, e.Limit)
}

// OutputError reports that a function was killed because it wrote too much.
type OutputError struct {
	Function string
	Stream   string // "standard output" or "standard error"
	Limit    int64
}

func (e *OutputError) Error() string {
	return fmt.Sprintf("function %s was killed: it wrote more than %d bytes to its %s", e.Function,
		e.Limit, e.Stream)
}

// NetworkError reports that a function declares that it needs the network, which the caller did
// not allow.
type NetworkError struct{ Function string }

func (e *NetworkError) Error() string {
	return fmt.Sprintf("function %s: network required but not enabled with --network", e.Function)
}

// PullError reports that an image is not present and that the engine did not get it. The function
// did not run.
type PullError struct {
	Image string
	Err   error
}

func (e *PullError) Error() string {
	return fmt.Sprintf("image %s is not present and could not be pulled: %v", e.Image, e.Err)
}

// Unwrap returns the cause.
func (e *PullError) Unwrap() error { return e.Err }

// EngineError reports that a container engine failed before the function ran.
type EngineError struct {
	Engine, Image string
	Code          int // the exit status of the engine
	Stderr        string
}

// Hint says what to do about it.
func (e *EngineError) Hint() string {
	why := e.Engine + " failed"
	if e.Code == statusExecutable || e.Code == statusNotFound {
		why += ", or the program that the image names is missing, is not executable, or is for " +
			"another kind of machine"
	}
	return fmt.Sprintf("the function did not run: %s; check with: %s run --rm %s", why, e.Engine,
		e.Image)
}

func (e *EngineError) Error() string {
	return fmt.Sprintf("%s could not start image %s: %s", e.Engine, e.Image, e.Stderr)
}

// NoEngineError reports that no container engine was found. Tried says of each engine why not.
type NoEngineError struct{ Tried []string }

func (e *NoEngineError) Error() string {
	return "no container engine answers: " + strings.Join(e.Tried, "; ")
}

// NoRunnerError reports that fctl-runner was not found.
type NoRunnerError struct{ Err error }

func (e *NoRunnerError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *NoRunnerError) Unwrap() error { return e.Err }

// Hint says how to get it.
func (e *NoRunnerError) Hint() string {
	return "go install github.com/fctl-dev/fctl/cmd/fctl-runner@latest, or set FCTL_RUNNER to it"
}

// NotStartedError reports that a function was certainly not started, for a reason without a type of
// its own.
type NotStartedError struct{ Err error }

func (e *NotStartedError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *NotStartedError) Unwrap() error { return e.Err }

// ExecNotAllowedError reports that a program of this machine was not run because the caller did not
// allow programs.
type ExecNotAllowedError struct{}

func (e *ExecNotAllowedError) Error() string { return "exec is not allowed (--allow-exec)" }

// NotStarted reports whether err says that the function was certainly not started. Only then may
// another executor run it.
func NotStarted(err error) bool {
	is := func(target any) bool { return errors.As(err, target) }
	return is(new(*NotStartedError)) || is(new(*MissingError)) || is(new(*NotExecutableError)) ||
		is(new(*OutsideError)) ||
		is(new(*StartError)) || is(new(*NetworkError)) || is(new(*PullError)) ||
		is(new(*EngineError)) || is(new(*NoEngineError)) || is(new(*ExecNotAllowedError)) ||
		is(new(*NoRunnerError))
}

// Hint returns what an error of this package says about what to do, "" if it does not.
func Hint(err error) string {
	type hinting interface {
		error
		Hint() string
	}
	if e, ok := errors.AsType[hinting](err); ok {
		return e.Hint()
	}
	return ""
}
