package resourcetypes

import (
	"cmp"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
)

// Scope returns whether the resources of a type are in namespaces. It looks for the scope of any
// version of the kind, then for an entry GROUP/*/* for all kinds of the group.
func (r *Registry) Scope(t api.ResourceType) configkit.Scope {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.parse()
	return r.scope(t)
}

func (r *Registry) scope(t api.ResourceType) configkit.Scope {
	return kept(&r.scopes, t, func() configkit.Scope {
		scope := r.statedScope(string(t), 0)
		if scope == configkit.ScopeUnknown {
			documents := r.documentsAbout(string(t))
			group, _, _ := configkit.SplitType(t)
			for _, version := range append(sameKind(documents, t), group+"/*/*") {
				scope = cmp.Or(scope, r.statedScope(version, 0))
			}
		}
		return scope
	})
}

// statedScope returns the scope in the entries of a type, the last document first, or else that of
// the type it is sameAs.
func (r *Registry) statedScope(t string, depth int) configkit.Scope {
	same := ""
	for _, d := range slices.Backward(r.documentsAbout(t)) {
		entry := d.entry("resourceTypes", t)
		if scope := entry.Get("scope"); scope.Exists() {
			return configkit.Scope(scope.Text())
		}
		same = cmp.Or(same, entry.Get("sameAs").Text())
	}
	if same == "" || depth >= maxEmbeds {
		return configkit.ScopeUnknown
	}
	return r.statedScope(same, depth+1)
}

// sameKind returns the types with entries that have the group and kind of t in any version, sorted.
func sameKind(documents []document, t api.ResourceType) []string {
	var versions []string
	for _, d := range documents {
		for _, name := range d.typeNames() {
			if configkit.SameKind(api.ResourceType(name), t) {
				versions = append(versions, name)
			}
		}
	}
	slices.Sort(versions)
	return versions
}
