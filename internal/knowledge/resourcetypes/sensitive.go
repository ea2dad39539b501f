package resourcetypes

import (
	"maps"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// justSensitive selects the paths of secret values, of all attributes.
const justSensitive api.AttributeName = "#sensitive"

// ShareSecrets makes the secret paths that another registry knows count as well. Files name types
// of all formats, but are added to the registry of Kubernetes types only.
func (r *Registry) ShareSecrets(other *Registry) { r.shared = other }

// secretPaths returns the paths of secret values of a type.
func (r *Registry) secretPaths(t api.ResourceType) []*yamlpath.Path {
	paths := r.part(t, justSensitive).sensitive
	if r.shared != nil {
		return slices.Concat(paths, r.shared.secretPaths(t))
	}
	return paths
}

// Sensitive returns how a path of a type relates to the paths of secret values.
func (r *Registry) Sensitive(t api.ResourceType, path api.ResolvedPath) configkit.Sensitivity {
	secret := r.secretPaths(t)
	if len(secret) == 0 {
		return configkit.NotSensitive
	}
	if path == "" {
		return configkit.AboveSensitive
	}
	asked, err := yamlpath.Parse(string(path))
	if err != nil {
		return configkit.AboveSensitive // an invalid path may lead anywhere
	}
	relation := configkit.NotSensitive
	for _, s := range secret {
		n := min(len(s.Segments()), len(asked.Segments()))
		if !slices.EqualFunc(s.Segments()[:n], asked.Segments()[:n], mayMatch) {
			continue
		}
		if n == len(s.Segments()) {
			return configkit.IsSensitive
		}
		relation = configkit.AboveSensitive
	}
	return relation
}

// mayMatch reports whether two segments may lead to the same entry.
func mayMatch(a, b yamlpath.Segment) bool {
	return !a.IsKey() || !b.IsKey() || a.Key == b.Key
}

// SensitiveValues calls visit for each value of doc, of type t, that is secret as a whole. Of a
// duplicate key it visits all values.
func (r *Registry) SensitiveValues(t api.ResourceType, doc *gaby.YamlDoc, visit func(gaby.Value)) {
	for _, path := range r.secretPaths(t) {
		visitEntries(doc.Value(), path.Segments(), visit)
	}
}

func visitEntries(v gaby.Value, segments []yamlpath.Segment, visit func(gaby.Value)) {
	if len(segments) == 0 {
		visit(v)
		return
	}
	next := segments[0]
	below := func(entry gaby.Value) {
		if !next.IsKey() || entry.Key() == next.Key {
			visitEntries(entry, segments[1:], visit)
		}
	}
	for entry := range v.Entries() {
		below(entry)
	}
	for _, entry := range v.All() {
		if entry.IsAliased() { // Entries does not follow aliases
			below(entry)
		}
	}
}

// SensitiveKinds returns the kinds of the types that have secret values, sorted. It includes "*" if
// resources of any type may have some, or if types of formats other than Kubernetes/YAML do, whose
// names need not be in the text.
func (r *Registry) SensitiveKinds() []string {
	r.mu.Lock()
	kinds := r.kinds
	r.mu.Unlock()
	if kinds != nil {
		return kinds
	}
	kinds = []string{}
	if r.shared != nil {
		kinds = slices.Clone(r.shared.SensitiveKinds())
		if slices.ContainsFunc(kinds, func(kind string) bool {
			return len(r.shared.secretPaths(api.ResourceType(kind))) > 0
		}) {
			kinds = append(kinds, string(api.ResourceTypeAny))
		}
	}
	for _, t := range r.mayBeSensitiveTypes() {
		if len(r.part(t, justSensitive).sensitive) > 0 {
			kinds = append(kinds, configkit.KindOf(t))
		}
	}
	slices.Sort(kinds)
	kinds = slices.Compact(kinds)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kinds = kinds
	return kinds
}

// mayBeSensitiveTypes returns the types, from documents and registrations, that may have secret
// values.
func (r *Registry) mayBeSensitiveTypes() []api.ResourceType {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.parse()
	types := slices.Collect(maps.Keys(r.added))
	for _, d := range r.documents {
		if !d.mayHaveSensitive() {
			continue
		}
		for _, entry := range d.entry("resourceTypes").All() {
			types = append(types, api.ResourceType(entry.Key()))
		}
	}
	return types
}
