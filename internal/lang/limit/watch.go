package limit

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// interval is the time between two looks at the heap. A machine can fill about 10 MB in it.
	interval = 2 * time.Millisecond
	// grace is how long an evaluation may take to end.
	grace = time.Second
)

// Watch watches one evaluation.
type Watch struct {
	ctx     context.Context
	account *Account
	stop    func(error)
	problem atomic.Pointer[error] // why the evaluation must end
	// memoryOnly watches a run: for any time, and on after a problem that has passed.
	memoryOnly bool
	// timeOnly watches what is not an expression, and takes memory for the input as well.
	timeOnly bool
	// at adds what the work was about to an error; subject is at when it was asked to end.
	at, subject atomic.Pointer[func(error) error]

	deadline time.Time // shared with other evaluations of one function; zero if it is alone

	mu    sync.Mutex
	began time.Time // when it was first looked at; evaluations that are over before cost little
	asked time.Time // when it was asked to end
	done  bool
}

// Start begins to watch an evaluation, until End is called. stop is called when the evaluation has
// to end, perhaps from another goroutine; nil if the evaluation asks Err itself.
func Start(ctx context.Context, stop func(error)) *Watch {
	w := &Watch{ctx: ctx, account: Of(ctx), stop: stop}
	w.start()
	return w
}

// Timed calls a function, which may evaluate many expressions, and match regular expressions. They
// have one deadline: the context that the function gets ends evaluations, the error says that they
// took too long, and a match, which nothing ends, ends the run.
func Timed(ctx context.Context, f func(context.Context)) error {
	ctx = Before(ctx, time.Now().Add(Of(ctx).time))
	w := &Watch{ctx: ctx, account: Of(ctx), timeOnly: true}
	w.start()
	defer w.End()
	f(context.WithValue(ctx, timedKey{}, w))
	return w.Err()
}

type (
	deadlineKey struct{}
	timedKey    struct{}
)

// At notes what the work of Timed is about from now on: name adds that subject to the error of a
// limit that is reached meanwhile. At reports whether the work has to end; Timed returns the error.
func At(ctx context.Context, name func(error) error) (late bool) {
	w, ok := ctx.Value(timedKey{}).(*Watch)
	if !ok {
		return false
	}
	w.at.Store(&name)
	return w.problem.Load() != nil
}

// Before returns a context whose evaluations end at the deadline, or at an earlier one of ctx. They
// are parts of one thing that has a limit of time.
func Before(ctx context.Context, deadline time.Time) context.Context {
	if outer := deadlineOf(ctx); !outer.IsZero() && outer.Before(deadline) {
		return ctx
	}
	return context.WithValue(ctx, deadlineKey{}, deadline)
}

// deadlineOf returns the deadline that Before has set, or zero.
func deadlineOf(ctx context.Context) time.Time {
	deadline, _ := ctx.Value(deadlineKey{}).(time.Time)
	return deadline
}

func (w *Watch) start() {
	a := w.account
	if w.deadline = deadlineOf(w.ctx); w.late() {
		w.ask(&Error{Time: a.time})
	}
	a.base()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.start(w)
}

// start begins to look at w; its caller holds the lock.
func (a *Account) start(w *Watch) {
	a.running = append(a.running, w)
	if a.timer == nil {
		a.timer = time.AfterFunc(interval, a.look)
	}
}

// look looks at everything that runs.
func (a *Account) look() {
	a.mu.Lock()
	running := slices.Clone(a.running)
	if a.timer = nil; len(running) > 0 {
		a.timer = time.AfterFunc(interval, a.look)
	}
	a.mu.Unlock()
	for _, w := range running {
		w.look()
	}
}

// Account returns the limits.
func (w *Watch) Account() *Account { return w.account }

// Err returns why the evaluation has to end: an *Error or the error of the context. It returns nil
// as long as it may go on.
func (w *Watch) Err() error {
	problem := w.problem.Load()
	if problem == nil {
		return nil
	}
	return w.named(*problem)
}

// named adds the subject of the work to an error.
func (w *Watch) named(err error) error {
	if name := w.subject.Load(); name != nil {
		return (*name)(err)
	}
	return err
}

// End ends the watch.
func (w *Watch) End() {
	w.mu.Lock()
	w.done = true
	seen := !w.began.IsZero()
	w.mu.Unlock()
	a := w.account
	a.mu.Lock()
	defer a.mu.Unlock()
	last := len(a.running) - 1
	a.running[slices.Index(a.running, w)] = a.running[last]
	a.running[last] = nil
	a.running = a.running[:last]
	if seen && !w.timeOnly {
		a.relax()
	}
}

// look asks the evaluation to end if it has reached a limit, and ends the run if it goes on.
func (w *Watch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done {
		return
	}
	if w.began.IsZero() {
		w.began = time.Now()
		w.soften()
	}
	problem, now := w.check()
	known := w.problem.Load()
	switch {
	case problem == nil && known == nil:
	case problem == nil && w.memoryOnly:
		w.problem.Store(nil)
	case known == nil:
		w.ask(problem)
	case now || time.Since(w.asked) > grace:
		w.done = true // it goes on, but nothing more can be done
		w.abort(*known)
	}
}

// ask asks the evaluation to end.
func (w *Watch) ask(problem error) {
	w.subject.Store(w.at.Load())
	w.problem.Store(&problem)
	w.asked = time.Now()
	if w.stop != nil {
		w.stop(problem)
	}
}

// late reports whether the deadline has passed.
func (w *Watch) late() bool { return !w.deadline.IsZero() && time.Now().After(w.deadline) }

// soften makes the collector work harder, if memory is watched.
func (w *Watch) soften() {
	if w.timeOnly {
		return
	}
	w.account.soften()
	if over, _ := w.account.exceeded(); over {
		runtime.GC() // what earlier evaluations left is not its fault
	}
}

// check returns why the evaluation has to end, and whether that cannot wait.
func (w *Watch) check() (problem error, now bool) {
	if err := w.ctx.Err(); err != nil {
		return err, false
	}
	if over, far := w.account.exceeded(); over && !w.timeOnly {
		return &Error{Memory: w.account.memory()}, far
	}
	if (time.Since(w.began) > w.account.time || w.late()) && !w.memoryOnly {
		return &Error{Time: w.account.time}, false
	}
	return nil, false
}

// abort ends the run because of an evaluation that cannot be ended.
func (w *Watch) abort(problem error) {
	if _, limited := problem.(*Error); !limited || w.account.end == nil {
		return // a run whose context is done ends by itself
	}
	problem = w.named(problem)
	if name, ok := w.ctx.Value(nameKey{}).(func(error) error); ok {
		problem = name(problem)
	}
	w.account.end(problem)
}
