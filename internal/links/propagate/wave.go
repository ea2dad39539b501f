// Package propagate resolves the links of a workspace: those of one unit, and in a wave those of
// everything downstream of a change. Package link computes what a resolve does; this package reads
// what it depends on and records what it did, in a transaction of package workspace. A transaction
// that is never committed is a plan.
//
// Layer: systems.
package propagate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/filter"
	"github.com/fctl-dev/fctl/internal/links/resolve"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// Propagator resolves links within a transaction.
type Propagator struct {
	Workspace *workspace.Workspace
	Tx        *workspace.Tx
	Functions func() (*functions.Executor, error)
	Options   resolve.Options
	// Mask masks secret values in what is recorded of an error. It may be nil.
	Mask func(l *workspace.Link, message string) string
	// StrictWorktree makes an edited working copy an error. Otherwise the edit is recorded.
	StrictWorktree bool

	// known are the units whose working copy was edited to be what an earlier revision is.
	known map[*workspace.Unit]bool
	// unsettled says why it is not known what links have merged.
	unsettled map[*workspace.Link]error
	// shared are upstreams of several links, until all of these have read them.
	shared map[*workspace.Unit]*sharedUpstream
}

// sharedUpstream is an upstream unit as it was read, at which head, and how many links may still
// read it.
type sharedUpstream struct {
	*resolve.Upstream
	revision, live int64
	readers        int
}

// Accumulate implements workspace.Recorder.
func (p *Propagator) Accumulate(
	t api.ToolchainType, sources api.ResourceMutationList, before, after []byte, num int64,
	protect bool,
) (all, change api.ResourceMutationList, err error) {
	executor, err := p.Functions()
	if err != nil {
		return nil, nil, err
	}
	return resolve.Accumulate(executor, t, sources, before, after, num, protect)
}

// Refuse returns why the result of a resolve or a merge must not be recorded, or nil. It may be nil
// itself.
type Refuse func(*workspace.Unit, *resolve.Outcome) error

// Resolve resolves links of a unit and records the result. The error means that nothing was
// recorded for the unit, except edits of working copies. Links of other units do not change. With
// the error of refuse, the result is that which was refused.
func (p *Propagator) Resolve(ctx context.Context, u *workspace.Unit, links []*workspace.Link,
	options resolve.Options, refuse Refuse,
) (*resolve.Outcome, error) {
	in, err := p.Input(u, links, options)
	if err != nil {
		return nil, err
	}
	out, err := resolve.Resolve(ctx, in)
	if err != nil {
		return nil, err
	}
	return out, p.recordUnless(refuse, u, out, "")
}

// recordUnless records a result unless refuse has a reason against it, which it returns.
func (p *Propagator) recordUnless(refuse Refuse, u *workspace.Unit, out *resolve.Outcome,
	description string,
) error {
	if refuse != nil {
		if err := refuse(u, out); err != nil {
			return err
		}
	}
	return p.record(u, out, description)
}

// Input reads what a resolve of links of a unit depends on. It records edits of working copies.
func (p *Propagator) Input(u *workspace.Unit, links []*workspace.Link, options resolve.Options,
) (*resolve.Input, error) {
	executor, err := p.Functions()
	if err == nil {
		err = p.valid(links)
	}
	if err != nil {
		return nil, err
	}
	units := []*workspace.Unit{u}
	for _, l := range links {
		if !slices.Contains(units, l.To) {
			units = append(units, l.To)
		}
	}
	if _, err := p.Edits(units...); err != nil {
		return nil, err
	}
	for _, l := range links {
		if err := p.unsettled[l]; err != nil {
			return nil, err
		}
	}
	asksCauses := slices.ContainsFunc(links, func(l *workspace.Link) bool {
		return l.CopiesResources()
	})
	downstream, err := p.unit(u, asksCauses || len(links) == 0)
	if err != nil {
		return nil, err
	}
	in := &resolve.Input{
		Downstream: downstream, Executor: executor, Options: options,
		Upstreams: map[string]*resolve.Upstream{}, Invocations: map[string]*entity.Invocation{},
		Names: p.Workspace.UnitName, MutationMatches: p.matches,
	}
	for _, l := range links {
		in.Links = append(in.Links, l.Link)
		in.Recall = in.Recall || l.Unrecorded && p.Workspace.Store.InGit()
	}
	for _, l := range p.Workspace.LinksFrom(u) {
		if !slices.Contains(links, l) {
			in.Others = append(in.Others, l.Link)
		}
	}
	for _, l := range links {
		if in.Upstreams[l.To.UnitID], err = p.upstreamFor(l); err != nil {
			return nil, err
		}
	}
	for _, i := range p.Workspace.Invocations {
		in.Invocations[i.InvocationID] = i.Invocation
	}
	return in, nil
}

// Edits records the edits of the working copies of units, and what git has brought about their
// links. It returns the units that have an edit.
func (p *Propagator) Edits(units ...*workspace.Unit) ([]*workspace.Unit, error) {
	edited, err := p.Tx.Edits(p, units, p.StrictWorktree)
	p.settle(units, edited)
	return edited, err
}

// valid checks links, which may have been edited by hand.
func (p *Propagator) valid(links []*workspace.Link) error {
	var errs entity.Errors
	for _, l := range links {
		if err := p.Workspace.Ends(l); err != nil {
			return err
		}
		errs = append(errs, p.Workspace.ValidateLink(l)...)
	}
	return errs.Err()
}

// Unit returns a unit at its head as package link reads it, without its mutations.
func (p *Propagator) Unit(u *workspace.Unit) (resolve.HeadUnit, error) { return p.unit(u, false) }

// unit reads a unit at its head, and its mutations if they are wanted.
func (p *Propagator) unit(u *workspace.Unit, mutations bool) (resolve.HeadUnit, error) {
	s := p.Workspace.Store
	all := resolve.HeadUnit{Unit: u.Unit}
	if space, err := p.Workspace.Space(u.SpaceSlug); err == nil {
		all.Space = space.Space
	}
	var err error
	if all.Data, err = s.Data(u, u.HeadRevisionNum); err != nil {
		return all, err
	}
	if all.Sources, err = s.Sources(u, u.HeadRevisionNum); err != nil {
		return all, err
	}
	if mutations {
		if all.Mutations, err = s.Mutations(u); err != nil {
			return all, err
		}
	}
	all.Conflicts, err = s.Conflicts(u)
	return all, err
}

// upstreamFor returns the upstream unit of a link. Links that are resolved one after another share
// it: most of the work may be to read and to parse it.
func (p *Propagator) upstreamFor(l *workspace.Link) (*resolve.Upstream, error) {
	if p.shared == nil {
		p.shared = map[*workspace.Unit]*sharedUpstream{}
		for _, l := range p.Workspace.Links {
			if l.To == nil {
				continue
			}
			if p.shared[l.To] == nil {
				p.shared[l.To] = &sharedUpstream{}
			}
			p.shared[l.To].readers++
		}
	}
	u := l.To
	s := p.shared[u]
	if s == nil {
		s = &sharedUpstream{readers: 1} // another link, or one that is resolved again
	}
	s.readers--
	if s.Upstream == nil || s.revision != u.HeadRevisionNum || s.live != u.HeadUnitActionNum ||
		l.Merges() && s.Mutations == nil {
		up, err := p.upstream(u, l.Merges())
		if err != nil {
			return nil, err
		}
		s.Upstream, s.revision, s.live = up, u.HeadRevisionNum, u.HeadUnitActionNum
	}
	if s.readers <= 0 {
		delete(p.shared, u)
	}
	return s.Upstream, nil
}

// Upstream reads a unit as the upstream of links, with its mutations.
func (p *Propagator) Upstream(u *workspace.Unit) (*resolve.Upstream, error) {
	return p.upstream(u, true)
}

func (p *Propagator) upstream(u *workspace.Unit, mutations bool) (*resolve.Upstream, error) {
	unit, err := p.unit(u, mutations)
	if err != nil {
		return nil, err
	}
	up := &resolve.Upstream{HeadUnit: unit, At: func(n int64, live bool) ([]byte, error) {
		return p.Workspace.Store.Version(u, n, live)
	}}
	for _, l := range p.Workspace.LinksFrom(u) {
		up.Links = append(up.Links, l.Link)
	}
	if u.HeadUnitActionNum > 0 {
		up.Live, err = p.Workspace.Store.Live(u, u.HeadUnitActionNum)
		if err == nil && up.Live == nil {
			up.Live = []byte{}
		}
	}
	return up, err
}

// matches evaluates a filter of mutations.
func (p *Propagator) matches(where string, unit *entity.Unit, m *entity.Mutation) (bool, error) {
	expr, err := filter.Parse(where, filter.Mutation)
	if err != nil {
		return false, err
	}
	w := p.Workspace
	c := filter.MutationContext{
		Unit: unit, UnitName: w.UnitName, Slug: w.Slug,
	}
	if u, err := w.Unit(unit.SpaceSlug, unit.UnitID); err == nil {
		if c.Revision, err = w.Store.Revision(u, m.RevisionNum); err != nil {
			c.Revision = nil
		}
	}
	return expr.MatchAttributes(filter.OfMutation(m, c)), nil
}

// record records what a resolve did. Files that would not change are not written.
func (p *Propagator) record(u *workspace.Unit, out *resolve.Outcome, description string) error {
	if s := p.shared[u]; s != nil {
		s.Upstream = nil // what is recorded about it may change
	}
	before := u.State()
	u.SelfBindings = out.SelfBindings
	if up := out.Upstream; up != nil {
		u.UpstreamUnitID, u.UpstreamSpaceID = up.UnitID, up.SpaceID
		u.UpstreamRevisionNum = up.RevisionNum
	}
	if out.Changed {
		p.Tx.Revise(u, workspace.NewRevision{
			Data: out.Data, Source: out.Source, Description: describe(description, out),
			Mutations: out.Mutations, Sources: out.Sources,
		})
	} else if !same(before, u.State()) {
		p.Tx.WriteState(u)
	}
	for _, resolved := range out.Links {
		l, err := p.Workspace.Link("", resolved.LinkID)
		if err != nil {
			return err
		}
		p.Tx.Resolved = append(p.Tx.Resolved, l)
		p.recordLink(l, func() {
			l.LinkRecord, l.Bindings = resolved.LinkRecord, resolved.Bindings
			l.LastError = nil
		})
	}
	for id, failed := range out.Failed {
		l, err := p.Workspace.Link("", id)
		if err != nil {
			return err
		}
		p.recordLink(l, func() {
			last := l.LastError
			p.setError(l, failed)
			if last != nil && last.Code == l.LastError.Code && last.Message == l.LastError.Message {
				l.LastError = last
			}
		})
	}
	if !out.Merged {
		return p.Tx.Err()
	}
	was, err := p.Workspace.Store.Conflicts(u)
	if err == nil && !same(was, out.Conflicts) && len(was)+len(out.Conflicts) > 0 {
		p.Tx.WriteConflicts(u, out.Conflicts)
	}
	return err
}

// recordLink changes what is recorded about a link.
func (p *Propagator) recordLink(l *workspace.Link, change func()) {
	before := l.State()
	if change(); !same(before, l.State()) {
		p.Tx.WriteState(l)
	}
}

// same reports whether two values have the same JSON.
func same(a, b any) bool {
	textA, errA := json.Marshal(a)
	textB, errB := json.Marshal(b)
	return errors.Join(errA, errB) == nil && bytes.Equal(textA, textB)
}

// describe returns the description of a revision: the links that changed the unit.
func describe(description string, out *resolve.Outcome) string {
	if description != "" {
		return description
	}
	for _, l := range out.Result.Links {
		if l.Status != entity.StatusChanged {
			continue
		}
		if description != "" {
			description += ", "
		}
		description += l.Link
	}
	if description == "" {
		return "resolved"
	}
	return "resolved " + description
}

// Merge merges a range of another unit, or of a file, into a unit once. description describes the
// revision.
func (p *Propagator) Merge(ctx context.Context, u *workspace.Unit, in *resolve.MergeInput, description string, refuse Refuse,
) (*resolve.Outcome, error) {
	input, err := p.Input(u, nil, in.Options)
	if err != nil {
		return nil, err
	}
	in.Input = *input
	out, err := resolve.Merge(ctx, in)
	if err != nil {
		return nil, err
	}
	return out, p.recordUnless(refuse, u, out, description)
}
