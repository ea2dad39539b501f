package kube

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// DefaultNamespace is the namespace of FunctionConfigs if none is named.
const DefaultNamespace = "porch-fn-system"

// settle is how long changes are collected before they are reported: a whole set is often applied
// at once.
const settle = 100 * time.Millisecond

// ConfigObject is a FunctionConfig of a cluster.
type ConfigObject struct {
	Namespace, Name string
	UID             types.UID
	Created         time.Time
	Generation      int64
	JSON            []byte // with the list of fields of an object, without managedFields
	// Observed and Problem are what its status says of this runner.
	Observed int64
	Problem  string
}

// Older orders objects by their age. Of two objects that exclude each other the older counts.
func Older(a, b ConfigObject) int {
	return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.Key(), b.Key()))
}

// Key returns namespace/name, by which messages name the object.
func (o *ConfigObject) Key() string { return o.Namespace + "/" + o.Name }

// Configs reads the FunctionConfigs of a namespace.
type Configs struct {
	client    dynamic.Interface
	namespace string
	mu        sync.Mutex
	forbidden bool               // to write the status
	written   map[string]verdict // by key
}

// verdict records the status that this runner wrote to an object.
type verdict struct {
	object     types.UID
	generation int64
	problem    string
}

// NewConfigs returns the FunctionConfigs of a namespace, of all of them if it is "*".
func NewConfigs(config *rest.Config, namespace string) (*Configs, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	switch namespace {
	case "":
		namespace = DefaultNamespace
	case "*":
		namespace = metav1.NamespaceAll
	}
	return newConfigs(client, namespace), nil
}

func newConfigs(client dynamic.Interface, namespace string) *Configs {
	return &Configs{client: client, namespace: namespace, written: map[string]verdict{}}
}

func functionConfigs() schema.GroupVersionResource {
	return schema.GroupVersionResource{
		Group: "config.porch.kpt.dev", Version: "v1alpha1", Resource: "functionconfigs",
	}
}

// List returns the objects, the oldest first.
func (c *Configs) List(ctx context.Context) ([]ConfigObject, error) {
	api := c.client.Resource(functionConfigs()).Namespace(c.namespace)
	list, err := api.List(ctx, metav1.ListOptions{})
	if apierrors.IsNotFound(err) {
		return nil, errors.New("the cluster does not know FunctionConfigs " +
			"(fctl functionconfig crd | kubectl apply -f -)")
	} else if err != nil {
		return nil, fmt.Errorf("the FunctionConfigs cannot be listed: %w", err)
	}
	items := make([]*unstructured.Unstructured, len(list.Items))
	for i := range list.Items {
		items[i] = &list.Items[i]
	}
	return objects(items)
}

// objects returns objects as JSON, the oldest first.
func objects(items []*unstructured.Unstructured) ([]ConfigObject, error) {
	all := make([]ConfigObject, 0, len(items))
	for _, u := range items {
		status, _, _ := unstructured.NestedMap(u.Object, "status")
		o := ConfigObject{
			Namespace: u.GetNamespace(), Name: u.GetName(), UID: u.GetUID(),
			Created: u.GetCreationTimestamp().Time, Generation: u.GetGeneration(),
		}
		o.Observed, _, _ = unstructured.NestedInt64(status, observedField)
		o.Problem, _, _ = unstructured.NestedString(status, "error")
		plain := u.DeepCopy()
		plain.SetManagedFields(nil)
		text, err := json.Marshal(plain.Object)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.Key(), err)
		}
		o.JSON = text
		all = append(all, o)
	}
	slices.SortFunc(all, Older)
	return all, nil
}

// Watch calls changed with all objects whenever one came, went or changed, until ctx ends. The
// first call comes before it returns; later ones come from one goroutine.
func (c *Configs) Watch(
	ctx context.Context,
	note func(string, ...any),
	changed func([]ConfigObject),
) error {
	// The first request shows at once whether the cluster can be reached.
	if _, err := c.List(ctx); err != nil {
		return err
	}
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(c.client, resync,
		c.namespace,
		nil)
	informer := factory.ForResource(functionConfigs())
	signal := make(chan struct{}, 1)
	changes := func() {
		select {
		case signal <- struct{}{}:
		default: // one is due already
		}
	}
	handler, err := informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { changes() },
		UpdateFunc: func(_, _ any) { changes() },
		DeleteFunc: func(any) { changes() },
	})
	if err != nil {
		return err
	}
	report := func() {
		items := make([]*unstructured.Unstructured, 0)
		for _, object := range informer.Informer().GetStore().List() {
			if u, ok := object.(*unstructured.Unstructured); ok {
				items = append(items, u)
			}
		}
		all, err := objects(items)
		if err != nil {
			note("%v", err)
			return
		}
		changed(all)
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), handler.HasSynced) {
		return errors.New("the watch of FunctionConfigs did not begin")
	}
	report()
	go func() {
		for {
			select {
			case <-signal:
			case <-ctx.Done():
				return
			}
			select {
			case <-time.After(settle):
			case <-ctx.Done():
				return
			}
			report()
		}
	}()
	return nil
}

// observedField is the field of the status that has the generation which a runner has read.
const observedField = "functionRunnerObservedGeneration"

// patchTimeout bounds how long a status holds up others.
const patchTimeout = 10 * time.Second

// SetStatus writes to the status of an object which generation the runner has read, and why it does
// not use it. It does nothing if the status says so already, or once the cluster has refused it. It
// writes the same only once: two runners that differ must not answer each other for ever.
func (c *Configs) SetStatus(ctx context.Context, o *ConfigObject, problem string) error {
	now := verdict{o.UID, o.Generation, problem}
	c.mu.Lock()
	before := c.written[o.Key()]
	// Later the status of o may be older than the one written here.
	first := before.object != o.UID
	done := c.forbidden || before == now ||
		first && o.Observed == o.Generation && o.Problem == problem
	c.written[o.Key()] = now
	c.mu.Unlock()
	if done {
		return nil
	}
	status := map[string]any{observedField: o.Generation, "error": nil}
	if problem != "" {
		status["error"] = problem
	}
	patch, err := json.Marshal(map[string]any{"status": status})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patchTimeout)
	defer cancel()
	_, err = c.client.Resource(functionConfigs()).Namespace(o.Namespace).Patch(ctx, o.Name,
		types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	switch {
	case err == nil || apierrors.IsNotFound(err): // it has gone, or its definition has no status
		return nil
	case apierrors.IsForbidden(err):
		c.mu.Lock()
		c.forbidden = true
		c.mu.Unlock()
		return fmt.Errorf("the status of FunctionConfigs is not written: %w", err)
	}
	c.mu.Lock()
	delete(c.written, o.Key()) // so that it is tried again
	c.mu.Unlock()
	return err
}
