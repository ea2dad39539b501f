package resourcetypes

import (
	"maps"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/gaby"
)

// Overridden returns the built-in types (or *) that a file given to AddFiles overrides, sorted, and
// the position of the first such entry. Paths of attributes described by users' files override
// nothing that is built in.
func (r *Registry) Overridden(file string) (types []api.ResourceType, first gaby.Position) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := map[api.ResourceType]bool{}
	add := func(t string, at gaby.Position) {
		if t != string(api.ResourceTypeAny) && !r.isBuiltIn(t) {
			return
		}
		if len(found) == 0 || at.Line < first.Line {
			first = at
		}
		found[api.ResourceType(t)] = true
	}
	for _, d := range r.documents {
		if d.BuiltIn || d.Name != file {
			continue
		}
		for _, e := range d.entry("resourceTypes").All() {
			if r.overrides(e) {
				add(e.Key(), e.KeyPosition())
			}
		}
		for _, e := range d.entry("clusterScoped").All() {
			add(e.Text(), e.Position())
		}
	}
	return slices.Sorted(maps.Keys(found)), first
}

// overrides reports whether an entry about a type has more than paths of attributes that users'
// files describe.
func (r *Registry) overrides(entry gaby.Value) bool {
	for _, section := range entry.All() {
		if section.Key() != "attributes" {
			return true
		}
		for _, a := range section.All() {
			if !slices.ContainsFunc(r.documents, func(d document) bool {
				return !d.BuiltIn && d.entry("attributes", a.Key()).Exists()
			}) {
				return true
			}
		}
	}
	return false
}

// isBuiltIn reports whether the built-in files have an entry for a type.
func (r *Registry) isBuiltIn(t string) bool {
	return slices.ContainsFunc(r.documentsAbout(t), func(d document) bool {
		return d.BuiltIn && d.entry("resourceTypes", t).Exists()
	})
}
