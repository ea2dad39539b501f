package resolve

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/links/entity"
)

// Accumulate compares two states of a unit and adds what changed to sources. Every change gets the
// number of its mutation. With protect the changed values are protected from merges. It returns the
// new sources and the changes.
func Accumulate(
	x *functions.Executor, t api.ToolchainType, sources api.ResourceMutationList,
	before, after []byte, num int64, protected bool,
) (all, changes api.ResourceMutationList, err error) {
	changes, err = Diff(x, t, before, after, num)
	if err != nil {
		return nil, nil, err
	}
	if protected {
		protect(changes)
	}
	return mutation.Add(sources, changes, x.ResourceProvider(t)), changes, nil
}

// Diff returns what changed between two states of a unit. num is the index of every entry.
func Diff(
	x *functions.Executor, t api.ToolchainType, before, after []byte, num int64,
) (api.ResourceMutationList, error) {
	f, err := formatOf(x, t)
	if err != nil {
		return nil, err
	}
	return f.diff(before, after, num)
}

// diff returns what changed between two states of a unit. num is the index of every entry.
func (f format) diff(before, after []byte, num int64) (api.ResourceMutationList, error) {
	was, err := f.parse(before)
	is, errIs := f.parse(after)
	if err := cmp.Or(err, errIs); err != nil {
		return nil, err
	}
	list, err := mutation.Compute(was, is, int(num), f.provider)
	return slices.DeleteFunc(list, func(m api.ResourceMutation) bool {
		return m.ResourceMutationInfo.MutationType == api.MutationTypeNone
	}), err
}

// Adopt returns the sources of a unit that has merged all of an upstream unit. Values that both have
// were merged from there by the next mutation, if one that began set them here; others keep their
// causes. Adopt returns nil if no mutation began.
func Adopt(
	x *functions.Executor, u *HeadUnit, upstream []byte, began func(m *entity.Mutation) bool,
) (api.ResourceMutationList, error) {
	first := map[int]bool{}
	for i := range u.Mutations {
		m := &u.Mutations[i]
		first[int(m.MutationNum)] = m.MergeSourceID == "" && m.LinkID == "" && began(m)
	}
	provider := x.ResourceProvider(u.ToolchainType)
	own, err := Diff(x, u.ToolchainType, upstream, u.Data, 0)
	if err != nil {
		return nil, err
	}
	// Own values that began here keep their causes; of the others the history knows more.
	cause := func(m *api.ResourceMutation, path api.ResolvedPath, info *api.MutationInfo) bool {
		of, ok := OriginOf(u.Sources, &m.Resource, string(path), provider)
		info.Index = of.Info.Index
		return ok && first[info.Index]
	}
	var kept api.ResourceMutationList
	for _, m := range own {
		began := cause(&m, "", &m.ResourceMutationInfo)
		all := m.PathMutationMap
		m.PathMutationMap = api.MutationMap{}
		for path, info := range all {
			if cause(&m, path, &info) {
				m.PathMutationMap[path] = info
			}
		}
		if began || len(m.PathMutationMap) > 0 {
			kept = append(kept, m)
		}
	}
	sources := make(api.ResourceMutationList, len(u.Sources))
	next, found := int(u.HeadMutationNum)+1, false
	for i, m := range u.Sources {
		adopt := func(info *api.MutationInfo) {
			if first[info.Index] {
				info.Index, found = next, true
			}
		}
		adopt(&m.ResourceMutationInfo)
		m.PathMutationMap = maps.Clone(m.PathMutationMap)
		for path, info := range m.PathMutationMap {
			adopt(&info)
			m.PathMutationMap[path] = info
		}
		sources[i] = m
	}
	if !found {
		return nil, nil
	}
	return mutation.Add(sources, kept, provider), nil
}

// Origin is where a value came from.
type Origin struct {
	Info api.MutationInfo
	// Path is that of the entry: the path of the value or one above it. It is empty for the
	// resource as a whole.
	Path api.ResolvedPath
}

// OriginOf returns where the value at a path of a resource came from: what the nearest entry at or
// above the path says, or else the resource's own entry. It reports false if nothing is recorded.
// path may have indexes or keys for list elements.
func OriginOf(
	sources api.ResourceMutationList, about *api.ResourceInfo, path string,
	provider configkit.ResourceProvider,
) (Origin, bool) {
	at := -1
	for i := range sources {
		m := &sources[i]
		if m.Resource.ResourceType != about.ResourceType {
			continue
		}
		if m.Resource.ResourceName == about.ResourceName {
			at = i
			break
		}
		short := provider.RemoveScopeFromResourceName(about.ResourceName)
		if _, ok := m.NamesWithoutScopes()[short]; ok && at < 0 {
			at = i
		} else if m.Resource.ResourceNameWithoutScope == short && at < 0 {
			at = i
		}
	}
	if at < 0 {
		return Origin{}, false
	}
	best := Origin{Info: sources[at].ResourceMutationInfo}
	depth := -1
	wanted := strings.Split(mutation.PlainPath(api.ResolvedPath(path)), ".")
	for entry, info := range sources[at].PathMutationMap {
		if info.MutationType == api.MutationTypeDelete && info.Index == 0 {
			continue
		}
		segments := strings.Split(mutation.PlainPath(entry), ".")
		if len(segments) > len(wanted) || len(segments) <= depth ||
			!slices.Equal(segments, wanted[:len(segments)]) {
			continue
		}
		best, depth = Origin{info, entry}, len(segments)
	}
	return best, true
}
