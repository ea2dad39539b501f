// Package parallel calls a function for many numbers at the same time. Callers keep the results by
// number, so that the order in which the calls end is not visible.
//
// Layer: base.
package parallel

import (
	"context"
	"runtime"
	"sync"
)

// Cores is the number of calls that keep all cores busy.
func Cores() int { return runtime.GOMAXPROCS(0) }

// Each calls do for 0 to n-1 in this order, at most limit at a time. After an error, or when ctx is
// done, no other call begins. It returns the error of the lowest number that failed, or else that
// of ctx.
func Each(ctx context.Context, n, limit int, do func(i int) error) error {
	var (
		mu     sync.Mutex
		next   int
		failed = n
		first  error
		group  sync.WaitGroup
	)
	take := func() int {
		mu.Lock()
		defer mu.Unlock()
		if next == n || first != nil || ctx.Err() != nil {
			return n
		}
		next++
		return next - 1
	}
	work := func() {
		for i := take(); i < n; i = take() {
			if err := do(i); err != nil {
				mu.Lock()
				if i < failed {
					failed, first = i, err
				}
				mu.Unlock()
			}
		}
	}
	for range min(limit, n) - 1 {
		group.Go(work)
	}
	work()
	group.Wait()
	if first == nil {
		return ctx.Err()
	}
	return first
}
