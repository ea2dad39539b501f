package unit

import (
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
)

// selectedMutations knows which mutations are about resources that where-expressions select. For a
// resource that is not in the unit, the document in the data that the unit is compared with
// decides.
type selectedMutations struct {
	provider  configkit.ResourceProvider
	resources map[string]bool // whether selected, by type and name, with and without scope
}

// newSelectedMutations returns a selectedMutations that knows the documents of the unit.
func newSelectedMutations(
	docs gaby.Container, selection *handler.Excluded, provider configkit.ResourceProvider,
) *selectedMutations {
	s := &selectedMutations{provider: provider, resources: map[string]bool{}}
	for _, doc := range docs {
		s.add(doc, true)
	}
	for _, doc := range selection.Docs {
		s.add(doc, false)
	}
	return s
}

// add records whether a document is selected, unless a document with its name is known already.
func (s *selectedMutations) add(doc *gaby.YamlDoc, selected bool) {
	info, err := s.provider.ResourceInfo(doc)
	if err != nil {
		return // reported by the function that uses the document
	}
	for _, name := range []api.ResourceName{info.ResourceName, info.ResourceNameWithoutScope} {
		if _, known := s.resources[resourceKey(info.ResourceType, name)]; !known {
			s.resources[resourceKey(info.ResourceType, name)] = selected
		}
	}
}

// resourceKey returns the key of a resource in selectedMutations.resources.
func resourceKey(t api.ResourceType, name api.ResourceName) string {
	return string(t) + "#" + string(name)
}

// addAll records documents that the unit is compared with.
func (s *selectedMutations) addAll(docs gaby.Container, selection *handler.Excluded) error {
	for _, doc := range docs {
		selected, err := selection.Selects(doc)
		if err != nil {
			return err
		}
		s.add(doc, selected)
	}
	return nil
}

// of returns the mutations about selected resources.
func (s *selectedMutations) of(list api.ResourceMutationList) api.ResourceMutationList {
	return slices.DeleteFunc(slices.Clone(list), func(m api.ResourceMutation) bool {
		return !s.has(&m)
	})
}

// has reports whether the resource of m is selected. It looks it up by all its names, first with
// scope, then without. An unknown resource counts as selected.
func (s *selectedMutations) has(m *api.ResourceMutation) bool {
	for _, names := range []map[api.ResourceName]struct{}{m.Names(), m.NamesWithoutScopes()} {
		found, selected := false, false
		for name := range names {
			is, known := s.resources[resourceKey(m.Resource.ResourceType, name)]
			found, selected = found || known, selected || is
		}
		if found {
			return selected
		}
	}
	return true
}
