package pods

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/fctl-dev/fctl/internal/runner/evaluator"
)

// fake is a Backend. Its pods take call for a request, one at a time, and remember the requests.
type fake struct {
	mu      sync.Mutex
	start   time.Duration
	call    time.Duration
	failing func(n int) error // for the n-th start, from 1
	broken  func(pod *fakePod, request string) bool
	pods    []*fakePod // that were started
	alive   int
	most    int
	// released are the pods that were left to others, and keeps is the error of it.
	released []string
	keeps    error
}

type fakePod struct {
	backend  *fake
	name     string
	busy     bool
	requests []string
	deleted  bool
	gone     chan struct{}
}

func (f *fake) Start(ctx context.Context, function Function) (Pod, error) {
	select {
	case <-time.After(f.start):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	p := &fakePod{
		backend: f, name: fmt.Sprint(function.Image, "-", len(f.pods)+1), gone: make(chan struct{}),
	}
	f.pods = append(f.pods, p)
	if f.failing != nil {
		if err := f.failing(len(f.pods)); err != nil {
			return nil, err
		}
	}
	f.alive++
	f.most = max(f.most, f.alive)
	return p, nil
}

func (f *fake) Delete(_ context.Context, pod Pod) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := pod.(*fakePod)
	if p.deleted {
		return errors.New("it was deleted twice")
	}
	p.deleted = true
	f.alive--
	return nil
}

func (f *fake) Release(_ context.Context, pod Pod) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.released = append(f.released, pod.Name())
	return f.keeps
}

func (p *fakePod) isDeleted() bool {
	p.backend.mu.Lock()
	defer p.backend.mu.Unlock()
	return p.deleted
}

func (p *fakePod) Name() string { return p.name }

func (p *fakePod) Gone() <-chan struct{} { return p.gone }

func (p *fakePod) Call(ctx context.Context, r *evaluator.Request) (*evaluator.Response, error) {
	f := p.backend
	f.mu.Lock()
	request := string(r.ResourceList)
	switch {
	case p.busy:
		f.mu.Unlock()
		return nil, status.Error(codes.Internal, "two requests at once")
	case p.deleted:
		f.mu.Unlock()
		return nil, status.Error(codes.Unavailable, "it was deleted")
	}
	p.busy = true
	p.requests = append(p.requests, request)
	broken := f.broken != nil && f.broken(p, request)
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		p.busy = false
		f.mu.Unlock()
	}()
	select {
	case <-time.After(f.call):
	case <-ctx.Done():
		return nil, status.FromContextError(ctx.Err()).Err()
	}
	if broken {
		return nil, status.Error(codes.Unavailable, "connection reset")
	}
	return &evaluator.Response{ResourceList: r.ResourceList}, nil
}

// in runs a test with a scheduler and time that passes only when everybody waits.
func in(t *testing.T, f *fake, o Options, test func(t *testing.T, s *Scheduler)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := New(f, o)
		test(t, s)
		s.Stop()
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.alive != 0 && !o.Keep {
			t.Errorf("%d pods are left", f.alive)
		}
	})
}

func function(image string, maxPods int) Function {
	return Function{Image: image, Version: "1", Limits: PodLimits{MaxPods: maxPods}}
}

// send sends n requests at once and returns the errors.
func send(t *testing.T, s *Scheduler, f Function, n int) []error {
	t.Helper()
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			text := strconv.Itoa(i)
			r, err := s.Evaluate(t.Context(), f, &evaluator.Request{ResourceList: []byte(text)})
			if err == nil && string(r.ResourceList) != text {
				err = fmt.Errorf("request %s got the answer %s", text, r.ResourceList)
			}
			errs[i] = err
		})
		time.Sleep(time.Nanosecond) // so that the requests arrive in order
	}
	wg.Wait()
	return errs
}

func noErrors(t *testing.T, errs []error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

func TestAtMostMaxPodsInOrder(t *testing.T) {
	f := &fake{start: time.Second, call: time.Millisecond}
	in(t, f, Options{}, func(t *testing.T, s *Scheduler) {
		noErrors(t, send(t, s, function("a", 3), 50))
		if len(f.pods) != 3 || f.most != 3 {
			t.Errorf("%d pods, %d at once", len(f.pods), f.most)
		}
		total := 0
		for _, p := range f.pods {
			total += len(p.requests)
			if !slices.IsSortedFunc(p.requests, func(a, b string) int {
				x, _ := strconv.Atoi(a)
				y, _ := strconv.Atoi(b)
				return x - y
			}) {
				t.Errorf("%s: %v", p.name, p.requests)
			}
		}
		if total != 50 {
			t.Errorf("%d requests ran", total)
		}
	})
}

func TestAnotherPodStartsOnlyWithAQueue(t *testing.T) {
	for _, c := range []struct{ requests, pods int }{{1, 1}, {3, 1}, {4, 2}, {8, 3}, {30, 3}} {
		t.Run(fmt.Sprintf("%d requests", c.requests), func(t *testing.T) {
			f := &fake{call: time.Minute}
			in(t, f, Options{}, func(t *testing.T, s *Scheduler) {
				noErrors(t, send(t, s, function("a", 3), 1)) // so that the first pod is ready
				noErrors(t, send(t, s, function("a", 3), c.requests))
				if len(f.pods) != c.pods {
					t.Errorf("%d pods, want %d", len(f.pods), c.pods)
				}
			})
		})
	}
}

func TestAReadyPodTakesWhatWaitsForAStartingOne(t *testing.T) {
	f := &fake{call: time.Millisecond}
	in(t, f, Options{}, func(t *testing.T, s *Scheduler) {
		noErrors(t, send(t, s, function("a", 2), 1))
		f.mu.Lock()
		f.start = 30 * time.Second
		f.mu.Unlock()
		started := time.Now()
		noErrors(t, send(t, s, function("a", 2), 10))
		if took := time.Since(started); took > time.Second {
			t.Errorf("10 requests took %v", took)
		}
	})
}

func TestTTL(t *testing.T) {
	f := &fake{}
	in(t, f, Options{GC: time.Second}, func(t *testing.T, s *Scheduler) {
		short := function("a", 1)
		short.Limits.TTL = 5 * time.Second
		noErrors(t, send(t, s, short, 1))
		time.Sleep(4 * time.Second)
		noErrors(t, send(t, s, short, 1)) // which counts as a use
		time.Sleep(4 * time.Second)
		synctest.Wait()
		if f.pods[0].isDeleted() {
			t.Error("deleted too early")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !f.pods[0].isDeleted() || s.Pods() != 0 {
			t.Error("not deleted")
		}
		noErrors(t, send(t, s, short, 1))
		if len(f.pods) != 2 {
			t.Errorf("%d pods were started", len(f.pods))
		}
	})
}

func TestARequestIsTriedAgainTwice(t *testing.T) {
	f := &fake{broken: func(_ *fakePod, request string) bool { return request == "1" }}
	in(t, f, Options{}, func(t *testing.T, s *Scheduler) {
		errs := send(t, s, function("a", 1), 4)
		runs := 0
		for _, p := range f.pods {
			for _, r := range p.requests {
				if r == "1" {
					runs++
				}
			}
		}
		if runs != 3 {
			t.Errorf("it ran %d times", runs)
		}
		if status.Code(errs[1]) != codes.Unavailable ||
			!strings.Contains(errs[1].Error(),
				"the pod of a ended during the evaluation, 3 times") {
			t.Errorf("%v", errs[1])
		}
		noErrors(t, slices.Delete(errs, 1, 2))
	})
}

func TestARequestSurvivesItsPod(t *testing.T) {
	f := &fake{broken: func(p *fakePod, _ string) bool { return p.name == "a-1" }}
	in(t, f, Options{}, func(t *testing.T, s *Scheduler) {
		noErrors(t, send(t, s, function("a", 1), 5))
		if !f.pods[0].isDeleted() || len(f.pods) != 2 {
			t.Errorf("%d pods", len(f.pods))
		}
	})
}

func TestAFunctionThatFailedRunsOnce(t *testing.T) {
	f := &fake{}
	in(t, f, Options{}, func(t *testing.T, s *Scheduler) {
		failing := &failingBackend{fake: f}
		failed := New(failing, Options{})
		defer failed.Stop()
		_, err := failed.Evaluate(t.Context(), function("a", 2), &evaluator.Request{})
		if status.Code(err) != codes.Internal || failing.calls != 1 {
			t.Errorf("%d calls, %v", failing.calls, err)
		}
	})
}

// failingBackend has pods whose function fails.
type failingBackend struct {
	*fake
	calls int
}

type failingPod struct {
	Pod
	backend *failingBackend
}

func (f *failingBackend) Start(ctx context.Context, function Function) (Pod, error) {
	pod, err := f.fake.Start(ctx, function)
	return failingPod{pod, f}, err
}

func (f *failingBackend) Delete(ctx context.Context, pod Pod) error {
	return f.fake.Delete(ctx, pod.(failingPod).Pod)
}

func (p failingPod) Call(context.Context, *evaluator.Request) (*evaluator.Response, error) {
	p.backend.calls++
	return nil, &evaluator.FailedError{Message: "exit status 1"}
}

func TestNoPodStarts(t *testing.T) {
	f := &fake{start: time.Second, failing: func(int) error { return errors.New("no such image") }}
	in(t, f, Options{}, func(t *testing.T, s *Scheduler) {
		for i, err := range send(t, s, function("a", 2), 5) {
			if status.Code(err) != codes.NotFound || !strings.Contains(err.Error(),
				"nothing here can start a: no such image") {
				t.Errorf("request %d: %v", i, err)
			}
		}
		if s.Waiting() != 0 || s.Pods() != 0 || s.Ready() != 0 || s.Failed() == 0 {
			t.Errorf("%d wait, %d pods, %d ready, %d failed", s.Waiting(), s.Pods(), s.Ready(), s.Failed())
		}
	})
}

func TestRequestsOfAPodThatDidNotStartGoToOthers(t *testing.T) {
	f := &fake{call: time.Second, failing: func(n int) error {
		if n > 1 {
			return errors.New("no more nodes")
		}
		return nil
	}}
	in(t, f, Options{}, func(t *testing.T, s *Scheduler) {
		noErrors(t, send(t, s, function("a", 3), 1))
		noErrors(t, send(t, s, function("a", 3), 12))
		if n := len(f.pods); n < 2 || n > 4 {
			t.Errorf("%d starts in 12 s", n)
		}
	})
}

func TestStartTimeout(t *testing.T) {
	f := &fake{start: time.Hour}
	in(t, f, Options{}, func(t *testing.T, s *Scheduler) {
		began := time.Now()
		err := send(t, s, function("a", 1), 1)[0]
		if status.Code(err) != codes.NotFound || time.Since(began) != time.Minute {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}

func TestWarm(t *testing.T) {
	f := &fake{}
	in(t, f, Options{}, func(t *testing.T, s *Scheduler) {
		s.Warm(function("b", 1))
		s.Warm(function("b", 1))
		synctest.Wait()
		if len(f.pods) != 1 || s.Pods() != 1 {
			t.Errorf("%d pods were started", len(f.pods))
		}
	})
}

// TestKeep leaves the pods that nobody uses to others, and deletes the one that is in use.
func TestKeep(t *testing.T) {
	for _, c := range []struct {
		name     string
		keeps    error
		released string
		alive    int
	}{
		{"kept", nil, "a-1", 1},
		{"refused", errors.New("forbidden"), "a-1", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &fake{keeps: c.keeps}
			in(t, f, Options{Keep: true}, func(t *testing.T, s *Scheduler) {
				noErrors(t, send(t, s, function("a", 1), 1))
				f.mu.Lock()
				f.call = time.Hour
				f.mu.Unlock()
				go func() {
					_, _ = s.Evaluate(t.Context(), function("b", 1), &evaluator.Request{})
				}()
				synctest.Wait()
			})
			if f.alive != c.alive || strings.Join(f.released, " ") != c.released {
				t.Errorf("%d pods are left, of these %v", f.alive, f.released)
			}
		})
	}
}

func TestGone(t *testing.T) {
	f := &fake{}
	in(t, f, Options{}, func(t *testing.T, s *Scheduler) {
		noErrors(t, send(t, s, function("a", 1), 1))
		close(f.pods[0].gone)
		synctest.Wait()
		if !f.pods[0].isDeleted() || s.Pods() != 0 {
			t.Error("a pod that ended is still used")
		}
		noErrors(t, send(t, s, function("a", 1), 1))
	})
}

func TestRetire(t *testing.T) {
	f := &fake{call: time.Second}
	in(t, f, Options{}, func(t *testing.T, s *Scheduler) {
		noErrors(t, send(t, s, function("other", 1), 1))
		old := function("a", 1)
		var answers []error
		var wg sync.WaitGroup
		wg.Go(func() { answers = send(t, s, old, 3) })
		time.Sleep(100 * time.Millisecond)
		s.Retire(func(image, version string) bool { return image != "a" || version != "1" })
		renewed := old
		renewed.Version = "2"
		noErrors(t, send(t, s, renewed, 1))
		wg.Wait()
		noErrors(t, answers)
		synctest.Wait()
		for _, p := range f.pods {
			if want := p.name == "a-2"; p.isDeleted() != want {
				t.Errorf("%s: deleted %v", p.name, !want)
			}
		}
	})
}

func TestTotal(t *testing.T) {
	f := &fake{call: time.Second}
	in(t, f, Options{Total: 2}, func(t *testing.T, s *Scheduler) {
		var wg sync.WaitGroup
		errs := make([]error, 6)
		for i := range errs {
			wg.Go(func() { errs[i] = send(t, s, function(string(rune('a'+i)), 1), 1)[0] })
		}
		wg.Wait()
		noErrors(t, errs)
		if f.most > 2 {
			t.Errorf("%d pods at once", f.most)
		}
	})
}

func TestAbandon(t *testing.T) {
	f := &fake{call: time.Hour}
	in(t, f, Options{}, func(t *testing.T, s *Scheduler) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				_, err := s.Evaluate(ctx, function("a", 1), &evaluator.Request{})
				if status.Code(err) != codes.DeadlineExceeded {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		synctest.Wait()
		if s.Waiting() != 0 || len(f.pods[0].requests) != 1 {
			t.Errorf("%d wait, %d ran", s.Waiting(), len(f.pods[0].requests))
		}
		f.mu.Lock()
		f.call = 0
		f.mu.Unlock()
		noErrors(t, send(t, s, function("a", 1), 1))
	})
}

func TestWaiting(t *testing.T) {
	f := &fake{start: time.Second}
	in(t, f, Options{Waiting: 3}, func(t *testing.T, s *Scheduler) {
		errs := send(t, s, function("a", 1), 5)
		noErrors(t, errs[:3])
		for _, err := range errs[3:] {
			if status.Code(err) != codes.ResourceExhausted {
				t.Error(err)
			}
		}
	})
}

func TestStopAnswersEverybody(t *testing.T) {
	f := &fake{start: time.Second, call: time.Hour}
	in(t, f, Options{}, func(t *testing.T, s *Scheduler) {
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				_, err := s.Evaluate(t.Context(), function("a", 2), &evaluator.Request{})
				if status.Code(err) != codes.Unavailable {
					t.Error(err)
				}
			})
		}
		time.Sleep(1500 * time.Millisecond)
		s.Stop()
		wg.Wait()
		if _, err := s.Evaluate(t.Context(), function("a", 2), &evaluator.Request{}); err == nil {
			t.Error("a scheduler that stopped evaluates")
		}
	})
}

// TestDisorder lets pods fail, end and change at random while many requests run. Every request is
// answered, and no pod is left.
func TestDisorder(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		f := &fake{start: 50 * time.Millisecond, call: 10 * time.Millisecond}
		f.failing = func(int) error {
			if random.IntN(4) == 0 {
				return errors.New("bad luck")
			}
			return nil
		}
		f.broken = func(*fakePod, string) bool { return random.IntN(20) == 0 }
		in(t, f, Options{Total: 5, GC: 20 * time.Millisecond}, func(t *testing.T, s *Scheduler) {
			var wg sync.WaitGroup
			for i := range 300 {
				image := string(rune('a' + i%4))
				wg.Go(func() {
					fn := function(image, 3)
					fn.Limits.TTL = 30 * time.Millisecond
					ctx := t.Context()
					if i%10 == 0 {
						short, cancel := context.WithTimeout(ctx,
							time.Duration(i)*time.Millisecond/4)
						defer cancel()
						ctx = short
					}
					fn.Version = strconv.Itoa(i / 100)
					_, err := s.Evaluate(ctx, fn, &evaluator.Request{})
					switch status.Code(err) {
					case codes.OK, codes.NotFound, codes.Unavailable, codes.DeadlineExceeded:
					default:
						t.Error(err)
					}
				})
				if i%20 == 0 {
					time.Sleep(15 * time.Millisecond)
					version := strconv.Itoa(i / 100)
					s.Retire(func(_, v string) bool { return v == version })
				}
			}
			wg.Wait()
			synctest.Wait()
			if s.Waiting() != 0 || f.most > 5 {
				t.Errorf("seed %d: %d wait, %d pods at once", seed, s.Waiting(), f.most)
			}
		})
	}
}
