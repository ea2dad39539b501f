package handler

import (
	"maps"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
)

// everyResource returns the mutations of documents, which are those after the chain, with an entry of
// the type None for each resource that has none, in the order of the documents. Resources that are
// gone come last.
func everyResource(
	list api.ResourceMutationList, documents gaby.Container, provider configkit.ResourceProvider,
) (api.ResourceMutationList, error) {
	type key struct {
		t    api.ResourceType
		name api.ResourceName
	}
	of := map[key][]int{} // the entries of a resource, and of others of the same name
	for i := range list {
		k := key{list[i].Resource.ResourceType, list[i].Resource.ResourceName}
		of[k] = append(of[k], i)
	}
	taken := make([]bool, len(list))
	all := make(api.ResourceMutationList, 0, max(len(list), len(documents)))
	err := yamlkit.EachResource(documents, provider, func(_ int, info api.ResourceInfo) {
		k := key{info.ResourceType, info.ResourceName}
		if entries := of[k]; len(entries) > 0 &&
			list[entries[0]].ResourceMutationInfo.MutationType != api.MutationTypeDelete {
			of[k], taken[entries[0]] = entries[1:], true
			all = append(all, list[entries[0]])
			return
		}
		all = append(all, api.ResourceMutation{
			Resource:             info,
			ResourceMutationInfo: api.MutationInfo{MutationType: api.MutationTypeNone},
		})
	})
	for i := range list {
		if !taken[i] {
			all = append(all, list[i])
		}
	}
	return all, err
}

// setMutations records the mutations of all parts of the data. Deleted resources come last.
func (r *run) setMutations(parts []unitPart) {
	// A part lists its own deletions last, but the next part follows them: collect all deletions.
	// mutators is a set, because every part has a mutation by each step that changed it.
	n := 0
	for i := range parts {
		n += len(parts[i].mutations)
	}
	if r.changedValues = n > 0; r.changedValues && r.everyResource {
		for i := range parts {
			parts[i].mutations = parts[i].every
		}
	}
	left, gone := make(api.ResourceMutationList, 0, n), api.ResourceMutationList(nil)
	mutators := map[int]bool{}
	for _, part := range parts {
		for _, m := range part.mutations {
			if m.ResourceMutationInfo.MutationType == api.MutationTypeDelete {
				gone = append(gone, m)
			} else {
				left = append(left, m)
			}
		}
		for _, step := range part.mutators {
			mutators[step] = true
		}
	}
	r.response.Mutations, r.response.Mutators =
		append(left, gone...), slices.Sorted(maps.Keys(mutators))
}
