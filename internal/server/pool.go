package server

import (
	"bufio"
	"context"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/server/frame"
)

// A worker gets short requests in batches, because writing to a process and waiting for it costs as
// much as a short request. A batch is small enough for the buffer of a pipe: the server has written
// it before it reads the answers.
const (
	batchRequests = 32
	batchBytes    = 32 << 10
)

// slow is the time after which a request is a slow one: it does not hold up others any more.
const slow = 50 * time.Millisecond

// slowPerWorker is how many slow requests run for each quick one.
const slowPerWorker = 4

// CPUTime returns how much time of the processor a worker may use if a request may take timeout: that
// of one request, and that of those before it. A worker is replaced after timeout.
func CPUTime(timeout time.Duration) time.Duration { return 2*timeout + time.Second }

// pool has the workers. One that ends, for whatever reason, is replaced: a request cannot harm
// another one.
type pool struct {
	start   func() (*process.Child, error)
	timeout time.Duration
	most    int       // bytes of an answer
	queue   chan *job // what waits for a worker
	quick   chan struct{}
	closed  chan struct{}
	all     sync.WaitGroup

	processes atomic.Int64

	mu   sync.Mutex
	idle []*worker // those that answered last are at the end
}

// job is a request that waits for its answer.
type job struct {
	ctx     context.Context // of the client
	request frame.Frame
	answer  chan frame.Frame
	alone   bool // a worker that had it with others has ended
}

// worker is a process that answers requests, one after the other.
type worker struct {
	*process.Child
	out  *bufio.Reader
	busy time.Duration
}

// newPool returns a pool of n workers, which are started when they are needed, for at most some
// requests at once.
func newPool(n, requests int, timeout time.Duration, most int,
	start func() (*process.Child, error),
) *pool {
	p := &pool{
		start: start, timeout: timeout, most: most,
		queue: make(chan *job, requests), quick: make(chan struct{}, n),
		closed: make(chan struct{}),
	}
	for range n * (1 + slowPerWorker) {
		p.all.Go(p.work)
	}
	return p
}

// do has a worker answer a request. If the client has gone the answer is of no use.
func (p *pool) do(ctx context.Context, request frame.Frame) frame.Frame {
	j := &job{ctx: ctx, request: request, answer: make(chan frame.Frame, 1)}
	p.queue <- j
	return <-j.answer
}

// close ends the workers, once no request is worked on.
func (p *pool) close() {
	close(p.closed)
	p.all.Wait()
	p.endIdle()
}

func (p *pool) endIdle() {
	for _, w := range p.idle {
		p.end(w)
	}
}

// work answers requests until the pool is closed. At most as many batches as the pool has workers are
// worked on at once, except for slow requests.
func (p *pool) work() {
	for {
		p.quick <- struct{}{}
		release := sync.OnceFunc(func() { <-p.quick })
		select {
		case first := <-p.queue:
			for _, j := range p.answer(p.more(first), release) {
				j.alone = true
				p.answer([]*job{j}, release)
			}
		case <-p.closed:
			release()
			return
		}
		release()
	}
}

// more returns a request together with others that wait and are short.
func (p *pool) more(first *job) []*job {
	jobs := []*job{first}
	for size := first.request.Size(); !first.alone && len(jobs) < batchRequests; {
		select {
		case j := <-p.queue:
			if size += j.request.Size(); j.alone || size > batchBytes {
				p.queue <- j // it takes all requests at once
				return jobs
			}
			jobs = append(jobs, j)
		default:
			return jobs
		}
	}
	return jobs
}

// take returns a worker.
func (p *pool) take() (*worker, error) {
	p.mu.Lock()
	if last := len(p.idle) - 1; last >= 0 {
		defer p.mu.Unlock()
		w := p.idle[last]
		p.idle = p.idle[:last]
		return w, nil
	}
	p.mu.Unlock()
	child, err := p.start()
	if err != nil {
		return nil, err
	}
	p.processes.Add(1)
	return &worker{Child: child, out: bufio.NewReaderSize(child.Out, batchBytes)}, nil
}

// give keeps a worker for further requests, or ends it: the system limits the time of the processor
// that it may use.
func (p *pool) give(w *worker) {
	p.mu.Lock()
	keep := w.busy < p.timeout && len(p.idle) < cap(p.quick)
	if keep {
		p.idle = append(p.idle, w)
	}
	p.mu.Unlock()
	if !keep {
		p.end(w)
	}
}

// end ends a worker. It returns how it ended, and what it said.
func (p *pool) end(w *worker) (*os.ProcessState, string) {
	p.processes.Add(-1)
	return w.End()
}
