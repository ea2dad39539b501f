package run

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
	q := &queue[T]{slots: make([]slot[T], min(n, aheadUnits))}
	q.moved.L = &q.mu
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i, ok := q.next(n)
				if !ok {
					return
				}
				q.done(i, work(i, func(bytes int64) { q.admit(i, bytes) }), take)
			}
		})
	}
	wg.Wait()
}

// queue holds the results that have not been taken yet, in a ring of slots. The invariant is head
// <= begun <= head+len(slots).
type queue[T any] struct {
	mu     sync.Mutex
	moved  sync.Cond // signals that head has moved
	begun  int       // the next to be begun
	head   int       // the next to be taken
	taking bool
	bytes  int64
	slots  []slot[T]
}

type slot[T any] struct {
	result T
	done   bool
	bytes  int64
}

func (q *queue[T]) slot(i int) *slot[T] { return &q.slots[i%len(q.slots)] }

// next returns the index to work on next; ok is false if there is none.
func (q *queue[T]) next(n int) (i int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.begun < n && q.begun >= q.head+len(q.slots) {
		q.moved.Wait()
	}
	if q.begun >= n {
		return 0, false
	}
	q.begun++
	return q.begun - 1, true
}

// admit blocks until there is space for the bytes. The next result to be taken is always admitted,
// so that the queue cannot deadlock.
func (q *queue[T]) admit(i int, bytes int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i != q.head && q.bytes+bytes > aheadBytes {
		q.moved.Wait()
	}
	q.bytes += bytes
	q.slot(i).bytes = bytes
}

// done stores a result. The goroutine that stores the result at head takes it, and all finished
// results that follow.
func (q *queue[T]) done(i int, result T, take func(T)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.slot(i)
	s.result, s.done = result, true
	if q.taking {
		return
	}
	q.taking = true
	for s := q.slot(q.head); s.done; s = q.slot(q.head) {
		result := s.result
		q.bytes -= s.bytes
		*s = slot[T]{}
		q.mu.Unlock()
		take(result)
		q.mu.Lock()
		q.head++
		q.moved.Broadcast()
	}
	q.taking = false
}
