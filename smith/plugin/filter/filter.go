// Package filter has the plugin filter: it makes a ServiceInstance whose parameters come from those
// keys of the Secrets of ServiceBindings that begin with a prefix.
//
// Layer: systems.
package filter

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/smith/plugin"
)

// The types that the plugin reads and makes.
const (
	group      = "servicecatalog.k8s.io"
	apiVersion = group + "/v1beta1"
)

const specSchema = `{
  "type": "object",
  "properties": {
    "name": {"type": "string"},
    "filterByPrefix": {"type": "string", "minLength": 1}
  },
  "required": ["filterByPrefix"],
  "additionalProperties": false
}`

type filter struct{}

// New makes the plugin.
func New() (plugin.Plugin, error) { return filter{}, nil }

// Describe returns the name filter, the type ServiceInstance and the schema of the spec.
func (filter) Describe() *plugin.Description {
	return &plugin.Description{
		Name:       "filter",
		GVK:        plugin.NewGroupVersionKind(apiVersion, "ServiceInstance"),
		SpecSchema: []byte(specSchema),
	}
}

// Process makes a ServiceInstance with one entry of parametersFrom for each key of an output Secret
// that begins with filterByPrefix. Values are not read. It fails if there is no such key, since an
// instance without parameters would hide the mistake.
func (filter) Process(spec map[string]any, ctx *plugin.Context) plugin.ProcessResult {
	prefix, _ := spec["filterByPrefix"].(string)
	var entries []any
	var secrets []string
	bindings := 0
	for _, name := range slices.Sorted(maps.Keys(ctx.Dependencies)) {
		dependency := ctx.Dependencies[name]
		if gvk := dependency.Actual.GVK(); gvk.Group != group || gvk.Kind != "ServiceBinding" {
			continue
		}
		bindings++
		for _, secret := range dependency.Outputs {
			secrets = append(secrets, secret.Name())
			for _, key := range keys(secret) {
				if strings.HasPrefix(key, prefix) {
					entries = append(entries, entry(secret.Name(), key))
				}
			}
		}
	}
	switch {
	case bindings == 0:
		return &plugin.ProcessResultFailure{
			Error:           errors.New("filter needs a dependency on a ServiceBinding"),
			IsExternalError: true,
		}
	case len(secrets) == 0:
		return &plugin.ProcessResultFailure{
			Error:           errors.New("the ServiceBindings have no output Secret yet"),
			IsExternalError: true, IsRetriableError: true,
		}
	case len(entries) == 0:
		return &plugin.ProcessResultFailure{
			Error: fmt.Errorf("no key of %s starts with %s", strings.Join(secrets, ", "),
				prefix),
			IsExternalError: true, IsRetriableError: true, // the Secret may still be filled
		}
	}
	return &plugin.ProcessResultSuccess{Object: &plugin.Object{Object: map[string]any{
		"apiVersion": apiVersion,
		"kind":       "ServiceInstance",
		"spec":       map[string]any{"parametersFrom": entries},
	}}}
}

// keys returns the keys of a Secret in order.
func keys(secret *plugin.Object) []string {
	all := map[string]bool{}
	for _, field := range []string{"data", "stringData"} {
		for key := range secret.Map(field) {
			all[key] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

func entry(secret, key string) map[string]any {
	return map[string]any{"secretKeyRef": map[string]any{"name": secret, "key": key}}
}
