package functions

import (
	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/yamlkit"
)

// WithUnchanged returns mutations that led to the unit with an entry of the type None for each of its
// resources that has none, in the order of the documents. Resources that are gone come last. An empty
// list stays empty.
func (u *Unit) WithUnchanged(list api.ResourceMutationList) (api.ResourceMutationList, error) {
	if len(list) == 0 {
		return list, nil
	}
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
	all := make(api.ResourceMutationList, 0, max(len(list), len(u.documents)))
	err := yamlkit.EachResource(u.documents, u.provider, func(_ int, info api.ResourceInfo) {
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
