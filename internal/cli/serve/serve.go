// Package serve implements the commands by which other programs use fctl: a server of HTTP, those that
// call it, and the tools for agents.
//
// Layer: commands.
package serve

import (
	"context"
	"io"
	"log/slog"
	"net"
	"runtime/debug"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/lang/limit"
	"github.com/fctl-dev/fctl/internal/links/workspace"
	"github.com/fctl-dev/fctl/internal/parallel"
	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/server"
	"github.com/fctl-dev/fctl/internal/server/remote"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	address, tokenFile string
	certificate, key   string
	accessLog          *command.Choice
	workers, requests  int
	body               int64
	grace              time.Duration
	names              []string
}

// New makes the commands of the server.
func New(a *command.App) []*cobra.Command {
	return []*cobra.Command{newServe(a), newServeRequests(a), newOK(), newShutdown(), newMCP(a), newLSP(a)}
}

func newServe(a *command.App) *cobra.Command {
	o := &serveFlags{}
	cmd := &cobra.Command{
		Use:   "serve [flags]",
		Short: "Serve functions over HTTP",
		Long: `Serve the functions over HTTP, and a page for people that runs them. A request
is a FunctionInvocationRequest as JSON, and the answer is a
FunctionInvocationResponse:

  GET  /                            the page
  POST /function/TOOLCHAIN          run a chain of functions
  GET  /function/TOOLCHAIN          the signatures of the functions
  GET  /function/TOOLCHAIN/paths    the registered paths
  GET  /function/ok                 "OK"; also /healthz and /readyz
  GET  /about                       the formats
  GET  /workspace/graph             the links of the workspace in the current
                                    directory, as a picture
  GET  /workspace/plan              what they would change
  GET  /metrics                     counts and times for Prometheus
  GET  /openapi.json                this, as OpenAPI
  GET  /session                     for fctl --server
  POST /function/shutdown           end the server, from this machine only

TOOLCHAIN is kubernetes, opentofu, properties, or a name such as appconfig-toml.

Functions run in processes of their own, one request at a time in each. A
request that reaches --max-memory or --timeout costs only itself. Clients cannot
read files or run programs with any function. The server listens only on this
machine unless --address says otherwise; use --token-file and --tls-cert then.
These files are read again when they change.

Each request is sent to a collector of OpenTelemetry as a trace if the variable
OTEL_EXPORTER_OTLP_ENDPOINT names one.`,
		Example: `  fctl serve
  fctl serve --address 127.0.0.1:0 --max-memory 512MiB --timeout 10s
  fctl serve --address :9443 --tls-cert tls.crt --tls-key tls.key --token-file token`,
		Args: command.NoArguments,
	}
	f := cmd.Flags()
	f.StringVar(&o.address, "address", "127.0.0.1:9080", "listen on `HOST:PORT`")
	f.StringVar(&o.tokenFile, "token-file", "",
		"serve only clients that send the token in `FILE` as their bearer token")
	f.StringVar(&o.certificate, "tls-cert", "", "serve HTTPS with the certificate in `FILE`")
	f.StringVar(&o.key, "tls-key", "", "use the private key in `FILE`")
	o.accessLog = &command.Choice{What: "access log", Value: "none", Values: []string{"none", "text", "json"}}
	f.Var(o.accessLog, "access-log", "write a line for each request to the error stream as `FORMAT`: "+
		"none, text or json")
	f.StringArrayVar(&o.names, "host", nil,
		"accept requests for `NAME` on this machine, in addition to localhost; can be repeated")
	f.IntVar(&o.workers, "workers", parallel.Cores(), "run at most `N` requests at once")
	f.IntVar(&o.requests, "max-requests", 1024, "refuse requests while `N` are in work or wait")
	f.Int64Var(&o.body, "max-body", 96<<20, "refuse requests of more than `BYTES`")
	f.DurationVar(&o.grace, "grace", 30*time.Second, "give requests `TIME` to end after a signal")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) }
	return cmd
}

func (o *serveFlags) run(a *command.App, cmd *cobra.Command) error {
	if o.workers < 1 || o.requests < 1 || o.body < 1 || o.grace < 0 {
		return diag.Usage("--workers, --max-requests and --max-body must be positive, and --grace " +
			"must not be negative")
	}
	s, err := a.Settings(cmd.Flags())
	if err != nil {
		return err
	}
	executor, err := a.ExecutorFor(cmd.Context(), s)
	if err != nil {
		return err
	}
	report := func(err error) { a.Console().Problems(diag.Failures(err, api.FailureInput)) }
	token, err := newToken(o.tokenFile, report)
	if err != nil {
		return err
	}
	certificates, err := newTLS(o.certificate, o.key, report)
	if err != nil {
		return err
	}
	words := append(globalFlags(cmd), serveRequests)
	timeout := limit.Of(cmd.Context()).Time() + server.Patience
	cpu := server.CPUTime(timeout)
	var reader func(words ...string) (*process.Child, error)
	if _, err := workspace.Find(a.Dir, a.Dir != ""); err == nil {
		flags := slices.Clip(words[:len(words)-1])
		reader = func(words ...string) (*process.Child, error) {
			return process.StartChild(addressSpace*s.MemoryBytes, cpu, append(flags, words...)...)
		}
	}
	serving, err := server.New(server.Options{
		Executor: executor, Workers: o.workers, Requests: o.requests, Body: o.body,
		Timeout: timeout, Grace: o.grace, Token: token, Names: o.names,
		TLS: certificates, Log: o.logger(a.Streams.ErrOut), Report: report,
		Worker: func() (*process.Child, error) {
			return process.StartChild(addressSpace*s.MemoryBytes, cpu, words...)
		},
		Session: func() (*process.Child, error) {
			return process.StartChild(addressSpace*s.MemoryBytes, server.SessionTime(timeout),
				append(slices.Clip(words), "--sessions")...)
		},
		Workspace: reader,
	})
	if err != nil {
		return diag.Usage("%w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(cmd.Context(), "tcp", o.address)
	if err != nil {
		return diag.Usage("--address: %w", err)
	}
	scheme := "http://"
	if certificates != nil {
		scheme = "https://"
	}
	if !s.Quiet {
		a.Console().Notes("", api.Note{Message: "listening on " + scheme + listener.Addr().String()})
	}
	debug.SetGCPercent(gcPercent)
	a.Writes.Begin() // a signal does not cut requests short
	defer a.Writes.End()
	if err := serving.Serve(cmd.Context(), listener); err != nil {
		return diag.Failures(err, api.FailureFunction)
	}
	return context.Cause(cmd.Context())
}

// logger returns the log of requests, nil for none.
func (o *serveFlags) logger(to io.Writer) *slog.Logger {
	switch o.accessLog.Value {
	case "text":
		return slog.New(slog.NewTextHandler(to, nil))
	case "json":
		return slog.New(slog.NewJSONHandler(to, nil))
	}
	return nil
}

// gcPercent is GOGC of the server, most of whose garbage is that of short requests.
const gcPercent = 400

// addressSpace is how much more memory a worker may have than --max-memory, which limits expressions
// and the input, each of which counts.
const addressSpace = 4

// globalFlags returns the flags of the command line that hold for all commands.
func globalFlags(cmd *cobra.Command) []string {
	words := []string{"--color=never"}
	cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && f.Name != "color" {
			words = append(words, "--"+f.Name+"="+f.Value.String())
		}
	})
	return words
}

// serveRequests is the name of the command that a server starts as its worker.
const serveRequests = "serve-requests"

// newServeRequests makes the command that answers the requests of a server.
func newServeRequests(a *command.App) *cobra.Command {
	cmd := &cobra.Command{Use: serveRequests, Hidden: true, Args: command.NoArguments}
	sessions := cmd.Flags().Bool("sessions", false, "answer the messages of sessions")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		s, err := a.Settings(cmd.Flags())
		if err != nil {
			return err
		}
		executor := func() (*functions.Executor, error) { return a.ExecutorFor(cmd.Context(), s) }
		if *sessions {
			err = remote.Work(cmd.Context(), executor, a.Streams.In, a.Streams.Out)
		} else {
			var own *functions.Executor
			if own, err = executor(); err == nil {
				err = server.Work(cmd.Context(), own, a.Streams.In, a.Streams.Out)
			}
		}
		if err != nil {
			return diag.Failures(err, api.FailureFunction)
		}
		return nil
	}
	return cmd
}
