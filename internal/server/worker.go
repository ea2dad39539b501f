package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/functions/handler"
)

// Work answers the requests that a server writes to in, one after the other, until in ends. A
// request that reaches a limit of the process ends the process, which the server reports.
func Work(ctx context.Context, executor *functions.Executor, in io.Reader, out io.Writer) error {
	for {
		request, err := readFrame(in, math.MaxInt)
		if errors.Is(err, io.EOF) && !errors.Is(err, errFrame) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := invoke(ctx, executor, request).write(out); err != nil {
			return err
		}
	}
}

// invoke runs the chain of a request.
func invoke(ctx context.Context, executor *functions.Executor, request frame) frame {
	var r api.FunctionInvocationRequest
	if err := json.Unmarshal(request.body, &r); err != nil {
		return problem(http.StatusBadRequest, fmt.Sprintf("the request cannot be read: %v", err))
	}
	t := api.ToolchainType(request.name)
	if r.ToolchainType != "" && r.ToolchainType != t {
		return problem(http.StatusBadRequest,
			fmt.Sprintf("the request is for the toolchain %s, the address for %s", r.ToolchainType, t))
	}
	r.ToolchainType, r.RecordMutations = t, true
	result, err := executor.Run(ctx, &r, handler.Options{Secrets: true})
	if err != nil {
		return problem(http.StatusBadRequest, err.Error())
	}
	for _, f := range result.Failures {
		if f.Class == api.FailureInput {
			return problem(http.StatusBadRequest, f.Error())
		}
	}
	response := &result.FunctionInvocationResponse
	if len(response.Mutations) > 0 { // clients want to know all resources
		var unit *functions.Unit
		if unit, err = executor.Open(t, response.ConfigData); err == nil {
			response.Mutations, err = unit.WithUnchanged(response.Mutations)
		}
		if err != nil {
			return problem(http.StatusInternalServerError, err.Error())
		}
	}
	body, err := json.Marshal(response)
	if err != nil {
		return problem(http.StatusInternalServerError, err.Error())
	}
	return frame{http.StatusOK, []byte(jsonType), body}
}
