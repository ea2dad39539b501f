package process

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// stopDelay is how long work may take to notice that its context is done.
const stopDelay = time.Second

// AbandonedError reports that work goes on although nobody waits for it: nothing can end a
// goroutine. Nobody may read what the work may change.
type AbandonedError struct{}

func (*AbandonedError) Error() string { return "it cannot be ended" }

// IsAbandoned reports whether an error says that work goes on.
func IsAbandoned(err error) bool {
	_, ok := errors.AsType[*AbandonedError](err)
	return ok
}

// Limited calls work in Go with the limit of time that programs have: 0 is the default limit, and
// below 0 there is no limit. Work that does not watch its context is left alone soon after the
// context is done; the result is that of no work then, and the error an *AbandonedError.
func Limited[T any](ctx context.Context, limit time.Duration,
	work func(context.Context) (T, error),
) (T, error) {
	if limit = (Limits{Time: limit}).withDefaults().Time; limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	result, err := untilDone(ctx, work)
	if err != nil && limit > 0 && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("it ran longer than %v: %w", limit, err)
	}
	return result, err
}

// untilDone calls work until it returns, or shortly after the context is done.
func untilDone[T any](ctx context.Context, work func(context.Context) (T, error)) (T, error) {
	type answer struct {
		result T
		err    error
	}
	done := make(chan answer, 1)
	go func() {
		a := answer{err: errors.New("it ended its goroutine with runtime.Goexit and returned nothing")}
		defer func() { done <- a }()
		a.result, a.err = work(ctx)
	}()
	select {
	case a := <-done:
		return a.result, a.err
	case <-ctx.Done():
	}
	select {
	case a := <-done:
		return a.result, a.err
	case <-time.After(stopDelay):
		var none T
		return none, &AbandonedError{}
	}
}
