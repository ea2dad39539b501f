package resolve

import (
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/links/entity"
)

// CloneOf returns the data with which a clone of a unit begins: values that links of the unit have
// written are placeholders again, so that links of the clone can fill them. links are those of the
// unit.
func CloneOf(
	x *functions.Executor, t api.ToolchainType, data []byte, links []*entity.Link,
) ([]byte, error) {
	for _, l := range links {
		if !slices.ContainsFunc(l.Bindings, func(b entity.Binding) bool {
			return b.AutoUpdate && b.OriginalValue != nil
		}) {
			continue
		}
		var err error
		if data, _, err = Reset(x, t, data, l); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// flowing returns data of an upstream unit without the changes since base that do not flow through a
// merge: values that links of the upstream unit wrote, and with OriginOnly all that it has not got
// from its own origin. In their positions it has the values of base.
func (r *resolver) flowing(l *entity.Link, up *Upstream, base, data []byte) ([]byte, error) {
	flows := flowOf(l, up)
	if l.UseLiveState || flows == nil {
		return data, nil
	}
	data, err := CloneOf(r.in.Executor, up.ToolchainType, data, up.Links)
	if err != nil || len(base) == 0 {
		return data, err
	}
	f, err := formatOf(r.in.Executor, up.ToolchainType)
	if err != nil {
		return nil, err
	}
	back, err := f.diff(data, base, 0)
	if err != nil {
		return nil, err
	}
	origins := newOrigins(up.Sources)
	var patch api.ResourceMutationList
	for i := range back {
		m := api.ResourceMutation{
			Resource: back[i].Resource, ResourceMutationInfo: back[i].ResourceMutationInfo,
			PathMutationMap: api.MutationMap{},
		}
		of := origins.of(&m.Resource)
		if m.ResourceMutationInfo.MutationType != api.MutationTypeUpdate {
			if of != nil && !flows(of.whole, true) {
				patch = append(patch, m)
			}
			continue
		}
		for path, info := range back[i].PathMutationMap {
			if of != nil && !flows(of.at(mutation.PlainPath(path)), false) {
				m.PathMutationMap[path] = info
			}
		}
		if len(m.PathMutationMap) > 0 {
			patch = append(patch, m)
		}
	}
	if len(patch) == 0 {
		return data, nil
	}
	docs, err := f.parse(data)
	if err != nil {
		return nil, err
	}
	if docs, _, err = mutation.Patch(docs, nil, patch, nil, f.provider); err != nil {
		return nil, err
	}
	return f.converter.DocumentsToNative(docs)
}

// flowOf returns whether a change with an index in the sources of an upstream unit flows through a
// link, by its mutation. whole says that it is about a whole resource. flowOf returns nil if all
// changes flow.
func flowOf(l *entity.Link, up *Upstream) func(index int, whole bool) bool {
	writes := map[string]bool{} // IDs of links that write values
	for _, other := range up.Links {
		switch other.Type() {
		case entity.UpdateNeedsProvides, entity.UpdateTransformPaths, entity.UpdateInsert:
			writes[other.LinkID] = true
		}
	}
	// A unit that is no clone is the origin itself.
	originOnly := l.OriginOnly && up.UpstreamUnitID != ""
	if len(writes) == 0 && !originOnly {
		return nil
	}
	return func(index int, whole bool) bool {
		m := mutationNumber(int64(index), up.Mutations)
		switch {
		case m == nil:
			return true
		case originOnly && m.MergeSourceID != up.UpstreamUnitID:
			return false
		}
		return whole || !writes[m.LinkID]
	}
}

// origins finds the mutations that set values of a unit.
type origins map[string]*resourceOrigins // by type and name without the scope

// resourceOrigins has the indexes of the mutations that set a resource and the paths in it.
type resourceOrigins struct {
	whole int
	paths map[string]int
}

func newOrigins(sources api.ResourceMutationList) origins {
	all := origins{}
	for i := range sources {
		m := &sources[i]
		of := &resourceOrigins{whole: m.ResourceMutationInfo.Index, paths: map[string]int{}}
		for path, info := range m.PathMutationMap {
			of.paths[mutation.PlainPath(path)] = max(info.Index, of.paths[mutation.PlainPath(path)])
		}
		for name := range m.NamesWithoutScopes() {
			all[string(m.Resource.ResourceType)+"\x00"+string(name)] = of
		}
	}
	return all
}

// of returns the origins of a resource, or nil.
func (o origins) of(about *api.ResourceInfo) *resourceOrigins {
	return o[strings.TrimSuffix(valueKey(about, ""), "\x00")]
}

// at returns the index of the mutation that set a path: of the nearest entry at or above it.
func (o *resourceOrigins) at(path string) int {
	for {
		if index, ok := o.paths[path]; ok {
			return index
		}
		i := strings.LastIndexByte(path, '.')
		if i < 0 {
			return o.whole
		}
		path = path[:i]
	}
}
