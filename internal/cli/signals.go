package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/lang/limit"
)

// sameRequest is too short for a person to ask twice: timeout of coreutils sends its signal to a
// process and then to its group, so each process gets it twice.
const sameRequest = 100 * time.Millisecond

// watch runs a command line until it ends or until signals end it, and returns the exit status.
// After the first signal, a run that writes files finishes those it has begun; a second signal ends
// it at once. Signals within sameRequest of the first are the first again.
func watch(a *command.App, args []string) int {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signal.Notify(signals, syscall.SIGHUP)
	}
	// With a receiver for SIGPIPE, writing to a pipe that nobody reads returns EPIPE instead of
	// killing the process.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	ended := make(chan int, 1)
	go func() { ended <- Run(ctx, a, args) }()
	var first time.Time
	for {
		select {
		case status := <-ended:
			return status
		case s := <-signals:
			by, _ := s.(syscall.Signal)
			if !first.IsZero() && time.Since(first) < sameRequest {
				continue
			}
			if ctx.Err() != nil {
				within(time.Second, a.Writes.Abandon)
				return diag.ExitSignal + int(by)
			}
			first = time.Now()
			cancel(diag.Interrupted{Signal: by})
		}
	}
}

// untilCancelled calls run and returns its error. When ctx is cancelled it does not wait for run,
// except for a group of writes that must not be cut short. If an expression that cannot be ended
// cancelled it, the wait is short: the expression goes on.
func untilCancelled(ctx context.Context, a *command.App, run func() error) error {
	done := make(chan error, 1)
	go func() { done <- run() }()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			return err
		}
	case <-ctx.Done():
		if _, limited := errors.AsType[*limit.Error](context.Cause(ctx)); limited {
			within(time.Second, a.Writes.Wait)
			return context.Cause(ctx)
		}
		a.Writes.Wait()
	}
	if by, ok := errors.AsType[diag.Interrupted](context.Cause(ctx)); ok {
		return by
	}
	return diag.Interrupted{Signal: syscall.SIGINT}
}

// within calls do and waits for it, but not longer than limit.
func within(limit time.Duration, do func()) {
	done := make(chan struct{})
	go func() {
		do()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(limit):
	}
}
