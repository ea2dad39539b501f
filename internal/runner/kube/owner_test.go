package kube

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	ktesting "k8s.io/client-go/testing"

	"github.com/fctl-dev/fctl/internal/runner/evaluator"
	"github.com/fctl-dev/fctl/internal/runner/pods"
	"github.com/fctl-dev/fctl/internal/runner/server"
)

// cluster has pods that are ready at once. The n-th one has the address 127.0.0.n.
type cluster struct {
	*fake.Clientset
	started func(name, address string) // called with a new pod
	deleted func(name string)

	mu    sync.Mutex
	count int
}

func newCluster() *cluster {
	c := &cluster{Clientset: fake.NewClientset()}
	c.PrependReactor("create", "pods", func(a ktesting.Action) (bool, kruntime.Object, error) {
		p := a.(ktesting.CreateAction).GetObject().(*corev1.Pod)
		c.mu.Lock()
		c.count++
		p.Name = fmt.Sprintf("pod-%d", c.count)
		p.Status.PodIP = fmt.Sprintf("127.0.0.%d", c.count+1)
		c.mu.Unlock()
		p.Status.Phase = corev1.PodRunning
		p.Status.Conditions = []corev1.PodCondition{{
			Type: corev1.PodReady, Status: corev1.ConditionTrue,
		}}
		if c.started != nil {
			c.started(p.Name, p.Status.PodIP)
		}
		return false, nil, nil // the object is kept as usual
	})
	c.PrependReactor("delete", "pods", func(a ktesting.Action) (bool, kruntime.Object, error) {
		if c.deleted != nil {
			c.deleted(a.(ktesting.DeleteAction).GetName())
		}
		return false, nil, nil
	})
	return c
}

// backend returns the backend of another replica.
func (c *cluster) backend(t *testing.T) *Backend {
	t.Helper()
	o := options()
	o.Namespace, o.Entrypoint = "default", func(context.Context, string) ([]string, error) {
		return []string{"/f"}, nil
	}
	b, err := newBackend(t.Context(), &rest.Config{}, c, *o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (c *cluster) names(t *testing.T) []string {
	t.Helper()
	list, err := c.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range list.Items {
		names = append(names, list.Items[i].Name)
	}
	slices.Sort(names)
	return names
}

func (c *cluster) expect(t *testing.T, what string, want ...string) {
	t.Helper()
	for range 500 {
		if slices.Equal(c.names(t), want) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%s: %v, want %v", what, c.names(t), want)
}

// seen waits until a backend knows the owner of a pod.
func seen(t *testing.T, b *Backend, name, owner string) {
	t.Helper()
	for range 500 {
		for _, p := range b.watch.all() {
			if p.Name == name && p.Annotations[ownerNote] == owner {
				return
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s does not belong to %q", name, owner)
}

func start(t *testing.T, b *Backend, image string) pods.Pod {
	t.Helper()
	p, err := b.Start(t.Context(), pods.Function{Image: image, Version: "1"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestReplicasHaveTheirOwnPods has two runners of one name. Neither uses nor deletes the pods
// of the other.
func TestReplicasHaveTheirOwnPods(t *testing.T) {
	c := newCluster()
	a := c.backend(t)
	first := start(t, a, "f")
	b := c.backend(t)
	seen(t, b, first.Name(), a.options.owner)
	if second := start(t, b, "f"); second.Name() == first.Name() {
		t.Fatal("a pod in use is used by another runner")
	}
	if err := a.Delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	c.expect(t, "after one runner stopped", "pod-2")
}

// TestPodsThatWereLeft leaves a pod that two other runners want: one of them gets it.
func TestPodsThatWereLeft(t *testing.T) {
	c := newCluster()
	a, others := c.backend(t), []*Backend{c.backend(t), c.backend(t)}
	left := start(t, a, "f")
	if err := a.Release(t.Context(), left); err != nil {
		t.Fatal(err)
	}
	for _, b := range others {
		seen(t, b, left.Name(), "")
		if p := start(t, b, "other"); p.Name() == left.Name() {
			t.Error("pod of another image was taken")
		}
	}
	names := make([]string, len(others))
	var wg sync.WaitGroup
	for i, b := range others {
		wg.Go(func() { names[i] = start(t, b, "f").Name() })
	}
	wg.Wait()
	slices.Sort(names)
	if !slices.Equal(names, []string{left.Name(), "pod-4"}) {
		t.Errorf("runners use %v", names)
	}
	if err := a.Release(t.Context(), left); err == nil {
		t.Error("a pod of another runner was left")
	}
}

// TestPodsOfALostRunner deletes the pods of a runner that is gone if they have ended or
// never start.
func TestPodsOfALostRunner(t *testing.T) {
	c := newCluster()
	a := c.backend(t)
	api := c.CoreV1().Pods("default")
	for _, state := range []struct {
		phase corev1.PodPhase
		age   time.Duration
	}{
		{corev1.PodSucceeded, time.Minute},
		{corev1.PodFailed, time.Minute},
		{corev1.PodPending, 2 * time.Hour},
		{corev1.PodPending, time.Minute},
		{corev1.PodRunning, 2 * time.Hour},
	} {
		made := start(t, a, "f")
		p, err := api.Get(t.Context(), made.Name(), metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p.Status.Phase = state.phase
		p.CreationTimestamp = metav1.NewTime(time.Now().Add(-state.age))
		if _, err := api.Update(t.Context(), p, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	c.expect(t, "with their own runner only", "pod-1", "pod-2", "pod-3", "pod-4", "pod-5")
	c.backend(t)
	c.expect(t, "with another runner", "pod-4", "pod-5")
}

// gated answers one call at a time. It says on begun which call has begun, and answers when the
// channel of the call in end is closed.
type gated struct {
	begun chan string
	end   map[string]chan struct{}
	busy  sync.Mutex
}

// EvaluateFunction implements evaluator.Evaluator.
func (g *gated) EvaluateFunction(ctx context.Context, r *evaluator.Request) (*evaluator.Response, error) {
	g.busy.Lock()
	defer g.busy.Unlock()
	name := string(r.ResourceList)
	g.begun <- name
	select {
	case <-g.end[name]:
	case <-ctx.Done():
	}
	return &evaluator.Response{ResourceList: r.ResourceList}, ctx.Err()
}

// TestRollingUpdate starts a runner beside another one, which then stops: each call runs once, and
// no call waits for one of the other runner.
func TestRollingUpdate(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has all addresses 127.0.0.0/8")
	}
	begun, end := make(chan string, 10), map[string]chan struct{}{}
	for _, name := range []string{"only", "last", "first"} {
		end[name] = make(chan struct{})
	}
	var mu sync.Mutex
	stops := map[string]func(){}
	c := newCluster()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	_ = free.Close()
	c.started = func(name, address string) {
		s := server.New(&gated{begun: begun, end: end}, server.Options{})
		listener, err := net.Listen("tcp", net.JoinHostPort(address, fmt.Sprint(port)))
		if err != nil {
			t.Error(err)
			return
		}
		ctx, stop := context.WithCancel(context.Background())
		go func() { _ = s.Serve(ctx, listener) }()
		mu.Lock()
		defer mu.Unlock()
		stops[name] = stop
	}
	c.deleted = func(name string) {
		mu.Lock()
		defer mu.Unlock()
		stops[name]()
	}
	replica := func() *pods.Scheduler {
		b := c.backend(t)
		b.options.Port = port
		return pods.New(b, pods.Options{})
	}
	call := func(s *pods.Scheduler, name string) <-chan error {
		answer := make(chan error, 1)
		go func() {
			_, err := s.Evaluate(context.Background(), pods.Function{Image: "f", Version: "1"},
				&evaluator.Request{ResourceList: []byte(name)})
			answer <- err
		}()
		select {
		case got := <-begun:
			if got != name {
				t.Fatalf("call %q ran again while %q was expected", got, name)
			}
		case err := <-answer:
			t.Fatalf("call %q did not begin: %v", name, err)
		case <-time.After(time.Minute):
			t.Fatalf("call %q waits for another one", name)
		}
		return answer
	}
	old := replica()
	only := call(old, "only")
	close(end["only"])
	if err := <-only; err != nil {
		t.Fatal(err)
	}
	next := replica()
	last, first := call(old, "last"), call(next, "first")
	close(end["last"])
	answer := <-last
	old.Stop() // in the middle of the first call of the other one
	close(end["first"])
	if err := errors.Join(answer, <-first); err != nil || len(begun) > 0 {
		t.Errorf("%d calls ran again: %v", len(begun), err)
	}
	next.Stop()
	c.expect(t, "in the end")
}
