// Package pods evaluates functions in pods that it keeps warm. It decides which pod runs a request,
// when a pod is started and when it is deleted; a Backend does these things.
//
// Invariants:
//
//   - One goroutine, the loop, owns all state. Others send it functions and hold no reference to
//     what it owns, so that nothing is locked.
//   - A pod runs one request at a time, and those that wait for it in the order in which they were
//     assigned to it.
//   - A request is assigned to the pod with the fewest requests. It makes another pod start if
//     already PreferredQueue requests wait for that one and there are fewer than MaxPods.
//   - A request that a pod did not answer because the pod ended is tried again at most twice. A
//     function that answered, even with a failure, never runs again.
//   - Every request is answered exactly once, also if its pod fails, its configuration changes or
//     the scheduler stops.
//
// Layer: commands.
package pods

import (
	"cmp"
	"context"
	"time"

	"github.com/fctl-dev/fctl/internal/krm/functionconfig"
	"github.com/fctl-dev/fctl/internal/runner/evaluator"
)

// Function is what a pod is made for. Pods of equal Image and Version are interchangeable.
type Function struct {
	Image   string // the full name that the pod pulls
	Version string // of the template; a change of it retires the pods
	// Template is how the configuration of the function changes its pods, nil for no change.
	Template *functionconfig.Pod
	Limits   PodLimits
}

// PodLimits bound the pods of one function. Zero fields are the defaults of Options.
type PodLimits struct {
	MaxPods        int
	PreferredQueue int           // waiting requests of a pod from which on another pod is started
	TTL            time.Duration // from the last use of a pod to its end
}

// Pod is a pod that can be called. Its methods may be called from several goroutines.
type Pod interface {
	Name() string
	// Call evaluates a request. The code of its error is Unavailable if the pod ended.
	Call(ctx context.Context, request *evaluator.Request) (*evaluator.Response, error)
	// Gone is closed when the pod is seen to have failed, or to be about to end.
	Gone() <-chan struct{}
}

// Backend starts and deletes pods. Its methods may be called from several goroutines.
type Backend interface {
	// Start starts a pod and waits until it is ready, or takes one that an earlier scheduler
	// released. It leaves nothing if it fails.
	Start(ctx context.Context, f Function) (Pod, error)
	// Delete deletes a pod. Without one it does nothing.
	Delete(ctx context.Context, pod Pod) error
	// Release leaves a pod that is not in use to other schedulers.
	Release(ctx context.Context, pod Pod) error
}

// Options are the settings of a Scheduler. Zero fields are those of DefaultOptions.
type Options struct {
	Limits       PodLimits // where a Function has zeros
	Total        int       // pods of all functions
	Waiting      int       // requests that wait; more are refused
	StartTimeout time.Duration
	GC           time.Duration // how often pods are looked for that nobody uses
	// Retry is how long a function with a pod gets no other one after a start failed.
	Retry time.Duration
	// Keep releases the pods for the next scheduler when this one stops.
	Keep bool
	// Note is called with what happens to pods, from several goroutines; it may be nil.
	Note func(format string, args ...any)
}

// DefaultOptions returns the options where Options have zeros.
func DefaultOptions() Options {
	return Options{
		Limits: PodLimits{MaxPods: 1, PreferredQueue: 2, TTL: 30 * time.Minute},
		Total:  100, Waiting: 10000, StartTimeout: time.Minute, GC: time.Minute,
		Retry: 10 * time.Second,
	}
}

func (o Options) withDefaults() Options {
	d := DefaultOptions()
	o.Limits = o.Limits.or(d.Limits)
	o.Total, o.Waiting = cmp.Or(o.Total, d.Total), cmp.Or(o.Waiting, d.Waiting)
	o.StartTimeout, o.GC = cmp.Or(o.StartTimeout, d.StartTimeout), cmp.Or(o.GC, d.GC)
	o.Retry = cmp.Or(o.Retry, d.Retry)
	if o.Note == nil {
		o.Note = func(string, ...any) {}
	}
	return o
}

// or returns the limits with the zeros of another.
func (l PodLimits) or(d PodLimits) PodLimits {
	return PodLimits{
		MaxPods:        cmp.Or(l.MaxPods, d.MaxPods),
		PreferredQueue: cmp.Or(l.PreferredQueue, d.PreferredQueue),
		TTL:            cmp.Or(l.TTL, d.TTL),
	}
}
