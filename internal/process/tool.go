package process

import (
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Tool is a program of the user that works for fctl, such as git, an editor or a pager. Unlike a
// function it is trusted: it has the environment of the caller and no limits.
type Tool struct {
	Words          []string // the program, whose path or name on PATH comes first, and its arguments
	Dir            string   // "" for that of the caller
	Env            []string // variables besides those of the caller
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Patience is how long the tool may tidy up when the context ends, before it is killed. A tool
	// with patience ends with fctl, too, where the system can do that.
	Patience time.Duration
}

func (t *Tool) command(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, t.Words[0], t.Words[1:]...) //nolint:gosec // the user's program
	cmd.Dir, cmd.Env = t.Dir, append(os.Environ(), t.Env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = t.Stdin, t.Stdout, t.Stderr
	if t.Patience > 0 {
		cmd.WaitDelay = t.Patience
		cmd.Cancel = func() error {
			if cmd.Process.Signal(syscall.SIGTERM) == nil {
				return nil
			}
			return cmd.Process.Kill() // Windows has no such signal
		}
	}
	return cmd
}

// Run runs the tool and waits for it.
func (t *Tool) Run(ctx context.Context) error {
	cmd := t.command(ctx)
	if t.Patience > 0 {
		defer endWithCaller(cmd)()
	}
	return cmd.Run()
}

// Start starts the tool. wait waits for it.
func (t *Tool) Start(ctx context.Context) (wait func() error, err error) {
	cmd := t.command(ctx)
	return cmd.Wait, cmd.Start()
}

// Read runs the tool, whose standard output read reads. The tool is killed if read fails. A tool
// that fails has an error of the package os/exec; said is what it wrote to its standard error.
func (t *Tool) Read(ctx context.Context, read func(io.Reader) error) (said string, err error) {
	cmd := t.command(ctx)
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	if err := read(out); err != nil {
		_ = cmd.Process.Kill() // it may be writing what nobody reads
		_ = cmd.Wait()
		return "", err
	}
	err = cmd.Wait()
	return problems.String(), err
}
