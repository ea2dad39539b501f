package server

import (
	"context"
	"net"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"github.com/fctl-dev/fctl/internal/runner/evaluator"
)

// none is an evaluator that is not asked.
type none struct{}

func (none) EvaluateFunction(context.Context, *evaluator.Request) (*evaluator.Response, error) {
	return &evaluator.Response{}, nil
}

// TestClientsMayCheckTheirConnection sends pings as a client does during a long call. The library
// by itself would end such a connection after a few of them.
func TestClientsMayCheckTheirConnection(t *testing.T) {
	const least = 40 * time.Millisecond
	for _, c := range []struct {
		name  string
		least time.Duration
		every time.Duration
		lost  bool
	}{
		{"as often as allowed", least, least + least/2, false},
		{"too often", least, least / 10, true},
		{"with the default", 0, least, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := New(none{}, Options{MinPing: c.least})
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			served := make(chan error, 1)
			go func() { served <- s.Serve(ctx, listener) }()
			defer func() {
				cancel()
				if err := <-served; err != nil {
					t.Error(err)
				}
			}()
			if lost := ping(t, listener.Addr().String(), c.every); lost != c.lost {
				t.Errorf("the connection was lost: %v", lost)
			}
		})
	}
}

// ping sends ten pings and reports whether the server wants the client to go.
func ping(t *testing.T, address string, every time.Duration) bool {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.Write([]byte(http2.ClientPreface)); err != nil {
		t.Fatal(err)
	}
	framer := http2.NewFramer(conn, conn)
	if err := framer.WriteSettings(); err != nil {
		t.Fatal(err)
	}
	answered, lost := make(chan struct{}, 10), make(chan struct{})
	go func() {
		for {
			frame, err := framer.ReadFrame()
			if err != nil {
				return
			}
			switch f := frame.(type) {
			case *http2.GoAwayFrame:
				close(lost)
				return
			case *http2.PingFrame:
				if f.IsAck() {
					answered <- struct{}{}
				}
			}
		}
	}()
	for i := range 10 {
		time.Sleep(every)
		if err := framer.WritePing(false, [8]byte{byte(i)}); err != nil {
			break // the server has closed the connection
		}
	}
	for range 10 {
		select {
		case <-lost:
			return true
		case <-answered:
		case <-time.After(2 * time.Second):
			t.Fatal("a ping was not answered")
		}
	}
	select {
	case <-lost:
		return true
	default:
		return false
	}
}
