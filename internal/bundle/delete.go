package bundle

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/smith/plugin"
	smithv1 "github.com/fctl-dev/fctl/smith/v1"
)

// toDelete returns the observed objects that the Bundle controls and does not declare, in the order
// in which they were observed. An object of a resource whose name is not known yet is not among
// them: no object of its type is.
func (p *run) toDelete() []*Observed {
	if p.Pool == nil {
		return nil
	}
	type name struct {
		gvk  plugin.GroupVersionKind
		name string
	}
	declared, unnamed, untyped := map[name]bool{}, map[plugin.GroupVersionKind]bool{}, false
	for _, res := range p.results {
		declared[name{res.GVK, res.Name}] = true
		unnamed[res.GVK] = unnamed[res.GVK] || res.Name == ""
		untyped = untyped || res.GVK.Kind == ""
	}
	if untyped {
		return nil
	}
	var found []*Observed
	for _, o := range p.Pool.list {
		if o.Namespace != p.bundle.Namespace || declared[name{o.GroupVersionKind, o.Name}] ||
			unnamed[o.GroupVersionKind] {
			continue
		}
		o.mu.Lock()
		mayHaveOwner := o.doc.MayContain("ownerReferences")
		o.mu.Unlock()
		if !mayHaveOwner {
			continue
		}
		if v, err := p.open(o); err == nil && p.controls(controller(v)) {
			found = append(found, o)
		}
	}
	return found
}

// pluginStatuses returns the plugins that the Bundle uses.
func (p *run) pluginStatuses() []smithv1.PluginStatus {
	var list []smithv1.PluginStatus
	for _, r := range p.bundle.Resources {
		if r.plugin == nil {
			continue
		}
		status := smithv1.PluginStatus{Name: r.plugin.name, Status: smithv1.PluginNoSuchPlugin}
		if use := p.Plugins.find(r.plugin.name); use != nil {
			status.Group, status.Version, status.Kind = use.GVK.Group, use.GVK.Version, use.GVK.Kind
			status.Status = smithv1.PluginOk
		}
		if !slices.Contains(list, status) {
			list = append(list, status)
		}
	}
	slices.SortFunc(list, func(a, b smithv1.PluginStatus) int {
		return strings.Compare(string(a.Name), string(b.Name))
	})
	return list
}
