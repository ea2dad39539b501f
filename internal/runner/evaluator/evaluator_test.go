package evaluator

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

func TestFailureTravels(t *testing.T) {
	sent := &FailedError{
		Message: "it failed", ResourceList: []byte("items: []"),
		Log: []byte("why"),
	}
	got, ok := Failed(status.FromProto(sent.GRPCStatus().Proto()).Err())
	if !ok || got.Message != sent.Message || string(got.Log) != "why" ||
		string(got.ResourceList) != "items: []" {
		t.Fatalf("%+v", got)
	}
	if _, ok := Failed((&NotStartedError{Image: "x"}).GRPCStatus().Err()); ok {
		t.Fatal("a function that was not started did not fail")
	}
	long := &FailedError{
		Message: strings.Repeat("m", 1<<20), ResourceList: make([]byte, 1<<20),
		Log: append(make([]byte, 1<<20), "end"...),
	}
	if n := proto.Size(long.GRPCStatus().Proto()); n > 300<<10 {
		t.Fatalf("the status has %d bytes", n)
	}
	got, _ = Failed(long.GRPCStatus().Err())
	if !bytes.HasSuffix(got.Log, []byte("end")) {
		t.Fatal("the end of the log is missing")
	}
}

func TestCodes(t *testing.T) {
	for want, err := range map[codes.Code]error{
		codes.Internal:        &FailedError{},
		codes.NotFound:        &NotStartedError{},
		codes.InvalidArgument: &RequestError{errors.New("bad")},
	} {
		t.Run(want.String(), func(t *testing.T) {
			if got := status.Code(err); got != want {
				t.Errorf("%T: %v", err, got)
			}
		})
	}
}
