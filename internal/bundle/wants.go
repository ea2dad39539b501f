package bundle

import (
	"github.com/fctl-dev/fctl/smith/plugin"
)

// Wants returns the objects that say more about a Bundle once they are observed: those of its
// resources, as far as their names are known, and those that these produce and need.
func (r *Result) Wants(o *Options) []Key {
	var keys []Key
	seen := map[Key]bool{}
	add := func(gvk plugin.GroupVersionKind, name string) {
		key := Key{gvk, r.Bundle.Namespace, name}
		if gvk.Kind != "" && gvk.Version != "" && name != "" && !seen[key] {
			seen[key] = true
			keys = append(keys, key)
		}
	}
	if o.OwnerRefs || o.CheckOwner {
		add(bundleGVK(), r.Bundle.Name)
	}
	for _, res := range r.Resources {
		add(res.GVK, res.Name)
		if o.Annotations && res.doc != nil {
			for _, u := range uses(res.GVK, res.doc.Value()) {
				add(plugin.GroupVersionKind{Version: "v1", Kind: u.kind}, u.name)
			}
		}
		row := o.Outputs.row(res.GVK)
		if row == nil || !res.actual.Exists() {
			continue
		}
		for _, paths := range [][]objectPath{row.outputs, row.auxiliary} {
			for _, p := range paths {
				if names, err := p.path.Find(res.actual); err == nil && len(names) > 0 {
					add(p.gvk, names[0].Text())
				}
			}
		}
	}
	return keys
}

// NeedsDefinition reports whether a resource was observed whose readiness only the annotations of
// its CustomResourceDefinition can say.
func (r *Result) NeedsDefinition() bool {
	for _, res := range r.Resources {
		if res.noRule {
			return true
		}
	}
	return false
}
