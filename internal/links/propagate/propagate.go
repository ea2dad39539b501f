package propagate

import (
	"context"

	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/resolve"
	"github.com/fctl-dev/fctl/internal/links/staleness"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// ChangedUnits is the set of units that changed, by what changed.
type ChangedUnits struct {
	Revised map[*workspace.Unit]bool
	Live    map[*workspace.Unit]bool // a new capture of the live state
}

// Wave says which links a wave resolves beside those that a change makes necessary.
type Wave struct {
	// Stale selects links that are stale, if they have AutoUpdate or if All.
	Stale, All bool
	// Links selects more links. It may be nil.
	Links func(*workspace.Link) bool
	// Explicit resolves the selected links of a unit all together or not at all, and stops
	// propagation from a unit that failed. A link that fails and only follows, or any without
	// Explicit, is noted, and the others go on.
	Explicit bool
	// Propagate resolves automatic links downstream of what changed.
	Propagate bool
	// OneSpace propagates along links between units of one space only.
	OneSpace bool
}

// UnitResult is what a wave did to one unit.
type UnitResult struct {
	Unit   *workspace.Unit
	Output *resolve.Outcome // nil if Err is set
	Err    error
	// Follows says that no link of the unit was selected, and Noted has the slugs of links that
	// only follow: the command does not fail if these do.
	Follows bool
	Noted   map[string]bool
}

// Run resolves links in one wave over all units, upstreams first. Each unit is visited once, after
// everything upstream of it, and gets at most one revision. The error means that no wave is
// possible; what fails for one unit is in its result.
func (p *Propagator) Run(ctx context.Context, change ChangedUnits, sel Wave) ([]UnitResult, error) {
	w := p.Workspace
	order := w.Graph().Order()
	if order == nil && len(w.Units) > 0 {
		return nil, w.CheckCycles()
	}
	if change.Revised == nil {
		change.Revised = map[*workspace.Unit]bool{}
	}
	var results []UnitResult
	noted := 0 // of the revised units
	for _, node := range order {
		u := w.Units[node]
		chosen := p.selected(u, change, sel)
		links := chosen.links
		if len(links) == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return results, err
		}
		options := p.Options
		options.NeedsOnly, options.Noted = chosen.needsOnly, chosen.follow
		follows := len(chosen.follow) == len(links)
		options.Automatic = !sel.Explicit || follows
		head := u.HeadRevisionNum
		out, err := p.Resolve(ctx, u, links, options, nil)
		for _, revised := range p.Tx.Revised[noted:] { // edits of upstreams count, too
			change.Revised[revised] = true
		}
		noted = len(p.Tx.Revised)
		if err != nil {
			p.Failed(links, err)
		}
		if sel.Explicit && !follows || err != nil || out.Changed || u.HeadRevisionNum != head ||
			interesting(out) {
			noted := map[string]bool{}
			for _, l := range links {
				noted[l.Slug] = chosen.follow[l.LinkID]
			}
			results = append(results, UnitResult{
				Unit: u, Output: out, Err: err, Follows: follows, Noted: noted,
			})
		}
	}
	return results, nil
}

// interesting reports whether a resolve that changed no data has something to say.
func interesting(out *resolve.Outcome) bool {
	return len(out.Failed)+len(out.Result.Warnings)+len(out.Result.Conflicts) > 0
}

// chosen is the links of a unit that a wave resolves.
type chosen struct {
	links []*workspace.Link
	// follow has the IDs of those that were not selected, and needsOnly of those among them that
	// run only if the unit has unbound needs by then.
	follow, needsOnly map[string]bool
}

// selected returns the links of a unit that a wave resolves.
func (p *Propagator) selected(u *workspace.Unit, change ChangedUnits, sel Wave) chosen {
	all := chosen{follow: map[string]bool{}, needsOnly: map[string]bool{}}
	var maybe []*workspace.Link
	for _, l := range p.Workspace.LinksFrom(u) {
		if l.UpdateType == entity.UpdateNone || l.To == nil {
			continue
		}
		propagate := sel.Propagate && l.AutoUpdate &&
			(!sel.OneSpace || l.To.SpaceSlug == u.SpaceSlug)
		changed := change.Revised
		if l.UseLiveState {
			changed = change.Live
		}
		switch {
		case sel.Links != nil && sel.Links(l),
			sel.Stale && (sel.All || l.AutoUpdate) && len(staleness.Reasons(p.Workspace, l, nil)) > 0:
			all.links = append(all.links, l)
		case propagate && changed[l.To]:
			all.links = append(all.links, l)
			all.follow[l.LinkID] = true
		case propagate && l.Type() == entity.UpdateNeedsProvides:
			maybe = append(maybe, l)
		}
	}
	if len(all.links) == 0 && !change.Revised[u] {
		return chosen{}
	}
	for _, l := range maybe {
		all.follow[l.LinkID], all.needsOnly[l.LinkID] = true, true
	}
	all.links = append(all.links, maybe...)
	return all
}

// Failed records why links were not resolved.
func (p *Propagator) Failed(links []*workspace.Link, err error) {
	for _, l := range links {
		for _, e := range entity.ProblemsIn(err, entity.CodeFunctionFailed) {
			if e.Link == "" || e.Link == l.Slug {
				p.recordLink(l, func() { p.setError(l, e) })
				break
			}
		}
	}
}

// setError sets why a link was not resolved.
func (p *Propagator) setError(l *workspace.Link, e *entity.Error) {
	message := e.Message
	if p.Mask != nil {
		message = p.Mask(l, message)
	}
	l.LastError = &entity.LastError{Code: e.Code, Message: message, Time: p.Workspace.Store.Now()}
}
