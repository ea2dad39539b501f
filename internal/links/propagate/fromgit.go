package propagate

import (
	"maps"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit/mutation"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/origin"
	"github.com/fctl-dev/fctl/internal/links/resolve"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// FromGit reads the history of units and the merges of their links from git, for commands that
// only read. Unknown things are left out. edited are the units whose working copies were edited.
func (p *Propagator) FromGit(units, edited []*workspace.Unit) {
	p.Tx.ReadHistory(p, units)
	var upstreams []*workspace.Unit
	for _, u := range units {
		for _, l := range p.Workspace.LinksFrom(u) {
			if l.To != nil && l.FromGit() {
				upstreams = append(upstreams, l.To)
			}
		}
	}
	p.Tx.ReadHistory(p, upstreams)
	p.settle(units, edited)
}

// settle brings what is recorded about the links of units up to date with their definitions, if git
// has brought these. edited are the units whose working copies have just been recorded. Why it is not
// known which data a link has merged is left in p.unsettled.
func (p *Propagator) settle(units, edited []*workspace.Unit) {
	is := make(map[*workspace.Unit]bool, len(edited))
	for _, u := range edited {
		is[u] = true
	}
	s := p.Workspace.Store
	var asked []*workspace.Link
	for _, u := range units {
		for _, l := range p.Workspace.LinksFrom(u) {
			if l.Merges() && l.To != nil && l.Merged != "" &&
				(l.MergedBlob == "" || isMoved(l) || is[u] && (!p.known[u] || s.IsCommitted(u))) {
				asked = append(asked, l)
			}
		}
	}
	committed := s.MergedInGit(asked)
	for _, u := range units {
		for _, l := range p.Workspace.LinksFrom(u) {
			merged, certain := committed[l]
			// Data that the unit had before has merged what is recorded about it: merging again
			// does no harm, and taking for merged what was not would lose it.
			if !certain && (!l.FromGit() || l.To == nil || l.MergedBlob != "" && (!is[u] || p.known[u])) ||
				certain && merged == l.MergedBlob && !isMoved(l) {
				continue
			}
			if !certain {
				merged = l.Merged
			}
			if err := p.merged(l, merged); err != nil {
				if p.unsettled == nil {
					p.unsettled = map[*workspace.Link]error{}
				}
				p.unsettled[l] = err
				// This definition counts next time, too.
				p.recordLink(l, func() { l.MergedBlob, l.BaseUnknown = "", true })
			}
		}
	}
}

// isMoved reports whether a link has records of merges between other units: git has renamed the data of
// one of its units.
func isMoved(l *workspace.Link) bool {
	return l.UpdateType == entity.UpdateUpgradeUnit && l.MergedBlob != "" &&
		l.From.UpstreamUnitID != l.ToUnitID
}

// merged records that a link has merged data of its upstream unit, which git gives a hash to.
func (p *Propagator) merged(l *workspace.Link, hash string) error {
	base, err := p.Workspace.Store.Base(l, hash)
	if err == nil && l.To.HeadRevisionNum == 0 {
		_, err = p.Tx.Edits(p, []*workspace.Unit{l.To}, p.StrictWorktree)
	}
	if err != nil {
		return err
	}
	n, err := p.Tx.RevisionWith(l.To, base, l.UseLiveState)
	if err != nil {
		return err
	}
	p.recordLink(l, func() {
		l.UpstreamLastMergedRevisionNum, l.DownstreamLastMergedRevisionNum = n, l.From.HeadRevisionNum
		l.MergedHash, l.MergedBlob, l.MergeMutationNum = "", hash, 0
		if !l.UseLiveState {
			l.MergedHash = api.DataHash(base)
		}
		l.MadeCurrent, l.ResolvedHash, l.BaseUnknown, l.LastError = true, l.Hash, false, nil
	})
	if l.UpdateType == entity.UpdateUpgradeUnit {
		p.Tx.SetUpstream(l.From, l.ToUnitID, l.ToSpaceID, n)
	}
	return p.Adopt(l, base, func(m *entity.Mutation) bool {
		return m.FunctionInvocation == nil && m.InvocationID == "" && m.RestoredRevisionNum == nil
	})
}

// Adopt lets a link whose WhereMutation asks what set a value overwrite the values that the downstream
// unit has in common with the upstream unit as it was merged, if mutations that began set them here.
func (p *Propagator) Adopt(
	l *workspace.Link, base []byte, began func(m *entity.Mutation) bool,
) error {
	if !l.Merges() || l.WhereMutation == "" {
		return nil
	}
	executor, err := p.Functions()
	if err != nil {
		return err
	}
	down, err := p.unit(l.From, true)
	if err != nil {
		return err
	}
	sources, err := adopted(executor, &down, base, began)
	if err != nil || sources == nil {
		return err
	}
	n := l.UpstreamLastMergedRevisionNum
	m := entity.Mutation{
		MergeSourceID: l.ToUnitID, MergeBaseRevisionNum: &n, MergeEndRevisionNum: &n,
	}
	if l.UpdateType == entity.UpdateUpgradeUnit {
		m.UpgradedFromUpstreamRevisionNum = &n
	}
	p.Tx.Attribute(l.From, m, sources)
	p.recordLink(l, func() { l.MergeMutationNum = l.From.HeadMutationNum })
	return nil
}

// adopted returns the sources of a unit that has merged all of an upstream unit. Values that both have
// were merged from there by the next mutation, if one that began set them here; others keep their
// causes. adopted returns nil if no mutation began.
func adopted(
	x *functions.Executor, u *resolve.HeadUnit, upstream []byte, began func(m *entity.Mutation) bool,
) (api.ResourceMutationList, error) {
	first := map[int]bool{}
	for i := range u.Mutations {
		m := &u.Mutations[i]
		first[int(m.MutationNum)] = m.MergeSourceID == "" && m.LinkID == "" && began(m)
	}
	provider := x.ResourceProvider(u.ToolchainType)
	own, err := resolve.Diff(x, u.ToolchainType, upstream, u.Data, 0)
	if err != nil {
		return nil, err
	}
	// Own values that began here keep their causes; of the others the history knows more.
	cause := func(m *api.ResourceMutation, path api.ResolvedPath, info *api.MutationInfo) bool {
		of, ok := origin.Nearest(u.Sources, &m.Resource, string(path), provider)
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
