package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// RunnerName is the name of the program that runs functions in pods and on other machines.
const RunnerName = "fctl-runner"

// Remote runs functions with fctl-runner, started as a child process: it talks to a server or to a
// cluster, and speaks the protocols that this program does not have.
type Remote struct {
	Path string   // of fctl-runner, see FindRunner
	Args []string // of the command eval, without the image
	// Image is the name of the image; Tag, if it is not empty, a tag or constraint in its place.
	Image, Tag string
}

// startDelay is how long a pod may take to start, in addition to the time of the function.
const startDelay = 2 * time.Minute

// The statuses of `fctl-runner eval`.
const (
	runnerFailed     = 1 // the function was started, or may have been
	runnerNotStarted = 4
)

// Run implements Executor. The child has the caller's environment, because the cluster's
// configuration is in it; the function does not get it.
func (r *Remote) Run(ctx context.Context, call Call) (Output, error) {
	if call.Function == "" {
		call.Function = r.Image
	}
	call.Limits = call.Limits.withDefaults()
	limit := call.Limits.Time
	args := append([]string{"eval"}, r.Args...)
	args = append(args, "--image", r.Image)
	if r.Tag != "" {
		args = append(args, "--tag", r.Tag)
	}
	if limit > 0 {
		args = append(args, "--timeout", limit.String())
		call.Limits.Time = limit + startDelay
	}
	call.Limits.Memory = 0 // it is a client
	p := &process{path: r.Path, args: args, call: &call, dir: call.Dir}
	out, err := p.run(ctx)
	var reason string
	out.Stderr, reason = splitLog(out.Stderr)
	exit, failed := errors.AsType[*ExitError](err)
	if !failed {
		return out, err
	}
	switch exit.Code {
	case runnerFailed:
		if reason != "" {
			// The error names the function, and the runner has done so already.
			reason = strings.TrimPrefix(reason, "function "+r.Image+" failed: ")
			err = &RunError{call.Function, errors.New(reason)}
		}
		// The status is that of the program, if the runner says it.
		var code int
		if n, _ := fmt.Sscanf(reason, "exit status %d", &code); n == 1 && code > 0 {
			out.ExitCode = code
		}
		return out, err
	case 130:
		return out, &RunError{call.Function, errors.New("it was interrupted")}
	}
	if reason == "" {
		reason = fmt.Sprintf("%s ended with status %d", RunnerName, exit.Code)
	}
	out.ExitCode = 0 // the function has none
	return out, &NotStartedError{Err: errors.New(reason)}
}

// AskRunner returns what a command of fctl-runner prints. The error is what the program says, or an
// *OutputError if it prints more than a limit of bytes.
func AskRunner(ctx context.Context, path string, limit int64, words ...string) ([]byte, error) {
	p := &process{path: path, args: words, call: &Call{
		Function: RunnerName, Limits: Limits{Output: limit},
	}}
	out, err := p.run(ctx)
	if _, failed := errors.AsType[*ExitError](err); failed && len(out.Stderr) > 0 {
		err = errors.New(strings.TrimPrefix(lastLine(out.Stderr), RunnerName+": "))
	}
	return out.Stdout, err
}

// splitLog separates what the function logged from the lines of fctl-runner, which come last, and
// returns the last of these without its name.
func splitLog(log []byte) (function []byte, reason string) {
	lines := bytes.SplitAfter(log, []byte{'\n'})
	prefix := []byte(RunnerName + ": ")
	end := len(lines)
	for end > 0 && (len(lines[end-1]) == 0 || bytes.HasPrefix(lines[end-1], prefix)) {
		end--
	}
	for _, line := range lines[end:] {
		if text, ok := bytes.CutPrefix(line, prefix); ok {
			reason = strings.TrimSpace(string(text))
		}
	}
	return bytes.Join(lines[:end], nil), reason
}

// FindRunner returns the path of fctl-runner, see FindOwn.
func FindRunner(getenv func(string) string) (string, error) {
	return FindOwn(RunnerName, "FCTL_RUNNER", getenv)
}

// FindOwn returns the path of another program of fctl: what the variable names, else the program
// beside this one, else the one on PATH.
func FindOwn(name, variable string, getenv func(string) string) (string, error) {
	if path := getenv(variable); path != "" {
		if err := checkProgram(path); err != nil {
			return "", notFound(name, variable, variable+": %w", err)
		}
		return filepath.Abs(path)
	}
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), name+filepath.Ext(self))
		if checkProgram(beside) == nil {
			return beside, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", notFound(name, variable, "%s is not installed", name)
	}
	return filepath.Abs(path)
}

func notFound(name, variable, format string, args ...any) error {
	e := Refuse(OtherCause, format, args...)
	e.Advice = "go install github.com/fctl-dev/fctl/cmd/" + name + "@latest, or set " + variable +
		" to it"
	return e
}
