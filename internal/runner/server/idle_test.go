package server

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/fctl-dev/fctl/internal/runner/evaluator"
)

// sleeper takes longer than a server waits for requests.
type sleeper struct{}

func (sleeper) EvaluateFunction(context.Context, *evaluator.Request) (*evaluator.Response, error) {
	time.Sleep(8 * time.Minute)
	return &evaluator.Response{}, nil
}

// TestIdle stops when no request came for a while, and not during one.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(sleeper{}, Options{Idle: 5 * time.Minute, Grace: time.Hour})
		listener := bufconn.Listen(1 << 10)
		served := make(chan error, 1)
		began := time.Now()
		go func() { served <- s.Serve(t.Context(), listener) }()
		conn, err := grpc.NewClient("passthrough:///pod",
			grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
				return listener.DialContext(ctx)
			}))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		time.Sleep(4 * time.Minute)
		if _, err := evaluator.NewFunctionEvaluatorClient(conn).EvaluateFunction(t.Context(), &evaluator.Request{Image: "f"}); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took != 17*time.Minute {
			t.Errorf("it stopped after %v", took)
		}
	})
}
