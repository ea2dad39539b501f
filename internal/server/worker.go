package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/out/report"
	"github.com/fctl-dev/fctl/internal/server/frame"
)

// Work answers the requests that a server writes to in, one after the other, until in ends. A
// request that reaches a limit of the process ends the process, which the server reports. If in ends
// before the answers are written, nobody wants them.
//
// It uses one core of the machine, so that a request takes no more time of the processor than it
// lasts, and collects garbage seldom: most of it is that of short requests.
func Work(ctx context.Context, executor *functions.Executor, in io.Reader, out io.Writer) error {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(gcPercent)
	return frame.Work(bufio.NewReaderSize(in, batchBytes), batchRequests,
		func(requests <-chan frame.Frame) error { return answerAll(ctx, executor, requests, out) })
}

// answerAll answers requests until there are no more.
func answerAll(
	ctx context.Context, executor *functions.Executor, requests <-chan frame.Frame, out io.Writer,
) error {
	answers := &answers{out: bufio.NewWriterSize(out, batchBytes)}
	answers.late = time.AfterFunc(latest, func() { _ = answers.flush() }) // the next one fails, too
	for request := range requests {
		if err := answers.add(invoke(ctx, executor, request)); err != nil {
			return err
		}
		if runtime.Gosched(); len(requests) == 0 { // others had the time to come
			if err := answers.flush(); err != nil {
				return err
			}
		}
	}
	return answers.flush()
}

// gcPercent is GOGC of a worker.
const gcPercent = 400

// latest is how long an answer waits for further ones at most.
const latest = 2 * time.Millisecond

// answers writes answers together if several requests wait.
type answers struct {
	mu   sync.Mutex
	out  *bufio.Writer
	late *time.Timer // flushes
}

func (a *answers) add(f frame.Frame) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.out.Buffered() == 0 {
		a.late.Reset(latest)
	}
	_, err := a.out.Write(f.Append(nil))
	return err
}

func (a *answers) flush() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.late.Stop()
	return a.out.Flush()
}

// invoke runs the chain of a request.
func invoke(ctx context.Context, executor *functions.Executor, request frame.Frame) frame.Frame {
	var r api.FunctionInvocationRequest
	if err := json.Unmarshal(request.Body, &r); err != nil {
		return problem(http.StatusBadRequest, fmt.Sprintf("the request cannot be read: %v", err))
	}
	t := api.ToolchainType(request.Name)
	if r.ToolchainType != "" && r.ToolchainType != t {
		return problem(http.StatusBadRequest,
			fmt.Sprintf("the request is for the toolchain %s, the address for %s", r.ToolchainType, t))
	}
	r.ToolchainType, r.RecordMutations = t, true
	result, err := executor.Run(ctx, &r, handler.Options{Secrets: true, EveryResource: true})
	if err != nil {
		return problem(http.StatusBadRequest, err.Error())
	}
	if r.RecordFindings {
		result.Findings = findings(executor, &r, result)
	}
	for _, f := range result.Failures {
		if f.Class == api.FailureInput {
			return problem(http.StatusBadRequest, f.Error(), result.Findings...)
		}
	}
	result.Changed = true                                        // clients read the data, also if it is what they sent
	body, err := result.FunctionInvocationResponse.MarshalJSON() // json.Marshal reads it once more
	if err != nil {
		return problem(http.StatusInternalServerError, err.Error())
	}
	return frame.Frame{Number: http.StatusOK, Name: []byte(jsonType), Body: body}
}

// findings returns what a client shows beside the data that it sent.
func findings(
	executor *functions.Executor, r *api.FunctionInvocationRequest, result *handler.Result,
) []api.Finding {
	in := report.Result{
		Toolchain: r.ToolchainType, Invocations: r.FunctionInvocations, Response: result,
	}
	for _, i := range r.FunctionInvocations {
		signature, _ := executor.Signature(r.ToolchainType, i.FunctionName) // a failure says it is unknown
		in.Signatures = append(in.Signatures, signature)
	}
	all := in.Findings()
	for _, n := range result.Notes {
		all = append(all, api.Finding{
			Position: n.Pos, Level: "note", Function: n.Function, Name: n.Invocation,
			Message: n.Text(),
		})
	}
	return all
}
