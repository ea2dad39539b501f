package server

import (
	"context"
	"net"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/fctl-dev/fctl/internal/runner/evaluator"
)

// sleeper takes longer than a server waits for requests.
type sleeper struct{}

func (sleeper) Evaluate(context.Context, *evaluator.Request) (*evaluator.Response, error) {
	time.Sleep(800 * time.Millisecond)
	return &evaluator.Response{}, nil
}

// TestIdle stops when no request came for a while, and not during one.
func TestIdle(t *testing.T) {
	s, err := New(sleeper{}, Options{Idle: 500 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	began := time.Now()
	go func() { served <- s.Serve(t.Context(), listener) }()
	conn, err := grpc.NewClient("passthrough:///"+listener.Addr().String(),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := evaluator.Call(t.Context(), conn, &evaluator.Request{Image: "f"}); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took < 1300*time.Millisecond {
		t.Errorf("it stopped after %v", took)
	}
}
