package kube

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/transport/spdy"

	"github.com/fctl-dev/fctl/internal/runner/evaluator"
)

// pod is a pod with a connection to its wrapper. It implements pods.Pod.
type pod struct {
	name string
	conn *grpc.ClientConn
	gone <-chan struct{}
	stop func()
	once sync.Once
}

// Name implements pods.Pod.
func (p *pod) Name() string { return p.name }

// Gone implements pods.Pod.
func (p *pod) Gone() <-chan struct{} { return p.gone }

// Call implements pods.Pod.
func (p *pod) Call(ctx context.Context, r *evaluator.Request) (*evaluator.Response, error) {
	return evaluator.NewFunctionEvaluatorClient(p.conn).EvaluateFunction(ctx, r)
}

func (p *pod) close() {
	p.once.Do(func() {
		_ = p.conn.Close() // nothing is sent any longer
		if p.stop != nil {
			p.stop()
		}
	})
}

// pingInterval is how often the connection to a pod is checked during a call. The wrapper in the
// pod must allow it: see server.DefaultMinPing.
const pingInterval = 30 * time.Second

// connect returns a ready pod with a connection, which is made at the first call.
func (b *Backend) connect(p *corev1.Pod) (*pod, error) {
	address, stop := net.JoinHostPort(p.Status.PodIP, strconv.Itoa(b.options.Port)), func() {}
	if b.options.Forward {
		var err error
		if address, stop, err = b.forward(p.Name); err != nil {
			return nil, err
		}
	}
	size := b.options.MaxMessage + 1<<20 // what is around the ResourceList
	conn, err := grpc.NewClient("passthrough:///"+address,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(size), grpc.MaxCallSendMsgSize(size)),
		// A node that disappears closes no connection.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{
			Time: pingInterval, Timeout: 10 * time.Second,
		}))
	if err != nil {
		stop()
		return nil, err
	}
	return &pod{name: p.Name, conn: conn, gone: b.watch.gone(p.Name), stop: stop}, nil
}

// forward makes a port of this machine lead to that of a pod, through the API server.
func (b *Backend) forward(name string) (address string, stop func(), err error) {
	transport, upgrader, err := spdy.RoundTripperFor(b.config)
	if err != nil {
		return "", nil, err
	}
	url := b.client.CoreV1().RESTClient().Post().Resource("pods").Namespace(b.options.Namespace).
		Name(name).SubResource("portforward").URL()
	dialer := spdy.NewDialer(upgrader, &http.Client{Transport: transport}, http.MethodPost, url)
	stopped, ready := make(chan struct{}), make(chan struct{})
	forwarder, err := portforward.NewOnAddresses(dialer, []string{"127.0.0.1"},
		[]string{fmt.Sprintf("0:%d", b.options.Port)}, stopped, ready, io.Discard, io.Discard)
	if err != nil {
		return "", nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- forwarder.ForwardPorts() }()
	var once sync.Once
	stop = func() { once.Do(func() { close(stopped) }) }
	select {
	case <-ready:
	case err := <-ended:
		return "", nil, fmt.Errorf("no connection to the pod %s: %w", name, err)
	case <-time.After(10 * time.Second):
		stop()
		return "", nil, errors.New("no connection to the pod " + name + " within 10s")
	}
	ports, err := forwarder.GetPorts()
	if err != nil {
		stop()
		return "", nil, err
	}
	return fmt.Sprintf("127.0.0.1:%d", ports[0].Local), stop, nil
}
