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

// Adopt returns the sources of a unit that is declared to have all of an upstream unit. What both
// have, and the unit has had since its history began, was merged from there by the next mutation.
// Adopt returns nil if the history says of all values where they came from.
func Adopt(x *functions.Executor, u *HeadUnit, upstream []byte) (api.ResourceMutationList, error) {
	first := map[int]bool{} // the mutations with which the history began
	for i := range u.Mutations {
		m := &u.Mutations[i]
		if m.RevisionNum == 1 && m.MergeSourceID == "" && m.LinkID == "" {
			first[int(m.MutationNum)] = true
		}
	}
	if len(first) == 0 {
		return nil, nil
	}
	merged, err := Diff(x, u.ToolchainType, nil, upstream, u.HeadMutationNum+1)
	if err != nil {
		return nil, err
	}
	own, err := Diff(x, u.ToolchainType, upstream, u.Data, 1)
	if err != nil {
		return nil, err
	}
	var since api.ResourceMutationList
	for _, m := range u.Sources {
		if first[m.ResourceMutationInfo.Index] {
			m.ResourceMutationInfo.MutationType = api.MutationTypeUpdate
		} else {
			m.ResourceMutationInfo.MutationType = api.MutationTypeReplace
		}
		m.PathMutationMap = maps.Clone(m.PathMutationMap)
		maps.DeleteFunc(m.PathMutationMap, func(_ api.ResolvedPath, info api.MutationInfo) bool {
			return first[info.Index]
		})
		since = append(since, m)
	}
	provider := x.ResourceProvider(u.ToolchainType)
	return mutation.Add(mutation.Add(merged, own, provider), since, provider), nil
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
