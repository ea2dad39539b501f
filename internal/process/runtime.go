// Package process runs foreign configuration functions: programs of this machine and container
// images. A function reads bytes from its standard input and writes bytes to its standard output;
// what these bytes mean is the business of package krm. It also starts the tools of the user, such
// as git, an editor or a pager; no other package starts programs.
//
// Invariants:
//
//   - A function never outlives its call: its whole process group, or its container, is killed when
//     the call ends, whatever the reason.
//   - A function gets nothing that it was not given: a minimal environment, no network unless it is
//     both declared and allowed, and no mounts outside the root.
//   - A caller never has to read messages. A function that ran and failed (*ExitError,
//     *SignalError, *TimeoutError, *OutputError) differs from one that was not started, whose
//     *NotStartedError has a Cause.
//
// Layer: base.
package process

import (
	"context"
	"time"
)

// Executor runs one function. If the function ran, the Output is complete even when the error is
// not nil: a function that fails may have written results.
type Executor interface {
	Run(ctx context.Context, call Call) (Output, error)
}

// Call is what one run of a function gets.
type Call struct {
	// Function is the name of the function in errors. If it is empty, errors name the program or
	// image.
	Function string
	Stdin    []byte
	Args     []string // after the arguments that belong to the executor
	// Env has elements "KEY=value", and "KEY" for variables that keep the caller's value. Later
	// elements win, see MergeEnv.
	Env    []string
	Mounts []Mount
	// Dir is the working directory of a program: absolute, and not the root of the file system.
	Dir string
	// Local is the directory of the functionConfig. A container sees it read-only as /local, a
	// sandboxed program gets its path in FCTL_LOCAL. Empty for none.
	Local string
	// NetworkWanted is what the declaration of the function says, NetworkAllowed what the caller
	// says. A function has a network only if both are true.
	NetworkWanted, NetworkAllowed bool
	AsCurrentUser                 bool // a container runs as the caller and not as nobody
	Limits                        Limits
}

// WithStdin returns the call with a standard input.
func (c Call) WithStdin(stdin []byte) Call {
	c.Stdin = stdin
	return c
}

// Limits bound one run. A zero field is the default, a negative one no limit.
type Limits struct {
	Time   time.Duration
	Output int64   // bytes of standard output, and of standard error if that is less than maxLog
	Memory int64   // bytes
	CPUs   float64 // containers only
	PIDs   int     // containers only
}

// DefaultLimits returns the limits that apply where Call.Limits has zeros. The output is one document,
// and fctl reads none of more than 256 MiB.
func DefaultLimits() Limits {
	return Limits{Time: 5 * time.Minute, Output: 240 << 20, Memory: 2 << 30, CPUs: 2, PIDs: 256}
}

// withDefaults returns the limits with zeros replaced by the defaults and negative values by zeros,
// which mean no limit.
func (l Limits) withDefaults() Limits {
	d := DefaultLimits()
	return Limits{
		Time: orDefault(l.Time, d.Time), Output: orDefault(l.Output, d.Output),
		Memory: orDefault(l.Memory, d.Memory), CPUs: orDefault(l.CPUs, d.CPUs),
		PIDs: orDefault(l.PIDs, d.PIDs),
	}
}

// maxLog is how many bytes of standard error are kept. They are for people, and showing them, masked
// and escaped, takes many times the memory.
const maxLog = 16 << 20

// log returns the limit of the standard error.
func (l Limits) log() int64 { return min(l.Output, maxLog) }

func orDefault[T int | int64 | float64 | time.Duration](value, otherwise T) T {
	if value == 0 {
		return otherwise
	}
	return max(value, 0)
}

// Output is what a function wrote.
type Output struct {
	Stdout, Stderr []byte
	ExitCode       int // -1 if a signal ended it
}
