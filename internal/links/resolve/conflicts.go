package resolve

import (
	"maps"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/links/entity"
)

// Applied is a unit after conflicts were decided in favour of the upstream units.
type Applied struct {
	Data      []byte
	Changed   bool
	Sources   api.ResourceMutationList
	Mutations []entity.Mutation // one for each link, numbered after those of the unit
	// Left are the conflicts that could not be applied.
	Left api.MutationConflictList
}

// ApplyConflicts writes the values of conflicts that merges have withheld, as content of the
// upstream units: later merges may overwrite them. A conflict about a deletion that was made has
// nothing to write. A conflict without UnitID has a value of the user's own: it has no source, and
// keeps the protection of what it replaces.
func ApplyConflicts(
	x *functions.Executor, u *HeadUnit, chosen api.MutationConflictList,
) (*Applied, error) {
	f, err := formatOf(x, u.ToolchainType)
	if err != nil {
		return nil, err
	}
	a := &Applied{Data: u.Data, Sources: u.Sources}
	type origin struct{ unit, link string }
	var origins []origin
	of := map[origin]api.MutationConflictList{}
	for _, c := range chosen {
		from := origin{c.UnitID, c.LinkID}
		if of[from] == nil {
			origins = append(origins, from)
		}
		of[from] = append(of[from], c)
	}
	for _, from := range origins {
		patch, left := patchOf(of[from])
		docs, err := f.parse(a.Data)
		if err != nil {
			return nil, err
		}
		docs, conflicts, err := mutation.Patch(docs, nil, patch, nil, f.provider)
		if err != nil {
			return nil, err
		}
		for i := range conflicts {
			conflicts[i].UnitID, conflicts[i].LinkID = from.unit, from.link
		}
		a.Left = append(append(a.Left, left...), conflicts...)
		text, err := f.converter.DocumentsToNative(docs)
		if err != nil {
			return nil, err
		}
		if string(text) == string(a.Data) {
			continue
		}
		num := u.HeadMutationNum + int64(len(a.Mutations)) + 1
		sources, changes, err := Accumulate(
			x, u.ToolchainType, a.Sources, a.Data, text, num, false,
		)
		if err != nil {
			return nil, err
		}
		if from.unit != "" {
			sources = unprotected(sources, changes)
		}
		a.Data, a.Changed, a.Sources = text, true, sources
		a.Mutations = append(a.Mutations, entity.Mutation{
			MutationNum: num, RevisionNum: u.HeadRevisionNum + 1, LinkID: from.link,
			MergeSourceID: from.unit,
		})
	}
	return a, nil
}

// patchOf returns the changes that conflicts have withheld, and the conflicts that do not say what
// to write.
func patchOf(list api.MutationConflictList) (
	patch api.ResourceMutationList, left api.MutationConflictList,
) {
	at := map[api.ResourceInfo]int{}
	for _, c := range list {
		if c.Reason.Loses() && c.UnitID != "" {
			continue
		}
		if c.Path == "" && c.Source.MutationType == api.MutationTypeUpdate {
			left = append(left, c) // the values are those of its paths
			continue
		}
		i, known := at[c.Resource]
		if !known {
			i = len(patch)
			at[c.Resource] = i
			patch = append(patch, api.ResourceMutation{
				Resource: c.Resource, PathMutationMap: api.MutationMap{},
				ResourceMutationInfo: api.MutationInfo{MutationType: api.MutationTypeUpdate},
			})
		}
		if c.Path == "" {
			patch[i].ResourceMutationInfo = c.Source
		} else {
			patch[i].PathMutationMap[c.Path] = c.Source
		}
	}
	return patch, left
}

// unprotected clears the protection of what changed.
func unprotected(
	sources, changes api.ResourceMutationList,
) api.ResourceMutationList {
	for i := range sources {
		for j := range changes {
			if valueKey(&sources[i].Resource, "") != valueKey(&changes[j].Resource, "") {
				continue
			}
			paths := map[string]bool{}
			for path := range changes[j].PathMutationMap {
				paths[mutation.PlainPath(path)] = true
			}
			entries := maps.Clone(sources[i].PathMutationMap)
			for path, info := range entries {
				if paths[mutation.PlainPath(path)] {
					info.Protected = false
					entries[path] = info
				}
			}
			sources[i].PathMutationMap = entries
		}
	}
	return sources
}
