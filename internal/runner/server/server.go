// Package server serves an evaluator over gRPC, with health, reflection, limits and metrics.
//
// Layer: commands.
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"runtime/debug"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"

	"github.com/fctl-dev/fctl/internal/runner/evaluator"
)

// Options say how an evaluator is served.
type Options struct {
	// MaxMessage is the most bytes of a request, and of a response; DefaultMaxMessage if 0.
	MaxMessage int
	// MaxRequests is the most requests that are worked on or wait; DefaultMaxRequests if 0.
	MaxRequests int
	// Reflection lets clients ask for the services and messages.
	Reflection bool
	// MinPing is the least time between two checks of a connection by a client, DefaultMinPing if
	// 0. A client that checks more often loses its connection.
	MinPing time.Duration
	// Grace is how long requests may take after the server was asked to stop.
	Grace time.Duration
	// Idle is the time without a request after which the server stops; never if 0.
	Idle time.Duration
	// Panicked is called with the stack of an evaluator that panicked; it may be nil.
	Panicked func(problem any, stack []byte)
}

// The defaults of Options. DefaultMaxMessage is that of Porch.
const (
	DefaultMaxMessage  = 6 << 20
	DefaultMaxRequests = 1000
	DefaultMinPing     = 5 * time.Second
)

// Server serves an evaluator.
type Server struct {
	options Options
	grpc    *grpc.Server
	health  *health.Server
	active  atomic.Int64
	used    atomic.Pointer[time.Time] // when the last request ended
}

// New returns a server of an evaluator, which may be an explainer too. Its health is SERVING until it stops.
func New(e evaluator.Evaluator, o Options) *Server {
	o.MaxMessage = cmp.Or(o.MaxMessage, DefaultMaxMessage)
	o.MaxRequests = cmp.Or(o.MaxRequests, DefaultMaxRequests)
	o.MinPing = cmp.Or(o.MinPing, DefaultMinPing)
	s := &Server{options: o, health: health.NewServer()}
	s.grpc = grpc.NewServer(
		// What is around the ResourceList in a message counts as well.
		grpc.MaxRecvMsgSize(o.MaxMessage+overhead), grpc.MaxSendMsgSize(o.MaxMessage+overhead),
		grpc.MaxConcurrentStreams(uint32(o.MaxRequests)+16),
		// Without this, a client that checks its connection during a long call loses it: the
		// library allows one check in five minutes.
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{
			MinTime: o.MinPing, PermitWithoutStream: true,
		}),
		grpc.ChainUnaryInterceptor(s.recovered, s.limited),
	)
	evaluator.RegisterFunctionEvaluatorServer(s.grpc, e)
	if x, ok := e.(evaluator.ExplainerServer); ok {
		evaluator.RegisterExplainerServer(s.grpc, x)
	}
	grpc_health_v1.RegisterHealthServer(s.grpc, s.health)
	s.health.SetServingStatus(evaluator.FunctionEvaluator_ServiceDesc.ServiceName, grpc_health_v1.HealthCheckResponse_SERVING)
	if o.Reflection {
		reflection.RegisterV1(s.grpc)
	}
	return s
}

// overhead is the most that the image and the tag of a request add to its ResourceList.
const overhead = 4 << 10

// Active returns how many requests are worked on or wait.
func (s *Server) Active() int64 { return s.active.Load() }

// rest returns how long the server has to wait for a request before it stops.
func (s *Server) rest() time.Duration {
	if s.active.Load() > 0 {
		return s.options.Idle
	}
	return s.options.Idle - time.Since(*s.used.Load())
}

// Serve answers requests until ctx ends, or none came for Idle. Then requests that have begun may
// take Grace to finish.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	served := make(chan error, 1)
	go func() { served <- s.grpc.Serve(listener) }()
	var idle <-chan time.Time
	s.used.Store(new(time.Now()))
	if s.options.Idle > 0 {
		idle = time.After(s.options.Idle)
	}
	for waiting := true; waiting; {
		select {
		case err := <-served:
			return err
		case <-ctx.Done():
			waiting = false
		case <-idle:
			rest := s.rest()
			idle, waiting = time.After(rest), rest > 0
		}
	}
	s.health.Shutdown()
	stopped := make(chan struct{})
	go func() {
		s.grpc.GracefulStop()
		close(stopped)
	}()
	select {
	case <-stopped:
	case <-time.After(s.options.Grace):
		s.grpc.Stop()
		<-stopped
	}
	if err := <-served; err != nil && !errors.Is(err, grpc.ErrServerStopped) {
		return err
	}
	return nil
}

// recovered turns a panic into an error of that request only.
func (s *Server) recovered(ctx context.Context, request any, _ *grpc.UnaryServerInfo,
	next grpc.UnaryHandler,
) (response any, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			if s.options.Panicked != nil {
				s.options.Panicked(problem, debug.Stack())
			}
			response, err = nil, status.Errorf(codes.Internal, "panic: %v", problem)
		}
	}()
	return next(ctx, request)
}

// limited refuses requests above MaxRequests, and responses above MaxMessage.
func (s *Server) limited(ctx context.Context, request any, info *grpc.UnaryServerInfo,
	next grpc.UnaryHandler,
) (any, error) {
	if _, ok := request.(*evaluator.Request); !ok {
		return next(ctx, request)
	}
	defer func() {
		s.used.Store(new(time.Now()))
		s.active.Add(-1)
	}()
	if s.active.Add(1) > int64(s.options.MaxRequests) {
		return nil, status.Errorf(codes.ResourceExhausted,
			"%d requests are being worked on; try again later", s.options.MaxRequests)
	}
	response, err := next(ctx, request)
	if err != nil {
		return nil, err
	}
	if r, ok := response.(*evaluator.Response); ok {
		if err := fit(r, s.options.MaxMessage); err != nil {
			return nil, err
		}
	}
	return response, nil
}

// fit makes a response no larger than a message may be: a log that is too long loses its beginning,
// a ResourceList that is too long is an error.
func fit(r *evaluator.Response, limit int) error {
	if len(r.ResourceList) > limit {
		return &evaluator.FailedError{
			Message: fmt.Sprintf("the function returned %d bytes; a message may have %d",
				len(r.ResourceList), limit),
			Log: r.Log,
		}
	}
	if rest := limit - len(r.ResourceList); len(r.Log) > rest {
		r.Log = r.Log[len(r.Log)-rest:]
	}
	return nil
}
