// Package kube runs the pods of functions in a Kubernetes cluster, and reads FunctionConfigs from
// one.
//
// Invariants:
//
//   - A runner calls only pods that it owns. It owns the pods that it started, and pods that it
//     took after another runner of its name left them. It deletes only pods that it owns, and
//     pods of a runner of its name that have ended or never start.
//   - A pod has no right that the default template does not give it, unless that was allowed.
//   - What the API server says about pods comes from one watch; nothing polls.
//
// Layer: commands.
package kube

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/fctl-dev/fctl/internal/runner/pods"
)

// Options say how pods are made.
type Options struct {
	Namespace string
	// Name separates the pods of this runner and its replicas from other pods in the namespace.
	Name         string
	owner        string // the name of this process, which no other has; New makes it
	WrapperImage string // has /fctl-wrapper
	Port         int    // of the wrapper
	MaxMessage   int
	Timeout      time.Duration // of one evaluation
	PullPolicy   corev1.PullPolicy
	PullSecrets  []string
	// AllowPrivileged allows templates that weaken the security of pods.
	AllowPrivileged bool
	// Forward reaches pods through the API server, for a runner outside of the network of pods.
	Forward bool
	// Entrypoint returns the command of an image.
	Entrypoint func(ctx context.Context, image string) ([]string, error)
	// Base changes the template of all pods; nil for the built-in one.
	Base *Base
}

// Backend implements pods.Backend.
type Backend struct {
	options Options
	config  *rest.Config
	client  kubernetes.Interface
	watch   *watch
	base    atomic.Pointer[Base]
}

// New returns a backend that watches the pods of its runner until ctx ends.
func New(ctx context.Context, config *rest.Config, o Options) (*Backend, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return newBackend(ctx, config, client, o)
}

func newBackend(ctx context.Context, config *rest.Config, client kubernetes.Interface, o Options,
) (*Backend, error) {
	host, _ := os.Hostname() // it only helps who reads the annotation
	o.owner = host + "/" + rand.Text()
	b := &Backend{options: o, config: config, client: client}
	b.base.Store(o.Base)
	var err error
	b.watch, err = watchPods(ctx, client, o.Namespace, b.selector(), b.tidy)
	if err != nil {
		return nil, fmt.Errorf("the pods in the namespace %s cannot be watched: %w", o.Namespace,
			err)
	}
	return b, nil
}

// Version returns the version of the template of a function.
func (b *Backend) Version(f *pods.Function) (string, error) { return b.current().Version(f) }

func (b *Backend) selector() string {
	return labels.Set{managedBy: program, runnerLabel: b.options.Name}.String()
}

// Start implements pods.Backend.
func (b *Backend) Start(ctx context.Context, f pods.Function) (pods.Pod, error) {
	command, err := b.command(ctx, &f)
	if err != nil {
		return nil, err
	}
	wanted, err := b.current().pod(&f, command)
	if err != nil {
		return nil, err
	}
	if left := b.take(ctx, &f); left != nil {
		return left, nil
	}
	api := b.client.CoreV1().Pods(b.options.Namespace)
	made, err := api.Create(ctx, wanted, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("the pod cannot be created: %w", err)
	}
	ready, err := b.watch.wait(ctx, made)
	if err == nil {
		var pod *pod
		if pod, err = b.connect(ready); err == nil {
			return pod, nil
		}
	}
	// The context may have ended; the pod must go nevertheless.
	clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return nil, errors.Join(err, b.remove(clean, made.Name, 0))
}

// command returns the command of a function.
func (b *Backend) command(ctx context.Context, f *pods.Function) ([]string, error) {
	if f.Template != nil && len(f.Template.Entrypoint) > 0 {
		return f.Template.Entrypoint, nil
	}
	command, err := b.options.Entrypoint(ctx, f.Image)
	if err != nil {
		return nil, fmt.Errorf("its entrypoint is not known (%w); podExecutor.entrypoint gives it",
			err)
	}
	return command, nil
}

// Delete implements pods.Backend.
func (b *Backend) Delete(ctx context.Context, p pods.Pod) error {
	own, ok := p.(*pod)
	if !ok {
		return fmt.Errorf("%s is a pod of another backend", p.Name())
	}
	own.close()
	return b.remove(ctx, own.name, 1)
}

// remove deletes a pod by its name; it may have gone already. grace is in seconds.
func (b *Backend) remove(ctx context.Context, name string, grace int64) error {
	err := b.client.CoreV1().Pods(b.options.Namespace).Delete(ctx, name,
		metav1.DeleteOptions{GracePeriodSeconds: &grace})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// Release implements pods.Backend.
func (b *Backend) Release(ctx context.Context, p pods.Pod) error {
	own, ok := p.(*pod)
	if !ok {
		return fmt.Errorf("%s is a pod of another backend", p.Name())
	}
	own.close()
	return b.pass(ctx, own.name, b.options.owner, "")
}

// pass gives a pod another owner. It fails if from does not own the pod any longer.
func (b *Backend) pass(ctx context.Context, name, from, to string) error {
	path := "/metadata/annotations/" + strings.ReplaceAll(ownerNote, "/", "~1")
	patch, err := json.Marshal([]map[string]string{
		{"op": "test", "path": path, "value": from}, {"op": "replace", "path": path, "value": to},
	})
	if err != nil {
		return err
	}
	_, err = b.client.CoreV1().Pods(b.options.Namespace).Patch(ctx, name, types.JSONPatchType,
		patch, metav1.PatchOptions{})
	return err
}

// take returns a pod of a function that another runner of the name left, nil without one. Of
// several runners that want a pod one gets it.
func (b *Backend) take(ctx context.Context, f *pods.Function) pods.Pod {
	for _, p := range b.watch.all() {
		owner, known := p.Annotations[ownerNote]
		if !known || owner != "" || p.DeletionTimestamp != nil || !isReady(p) ||
			p.Annotations[imageNote] != f.Image || p.Annotations[versionNote] != f.Version ||
			b.pass(ctx, p.Name, "", b.options.owner) != nil {
			continue
		}
		if own, err := b.connect(p); err == nil {
			return own
		}
		_ = b.remove(ctx, p.Name, 0) // it ends by itself if this fails
	}
	return nil
}

// stuck is the age of a pod that never starts and whose runner is gone: a runner deletes such a pod
// much earlier.
const stuck = time.Hour

// tidy deletes a pod of another runner that has ended, or never starts. Its runner does so if it
// still works; both may.
func (b *Backend) tidy(p *corev1.Pod) {
	owner, known := p.Annotations[ownerNote]
	over := p.Status.Phase == corev1.PodFailed || p.Status.Phase == corev1.PodSucceeded ||
		p.Status.Phase == corev1.PodPending && time.Since(p.CreationTimestamp.Time) > stuck
	if !known || owner == b.options.owner || !over || p.DeletionTimestamp != nil {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = b.remove(ctx, p.Name, 0) // the watch reports the pod again
	}()
}

// failure says why a pod will never be ready, nil if it still may be.
func failure(p *corev1.Pod) error {
	if p.Status.Phase == corev1.PodFailed || p.Status.Phase == corev1.PodSucceeded {
		return fmt.Errorf("the pod %s ended: %s", p.Name, describe(p))
	}
	for _, s := range append(p.Status.InitContainerStatuses, p.Status.ContainerStatuses...) {
		if s.State.Waiting == nil {
			continue
		}
		switch s.State.Waiting.Reason {
		case "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName",
			"CreateContainerConfigError",
			"CreateContainerError", "RunContainerError", "CrashLoopBackOff":
			return fmt.Errorf("the pod %s cannot start: %s", p.Name, describe(p))
		}
	}
	return nil
}

// describe says on one line what the state of a pod is.
func describe(p *corev1.Pod) string {
	var words []string
	for _, s := range append(p.Status.InitContainerStatuses, p.Status.ContainerStatuses...) {
		switch {
		case s.State.Waiting != nil && s.State.Waiting.Reason != "PodInitializing":
			words = append(words, join(s.Name, s.State.Waiting.Reason, s.State.Waiting.Message))
		case s.State.Terminated != nil && s.State.Terminated.ExitCode != 0:
			words = append(words, join(s.Name, fmt.Sprintf("%s, exit status %d",
				s.State.Terminated.Reason, s.State.Terminated.ExitCode),
				s.State.Terminated.Message))
		}
	}
	for _, c := range p.Status.Conditions {
		if len(words) == 0 && c.Status == corev1.ConditionFalse && c.Message != "" {
			words = append(words, join(string(c.Type), c.Reason, c.Message))
		}
	}
	if len(words) == 0 {
		words = append(words, join(string(p.Status.Phase), p.Status.Reason, p.Status.Message))
	}
	return strings.Join(words, "; ")
}

// join joins the words that are not empty, without line breaks.
func join(words ...string) string {
	var kept []string
	for _, w := range words {
		if w = strings.Join(strings.Fields(w), " "); w != "" {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, ": ")
}

func isReady(p *corev1.Pod) bool {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue && p.Status.PodIP != ""
		}
	}
	return false
}
