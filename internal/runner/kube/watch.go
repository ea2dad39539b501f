package kube

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// resync is how often a watch compares what it knows with the API server.
const resync = 10 * time.Minute

// watch knows the newest state of the pods of a runner.
type watch struct {
	mu   sync.Mutex
	pods map[string]*watched
}

// watched is a pod and who waits for it.
type watched struct {
	pod     *corev1.Pod
	changed chan struct{} // closed at the next change
	gone    chan struct{} // closed when the pod has ended or is about to
	ended   bool
}

// watchPods starts the watch and returns when it knows all pods. seen is called with each state of
// a pod and must not wait.
func watchPods(ctx context.Context, client kubernetes.Interface, namespace, selector string,
	seen func(*corev1.Pod),
) (*watch, error) {
	// The first request shows at once whether the cluster can be reached; a watch would try for
	// ever.
	_, err := client.CoreV1().Pods(namespace).List(ctx,
		metav1.ListOptions{LabelSelector: selector, Limit: 1})
	if err != nil {
		return nil, err
	}
	w := &watch{pods: map[string]*watched{}}
	factory := informers.NewSharedInformerFactoryWithOptions(client, resync,
		informers.WithNamespace(namespace),
		informers.WithTweakListOptions(func(o *metav1.ListOptions) { o.LabelSelector = selector }))
	informer := factory.Core().V1().Pods().Informer()
	update := func(object any) {
		if p, ok := object.(*corev1.Pod); ok {
			w.update(p, p.DeletionTimestamp != nil)
			seen(p)
		}
	}
	handler, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    update,
		UpdateFunc: func(_, object any) { update(object) },
		DeleteFunc: func(object any) {
			if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = last.Obj
			}
			if p, ok := object.(*corev1.Pod); ok {
				w.update(p, true)
				w.forget(p.Name)
			}
		},
	})
	if err != nil {
		return nil, err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), handler.HasSynced) {
		return nil, errors.New("the watch did not begin")
	}
	return w, nil
}

// entry returns the state of a pod by its name. The caller holds the lock.
func (w *watch) entry(name string) *watched {
	e := w.pods[name]
	if e == nil {
		e = &watched{changed: make(chan struct{}), gone: make(chan struct{})}
		w.pods[name] = e
	}
	return e
}

// update takes note of the newest state of a pod.
func (w *watch) update(p *corev1.Pod, ended bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := w.entry(p.Name)
	e.pod = p
	if (ended || failure(p) != nil) && !e.ended {
		e.ended = true
		close(e.gone)
	}
	close(e.changed)
	e.changed = make(chan struct{})
}

func (w *watch) forget(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.pods, name)
}

// all returns the pods.
func (w *watch) all() []*corev1.Pod {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []*corev1.Pod
	for _, e := range w.pods {
		if e.pod != nil {
			all = append(all, e.pod)
		}
	}
	return all
}

// gone returns the channel that is closed when a pod has ended.
func (w *watch) gone(name string) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.entry(name).gone
}

// wait waits until a pod is ready and returns it. The error says why it will not be.
func (w *watch) wait(ctx context.Context, made *corev1.Pod) (*corev1.Pod, error) {
	last := made
	for {
		w.mu.Lock()
		e := w.entry(made.Name)
		changed := e.changed
		if e.pod != nil {
			last = e.pod
		}
		ended := e.ended
		w.mu.Unlock()
		if err := failure(last); err != nil {
			return nil, err
		}
		if ended {
			w.forget(made.Name)
			return nil, fmt.Errorf("the pod %s was deleted before it was ready", made.Name)
		}
		if isReady(last) {
			return last, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, fmt.Errorf("the pod %s was not ready in time: %s", made.Name,
				describe(last))
		}
	}
}
