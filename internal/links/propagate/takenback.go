package propagate

import (
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// EditRecorded implements workspace.Recorder. An edit that brings back the data of an earlier
// revision, as git does when another branch is checked out, takes back the merges since. Their links
// go back to what they had merged before, so that it can be merged again, and the values have the
// causes that they had.
func (p *Propagator) EditRecorded(u *workspace.Unit) error {
	links := p.mergingLinks(u)
	if len(links) == 0 {
		return nil
	}
	s := p.Workspace.Store
	mutations, err := s.Mutations(u)
	if err != nil {
		return err
	}
	earlier := int64(0)
	for n := u.HeadRevisionNum - 1; n > 0 && earlier == 0; n-- {
		if was, err := s.Revision(u, n); err == nil && was.DataHash == u.DataHash {
			earlier = n
		}
	}
	if earlier == 0 {
		return nil
	}
	if p.known == nil {
		p.known = map[*workspace.Unit]bool{}
	}
	p.known[u] = true
	taken := false
	for _, l := range links {
		m := firstMerge(mutations, l, earlier)
		if m == nil {
			continue
		}
		taken = true
		merged := "" // nobody knows
		if base, err := s.Revision(l.To, *m.MergeBaseRevisionNum); err == nil && !l.UseLiveState {
			merged = base.DataHash
		}
		p.recordLink(l, func() {
			l.UpstreamLastMergedRevisionNum = *m.MergeBaseRevisionNum
			l.DownstreamLastMergedRevisionNum, l.MergedHash = earlier, merged
		})
		if l.UpdateType == entity.UpdateUpgradeUnit {
			u.UpstreamRevisionNum = *m.MergeBaseRevisionNum
		}
	}
	if !taken {
		return nil
	}
	sources, err := s.Sources(u, earlier)
	if err != nil {
		return err
	}
	p.Tx.WriteSources(u, sources)
	p.Tx.WriteState(u)
	return nil
}

// mergingLinks returns the links of a unit that have merged something.
func (p *Propagator) mergingLinks(u *workspace.Unit) []*workspace.Link {
	var links []*workspace.Link
	for _, l := range p.Workspace.LinksFrom(u) {
		if l.Merges() && l.UpstreamLastMergedRevisionNum > 0 {
			links = append(links, l)
		}
	}
	return links
}

// firstMerge returns the first merge of a link after a revision, nil if there was none.
func firstMerge(all []entity.Mutation, l *workspace.Link, revision int64) *entity.Mutation {
	for i := range all {
		m := &all[i]
		if m.LinkID == l.LinkID && m.RevisionNum > revision && m.MergeBaseRevisionNum != nil {
			return m
		}
	}
	return nil
}
