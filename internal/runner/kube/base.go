package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"sigs.k8s.io/yaml"

	"github.com/fctl-dev/fctl/internal/runner/pods"
)

// DefaultBase is the name of the PodTemplate that pods are made of if none is named. A cluster need
// not have it.
const DefaultBase = "base-pod-template"

// porchWrapper is the name that templates of Porch have for the container that brings the wrapper.
const porchWrapper = "copy-wrapper-server"

// maxBase is the most bytes of a file with a template; an object of a cluster is smaller.
const maxBase = 1 << 20

// Base changes the template of all pods: its spec is a strategic merge patch over the built-in one.
type Base struct {
	Labels, Annotations map[string]string

	patch []byte // JSON
}

// ParseBase reads a PodTemplate or a Pod, as YAML or JSON. Unknown fields are errors.
func ParseBase(text []byte) (*Base, error) {
	var kind metav1.TypeMeta
	if err := yaml.Unmarshal(text, &kind); err != nil {
		return nil, err
	}
	var object corev1.PodTemplate
	switch kind.Kind {
	case "PodTemplate":
		if err := strict(text, &object); err != nil {
			return nil, err
		}
	case "Pod":
		var pod corev1.Pod
		if err := strict(text, &pod); err != nil {
			return nil, err
		}
		object.Template = corev1.PodTemplateSpec{ObjectMeta: pod.ObjectMeta, Spec: pod.Spec}
	default:
		return nil, fmt.Errorf("a PodTemplate or a Pod is expected, not %q", kind.Kind)
	}
	return newBase(&object.Template)
}

// strict decodes an object. The messages of the library name its own layers first.
func strict(text []byte, into any) error {
	err := yaml.UnmarshalStrict(text, into)
	if err == nil {
		return nil
	}
	message := err.Error()
	for _, layer := range []string{
		"error unmarshaling JSON: ", "while decoding JSON: ", "error converting YAML to JSON: ",
		"json: ", "yaml: ",
	} {
		message = strings.TrimPrefix(message, layer)
	}
	return errors.New(strings.ReplaceAll(message, "\n", " "))
}

// newBase returns the Base of a template.
func newBase(t *corev1.PodTemplateSpec) (*Base, error) {
	spec := t.Spec.DeepCopy()
	for i := range spec.InitContainers {
		if c := &spec.InitContainers[i]; c.Name == porchWrapper {
			c.Name = wrapperContainer
		}
	}
	patch, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	// The type always has a list of containers. An empty one changes nothing.
	if len(spec.Containers) == 0 {
		patch = []byte(strings.Replace(string(patch), `"containers":null`, `"containers":[]`, 1))
	}
	b := &Base{Labels: t.Labels, Annotations: t.Annotations, patch: patch}
	return b, b.apply(&corev1.PodSpec{Containers: []corev1.Container{{Name: functionContainer}}})
}

// apply changes a built-in spec. What makes a pod one of this runner stays: the images, commands,
// port and probe, and that a pod which ended is not started again.
func (b *Base) apply(spec *corev1.PodSpec) error {
	if b == nil {
		return nil
	}
	before := spec.DeepCopy()
	original, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	merged, err := strategicpatch.StrategicMergePatch(original, b.patch, corev1.PodSpec{})
	if err != nil {
		return fmt.Errorf("the template of pods: %w", err)
	}
	*spec = corev1.PodSpec{}
	if err := json.Unmarshal(merged, spec); err != nil {
		return fmt.Errorf("the template of pods: %w", err)
	}
	spec.RestartPolicy = before.RestartPolicy
	function := before.Containers[0]
	i := slices.IndexFunc(spec.Containers, func(c corev1.Container) bool {
		return c.Name == functionContainer
	})
	if i < 0 {
		return errors.New("the template of pods removes the container " + functionContainer)
	}
	// The container of the function is the first one, and so is the one that brings the wrapper.
	spec.Containers[0], spec.Containers[i] = spec.Containers[i], spec.Containers[0]
	c := &spec.Containers[0]
	c.Image, c.Command, c.Args = function.Image, function.Command, function.Args
	c.Ports, c.ReadinessProbe = function.Ports, function.ReadinessProbe
	if len(before.InitContainers) == 0 {
		return nil
	}
	i = slices.IndexFunc(spec.InitContainers, func(c corev1.Container) bool {
		return c.Name == wrapperContainer
	})
	if i < 0 {
		return errors.New("the template of pods removes the container " + wrapperContainer)
	}
	spec.InitContainers[0], spec.InitContainers[i] = spec.InitContainers[i], spec.InitContainers[0]
	w := &spec.InitContainers[0]
	w.Image, w.Command, w.Args = before.InitContainers[0].Image, nil, before.InitContainers[0].Args
	return nil
}

// union returns the entries of two maps; where both have a key, that of own counts.
func union(base, own map[string]string) map[string]string {
	all := maps.Clone(base)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, own)
	return all
}

// isFile reports whether the name of a template is that of a file.
func isFile(name string) bool {
	return strings.ContainsRune(name, os.PathSeparator) ||
		slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name))
}

// ReadBase reads the template of pods: a file, or the PodTemplate of that name in the namespace of
// the pods, or the key "template" of the ConfigMap of that name. The result is nil if the cluster
// has neither, or does not allow to read them.
func (b *Backend) ReadBase(ctx context.Context, name string) (*Base, error) {
	if name == "" {
		return nil, nil
	}
	base, err := b.readBase(ctx, name)
	if err == nil && base != nil {
		o := b.options
		o.Base = base
		_, err = o.spec(&pods.Function{})
	}
	if err != nil {
		return nil, fmt.Errorf("the template of pods %s: %w", name, err)
	}
	return base, nil
}

func (b *Backend) readBase(ctx context.Context, name string) (*Base, error) {
	if isFile(name) {
		info, err := os.Stat(name)
		if err == nil && info.Size() > maxBase {
			err = fmt.Errorf("the file is larger than the limit of %d bytes", maxBase)
		}
		if err != nil {
			return nil, err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		return ParseBase(text)
	}
	api := b.client.CoreV1()
	template, err := api.PodTemplates(b.options.Namespace).Get(ctx, name, metav1.GetOptions{})
	if err == nil {
		return newBase(&template.Template)
	}
	if !missing(err) {
		return nil, err
	}
	config, err := api.ConfigMaps(b.options.Namespace).Get(ctx, name, metav1.GetOptions{})
	if missing(err) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	text, ok := config.Data["template"]
	if !ok {
		return nil, errors.New("the ConfigMap has no data.template")
	}
	return ParseBase([]byte(text))
}

// missing reports whether an object is not there for this runner.
func missing(err error) bool { return apierrors.IsNotFound(err) || apierrors.IsForbidden(err) }

// SetBase changes the template of the pods that are started from now on. It reports whether it
// differs from the one before.
func (b *Backend) SetBase(base *Base) bool {
	before := b.base.Swap(base)
	text := func(b *Base) string {
		if b == nil {
			return ""
		}
		labels, _ := json.Marshal([]any{b.Labels, b.Annotations}) // maps of strings
		return string(labels) + string(b.patch)
	}
	return text(before) != text(base)
}

// current returns the options with the template in use.
func (b *Backend) current() *Options {
	o := b.options
	o.Base = b.base.Load()
	return &o
}
