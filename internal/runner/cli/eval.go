package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm/functionconfig"
	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/runner/dispatch"
	"github.com/fctl-dev/fctl/internal/runner/evaluator"
	"github.com/fctl-dev/fctl/internal/runner/invocation"
	"github.com/fctl-dev/fctl/internal/runner/server"
)

// evalOptions are the flags of eval.
type evalOptions struct {
	runner, executor, image, tag string
	timeout, connect             time.Duration
	maxMessage                   int
	configs                      configSources
	config                       string
	cluster                      clusterOptions
}

func (p *program) evalCommand() *cobra.Command {
	o := &evalOptions{}
	cmd := &cobra.Command{
		Use: "eval", Short: "run one function on a server",
		Long: `Read a ResourceList on the standard input, have a server run a function on it,
and write the ResourceList of the function to the standard output. What the
function logged goes to the standard error.

  fctl-runner eval --runner HOST:PORT --image IMAGE
  fctl-runner eval --executor pod --image IMAGE

The second form starts a pod in the cluster of the kubeconfig itself, and deletes
it unless --keep-pods is given.

Exit status:
  0    the function succeeded
  1    the function ran, or may have run, and failed; its results are on the
       standard output as a ResourceList without items, if it has any
  2    the command line or the name of the image is wrong
  3    the standard input cannot be read
  4    the function was not started; the standard error says why
  130  interrupted`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.eval(cmd.Context(), o, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.runner, "runner", "", "send the request to the server at `HOST:PORT`")
	f.StringVar(&o.image, "image", "", "`IMAGE` of the function")
	f.StringVar(&o.tag, "tag", "", "`VERSION`, or a range of versions, of the image")
	f.DurationVar(&o.timeout, "timeout", 5*time.Minute,
		"stop a function after `TIME`")
	f.DurationVar(&o.connect, "connect-timeout", 10*time.Second,
		"stop connecting after `TIME`")
	f.IntVar(&o.maxMessage, "max-message", server.DefaultMaxMessage,
		"refuse requests and responses of more than `BYTES`")
	f.StringVar(&o.executor, "executor", "", "run the function without a server, in a "+
		"pod: pod")
	f.StringArrayVar(&o.configs.values, "function-configs", nil,
		"read FunctionConfigs for --executor pod from `PATH`, or kube:[NAMESPACE]")
	f.StringVar(&o.config, "config", "",
		"use `OBJECT`, a FunctionConfig as JSON, in place of --function-configs")
	f.StringVar(&o.configs.prefix, "default-prefix", process.DefaultPrefix,
		"`REPOSITORY` of images without one")
	o.cluster.add(f)
	return cmd
}

func (p *program) eval(ctx context.Context, o *evalOptions, args []string) error {
	switch {
	case len(args) > 0:
		return diag.Usage("eval has no arguments")
	case o.image == "":
		return diag.Usage("--image is required")
	case o.executor != "" && o.executor != "pod":
		return diag.Usage("--executor %q: pod is expected", o.executor)
	case (o.runner == "") == (o.executor == ""):
		return diag.Usage("either --runner HOST:PORT or --executor pod is required")
	case o.config != "" && len(o.configs.values) > 0:
		return diag.Usage("--config and --function-configs exclude each other")
	case o.runner != "" && (o.config != "" || len(o.configs.values) > 0):
		return diag.Usage("the server has its own FunctionConfigs")
	}
	if _, err := process.ParseImage(o.image); err != nil {
		return diag.Usage("%v", err)
	}
	if _, _, err := net.SplitHostPort(o.runner); err != nil && o.runner != "" {
		return diag.Usage("--runner: %v", err)
	}
	list, err := io.ReadAll(io.LimitReader(p.Streams.In, int64(o.maxMessage)+1))
	if err != nil {
		return problem(api.FailureInput, fmt.Errorf("standard input: %w", err), "")
	}
	if len(list) > o.maxMessage {
		return problem(invocation.NotStarted, fmt.Errorf("the ResourceList has more than %d bytes", o.maxMessage),
			"--max-message allows more, here and on the server")
	}
	request := &evaluator.Request{ResourceList: list, Image: o.image, Tag: o.tag}
	if o.executor == "pod" {
		return p.evalInPod(ctx, o, request)
	}
	conn, err := connect(ctx, o.runner, o.connect, o.maxMessage)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // the answer is there
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	response, err := evaluator.NewFunctionEvaluatorClient(conn).EvaluateFunction(ctx, request)
	if err != nil {
		return p.failed(o, err)
	}
	return p.write(response.ResourceList, response.Log)
}

// evalConfigs returns the FunctionConfigs of the flags.
func (p *program) evalConfigs(ctx context.Context, o *evalOptions) (*functionconfig.Cache, error) {
	if o.config == "" {
		configs, err := p.load(ctx, o.configs, &o.cluster, true, configHooks{})
		if err != nil {
			return nil, err
		}
		return configs.cache, nil
	}
	found, problems := functionconfig.Parse([]byte(o.config), "--config")
	if errs := functionconfig.Errors(problems); len(errs) > 0 {
		return nil, diag.Usage("%s", errs[0].Error())
	}
	set, _ := functionconfig.NewSet(found, o.configs.prefix)
	return functionconfig.NewCache(set), nil
}

// evalInPod evaluates a request in a pod that this process starts, or that another one left.
func (p *program) evalInPod(ctx context.Context, o *evalOptions, r *evaluator.Request) error {
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	cache, err := p.evalConfigs(ctx, o)
	if err != nil {
		return err
	}
	limits := process.Limits{Time: o.timeout, Output: int64(o.maxMessage)}
	pods, _, err := o.cluster.pods(background, p, limits, o.maxMessage)
	if err != nil {
		return err
	}
	defer pods.Scheduler.Stop()
	onlyPods := []functionconfig.ExecutorKind{functionconfig.KindPod}
	d := dispatch.New(cache, dispatch.Options{Pods: pods, Limits: limits, Only: onlyPods})
	ctx, cancel := context.WithTimeout(ctx, o.timeout+o.cluster.scheduler.StartTimeout)
	defer cancel()
	response, err := d.EvaluateFunction(ctx, r)
	if err != nil {
		return p.failed(o, err)
	}
	return p.write(response.ResourceList, response.Log)
}

// write writes what a function returned: first what it logged, because a reader of both streams
// should see that even if it does not want the rest.
func (p *program) write(list, log []byte) error {
	if len(log) > 0 && log[len(log)-1] != '\n' {
		log = append(log[:len(log):len(log)], '\n')
	}
	_, err := p.Streams.ErrOut.Write(log)
	if err == nil {
		_, err = p.Streams.Out.Write(list)
	}
	if err != nil {
		return problem(api.FailureNo, err, "")
	}
	return nil
}

// failed writes what a function that failed left, and returns the error for the exit status.
func (p *program) failed(o *evalOptions, err error) error {
	s := status.Convert(err)
	switch s.Code() {
	case codes.NotFound, codes.Unimplemented:
		return errors.New(s.Message())
	case codes.InvalidArgument:
		return diag.Usage("%s", s.Message())
	case codes.DeadlineExceeded: // the server may see it before this side does
		err = fmt.Errorf("%s gave no answer within %v", o.image, o.timeout)
		return problem(api.FailureNo, err, "")
	case codes.Internal:
		failure, _ := evaluator.Failed(err)
		if err := p.write(failure.ResourceList, failure.Log); err != nil {
			return err
		}
		message := failure.Message
		if len(failure.ResourceList)+len(failure.Log) > 0 { // which the text repeats
			message, _, _ = strings.Cut(message, "\n")
		}
		return problem(api.FailureNo, errors.New(message), "")
	case codes.ResourceExhausted:
		if !strings.HasPrefix(s.Message(), "grpc: ") { // the server or a queue is full
			return errors.New(s.Message())
		}
		// gRPC refused the request, or the response is too large: then the function ran.
		return problem(api.FailureNo, errors.New(s.Message()), "--max-message allows more")
	}
	return problem(api.FailureNo, fmt.Errorf("%s: %s", s.Code(), s.Message()), "")
}

// connect returns a connection to a server that has answered.
func connect(ctx context.Context, address string, limit time.Duration, maxMessage int,
) (*grpc.ClientConn, error) {
	var problem atomic.Pointer[error]
	dialer := func(ctx context.Context, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err != nil {
			problem.Store(&err)
		}
		return conn, err
	}
	const overhead = 1 << 20 // what is around the ResourceList: the log
	conn, err := grpc.NewClient("passthrough:///"+address,
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithContextDialer(dialer),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage+overhead),
			grpc.MaxCallSendMsgSize(maxMessage+overhead)))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	conn.Connect()
	for state := conn.GetState(); state != connectivity.Ready; state = conn.GetState() {
		if state != connectivity.TransientFailure && conn.WaitForStateChange(ctx, state) {
			continue
		}
		_ = conn.Close()
		err := errors.New("it does not answer as a gRPC server")
		if p := problem.Load(); p != nil {
			err = *p
		}
		return nil, fmt.Errorf("the runner %s cannot be reached: %w", address,
			cmp.Or(context.Cause(ctx), err))
	}
	return conn, nil
}
