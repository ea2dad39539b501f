// Package wrapper is the evaluator inside the pod of a function: for each request it runs the
// entrypoint of the image, with the ResourceList on the standard input.
//
// Invariants:
//
//   - A request never shares a process with another one.
//   - A process has ended, with all it started, before its request is answered.
//   - With Alone, Empty and EmptyIPC nothing of a request is left when it is answered: neither a
//     process in a session of its own, nor a file, nor an object of System V. If something is, the
//     wrapper answers no other request.
//   - No more than Parallel processes run at once; more requests wait in their order.
//
// Layer: commands.
package wrapper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/fctl-dev/fctl/internal/krm/fnresult"
	"github.com/fctl-dev/fctl/internal/krm/resourcelist"
	"github.com/fctl-dev/fctl/internal/process"
	"github.com/fctl-dev/fctl/internal/runner/evaluator"
)

// Wrapper evaluates requests by running one program.
type Wrapper struct {
	program *process.Program
	call    process.Call
	slots   chan struct{}
	flat    bool
	empty   []string
	ipc     bool
	broken  func(error)
	closed  atomic.Bool // something of a request is left, so there is no other one
}

// Options say how the program runs.
type Options struct {
	Command  []string // the program, as FindProgram returns it, and its arguments
	Dir      string   // its working directory
	Env      []string // names of variables that it gets beside those of every program
	Limits   process.Limits
	Parallel int  // processes at once, at least 1
	Flat     bool // the log is one line
	// Alone is as in process.Program; Parallel must be 1.
	Alone bool
	// Empty are directories that are emptied after each request; Parallel must be 1.
	Empty []string
	// EmptyIPC deletes the objects of System V that the user has, after each request; Parallel must
	// be 1.
	EmptyIPC bool
	// Broken is called if something of a request is left. All requests after it are UNAVAILABLE.
	Broken func(error)
}

// New returns a Wrapper.
func New(o Options) (*Wrapper, error) {
	if len(o.Command) == 0 {
		return nil, errors.New("the command of the function is missing")
	}
	if o.Parallel > 1 && (o.Alone || o.EmptyIPC || len(o.Empty) > 0) {
		return nil, errors.New("leftovers of requests that run at once are not distinct")
	}
	return &Wrapper{
		program: &process.Program{
			Path: o.Command[0], Args: o.Command[1:], AnyDir: true, Alone: o.Alone,
		},
		call: process.Call{
			Function: o.Command[0], Dir: o.Dir, Env: o.Env, Limits: o.Limits,
		},
		slots: make(chan struct{}, max(o.Parallel, 1)),
		flat:  o.Flat,
		empty: o.Empty, ipc: o.EmptyIPC, broken: o.Broken,
	}, nil
}

// EvaluateFunction implements evaluator.Evaluator. The image of the request is only in messages: the
// pod has one.
func (w *Wrapper) EvaluateFunction(ctx context.Context, request *evaluator.Request,
) (*evaluator.Response, error) {
	select {
	case w.slots <- struct{}{}:
		defer func() { <-w.slots }()
	case <-ctx.Done():
		return nil, status.FromContextError(ctx.Err()).Err()
	}
	if w.closed.Load() {
		return nil, status.Error(codes.Unavailable, "something of an earlier request is left")
	}
	call := w.call
	call.Function = cmp.Or(request.Image, call.Function) // in messages
	response, err := Program(ctx, w.program, call, request.ResourceList)
	if problem := w.clean(); problem != nil {
		w.closed.Store(true)
		w.broken(problem)
	}
	if response != nil && w.flat {
		response.Log = flatten(response.Log)
	}
	return response, err
}

// clean removes what a request left.
func (w *Wrapper) clean() error {
	if w.program.Alone {
		if err := process.EndChildren(0); err != nil {
			return err
		}
	}
	if w.ipc {
		if err := process.RemoveIPC(); err != nil {
			return err
		}
	}
	for _, dir := range w.empty {
		if err := empty(dir); err != nil {
			return err
		}
	}
	return nil
}

// Program runs a program on the text of a ResourceList. The error is *evaluator.NotStartedError if
// the program did not start, *evaluator.FailedError if it failed, or the status of ctx.
func Program(ctx context.Context, program process.Executor, call process.Call, list []byte,
) (*evaluator.Response, error) {
	call.Stdin = list
	out, err := program.Run(ctx, call)
	if err != nil && process.NotStarted(err) && ctx.Err() == nil {
		return nil, &evaluator.NotStartedError{Image: call.Function, Reasons: []string{err.Error()}}
	}
	return Answer(ctx, out, err)
}

// Answer returns the response for what a function left and the error that it ended with.
func Answer(ctx context.Context, out process.Output, err error) (*evaluator.Response, error) {
	if ctx.Err() != nil {
		return nil, status.FromContextError(ctx.Err()).Err()
	}
	output, problem := resourcelist.ParseOutput(out.Stdout)
	switch {
	case err != nil:
		var results []fnresult.Result
		if problem == nil {
			results = output.Results
		}
		return nil, Failed(err, results, out.Stderr)
	case problem != nil:
		return nil, Failed(problem, nil, out.Stderr)
	}
	return &evaluator.Response{ResourceList: out.Stdout, Log: out.Stderr}, nil
}

// Failed returns the error of a function that failed. Its message has the results and the log as
// text, which is all that some clients show.
func Failed(err error, results []fnresult.Result, log []byte) error {
	var b strings.Builder
	b.WriteString(err.Error())
	for i := range results {
		b.WriteString("\n" + results[i].String())
	}
	if text := strings.TrimSpace(string(log)); text != "" {
		b.WriteString("\n" + strings.ToValidUTF8(text, "?"))
	}
	list, problem := resourcelist.OnlyResults(results)
	if problem != nil {
		fmt.Fprintf(&b, "\nits results cannot be printed: %v", problem)
	}
	return &evaluator.FailedError{Message: b.String(), ResourceList: list, Log: log}
}

// flatten returns a log on one line.
func flatten(log []byte) []byte {
	return []byte(strings.Join(strings.FieldsFunc(string(log), func(r rune) bool {
		return r == '\n' || r == '\r'
	}), " | "))
}
