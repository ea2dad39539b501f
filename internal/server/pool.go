package server

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/fctl-dev/fctl/internal/process"
)

// pool has the workers. Each answers one request at a time, and one that ends, for whatever reason,
// is replaced: a request cannot harm another one.
type pool struct {
	start func() (*process.Child, error)
	// free has a worker for each that may run, nil for one that is yet to be started.
	free    chan *process.Child
	timeout time.Duration
	most    int // bytes of an answer
}

// newPool returns a pool of n workers, which are started when they are needed.
func newPool(n int, timeout time.Duration, most int, start func() (*process.Child, error)) *pool {
	p := &pool{start: start, free: make(chan *process.Child, n), timeout: timeout, most: most}
	for range n {
		p.free <- nil
	}
	return p
}

// do has a worker answer a request, once one is free. The error says that the context is done.
func (p *pool) do(ctx context.Context, request frame) (frame, error) {
	var worker *process.Child
	select {
	case worker = <-p.free:
	case <-ctx.Done():
		return frame{}, ctx.Err()
	}
	answer, worker := p.ask(ctx, worker, request)
	p.free <- worker
	return answer, ctx.Err()
}

// ask has a worker answer a request, and returns the worker for the next one: nil if it has ended.
func (p *pool) ask(ctx context.Context, worker *process.Child, request frame,
) (frame, *process.Child) {
	if worker == nil {
		var err error
		if worker, err = p.start(); err != nil {
			return problem(http.StatusInternalServerError,
				fmt.Sprintf("no worker can be started: %v", err)), nil
		}
	}
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	defer context.AfterFunc(ctx, worker.Kill)()
	err := request.write(worker.In)
	var answer frame
	if err == nil {
		answer, err = readFrame(worker.Out, p.most)
	}
	switch {
	case err == nil && ctx.Err() == nil:
		return answer, worker
	case ctx.Err() == nil: // it is ending, or did not answer as it should
		time.AfterFunc(time.Second, worker.Kill)
	}
	state, said := worker.End()
	switch {
	case ctx.Err() != nil:
		return problem(http.StatusServiceUnavailable,
			fmt.Sprintf("the request took longer than %v", p.timeout)), nil
	case said != "":
		first, _, _ := strings.Cut(said, "\n")
		return problem(http.StatusUnprocessableEntity, first), nil
	}
	return problem(http.StatusInternalServerError,
		fmt.Sprintf("the worker ended without an answer: %v", state)), nil
}

// close ends the workers that are free, and waits for the others.
func (p *pool) close() {
	for range cap(p.free) {
		if worker := <-p.free; worker != nil {
			worker.End()
		}
	}
}
