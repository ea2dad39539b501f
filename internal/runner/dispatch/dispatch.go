// Package dispatch evaluates requests as FunctionConfigs say: in this process, as programs, or in
// pods. The decisions are those of package functionconfig; this package has the executors.
//
// Layer: commands.
package dispatch

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/fctl-dev/fctl/internal/krm"
	"github.com/fctl-dev/fctl/internal/krm/catalog"
	"github.com/fctl-dev/fctl/internal/krm/functionconfig"
	"github.com/fctl-dev/fctl/internal/krm/resourcelist"
	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/runner/evaluator"
	"github.com/fctl-dev/fctl/internal/runner/wrapper"
)

// Dispatcher is an evaluator. Its methods may be called from several goroutines.
type Dispatcher struct {
	cache   *functionconfig.Cache
	pods    *Pods
	slots   chan struct{}
	options Options
}

// Options say how a Dispatcher runs functions.
type Options struct {
	Programs *functionconfig.Programs
	Pods     *Pods // nil without a cluster
	Limits   process.Limits
	// Parallel is the most functions that run at once in this process and as programs; more wait.
	Parallel      int
	IgnoreDigests bool
	// Only are the kinds of executors that may be asked, nil for all.
	Only []functionconfig.ExecutorKind
	// StrictImages refuses images that no FunctionConfig names, unless their repository is one of
	// Repositories or below it.
	StrictImages bool
	Repositories []string
	// Observe is called after each evaluation, unless it is nil.
	Observe func(Evaluation)
}

// Evaluation describes one request and its outcome.
type Evaluation struct {
	Image string // as in the request
	// Config is the name of the image in the FunctionConfig that decided, "" without one.
	Config   string
	Executor string // which ran the function, "none" if no one did
	Reason   string // why this executor, or why none
	Err      error
	Took     time.Duration
	// RequestBytes and ResponseBytes are the sizes of the ResourceLists.
	RequestBytes, ResponseBytes int
}

// New returns a dispatcher that uses the current set of the cache for each request.
func New(cache *functionconfig.Cache, o Options) *Dispatcher {
	return &Dispatcher{
		cache: cache, pods: o.Pods, slots: make(chan struct{}, max(o.Parallel, 1)), options: o,
	}
}

// EvaluateFunction implements evaluator.Evaluator.
func (d *Dispatcher) EvaluateFunction(ctx context.Context, r *evaluator.Request,
) (*evaluator.Response, error) {
	began := time.Now()
	e := Evaluation{Image: r.Image, Executor: "none", RequestBytes: len(r.ResourceList)}
	response, err := d.evaluate(ctx, r, &e)
	if d.options.Observe != nil {
		if response != nil {
			e.ResponseBytes = len(response.ResourceList)
		}
		e.Err, e.Took = err, time.Since(began)
		d.options.Observe(e)
	}
	return response, err
}

// evaluate runs a function and says in e who ran it.
func (d *Dispatcher) evaluate(ctx context.Context, r *evaluator.Request, e *Evaluation,
) (*evaluator.Response, error) {
	match, err := d.find(r.Image, r.Tag)
	if err != nil {
		return nil, err
	}
	if match.Config != nil {
		e.Config = match.Config.Image
	}
	executors := map[functionconfig.ExecutorKind]functionconfig.Executor{
		functionconfig.KindGo: d.limited(d.inProcess),
	}
	if d.options.Programs != nil {
		executors[functionconfig.KindBinary] = checked(d.limited(d.options.Programs.Run))
	}
	if d.pods != nil {
		executors[functionconfig.KindPod] = checked(d.pods.executor(&match))
	}
	maps.DeleteFunc(executors, func(kind functionconfig.ExecutorKind, _ functionconfig.Executor) bool {
		return !d.asks(kind)
	})
	out, trace, err := functionconfig.Dispatch(ctx, &match, executors, process.Call{
		Function: match.Image.String(), Stdin: r.ResourceList, Limits: d.options.Limits,
	})
	for _, step := range trace {
		if e.Reason = step.Reason; step.Taken {
			e.Executor = string(step.Kind)
		}
	}
	if missing, ok := errors.AsType[*functionconfig.NoExecutorError](err); ok {
		return nil, &evaluator.NotStartedError{
			Image: missing.Image, Reasons: missing.Trace.Reasons(),
		}
	}
	if _, ok := errors.AsType[interface {
		error
		GRPCStatus() *status.Status
	}](err); ok {
		return nil, err
	}
	if e.Executor == string(functionconfig.KindPod) && err == nil {
		// The wrapper in the pod has checked it.
		return &evaluator.Response{ResourceList: out.Stdout, Log: out.Stderr}, nil
	}
	return wrapper.Answer(ctx, out, err)
}

// find looks up an image and its tag. The error is for the client.
func (d *Dispatcher) find(image, tag string) (functionconfig.ConfigMatch, error) {
	match, err := d.cache.Set().Find(functionconfig.Lookup{
		Image: image, Tag: tag, IgnoreDigest: d.options.IgnoreDigests,
	})
	if err != nil {
		return match, &evaluator.RequestError{Err: err}
	}
	if match.Config == nil && d.options.StrictImages && !d.allows(match.Image.Repository) {
		return match, &evaluator.NotStartedError{Image: match.Image.String(), Reasons: []string{
			"no FunctionConfig names it, and it is in no repository of --allow-repository",
		}}
	}
	return match, nil
}

// asks reports whether executors of a kind may be asked.
func (d *Dispatcher) asks(kind functionconfig.ExecutorKind) bool {
	return len(d.options.Only) == 0 || slices.Contains(d.options.Only, kind)
}

// allows reports whether images of a repository may run that no FunctionConfig names.
func (d *Dispatcher) allows(repository string) bool {
	return slices.ContainsFunc(d.options.Repositories, func(allowed string) bool {
		return repository == allowed || strings.HasPrefix(repository, allowed+"/")
	})
}

// checked returns an executor that refuses what is not a ResourceList, as functions of this process do.
func checked(run functionconfig.Executor) functionconfig.Executor {
	return func(ctx context.Context, c functionconfig.Candidate, call process.Call,
	) (process.Output, error) {
		if _, err := resourcelist.Parse(call.Stdin); err != nil {
			return process.Output{}, &evaluator.RequestError{Err: err}
		}
		return run(ctx, c, call)
	}
}

// limited returns an executor that waits for a slot.
func (d *Dispatcher) limited(run functionconfig.Executor) functionconfig.Executor {
	return func(ctx context.Context, c functionconfig.Candidate, call process.Call,
	) (process.Output, error) {
		select {
		case d.slots <- struct{}{}:
			defer func() { <-d.slots }()
		case <-ctx.Done():
			return process.Output{}, status.FromContextError(ctx.Err()).Err()
		}
		return run(ctx, c, call)
	}
}

// builtIn returns the function of the catalogue that a candidate names.
func builtIn(c functionconfig.Candidate) (krm.Function, error) {
	f, ok := catalog.Find(c.Config.Go.ID, "")
	if !ok {
		return nil, process.Refuse(process.OtherCause, "id %q not built in", c.Config.Go.ID)
	}
	return f, nil
}

// inProcess runs functions of the catalogue.
func (d *Dispatcher) inProcess(ctx context.Context, c functionconfig.Candidate, call process.Call,
) (process.Output, error) {
	f, err := builtIn(c)
	if err != nil {
		return process.Output{}, err
	}
	limit := cmp.Or(d.options.Limits.Time, process.DefaultLimits().Time)
	ctx, cancel := context.WithTimeoutCause(ctx, limit,
		&process.TimeoutError{Function: call.Function, Limit: limit})
	defer cancel()
	list, err := krm.Apply(ctx, f, call.Stdin)
	switch {
	case list == nil:
		return process.Output{}, &evaluator.RequestError{Err: err}
	case ctx.Err() != nil:
		return process.Output{}, context.Cause(ctx)
	case err != nil:
		return process.Output{}, wrapper.Failed(err, list.Results, nil)
	}
	text, err := list.Bytes()
	return process.Output{Stdout: text}, err
}

// executor runs the function of one request in a pod.
func (p *Pods) executor(match *functionconfig.ConfigMatch) functionconfig.Executor {
	return func(ctx context.Context, c functionconfig.Candidate, call process.Call,
	) (process.Output, error) {
		image, err := p.image(ctx, match)
		if err != nil {
			return process.Output{}, &process.NotStartedError{Err: err}
		}
		response, err := p.evaluate(ctx, c.Config, image, call.Stdin)
		if status.Code(err) == codes.NotFound {
			reason := err
			if n, ok := errors.AsType[*evaluator.NotStartedError](err); ok && len(n.Reasons) == 1 {
				reason = errors.New(n.Reasons[0])
			}
			return process.Output{}, &process.NotStartedError{Err: reason}
		}
		if err != nil {
			return process.Output{}, err
		}
		return process.Output{Stdout: response.ResourceList, Stderr: response.Log}, nil
	}
}
