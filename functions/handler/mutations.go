package handler

import (
	"maps"
	"slices"

	"github.com/fctl-dev/fctl/api"
)

// setMutations records the mutations of all parts of the data. Deleted resources come last.
func (r *run) setMutations(parts []unitPart) {
	// A part lists its own deletions last, but the next part follows them: collect all deletions.
	// mutators is a set, because every part has a mutation by each step that changed it.
	n := 0
	for i := range parts {
		n += len(parts[i].mutations)
	}
	left, gone := make(api.ResourceMutationList, 0, n), api.ResourceMutationList(nil)
	mutators := map[int]bool{}
	for _, part := range parts {
		r.changedValues = r.changedValues || len(part.mutations) > 0
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
