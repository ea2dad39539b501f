package process

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"time"
)

// process is one child process: a program, or the command line of a container engine.
type process struct {
	path string
	args []string
	// file is the program if it is run by its descriptor; path is then only its name.
	file   *os.File
	env    []string
	dir    string
	call   *Call // with a name, and with limits that are not negative
	change func(*exec.Cmd)
	alone  bool // as in Program
	// stop is called in addition when the call ends early.
	stop func()
}

// drainDelay is how long the output of a killed function is read on.
const drainDelay = 2 * time.Second

// run starts the process, feeds it and waits until nothing of it is left.
func (p *process) run(ctx context.Context) (Output, error) {
	limits := p.call.Limits
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if limits.Time > 0 {
		timer := time.AfterFunc(limits.Time, func() {
			cancel(&TimeoutError{Function: p.call.Function, Limit: limits.Time})
		})
		defer timer.Stop()
	}
	cmd := exec.CommandContext(ctx, p.path, p.args...)
	cmd.Dir, cmd.Env = p.dir, p.env
	cmd.Stdin = bytes.NewReader(p.call.Stdin)
	captured := func(stream string, limit int64) *capture {
		return &capture{ctx: ctx, limit: limit, stream: stream, call: p.call, cancel: cancel}
	}
	stdout := captured("standard output", limits.Output)
	stderr := captured("standard error", limits.log())
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = drainDelay
	ownGroup(cmd)
	cmd.Cancel = func() error {
		if p.stop != nil {
			p.stop()
		}
		return killGroup(cmd.Process)
	}
	if p.change != nil {
		p.change(cmd)
	}
	if p.file != nil {
		byDescriptor(cmd, p.file)
	}
	if err := cmd.Start(); err != nil {
		return Output{}, StartProblem(p.path, err)
	}
	if limits.Memory > 0 {
		limitMemory(cmd.Process.Pid, limits.Memory)
	}
	err := waitForGroup(cmd, p.alone)
	out := Output{Stdout: stdout.text(), Stderr: stderr.text(), ExitCode: -1}
	if cmd.ProcessState != nil {
		out.ExitCode = cmd.ProcessState.ExitCode()
	}
	if cause := context.Cause(ctx); cause != nil {
		return out, cause
	}
	var exit *exec.ExitError
	switch {
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
		return out, nil
	case !errors.As(err, &exit):
		return out, &RunError{p.call.Function, err}
	}
	if signal := signalOf(exit.ProcessState); signal != nil {
		return out, &SignalError{p.call.Function, signal}
	}
	return out, &ExitError{Function: p.call.Function, Code: out.ExitCode}
}

// StartProblem returns the error for a program that could not be opened or started.
func StartProblem(program string, err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
		return missing(program)
	}
	return notExecutable(program, err)
}

// CheckRegular returns an error for a program that is a directory or not a regular file.
func CheckRegular(program string, mode fs.FileMode) error {
	switch {
	case mode.IsDir():
		return notExecutable(program, errors.New("it is a directory"))
	case !mode.IsRegular():
		return notExecutable(program, errors.New("it is not a regular file"))
	}
	return nil
}
