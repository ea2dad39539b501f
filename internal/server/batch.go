package server

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/server/frame"
)

// batch is requests that a worker has.
type batch struct {
	pool    *pool
	worker  *worker
	release func() // lets another batch begin

	mu       sync.Mutex
	jobs     []*job // in the order of the answers; nil if another worker gets the job
	next     int    // the first one that is not answered
	ended    bool
	timedOut bool
	calm     func() // ends the watch on a slow request, if there is one
}

// answer has a worker answer requests. It returns those that are to be done again, because the worker
// has ended and it is not known which of them was the reason.
func (p *pool) answer(jobs []*job, release func()) []*job {
	jobs = slices.DeleteFunc(jobs, func(j *job) bool {
		gone := j.ctx.Err() != nil
		if gone {
			j.answer <- frame.Frame{}
		}
		return gone
	})
	if len(jobs) == 0 {
		return nil
	}
	w, err := p.take()
	if err != nil {
		for _, j := range jobs {
			j.answer <- problem(http.StatusInternalServerError,
				fmt.Sprintf("no worker can be started: %v", err))
		}
		return nil
	}
	b := &batch{pool: p, worker: w, jobs: jobs, release: release, calm: func() {}}
	began := time.Now()
	err = b.run()
	if w.busy += time.Since(began); err == nil {
		p.give(w)
		return nil
	}
	return b.failed()
}

// run writes the requests and passes the answers on.
func (b *batch) run() error {
	var all []byte
	for _, j := range b.jobs {
		all = j.request.Append(all)
	}
	watch := time.AfterFunc(slow, b.slow) // from now on it may take jobs off
	defer func() {
		watch.Stop()
		b.mu.Lock()
		b.ended = true
		b.calm()
		b.mu.Unlock()
	}()
	if _, err := b.worker.In.Write(all); err != nil {
		return err
	}
	for b.next < len(b.jobs) {
		answer, err := frame.Read(b.worker.out, b.pool.most)
		if err != nil {
			return err
		}
		watch.Reset(slow)
		b.mu.Lock()
		b.calm()
		if j := b.jobs[b.next]; j != nil {
			j.answer <- answer
		}
		b.next++
		b.mu.Unlock()
	}
	return nil
}

// slow is called when a request has taken some time: others do not wait for it any longer, and it
// ends if its client goes or it takes too long. The requests after it get another worker. If this one
// comes to them later, and one of them is slow, too, it is ended.
func (b *batch) slow() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended || b.next == len(b.jobs) {
		return
	}
	current := b.jobs[b.next]
	if current == nil {
		b.worker.Kill()
		return
	}
	for i := b.next + 1; i < len(b.jobs); i++ {
		if j := b.jobs[i]; j != nil {
			b.pool.queue <- j // it takes all requests at once
			b.jobs[i] = nil
		}
	}
	gone := context.AfterFunc(current.ctx, b.worker.Kill)
	deadline := time.AfterFunc(b.pool.timeout-slow, func() {
		b.mu.Lock()
		b.timedOut = true
		b.mu.Unlock()
		b.worker.Kill()
	})
	b.calm = func() {
		gone()
		deadline.Stop()
	}
	b.release()
}

// failed answers for a worker that has ended, or did not answer as it should. If several requests are
// open it returns them.
func (b *batch) failed() []*job {
	late := time.AfterFunc(time.Second, b.worker.Kill)
	defer late.Stop()
	state, said := b.pool.end(b.worker)
	open := slices.DeleteFunc(b.jobs[b.next:], func(j *job) bool { return j == nil })
	if len(open) != 1 {
		return open
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(said, diag.Program), "\n")
	answer := problem(http.StatusInternalServerError,
		fmt.Sprintf("the worker ended without an answer: %v", state))
	switch {
	case b.timedOut:
		answer = problem(http.StatusServiceUnavailable,
			fmt.Sprintf("the request took longer than %v", b.pool.timeout-Patience))
	case first != "":
		answer = problem(http.StatusUnprocessableEntity, first)
	}
	open[0].answer <- answer
	return nil
}
