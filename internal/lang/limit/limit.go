// Package limit bounds the memory and the time of expressions, for all languages.
//
// The input of a repository reaches Starlark, templates, yq, CEL and regular expressions. So each
// evaluation is watched:
//
//   - A language refuses what would make one value too large, before it makes it (see Text).
//   - The bytes that functions write into documents, and those that programs write, are counted
//     (see Grow). If they are many, the memory of the run is watched from then on.
//   - A Watch looks at the heap and the clock while an evaluation runs. It asks the evaluation to
//     end, which then is an error of the function.
//   - An evaluation that goes on nevertheless ends the run: nothing can end a goroutine.
//
// An evaluation that takes less than a few milliseconds costs a timer and no more.
//
// Layer: base.
package limit

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
)

// DefaultTime is how long an expression may run.
const DefaultTime = 5 * time.Minute

// Account is what the expressions of a run may take together.
type Account struct {
	memory func() int64
	time   time.Duration
	end    func(error)
	base   func() int64 // the heap before the first expression

	mu      sync.Mutex
	running []*Watch
	timer   *time.Timer // calls look; nil if nothing has run for a while
	watched int         // evaluations for which the collector works harder
	soft    int64       // the soft limit of the collector before
	growth  *Watch      // of the documents, once they have grown, see Grow
	closed  bool

	grown atomic.Int64
}

// New returns an account with the default limits. end ends the run with the error of an evaluation
// that cannot be ended otherwise; nil if nothing can.
func New(end func(error)) *Account {
	return &Account{
		memory: sync.OnceValue(defaultMemory), time: DefaultTime, end: end,
		base: sync.OnceValue(func() int64 {
			heap, _ := heap()
			return heap
		}),
	}
}

// Set sets the limits, before any evaluation begins. Zero is the default.
func (a *Account) Set(memory int64, time time.Duration) {
	if memory > 0 {
		a.memory = func() int64 { return memory }
	}
	if time > 0 {
		a.time = time
	}
}

// Memory returns how many bytes expressions may take, besides what the input takes.
func (a *Account) Memory() int64 { return a.memory() }

// Time returns how long an expression may run.
func (a *Account) Time() time.Duration { return a.time }

// Text returns the length of the longest text, in bytes, that an expression may make in one step.
// Programs can make a list of its characters, which takes 32 times the memory.
func (a *Account) Text() int64 {
	return min(a.memory()/32, mostText)
}

const mostText = 64 << 20

// TooLong returns the error of a text that would be longer than Text.
func (a *Account) TooLong(what string) *Error {
	e := TooLarge("%s would be a text of more than %s", what, Size(a.Text()))
	if a.Text() < mostText {
		e.help = MoreMemory
	}
	return e
}

type accountKey struct{}

// With returns a context whose evaluations have the limits of an account.
func With(ctx context.Context, a *Account) context.Context {
	return context.WithValue(ctx, accountKey{}, a)
}

// Ensure returns a context with an account: ctx, or one with the default limits for all evaluations
// that get it. The caller calls done after them.
func Ensure(ctx context.Context) (_ context.Context, done func()) {
	if _, ok := ctx.Value(accountKey{}).(*Account); ok {
		return ctx, func() {}
	}
	a := New(nil)
	return With(ctx, a), a.Close
}

// Of returns the account of a context, or one with the default limits.
func Of(ctx context.Context) *Account {
	if a, ok := ctx.Value(accountKey{}).(*Account); ok {
		return a
	}
	return New(nil)
}

type nameKey struct{}

// Named returns a context that adds a subject to errors, such as the file or the function.
// Only errors that end the run need it: others are returned to the caller, who knows.
func Named(ctx context.Context, name func(error) error) context.Context {
	if outer, ok := ctx.Value(nameKey{}).(func(error) error); ok {
		inner := name
		name = func(err error) error { return outer(inner(err)) }
	}
	return context.WithValue(ctx, nameKey{}, name)
}

// Error reports that an evaluation reached a limit.
type Error struct {
	Memory int64         // the limit in bytes, if it is about memory
	Time   time.Duration // the limit, if it is about time
	What   string        // the message, if it is about one value or program
	help   string        // the hint, if it is about one value or program
}

// MoreMemory is the hint of an error that the limit of memory causes.
const MoreMemory = "--max-memory SIZE allows more"

func (e *Error) Error() string {
	switch {
	case e.What != "":
		return e.What
	case e.Memory > 0:
		return "it needs more memory than " + Size(e.Memory)
	}
	return fmt.Sprintf("it ran longer than %v", e.Time)
}

// Hint names the flag that allows more, or another way out.
func (e *Error) Hint() string {
	switch {
	case e.What != "":
		return e.help
	case e.Memory > 0:
		return MoreMemory
	}
	return "--timeout TIME allows more"
}

// WithHint sets the hint of an error with What and returns the error.
func (e *Error) WithHint(hint string) *Error {
	e.help = hint
	return e
}

// HintOf returns the hint of the *[Error] in err, or "".
func HintOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Hint()
	}
	return ""
}

// TooLarge returns the error of a value that is not made because it would be too large under any
// limits of an account.
func TooLarge(format string, args ...any) *Error {
	return &Error{What: fmt.Sprintf(format, args...), help: "no flag allows more"}
}

// Size returns a number of bytes as people write it.
func Size(bytes int64) string {
	for i, unit := range []string{"GiB", "MiB", "KiB"} {
		if size := int64(1) << (30 - 10*i); bytes >= size {
			if bytes%size == 0 {
				return fmt.Sprintf("%d%s", bytes/size, unit)
			}
			return fmt.Sprintf("%.1f%s", float64(bytes)/float64(size), unit)
		}
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// heap returns the bytes of all objects, and of those that the last collection found in use, with
// the stacks of goroutines.
func heap() (all, used int64) {
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/heap/stacks:bytes"},
	}
	metrics.Read(samples)
	stacks := int64(samples[2].Value.Uint64())
	return int64(samples[0].Value.Uint64()) + stacks, int64(samples[1].Value.Uint64()) + stacks
}

// soften makes the collector work harder before the limit of memory is reached. relax undoes it;
// its caller holds the lock.
func (a *Account) soften() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.watched++; a.watched > 1 {
		return
	}
	a.soft = debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(a.soft, a.base()+a.memory()/4*3))
}

func (a *Account) relax() {
	if a.watched--; a.watched == 0 {
		debug.SetMemoryLimit(a.soft)
	}
}

// exceeded reports whether the expressions take more memory than they may, and whether so much more
// that there is no time to end them.
func (a *Account) exceeded() (over, far bool) {
	all, used := heap()
	limit := a.memory()
	all, used = all-a.base(), used-a.base()
	return all > limit || all > limit/4*3 && used > limit/4*3, all > limit
}
