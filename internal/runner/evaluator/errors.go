package evaluator

import (
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	statuspb "google.golang.org/genproto/googleapis/rpc/status"
)

// The limits of what an error carries. It travels in the trailer of the reply, where 16 MiB is the
// most that gRPC in Go accepts and other implementations less.
const (
	maxMessage = 4 << 10
	maxDetail  = 256 << 10
)

// typeURL names the message that a FailedError carries as the detail of its status.
const typeURL = "type.googleapis.com/evaluator.EvaluateFunctionResponse"

// FailedError reports that a function ran and failed. Its code is Internal.
type FailedError struct {
	Message string
	// ResourceList has the results of the function and no items, nil if it has none.
	ResourceList []byte
	Log          []byte
}

func (e *FailedError) Error() string { return e.Message }

// GRPCStatus returns the status of the call, with the results and the log as its detail. A log that
// is too long loses its beginning, and results that are too long are left out.
func (e *FailedError) GRPCStatus() *status.Status {
	detail := &Response{ResourceList: e.ResourceList, Log: e.Log}
	message := e.Message
	if len(detail.ResourceList) > maxDetail/2 {
		message += fmt.Sprintf(" (its results have %d bytes and are left out)",
			len(detail.ResourceList))
		detail.ResourceList = nil
	}
	if len(detail.Log) > maxDetail/2 {
		detail.Log = detail.Log[len(detail.Log)-maxDetail/2:]
	}
	s := &statuspb.Status{Code: int32(codes.Internal), Message: bounded(message)}
	if value, err := proto.Marshal(detail); err == nil && len(value) > 0 {
		s.Details = []*anypb.Any{{TypeUrl: typeURL, Value: value}}
	}
	return status.FromProto(s)
}

// NotStartedError reports that a function was not started, so that another evaluator may be asked.
// Its code is NotFound.
type NotStartedError struct {
	Image   string
	Reasons []string // one for each executor that was tried
}

func (e *NotStartedError) Error() string {
	return fmt.Sprintf("nothing here can start %s: %s", e.Image, strings.Join(e.Reasons, "; "))
}

// GRPCStatus returns the status of the call.
func (e *NotStartedError) GRPCStatus() *status.Status {
	return status.New(codes.NotFound, bounded(e.Error()))
}

// RequestError reports that a request cannot be understood. Its code is InvalidArgument.
type RequestError struct{ Err error }

func (e *RequestError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *RequestError) Unwrap() error { return e.Err }

// GRPCStatus returns the status of the call.
func (e *RequestError) GRPCStatus() *status.Status {
	return status.New(codes.InvalidArgument, bounded(e.Error()))
}

// Failed returns what a function left that failed in another process. ok is false if err does not
// say that a function failed.
func Failed(err error) (failed *FailedError, ok bool) {
	if failed, ok := errors.AsType[*FailedError](err); ok {
		return failed, true
	}
	s, ok := status.FromError(err)
	if !ok || s.Code() != codes.Internal {
		return nil, false
	}
	failed = &FailedError{Message: s.Message()}
	for _, detail := range s.Proto().GetDetails() {
		if detail.GetTypeUrl() != typeURL {
			continue
		}
		response := &Response{}
		if proto.Unmarshal(detail.GetValue(), response) == nil {
			failed.ResourceList, failed.Log = response.ResourceList, response.Log
		}
	}
	return failed, true
}

func bounded(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	return strings.ToValidUTF8(message[:maxMessage], "") + "..."
}
