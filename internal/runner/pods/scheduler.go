package pods

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/fctl-dev/fctl/internal/runner/evaluator"
)

// Scheduler evaluates requests in pods. Its methods may be called from several goroutines.
type Scheduler struct {
	backend Backend
	options Options
	events  chan func()
	stop    chan struct{}
	stopped chan struct{}
	once    sync.Once
	// running is cancelled when the scheduler stops, and workers counts its goroutines.
	running context.Context
	cancel  context.CancelFunc
	workers sync.WaitGroup

	pods, waiting atomic.Int64 // copies of the loop's counts, for metrics
	ready, failed atomic.Int64 // starts of pods

	loop *loop // of the goroutine of run only
}

// New starts a scheduler. Stop ends it.
func New(backend Backend, o Options) *Scheduler {
	s := &Scheduler{
		backend: backend, options: o.withDefaults(), events: make(chan func()),
		stop: make(chan struct{}), stopped: make(chan struct{}),
	}
	s.running, s.cancel = context.WithCancel(context.Background())
	s.loop = &loop{s: s, pools: map[poolKey]*pool{}}
	go s.run()
	return s
}

// run is the loop: it executes events one after the other.
func (s *Scheduler) run() {
	gc := time.NewTicker(s.options.GC)
	defer gc.Stop()
	for {
		select {
		case event := <-s.events:
			event()
			s.loop.serveBacklogs()
		case <-gc.C:
			s.loop.collect()
		case <-s.stop:
			s.loop.close()
			close(s.stopped)
			return
		}
		s.pods.Store(int64(s.loop.total))
		s.waiting.Store(int64(s.loop.waiting))
	}
}

// post has the loop execute an event. It returns false if the loop has ended.
func (s *Scheduler) post(event func()) bool {
	select {
	case s.events <- event:
		return true
	case <-s.stopped:
		return false
	}
}

// spawn runs what must not hold up the loop. Only the loop calls it.
func (s *Scheduler) spawn(work func()) {
	s.workers.Go(work)
}

// deleteTimeout bounds a deletion, which goes on after the scheduler was stopped.
const deleteTimeout = 10 * time.Second

// deletePod deletes a pod. It does not run in the loop.
func (s *Scheduler) deletePod(pod Pod) {
	ctx, cancel := context.WithTimeout(context.Background(), deleteTimeout)
	defer cancel()
	if err := s.backend.Delete(ctx, pod); err != nil {
		s.options.Note("pod %s cannot be deleted: %v", pod.Name(), err)
	}
}

// release leaves a pod to other schedulers. It does not run in the loop.
func (s *Scheduler) release(pod Pod) {
	ctx, cancel := context.WithTimeout(context.Background(), deleteTimeout)
	defer cancel()
	if err := s.backend.Release(ctx, pod); err != nil {
		s.options.Note("pod %s cannot be left: %v", pod.Name(), err)
		s.deletePod(pod)
	}
}

// Evaluate evaluates a request in a pod of the function. The error has a code of package status.
func (s *Scheduler) Evaluate(ctx context.Context, f Function, request *evaluator.Request,
) (*evaluator.Response, error) {
	j := &job{ctx: ctx, function: f, request: request, done: make(chan answer, 1)}
	if !s.post(func() { s.loop.submit(j) }) {
		return nil, errStopped()
	}
	select {
	case a := <-j.done:
		return a.response, a.err
	case <-ctx.Done():
		s.post(func() { s.loop.abandon(j) })
		return nil, status.FromContextError(ctx.Err()).Err()
	}
}

// Warm starts a pod of a function that has none, unless there are too many pods already.
func (s *Scheduler) Warm(f Function) {
	s.post(func() {
		p := s.loop.pool(f)
		if len(p.pods) == 0 && s.loop.total < s.options.Total {
			s.loop.start(p)
		}
	})
}

// Retire lets the pods end of which keep returns false, after they have answered the requests that
// wait for them. keep is called from the loop and must not call the scheduler.
func (s *Scheduler) Retire(keep func(image, version string) bool) {
	s.post(func() { s.loop.retire(keep) })
}

// Pods returns how many pods there are, starting ones included.
func (s *Scheduler) Pods() int64 { return s.pods.Load() }

// Waiting returns how many requests wait for a pod.
func (s *Scheduler) Waiting() int64 { return s.waiting.Load() }

// Ready returns how many starts of pods ended with a pod that is ready.
func (s *Scheduler) Ready() int64 { return s.ready.Load() }

// Failed returns how many starts of pods failed.
func (s *Scheduler) Failed() int64 { return s.failed.Load() }

// Stop ends the scheduler. Requests that are not answered yet get an error. It deletes pods in use,
// and, unless Options.Keep is set, all others.
func (s *Scheduler) Stop() {
	s.once.Do(func() { close(s.stop) })
	<-s.stopped
	s.workers.Wait()
}

func errStopped() error { return status.Error(codes.Unavailable, "the runner stops") }

// unavailable reports whether an error says that a pod ended, rather than that the function failed.
func unavailable(err error) bool { return err != nil && status.Code(err) == codes.Unavailable }

// notStarted returns the error for requests whose pod did not start.
func notStarted(f Function, err error) error {
	if errors.As(err, new(*evaluator.NotStartedError)) {
		return err
	}
	return &evaluator.NotStartedError{Image: f.Image, Reasons: []string{err.Error()}}
}
