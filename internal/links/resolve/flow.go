package resolve

import (
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/origin"
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
	origins, bound := origin.Of(up.Sources), origin.Bound(up.Links)
	var patch api.ResourceMutationList
	for i := range back {
		m := api.ResourceMutation{
			Resource: back[i].Resource, ResourceMutationInfo: back[i].ResourceMutationInfo,
			PathMutationMap: api.MutationMap{},
		}
		of := origins.Resource(&m.Resource)
		if m.ResourceMutationInfo.MutationType != api.MutationTypeUpdate {
			if of != nil && !flows(of.Whole, true) {
				patch = append(patch, m)
			}
			continue
		}
		for path, info := range back[i].PathMutationMap {
			plain := mutation.PlainPath(path)
			if of != nil && !flows(of.At(plain), false) || bound(&m.Resource, plain) {
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
	// An origin has no upstream unit.
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
