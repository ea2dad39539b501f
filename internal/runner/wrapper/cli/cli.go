// Package cli is the command line of fctl-wrapper, the program inside the pods of functions. It is
// copied into each pod, so it links neither functions nor a client of clusters.
//
// Layer: commands.
package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/files"
	"github.com/fctl-dev/fctl/internal/out/iostreams"
	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/runner/invocation"
	"github.com/fctl-dev/fctl/internal/runner/server"
	"github.com/fctl-dev/fctl/internal/runner/wrapper"
	"github.com/fctl-dev/fctl/internal/version"
)

// wrapperOptions are the flags.
type wrapperOptions struct {
	address    string
	install    string
	port       int
	maxMessage int
	parallel   int
	timeout    time.Duration
	idle       time.Duration
	memory     int64
	flat       bool
	empty      []string
	emptyIPC   bool
}

// Main runs a command line and returns the exit status.
func Main(ctx context.Context, args []string, streams *iostreams.Streams,
	getenv func(string) string,
) int {
	i := &invocation.CommandRun{Name: "fctl-wrapper", Streams: streams, Getenv: getenv}
	return i.Run(ctx, command(i), args)
}

func command(i *invocation.CommandRun) *cobra.Command {
	o := &wrapperOptions{}
	cmd := &cobra.Command{
		Use: i.Name, Args: cobra.ArbitraryArgs, Version: version.Read().Version,
		Long: `Serve a program as a function: for each request the program is started with the
ResourceList on its standard input. This is the command of a container in the
pod of a function. On Linux the processes that the program started end with it,
unless several programs run at once.

  fctl-wrapper --port 9446 -- PROGRAM [ARG...]
  fctl-wrapper --install DIR     copies fctl-wrapper itself to DIR`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.wrap(cmd.Context(), i, args, cmd.ArgsLenAtDash())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.address, "address", "", "listen on `ADDRESS`; on all of the pod if "+
		"empty")
	f.IntVar(&o.port, "port", 9446, "listen on `PORT`")
	f.IntVar(&o.maxMessage, "max-message", server.DefaultMaxMessage,
		"refuse requests and responses of more than `BYTES`")
	f.IntVar(&o.parallel, "parallel", 1, "run at most `N` processes at once; more "+
		"requests wait")
	f.DurationVar(&o.timeout, "timeout", 5*time.Minute,
		"stop a process after `TIME`")
	f.DurationVar(&o.idle, "idle", 0, "end after this `TIME` without a request; never if 0")
	f.StringArrayVar(&o.empty, "empty", nil,
		"delete everything in `DIR` after each request; may be given several times")
	f.BoolVar(&o.emptyIPC, "empty-ipc", false,
		"delete shared memory, message queues and semaphores of the user after each request")
	f.Int64Var(&o.memory, "memory", 0, "give a process at most `BYTES` of memory")
	f.BoolVar(&o.flat, "flat-log", false, "write what a process logs on one line")
	f.StringVar(&o.install, "install", "", "copy fctl-wrapper to `DIR` and end")
	return cmd
}

func (o *wrapperOptions) wrap(ctx context.Context, i *invocation.CommandRun, args []string, dash int,
) error {
	if dash != 0 && len(args) > 0 {
		return diag.UsageHint("write -- before the program", "unexpected argument %q", args[0])
	}
	if o.install != "" {
		return copySelf(ctx, o.install)
	}
	if len(args) == 0 {
		return diag.UsageHint("fctl-wrapper -- PROGRAM", "a PROGRAM is missing")
	}
	if o.port < 0 || o.port > 65535 || o.parallel < 1 || o.maxMessage < 1 {
		return diag.Usage("--port, --parallel and --max-message must be positive")
	}
	if (len(o.empty) > 0 || o.emptyIPC) && o.parallel > 1 {
		return diag.Usage("--empty and --empty-ipc need --parallel 1")
	}
	if o.idle < 0 {
		return diag.Usage("--idle must not be negative")
	}
	command := args
	path, err := exec.LookPath(command[0])
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return fmt.Errorf("the program of the function cannot be started: %w", err)
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	command[0] = path
	// The function has the same user, and must not read the requests of others here.
	if err := errors.Join(process.BecomeReaper(), process.Conceal()); err != nil {
		return err
	}
	ctx, broken := context.WithCancelCause(ctx)
	defer broken(nil)
	w, err := wrapper.New(wrapper.Options{
		Command: command, Dir: dir, Env: environment(os.Environ()), Parallel: o.parallel,
		Limits: process.Limits{Time: o.timeout, Memory: o.memory, Output: int64(o.maxMessage)},
		Flat:   o.flat, Alone: o.parallel == 1, Empty: o.empty, EmptyIPC: o.emptyIPC,
		Broken: func(err error) { broken(fmt.Errorf("%w; another pod has to go on", err)) },
	})
	if err != nil {
		return err
	}
	s := server.New(w, server.Options{MaxMessage: o.maxMessage, Grace: o.timeout, Idle: o.idle})
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp",
		net.JoinHostPort(o.address, fmt.Sprint(o.port)))
	if err != nil {
		return err
	}
	i.Say("listening on %s", listener.Addr())
	if err := s.Serve(ctx, listener); err != nil {
		return err
	}
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err // nil if no request came for so long
	}
	return nil
}

// environment returns the names of the variables of a container: the image and the template of the
// pod set them for the function. Those that Kubernetes adds are left out.
func environment(variables []string) []string {
	var names []string
	for _, v := range variables {
		name, _, _ := strings.Cut(v, "=")
		if name != "" && !strings.HasPrefix(name, "KUBERNETES_") {
			names = append(names, name)
		}
	}
	return names
}

// copySelf copies this program to a directory, where another container finds it.
func copySelf(ctx context.Context, dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	data, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	return files.Write(ctx, filepath.Join(dir, "fctl-wrapper"), 0o755, data)
}
