package cli

import (
	"context"
	"log/slog"
	"net"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc/status"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm/functionconfig"
	fnruntime "github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/runner/dispatch"
	"github.com/fctl-dev/fctl/internal/runner/kube"
	"github.com/fctl-dev/fctl/internal/runner/server"
)

// serveOptions are the flags of serve.
type serveOptions struct {
	address, metrics string
	configs          configSources
	dirs             []string
	exec, executors  string
	ignoreDigests    bool
	sandbox          bool
	maxMessage       int
	maxRequests      int
	parallel         int
	timeout, grace   time.Duration
	memory           int64
	reflection       bool
	log              string
	strict           bool
	repositories     []string
	pods, warm       bool
	cluster          clusterOptions
}

func (p *program) serveCommand() *cobra.Command {
	o := &serveOptions{}
	cmd := &cobra.Command{
		Use: "serve", Short: "serve functions as FunctionConfigs say",
		Long: `Serve the gRPC service evaluator.FunctionEvaluator of Porch. FunctionConfigs say for
each image whether it runs in this process, as a program or in a pod of a
cluster. They are read again when they change; a request is answered as the old
ones say or as the new ones do.

  fctl-runner serve --function-configs configs/ --functions bin/ --allow-exec
  fctl-runner serve --function-configs kube: --pods --wrapper-image IMAGE

Everyone who can connect to the address can run functions.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.log == "json" {
				p.Log = slog.New(slog.NewJSONHandler(p.Streams.ErrOut, nil))
			}
			return p.serve(cmd.Context(), o, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.address, "address", "127.0.0.1:9445", "listen on `HOST:PORT`")
	f.StringVar(&o.metrics, "metrics-address", "127.0.0.1:9455",
		"serve /metrics over HTTP on `HOST:PORT`; not at all if empty")
	f.StringArrayVar(&o.configs.values, "function-configs", nil,
		"read FunctionConfigs from `PATH`, or kube:[NAMESPACE]; can be repeated")
	f.StringVar(&o.configs.prefix, "default-prefix", fnruntime.DefaultPrefix,
		"`REPOSITORY` of images without one")
	f.DurationVar(&o.configs.every, "reload-interval", time.Second,
		"search for changed files every `TIME`")
	f.StringArrayVar(&o.dirs, "functions", nil, "search `DIR` for the programs of relPath")
	f.StringVar(&o.exec, "allow-exec", "", "let programs run: `WHICH` is functions, for "+
		"those below --functions, or any")
	f.Lookup("allow-exec").NoOptDefVal = "functions"
	f.StringVar(&o.executors, "executor", "", "try executors of `KINDS`, separated by "+
		"commas, in order; go,binary,pod if empty")
	f.BoolVar(&o.sandbox, "sandbox", false,
		"run programs without network, on a read-only file system (Linux)")
	f.BoolVar(&o.ignoreDigests, "ignore-digests", false,
		"let programs and Go functions run for images with a tag and a digest")
	f.BoolVar(&o.pods, "pods", false, "run functions in pods of the cluster of the "+
		"kubeconfig")
	f.BoolVar(&o.warm, "warm-up", true, "start a pod of each FunctionConfig in advance")
	f.IntVar(&o.parallel, "parallel", 2*runtime.NumCPU(),
		"run at most `N` functions at once in this process and as programs")
	f.IntVar(&o.maxRequests, "max-requests", server.DefaultMaxRequests,
		"accept at most `N` requests that are worked on or wait")
	f.IntVar(&o.maxMessage, "max-message", server.DefaultMaxMessage,
		"refuse requests and responses of more than `BYTES`")
	f.DurationVar(&o.timeout, "timeout", 5*time.Minute,
		"stop a function after `TIME`")
	f.Int64Var(&o.memory, "memory", 0, "give a program at most `BYTES` of memory; 2 "+
		"GiB if 0")
	f.DurationVar(&o.grace, "grace", 30*time.Second,
		"give requests `TIME` to end after a signal")
	f.BoolVar(&o.reflection, "reflection", false,
		"let clients ask for services and messages")
	f.StringVar(&o.log, "log", "text", "write the log as `FORMAT`: text, or json, which has a line for "+
		"each request")
	f.BoolVar(&o.strict, "strict-images", false,
		"refuse images that no FunctionConfig names, unless --allow-repository has them")
	f.StringArrayVar(&o.repositories, "allow-repository", nil,
		"let images of `REPOSITORY` and below it run with --strict-images; can be repeated")
	o.cluster.add(f)
	return cmd
}

func (o *serveOptions) check(args []string) error {
	switch {
	case len(args) > 0:
		return diag.Usage("serve has no arguments")
	case o.maxMessage < 1 || o.maxRequests < 1 || o.parallel < 1:
		return diag.Usage("--max-message, --max-requests and --parallel must be positive")
	case o.configs.every <= 0 || o.cluster.scheduler.GC <= 0:
		return diag.Usage("--reload-interval and --gc-interval must be positive")
	case o.timeout < 0 || o.grace < 0 || o.memory < 0:
		return diag.Usage("--timeout, --grace and --memory must not be negative")
	case o.exec != "" && o.exec != "functions" && o.exec != "any":
		return diag.Usage("--allow-exec %q: no value or \"any\" is expected", o.exec)
	case o.log != "text" && o.log != "json":
		return diag.Usage("--log %q: text or json is expected", o.log)
	case len(o.repositories) > 0 && !o.strict:
		return diag.Usage("--allow-repository needs --strict-images")
	}
	var err error
	if o.configs.order, err = functionconfig.ParseKinds(o.executors, functionconfig.KindGo,
		functionconfig.KindBinary, functionconfig.KindPod); err != nil {
		return diag.UsageHint("go, binary or pod", "--executor: %v", err)
	}
	for _, dir := range o.dirs {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return diag.Usage("--functions: %s is not a directory", dir)
		}
	}
	return nil
}

func (p *program) serve(ctx context.Context, o *serveOptions, args []string) error {
	if err := o.check(args); err != nil {
		return err
	}
	// What runs beside the requests ends after them.
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	limits := fnruntime.Limits{Time: o.timeout, Memory: o.memory, Output: int64(o.maxMessage)}
	var pods *dispatch.Pods
	var backend *kube.Backend
	var err error
	if o.pods {
		if pods, backend, err = o.cluster.pods(background, p, limits, o.maxMessage); err != nil {
			return err
		}
		defer pods.Scheduler.Stop()
	}
	warm := func(set *functionconfig.Set) {
		if pods == nil {
			return
		}
		pods.Changed(set)
		if o.warm {
			go func() {
				for _, err := range pods.Warm(background, set, o.configs.prefix) {
					p.Say("%v", err)
				}
			}()
		}
	}
	meters := newMeters()
	hooks := configHooks{changed: warm, reloaded: meters.reloaded}
	if pods != nil {
		hooks.check = pods.Check
	}
	configs, err := p.load(background, o.configs, &o.cluster, false, hooks)
	if err != nil {
		return err
	}
	if backend != nil {
		go o.cluster.watchTemplate(background, p, backend, func() { configs.refresh(background) })
	}
	programs, err := o.programs()
	if err != nil {
		return err
	}
	d := dispatch.New(configs.cache, dispatch.Options{
		Programs: programs, Pods: pods, Limits: limits, Parallel: o.parallel,
		IgnoreDigests: o.ignoreDigests,
		Only:          o.configs.order,
		StrictImages:  o.strict,
		Repositories:  o.repositories,
		Observe:       p.observe(meters),
	})
	s := server.New(d, server.Options{
		MaxMessage: o.maxMessage, MaxRequests: o.maxRequests, Reflection: o.reflection,
		Grace:    o.grace,
		Panicked: func(problem any, stack []byte) { p.Say("panic: %v\n%s", problem, stack) },
	})
	meters.addGauges(s, pods)
	if err = p.serveMetrics(background, o.metrics, meters); err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.address)
	if err != nil {
		return err
	}
	p.Say("listening on %s with %s", listener.Addr(), configs.count())
	if err := s.Serve(ctx, listener); err != nil {
		return err
	}
	p.Say("stopped")
	return nil
}

// observe returns a function that counts evaluations and, with --log json, logs them.
func (p *program) observe(meters *meters) func(dispatch.Evaluation) {
	return func(e dispatch.Evaluation) {
		code := status.Code(e.Err).String()
		// Anyone can ask for any image; those of FunctionConfigs are few.
		meters.evaluations.WithLabelValues(e.Config, e.Executor, code).Observe(e.Took.Seconds())
		if p.Log == nil {
			return
		}
		attributes := []slog.Attr{
			slog.String("image", e.Image), slog.String("executor", e.Executor), slog.String("reason", e.Reason),
			slog.Float64("seconds", e.Took.Seconds()), slog.Int("requestBytes", e.RequestBytes),
			slog.Int("responseBytes", e.ResponseBytes), slog.String("code", code),
		}
		if e.Err != nil && e.Executor == "none" { // the message of a function may have values of resources
			attributes = append(attributes, slog.String("error", e.Err.Error()))
		}
		p.Log.LogAttrs(context.Background(), slog.LevelInfo, "request", attributes...)
	}
}

// programs returns how programs are found and run.
func (o *serveOptions) programs() (*functionconfig.Programs, error) {
	programs := &functionconfig.Programs{Dirs: o.dirs, Allow: o.exec != "", Any: o.exec == "any"}
	if o.sandbox {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		programs.Sandbox = &fnruntime.Sandbox{Self: self}
	}
	return programs, nil
}
