package mutation

import (
	"cmp"
	"maps"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
)

// Changes returns the mutations of a list one by one: those of a resource follow each other, in the
// order of their positions. before and after are the documents before and after the mutations. A
// value that is not found has the position of the one nearest to it.
func Changes(
	list api.ResourceMutationList, before, after gaby.Container, provider configkit.ResourceProvider,
) ([]api.Change, error) {
	old, err := Documents(before, before, provider)
	if err != nil {
		return nil, err
	}
	now, err := Documents(after, after, provider)
	if err != nil {
		return nil, err
	}
	inOld, inNow := newDocumentFinder(old, provider), newDocumentFinder(now, provider)
	var all []api.Change
	for i := range list {
		m := &list[i]
		names := slices.Sorted(maps.Keys(m.Names()))
		var was, is *gaby.YamlDoc
		if at := inOld.Find(&m.Resource, names); at >= 0 {
			was = old[at].YamlDoc
		}
		if at := inNow.Find(&m.Resource, names); at >= 0 {
			is = now[at].YamlDoc
		}
		infos := maps.Clone(m.PathMutationMap)
		if whole := m.ResourceMutationInfo; whole.MutationType != api.MutationTypeUpdate {
			infos = api.MutationMap{"": whole}
		}
		first, keys := len(all), provider.MergeKeys(m.Resource.ResourceType)
		for path, info := range infos {
			if info.MutationType != api.MutationTypeNone {
				all = append(all, api.Change{
					Resource: m.Resource, Path: path, Mutation: info,
					Position: positionOf(path, info, was, is, keys),
				})
			}
		}
		slices.SortFunc(all[first:], func(a, b api.Change) int {
			return cmp.Or(cmp.Compare(a.Position.Line, b.Position.Line),
				cmp.Compare(a.Position.Column, b.Position.Column), cmp.Compare(a.Path, b.Path))
		})
	}
	return all, nil
}

// positionOf returns the position of what is changed at a path.
func positionOf(
	path api.ResolvedPath, info api.MutationInfo, was, is *gaby.YamlDoc,
	keys *configkit.MergeKeyTree,
) gaby.Position {
	isNew := info.MutationType != api.MutationTypeDelete
	if !isNew {
		is = was
	}
	if is == nil {
		return gaby.Position{}
	}
	if path == "" {
		return is.Value().Position()
	}
	found, _ := newFollower(cmp.Or(was, is), is, keys, nil).find(mutationpath.Parse(path), "", isNew)
	return found.at
}
