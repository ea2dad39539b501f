package do

import (
	"context"
	"runtime"
	"sync"
)

// How far work runs ahead of the results taken. This bounds the memory, however many units there
// are and however long the first of them takes.
const (
	aheadUnits = 256
	aheadBytes = 16 << 20
)

// inOrder calls work for 0 to n-1 on all cores and passes the results to take, one at a time and in
// order. work calls admit with the number of bytes it keeps in memory until its result is taken;
// admit may block. After ctx is cancelled no more work is begun, and the results of the work
// already begun are taken.
func inOrder[T any](ctx context.Context, n int, work func(i int, admit func(bytes int64)) T,
	take func(T),
) {
	q := &queue{total: n, bytes: map[int]int64{}}
	q.moved.L = &q.mu
	results := make([]chan T, n)
	for i := range results {
		results[i] = make(chan T, 1)
	}
	var workers sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := q.next(ctx); i < n; i = q.next(ctx) {
				results[i] <- work(i, func(bytes int64) { q.admit(i, bytes) })
			}
		})
	}
	go func() {
		workers.Wait()
		for _, never := range results[q.begun:] {
			close(never)
		}
	}()
	for _, result := range results {
		if r, begun := <-result; begun {
			take(r)
			q.taken()
		}
	}
}

// queue counts the results that have not been taken yet. The invariant is head <= begun <=
// head+aheadUnits.
type queue struct {
	mu    sync.Mutex
	moved sync.Cond // signals that head has moved
	total int
	begun int // the next to be begun
	head  int // the next to be taken
	held  int64
	bytes map[int]int64 // that are held, by result
}

// next returns the index to work on next, or total at the end.
func (q *queue) next(ctx context.Context) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.begun < q.total && q.begun >= q.head+aheadUnits {
		q.moved.Wait()
	}
	if q.begun >= q.total || ctx.Err() != nil {
		return q.total
	}
	q.begun++
	return q.begun - 1
}

// admit blocks until the bytes fit. The next result to be taken is always admitted, so that the
// queue cannot deadlock.
func (q *queue) admit(i int, bytes int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i != q.head && q.held+bytes > aheadBytes {
		q.moved.Wait()
	}
	q.held += bytes
	q.bytes[i] = bytes
}

// taken moves head.
func (q *queue) taken() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.held -= q.bytes[q.head]
	delete(q.bytes, q.head)
	q.head++
	q.moved.Broadcast()
}
