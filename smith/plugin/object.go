package plugin

import (
	"fmt"
	"strings"
)

// GroupVersionKind is the type of an object.
type GroupVersionKind struct{ Group, Version, Kind string }

// NewGroupVersionKind returns the type with an apiVersion, such as "v1" or "apps/v1", and a kind.
func NewGroupVersionKind(apiVersion, kind string) GroupVersionKind {
	group, version, ok := strings.Cut(apiVersion, "/")
	if !ok {
		group, version = "", apiVersion
	}
	return GroupVersionKind{Group: group, Version: version, Kind: kind}
}

// APIVersion returns the group and version as objects have them.
func (g GroupVersionKind) APIVersion() string {
	if g.Group == "" {
		return g.Version
	}
	return g.Group + "/" + g.Version
}

// String returns "apps/v1, Kind=Deployment", as Kubernetes writes it.
func (g GroupVersionKind) String() string {
	return fmt.Sprintf("%s, Kind=%s", g.APIVersion(), g.Kind)
}

// Object is a Kubernetes object. It has maps (map[string]any), lists ([]any), strings, bool, int64,
// float64 and nil, and may be written as a literal: &Object{Object: map[string]any{...}}.
type Object struct{ Object map[string]any }

// Get returns the value at a path of keys, nil if it is missing. A nil Object has no values.
func (o *Object) Get(path ...string) any {
	if o == nil {
		return nil
	}
	var v any = o.Object
	for _, key := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

// Text returns the string at a path of keys, "" if it is missing or not a string.
func (o *Object) Text(path ...string) string {
	s, _ := o.Get(path...).(string)
	return s
}

// Map returns the map at a path of keys, nil if it is missing or not a map.
func (o *Object) Map(path ...string) map[string]any {
	m, _ := o.Get(path...).(map[string]any)
	return m
}

// GVK returns the type of the object.
func (o *Object) GVK() GroupVersionKind {
	return NewGroupVersionKind(o.Text("apiVersion"), o.Text("kind"))
}

// Name returns metadata.name.
func (o *Object) Name() string { return o.Text("metadata", "name") }

// Namespace returns metadata.namespace.
func (o *Object) Namespace() string { return o.Text("metadata", "namespace") }

// DeepCopy returns a copy that shares nothing with the object.
func (o *Object) DeepCopy() *Object {
	if o == nil {
		return nil
	}
	return &Object{Object: CopyMap(o.Object)}
}

// CopyMap returns a deep copy of a map. Integers of all types become int64, as in objects that
// Kubernetes decodes.
func CopyMap(m map[string]any) map[string]any {
	if m == nil {
		return nil
	}
	c := make(map[string]any, len(m))
	for k, v := range m {
		c[k] = CopyValue(v)
	}
	return c
}

// CopyValue is CopyMap for any value.
func CopyValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return CopyMap(v)
	case []any:
		if v == nil {
			return v
		}
		c := make([]any, len(v))
		for i := range v {
			c[i] = CopyValue(v[i])
		}
		return c
	case int:
		return int64(v)
	case int32:
		return int64(v)
	}
	return v
}
