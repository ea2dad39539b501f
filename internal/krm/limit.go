package krm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fctl-dev/fctl/internal/runtime"
)

// limited returns a Go function with the limit of time that programs have, and with the directory
// of the resources.
func (e *Executors) limited(function Function) Function {
	limit := e.Limits.Time
	if limit == 0 {
		limit = runtime.DefaultLimits().Time
	}
	return func(ctx context.Context, list *ResourceList) error {
		list.Root = e.Root
		if limit < 0 {
			return untilDone(ctx, function, list)
		}
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		err := untilDone(ctx, function, list)
		if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return fmt.Errorf("it ran longer than %v: %w", limit, err)
		}
		return err
	}
}

// stopDelay is how long a function may take to notice that its context is done.
const stopDelay = time.Second

// untilDone calls a function, and returns an *abandonedError soon after the context is done if the
// function does not watch it: nothing can end a goroutine. list is only written if the function
// returned; its items are the function's as long as it runs.
func untilDone(ctx context.Context, function Function, list *ResourceList) error {
	work := *list
	done := make(chan error, 1)
	go func() { done <- callFunction(ctx, function, &work) }()
	select {
	case err := <-done:
		*list = work
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		*list = work
		return err
	case <-time.After(stopDelay):
		return &abandonedError{}
	}
}

// abandonedError reports that a function goes on working on its items: nobody may read them.
type abandonedError struct{}

func (*abandonedError) Error() string { return "it cannot be ended" }

// isAbandoned reports whether an error says that a function goes on working on its items.
func isAbandoned(err error) bool {
	_, ok := errors.AsType[*abandonedError](err)
	return ok
}
