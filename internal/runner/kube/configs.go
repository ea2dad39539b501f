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

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/kubernetes/scheme"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
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
	// Observed, Problem and Conditions are those of its status.
	Observed   int64
	Problem    string
	Conditions []metav1.Condition
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
	events    corev1client.EventsGetter
	namespace string
	recorder  record.EventRecorder // nil before Watch
	mu        sync.Mutex
	forbidden bool               // to write the status
	written   map[string]written // by key
}

// NewConfigs returns the FunctionConfigs of a namespace, of all of them if it is "*".
func NewConfigs(config *rest.Config, namespace string) (*Configs, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	events, err := corev1client.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	switch namespace {
	case "":
		namespace = DefaultNamespace
	case "*":
		namespace = metav1.NamespaceAll
	}
	return &Configs{
		client: client, events: events, namespace: namespace, written: map[string]written{},
	}, nil
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
		var found struct{ Conditions []metav1.Condition } // of another form: as good as none
		_ = runtime.DefaultUnstructuredConverter.FromUnstructured(status, &found)
		o := ConfigObject{
			Namespace: u.GetNamespace(), Name: u.GetName(), UID: u.GetUID(),
			Created: u.GetCreationTimestamp().Time, Generation: u.GetGeneration(),
			Conditions: found.Conditions,
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
	broadcaster := record.NewBroadcaster()
	broadcaster.StartRecordingToSink(&corev1client.EventSinkImpl{Interface: c.events.Events("")})
	context.AfterFunc(ctx, broadcaster.Shutdown)
	c.recorder = broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: program})
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
