package kubernetes

import (
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
	"github.com/fctl-dev/fctl/internal/knowledge/schemas"
	"github.com/fctl-dev/fctl/internal/namespaces"
	"github.com/fctl-dev/fctl/internal/references"
)

// serviceKinds returns the kinds of the resources that can be reached under their names as hosts.
func serviceKinds() []string { return []string{"Service", "serving.knative.dev/Service"} }

// isService reports whether resources of a type can be reached under their names as hosts.
func isService(t api.ResourceType) bool {
	return slices.Contains(serviceKinds(), configkit.GroupKind(t))
}

// noteHosts notes values that still contain the former name of a Service as a host. The Service was
// renamed or, as makers knows, is made by renamed resources.
func (r *renamer) noteHosts(makers *references.Survey, renamed references.Renamed) {
	type service struct{ namespace, name string }
	own, fresh := map[service]bool{}, map[string]bool{}
	for i := range r.all {
		n := &r.all[i]
		if n.name != n.Name() && isService(n.Info.ResourceType) {
			own[service{n.Namespace, n.Name()}] = true
			own[service{schemas.Anywhere, n.Name()}] = true
			fresh[n.name] = true
		}
	}
	if len(own) == 0 && makers == nil && (r.affix == nil || !slices.ContainsFunc(serviceKinds(), r.inputs.HasKind)) {
		return
	}
	hosts := namespaces.FormerHosts(func(namespace, name string) bool {
		return own[service{namespace, name}] ||
			makers != nil && !fresh[name] &&
				makers.MakesHost(namespace, name, renamed) ||
			slices.ContainsFunc(serviceKinds(), func(kind string) bool {
				to, found := r.elsewhere(kind, namespace, name)
				return found && to != name
			})
	})
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
				if count++; count <= namespaces.MostPlaces {
					r.call.Note(w.Value.Position(), "the value still contains "+name)
				}
				names[name] = true
			}
			return true
		})
	}
	if count > 0 {
		r.call.NoteSum("left ", count, "value",
			" with the old name of a Service where it may be a host", slices.Sorted(maps.Keys(names))...)
	}
}
