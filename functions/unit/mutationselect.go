package unit

import (
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
)

// selectedMutations tells which mutations are about resources that where-expressions select. A resource that is not in the unit is
// selected if its document, in what the unit is compared with, is.
type selectedMutations struct {
	provider  configkit.ResourceProvider
	resources map[string]bool // by type and name, with and without scope: whether it is selected
}

func newSelectedMutations(docs gaby.Container, selection *handler.Selection, provider configkit.ResourceProvider) *selectedMutations {
	s := &selectedMutations{provider: provider, resources: map[string]bool{}}
	for _, doc := range docs {
		s.add(doc, true)
	}
	for _, doc := range selection.Others {
		s.add(doc, false)
	}
	return s
}

// add remembers a document, unless one with its name is known.
func (s *selectedMutations) add(doc *gaby.YamlDoc, selected bool) {
	info, err := s.provider.ResourceInfo(doc)
	if err != nil {
		return // told by those who work on it
	}
	for _, name := range []api.ResourceName{info.ResourceName, info.ResourceNameWithoutScope} {
		if _, known := s.resources[resourceKey(info.ResourceType, name)]; !known {
			s.resources[resourceKey(info.ResourceType, name)] = selected
		}
	}
}

func resourceKey(t api.ResourceType, name api.ResourceName) string {
	return string(t) + "#" + string(name)
}

// addAll remembers the documents the unit is compared with.
func (s *selectedMutations) addAll(docs gaby.Container, selection *handler.Selection) error {
	for _, doc := range docs {
		selected, err := selection.Selects(doc)
		if err != nil {
			return err
		}
		s.add(doc, selected)
	}
	return nil
}

// of are the mutations that are about selected resources.
func (s *selectedMutations) of(list api.ResourceMutationList) api.ResourceMutationList {
	return slices.DeleteFunc(slices.Clone(list), func(m api.ResourceMutation) bool { return !s.has(&m) })
}

// has looks for the resource by its names, those with scope first. What is not known is not left out.
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
