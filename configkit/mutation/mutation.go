package mutation

import (
	"errors"
	"maps"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/configkit/mutation/internal/mutationpath"
	"github.com/fctl-dev/fctl/internal/yamlpath"
)

// Compare is [Compute] for readers: a map that is new is one entry, not one for each of its leaves,
// and resources that did not change have none.
func Compare(
	previous, modified gaby.Container, provider configkit.ResourceProvider,
) (api.ResourceMutationList, error) {
	changes, err := diffUnits(
		previous, modified, provider, diffOptions{renames: true, newMaps: true},
	)
	if err != nil {
		return nil, err
	}
	return mutationsOf(changes, provider), nil
}

// Compute compares two states of a unit. Every resource gets an entry, of type None if nothing
// happened to it. Entries follow the order of the modified documents; deleted resources come last.
// functionIndex goes into every entry.
func Compute(
	previous, modified gaby.Container, functionIndex int, provider configkit.ResourceProvider,
) (api.ResourceMutationList, error) {
	changes, err := diffUnits(
		previous, modified, provider,
		diffOptions{index: functionIndex, renames: true, unchanged: true},
	)
	if err != nil {
		return nil, err
	}
	return mutationsOf(changes, provider), nil
}

// Patch applies mutations to a unit, except where protection protects a value. own, if given, lists
// what the unit itself has changed since the state the patch was made from; those changes stay.
// Existing documents are edited in place and new ones are appended. Conflicts list what could not
// be applied.
func Patch(
	docs gaby.Container, protection, patch, own api.ResourceMutationList,
	provider configkit.ResourceProvider,
) (gaby.Container, api.MutationConflictList, error) {
	changes, err := changesOf(patch, provider)
	protected, errProtected := changesOf(protection, provider)
	mine, errOwn := changesOf(own, provider)
	if err := errors.Join(err, errProtected, errOwn); err != nil {
		return nil, nil, err
	}
	found := &conflicts{}
	p := &patcher{
		docs: docs, provider: provider, conflicts: found, positional: true, respectOwn: true,
		protection: newProtection(protected, provider, nil),
	}
	// As in a merge, what the unit has changed itself takes precedence.
	if len(mine) > 0 {
		p.own = newResourceIndex(mine, provider)
		s := subtraction{provider: provider, conflicts: found}
		left := changes[:0]
		for _, r := range changes {
			if o := p.own.find(r); o != nil {
				r = s.resource(r, o)
			}
			if r != nil {
				left = append(left, r)
			}
		}
		changes = left
	}
	docs, err = p.patch(changes)
	return docs, found.mutations(), err
}

// Reset replaces the strings and numbers at the paths of mutations by placeholders, unless the
// entry is protected. Missing values and values of other types are left alone. Reset returns the
// number of strings and numbers found.
func Reset(
	docs gaby.Container,
	mutations api.ResourceMutationList,
	provider configkit.ResourceProvider,
) (int, error) {
	changes, err := changesOf(mutations, provider)
	if err != nil {
		return 0, err
	}
	known, err := Documents(docs, docs, provider)
	if err != nil {
		return 0, err
	}
	p := &patcher{provider: provider, conflicts: &conflicts{}, positional: true}
	find := newDocumentFinder(known, provider)
	// Find all resources first: resetting a value may change the name of one.
	found := make([]*gaby.YamlDoc, len(changes))
	for i, r := range changes {
		if at := find.Find(&r.resource, r.names); at >= 0 && !r.protected {
			found[i] = known[at].YamlDoc
		}
	}
	count := 0
	var problems []error
	for i, r := range changes {
		if found[i] == nil {
			continue
		}
		n, err := p.work(r, found[i], nil).reset(r.paths)
		count += n
		if err != nil {
			problems = append(problems, yamlpath.Locate(err, &r.resource))
		}
	}
	return count, errors.Join(problems...)
}

// reset replaces the values at paths by placeholders and returns how many there were. It finds all
// values before it changes the first, because a value may identify a list element.
func (w *resourcePatch) reset(paths []*pathChange) (int, error) {
	w.lookAhead(paths)
	type placeholder struct {
		segments []string
		value    any
	}
	var found []placeholder
	for _, e := range paths {
		p := w.find(e.path)
		if e.protected || p.missing > 0 || p.value.Kind() != gaby.Scalar {
			continue
		}
		switch p.value.Tag() {
		case "!!str":
			found = append(found, placeholder{p.segments, configkit.PlaceholderString})
		case "!!int":
			found = append(found, placeholder{p.segments, configkit.PlaceholderInt})
		}
	}
	var problems []error
	for _, p := range slices.Backward(found) {
		_, err := w.doc.Set(p.value, p.segments...)
		problems = append(problems, err)
	}
	return len(found), errors.Join(problems...)
}

// Check validates mutations: the mutation types must exist and the values must be YAML. Errors are
// *api.Failure, joined, each with its resource and path.
func Check(list api.ResourceMutationList, provider configkit.ResourceProvider) error {
	_, err := changesOf(list, provider)
	return err
}

// Protect sets or clears the protection of what rows name, and returns how many entries it touched.
// A row without a path means the resource as a whole; a row without a name means every resource of
// its type. A path without an entry gets one of type None, which only carries the protection.
func Protect(
	mutations api.ResourceMutationList, rows api.AttributeValueList, protected bool,
	provider configkit.ResourceProvider,
) (api.ResourceMutationList, int) {
	list := slices.Clone(mutations)
	for i := range list {
		list[i].Resource = completed(list[i].Resource, provider)
		list[i].PathMutationMap = maps.Clone(list[i].PathMutationMap)
	}
	count := 0
	for i := range rows {
		row := &rows[i]
		found := false
		for k := range list {
			if isAbout(row, &list[k], provider) {
				found = true
				count++
				protectPath(&list[k], row.Path, protected)
			}
		}
		if !found && row.ResourceName != "" && protected {
			m := api.ResourceMutation{Resource: completed(row.ResourceInfo, provider)}
			m.ResourceMutationInfo.MutationType = api.MutationTypeNone
			count++
			protectPath(&m, row.Path, protected)
			list = append(list, m)
		}
	}
	return list, count
}

// isAbout reports whether row names the resource of m.
func isAbout(
	row *api.AttributeValue, m *api.ResourceMutation, provider configkit.ResourceProvider,
) bool {
	if row.ResourceType != "" && row.ResourceType != api.ResourceTypeAny &&
		row.ResourceType != m.Resource.ResourceType {
		return false
	}
	if row.ResourceName == "" {
		return true
	}
	return has(m.Names(), row.ResourceName) ||
		has(m.NamesWithoutScopes(), provider.RemoveScopeFromResourceName(row.ResourceName))
}

// protectPath sets the protection of path, or of the whole resource if path is empty.
func protectPath(m *api.ResourceMutation, path api.ResolvedPath, protected bool) {
	if path == "" {
		m.ResourceMutationInfo.Protected = protected
		return
	}
	wanted := mutationpath.Parse(path).Canonical()
	info := api.MutationInfo{
		MutationType: api.MutationTypeNone, Index: m.ResourceMutationInfo.Index,
	}
	for _, known := range sortedPaths(m.PathMutationMap) {
		if mutationpath.Parse(known).Canonical() == wanted {
			path, info = known, m.PathMutationMap[known]
			break
		}
	}
	info.Protected = protected
	setIn(&m.PathMutationMap, path, info)
}

// Limit returns only the mutations of resource that are at or below path. Resource may be given
// with or without its scope; in path, * matches any segment. An empty argument does not limit.
func Limit(
	mutations api.ResourceMutationList,
	resource api.ResourceName,
	path api.UnresolvedPath,
	provider configkit.ResourceProvider,
) api.ResourceMutationList {
	var list api.ResourceMutationList
	limit := mutationpath.Parse(api.ResolvedPath(path))
	for i := range mutations {
		m := mutations[i]
		if resource != "" && !has(m.Names(), resource) && !has(m.NamesWithoutScopes(), resource) {
			continue
		}
		m.PathMutationMap = maps.Clone(m.PathMutationMap)
		maps.DeleteFunc(m.PathMutationMap, func(p api.ResolvedPath, _ api.MutationInfo) bool {
			return !mutationpath.Parse(p).IsBelow(limit)
		})
		list = append(list, m)
	}
	return list
}
