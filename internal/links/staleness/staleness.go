// Package staleness says which links are stale: resolving them may change something.
//
// Layer: systems.
package staleness

import (
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/resolve"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// Mark sets Stale and StaleReasons of every link. Units that were edited count as having another
// revision if edited says so.
func Mark(w *workspace.Workspace, edited map[*workspace.Unit]bool) {
	for _, l := range w.Links {
		l.StaleReasons = Reasons(w, l, edited)
		l.Stale = len(l.StaleReasons) > 0
	}
}

// Reasons returns why a link is stale.
func Reasons(
	w *workspace.Workspace, l *workspace.Link, edited map[*workspace.Unit]bool,
) []entity.StaleReason {
	if l.UpdateType == entity.UpdateNone || l.To == nil || l.From == nil {
		return nil
	}
	var reasons []entity.StaleReason
	add := func(holds bool, reason entity.StaleReason) {
		if holds {
			reasons = append(reasons, reason)
		}
	}
	if l.FromGit() && l.MergedBlob == "" { // the definition is all that is known
		add(!w.Store.IsMerged(l, l.Merged), entity.StaleUpstreamChanged)
		return reasons
	}
	never := l.ResolvedHash == "" && !l.MadeCurrent
	version := l.To.HeadRevisionNum
	if l.UseLiveState {
		version = l.To.HeadUnitActionNum
	} else if edited[l.To] {
		version++
	}
	add(never, entity.StaleNeverResolved)
	changed := version != l.UpstreamLastMergedRevisionNum
	if l.MergedHash != "" && !l.UseLiveState {
		changed = l.MergedHash != l.To.DataHash
		if edited[l.To] { // git may have brought back the data that was merged
			changed = l.MergedBlob == "" || !w.Store.IsMerged(l, l.MergedBlob)
		}
	}
	add(changed, entity.StaleUpstreamChanged)
	add(l.ResolvedHash != "" && l.Hash != l.ResolvedHash, entity.StaleLinkChanged)
	if l.TransformHash != "" {
		i, err := w.Invocation(l.SpaceSlug, l.TransformInvocationID)
		add(err == nil && resolve.TransformHash(i.Invocation) != l.TransformHash, entity.StaleTransformChanged)
	}
	add(l.LastError != nil, entity.StaleLastAttemptFailed)
	return reasons
}
