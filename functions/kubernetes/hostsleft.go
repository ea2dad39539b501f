package kubernetes

import (
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/functions/kubernetes/namespaces"
	"github.com/fctl-dev/fctl/functions/unit"
)

// isService reports whether resources of a type can be reached under their names as hosts.
func isService(t api.ResourceType) bool {
	kind := unit.GroupKind(t)
	return kind == "Service" || kind == "serving.knative.dev/Service"
}

// noteHosts reports how many values still contain the former name of a Service as a host.
func (r *renamer) noteHosts() {
	hosts := namespaces.FormerHosts{}
	for i := range r.all {
		n := &r.all[i]
		if n.name == n.Name() || !isService(n.Info.ResourceType) {
			continue
		}
		if hosts[n.Name()] == nil {
			hosts[n.Name()] = map[string]bool{}
		}
		hosts[n.Name()][n.Namespace] = true
	}
	if len(hosts) == 0 {
		return
	}
	count, names := 0, map[string]bool{}
	for _, doc := range r.unit {
		info, err := r.provider.ResourceInfo(doc)
		if err != nil {
			continue
		}
		namespace, _, _ := strings.Cut(string(info.ResourceName), "/")
		yamlkit.Walk(doc.Value(), nil, func(w *yamlkit.Cursor) bool {
			if w.Value.Kind() != gaby.Scalar {
				return true
			}
			if name, found := hosts.In(w.Value.Text(), namespace,
				namespaces.HostContextOf(w.Segments)); found {
				count++
				names[name] = true
			}
			return true
		})
	}
	if count > 0 {
		r.fc.NoteSum("values still contain the old name of a Service where it may be a host", count,
			slices.Sorted(maps.Keys(names))...)
	}
}
