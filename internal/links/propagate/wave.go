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

// Runner resolves links within a transaction.
type Runner struct {
	Workspace *workspace.Workspace
	Tx        *workspace.Tx
	Executor  *functions.Executor
	Options   resolve.Options
	// StrictWorktree makes an edited working copy an error. Otherwise the edit is recorded.
	StrictWorktree bool

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
func (r *Runner) Accumulate(
	t api.ToolchainType, sources api.ResourceMutationList, before, after []byte, num int64,
	protect bool,
) (all, change api.ResourceMutationList, err error) {
	return resolve.Accumulate(r.Executor, t, sources, before, after, num, protect)
}

// Refuse returns why the result of a resolve or a merge must not be recorded, or nil. It may be nil
// itself.
type Refuse func(*workspace.Unit, *resolve.Output) error

// Resolve resolves links of a unit and records the result. The error means that nothing was
// recorded for the unit, except edits of working copies. Links of other units do not change. With
// the error of refuse, the result is that which was refused.
func (r *Runner) Resolve(ctx context.Context, u *workspace.Unit, links []*workspace.Link,
	options resolve.Options, refuse Refuse,
) (*resolve.Output, error) {
	in, err := r.Input(u, links, options)
	if err != nil {
		return nil, err
	}
	out, err := resolve.Resolve(ctx, in)
	if err != nil {
		return nil, err
	}
	return out, r.recordUnless(refuse, u, out, "")
}

// recordUnless records a result unless refuse has a reason against it, which it returns.
func (r *Runner) recordUnless(refuse Refuse, u *workspace.Unit, out *resolve.Output,
	description string,
) error {
	if refuse != nil {
		if err := refuse(u, out); err != nil {
			return err
		}
	}
	return r.record(u, out, description)
}

// Input reads what a resolve of links of a unit depends on. It records edits of working copies.
func (r *Runner) Input(u *workspace.Unit, links []*workspace.Link, options resolve.Options,
) (*resolve.Input, error) {
	if err := r.valid(links); err != nil {
		return nil, err
	}
	units := []*workspace.Unit{u}
	for _, l := range links {
		if !slices.Contains(units, l.To) {
			units = append(units, l.To)
		}
	}
	if _, err := r.Tx.Edits(r, units, r.StrictWorktree); err != nil {
		return nil, err
	}
	asksCauses := slices.ContainsFunc(links, func(l *workspace.Link) bool {
		return l.Merges() || l.UpdateType == entity.UpdateUpsert
	})
	downstream, err := r.unit(u, asksCauses || len(links) == 0)
	if err != nil {
		return nil, err
	}
	in := &resolve.Input{
		Downstream: downstream, Executor: r.Executor, Options: options,
		Upstreams: map[string]*resolve.Upstream{}, Invocations: map[string]*entity.Invocation{},
		Names: r.Workspace.UnitName, MutationMatches: r.matches,
	}
	for _, l := range links {
		in.Links = append(in.Links, l.Link)
	}
	for _, l := range r.Workspace.LinksFrom(u) {
		if !slices.Contains(links, l) {
			in.Others = append(in.Others, l.Link)
		}
	}
	for _, l := range links {
		if in.Upstreams[l.To.UnitID], err = r.upstreamFor(l); err != nil {
			return nil, err
		}
	}
	for _, i := range r.Workspace.Invocations {
		in.Invocations[i.InvocationID] = i.Invocation
	}
	return in, nil
}

// valid checks links, which may have been edited by hand.
func (r *Runner) valid(links []*workspace.Link) error {
	var errs entity.Errors
	for _, l := range links {
		if err := r.Workspace.Ends(l); err != nil {
			return err
		}
		errs = append(errs, r.Workspace.ValidateLink(l)...)
	}
	return errs.Err()
}

// Unit returns a unit at its head as package link reads it, without its mutations.
func (r *Runner) Unit(u *workspace.Unit) (resolve.Unit, error) { return r.unit(u, false) }

// unit reads a unit at its head, and its mutations if they are wanted.
func (r *Runner) unit(u *workspace.Unit, mutations bool) (resolve.Unit, error) {
	s := r.Workspace.Store
	all := resolve.Unit{Unit: u.Unit}
	if space, err := r.Workspace.Space(u.SpaceSlug); err == nil {
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
func (r *Runner) upstreamFor(l *workspace.Link) (*resolve.Upstream, error) {
	if r.shared == nil {
		r.shared = map[*workspace.Unit]*sharedUpstream{}
		for _, l := range r.Workspace.Links {
			if l.To == nil {
				continue
			}
			if r.shared[l.To] == nil {
				r.shared[l.To] = &sharedUpstream{}
			}
			r.shared[l.To].readers++
		}
	}
	u := l.To
	s := r.shared[u]
	if s == nil {
		s = &sharedUpstream{readers: 1} // another link, or one that is resolved again
	}
	s.readers--
	if s.Upstream == nil || s.revision != u.HeadRevisionNum || s.live != u.HeadUnitActionNum {
		up, err := r.upstream(u, false)
		if err != nil {
			return nil, err
		}
		s.Upstream, s.revision, s.live = up, u.HeadRevisionNum, u.HeadUnitActionNum
	}
	if s.readers <= 0 {
		delete(r.shared, u)
	}
	return s.Upstream, nil
}

// Upstream reads a unit as the upstream of links, with its mutations.
func (r *Runner) Upstream(u *workspace.Unit) (*resolve.Upstream, error) { return r.upstream(u, true) }

func (r *Runner) upstream(u *workspace.Unit, mutations bool) (*resolve.Upstream, error) {
	unit, err := r.unit(u, mutations)
	if err != nil {
		return nil, err
	}
	up := &resolve.Upstream{Unit: unit, At: func(n int64, live bool) ([]byte, error) {
		if live && n > 0 {
			return r.Workspace.Store.Live(u, n)
		}
		return r.Workspace.Store.Data(u, n)
	}}
	if u.HeadUnitActionNum > 0 {
		up.Live, err = r.Workspace.Store.Live(u, u.HeadUnitActionNum)
		if err == nil && up.Live == nil {
			up.Live = []byte{}
		}
	}
	return up, err
}

// matches evaluates a filter of mutations.
func (r *Runner) matches(where string, unit *entity.Unit, m *entity.Mutation) (bool, error) {
	expr, err := filter.Parse(where, filter.MutationSchema())
	if err != nil {
		return false, err
	}
	w := r.Workspace
	c := filter.MutationContext{
		Unit: unit, UnitName: w.UnitName, LinkSlug: w.LinkSlug, InvocationSlug: w.InvocationSlug,
	}
	if u, err := w.Unit(unit.SpaceSlug, unit.UnitID); err == nil {
		if c.Revision, err = w.Store.Revision(u, m.RevisionNum); err != nil {
			c.Revision = nil
		}
	}
	return expr.MatchAttributes(filter.OfMutation(m, c)), nil
}

// record records what a resolve did. Files that would not change are not written.
func (r *Runner) record(u *workspace.Unit, out *resolve.Output, description string) error {
	if s := r.shared[u]; s != nil {
		s.Upstream = nil // what is recorded about it may change
	}
	before := *u.State()
	u.SelfBindings = out.SelfBindings
	if up := out.Upstream; up != nil {
		u.UpstreamUnitID, u.UpstreamSpaceID = up.UnitID, up.SpaceID
		u.UpstreamRevisionNum = up.RevisionNum
	}
	if out.Changed {
		if err := r.Tx.Revise(u, workspace.Change{
			Data: out.Data, Source: out.Source, Description: describe(description, out),
			Mutations: out.Mutations, Sources: out.Sources,
		}); err != nil {
			return err
		}
	} else if !same(&before, u.State()) {
		if err := r.Tx.WriteUnitState(u); err != nil {
			return err
		}
	}
	for _, resolved := range out.Links {
		if l, err := r.Workspace.Link("", resolved.LinkID); err == nil {
			r.Tx.Resolved = append(r.Tx.Resolved, l)
		}
		if err := r.recordLink(resolved.LinkID, func(l *entity.Link) {
			l.LinkRecord, l.Bindings = resolved.LinkRecord, resolved.Bindings
			l.LastError = nil
		}); err != nil {
			return err
		}
	}
	for id, failed := range out.Failed {
		if err := r.recordLink(id, func(l *entity.Link) {
			last := l.LastError
			if last == nil || last.Code != failed.Code || last.Message != failed.Message {
				l.LastError = &entity.LastError{
					Code: failed.Code, Message: failed.Message, Time: r.Workspace.Store.Now(),
				}
			}
		}); err != nil {
			return err
		}
	}
	if !out.Merged {
		return nil
	}
	was, err := r.Workspace.Store.Conflicts(u)
	if err != nil || same(was, out.Conflicts) || len(was)+len(out.Conflicts) == 0 {
		return err
	}
	return r.Tx.WriteConflicts(u, out.Conflicts)
}

// recordLink changes what is recorded about a link.
func (r *Runner) recordLink(id string, change func(*entity.Link)) error {
	l, err := r.Workspace.Link("", id)
	if err != nil {
		return err
	}
	before := *l.State()
	change(l.Link)
	if same(&before, l.State()) {
		return nil
	}
	return r.Tx.WriteLinkState(l)
}

// same reports whether two values have the same JSON.
func same(a, b any) bool {
	textA, errA := json.Marshal(a)
	textB, errB := json.Marshal(b)
	return errors.Join(errA, errB) == nil && bytes.Equal(textA, textB)
}

// describe returns the description of a revision: the links that changed the unit.
func describe(description string, out *resolve.Output) string {
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
func (r *Runner) Merge(u *workspace.Unit, in *resolve.MergeInput, description string, refuse Refuse,
) (*resolve.Output, error) {
	input, err := r.Input(u, nil, in.Options)
	if err != nil {
		return nil, err
	}
	in.Input = *input
	out, err := resolve.Merge(in)
	if err != nil {
		return nil, err
	}
	return out, r.recordUnless(refuse, u, out, description)
}
