package workspace

import (
	"encoding/json"

	"github.com/fctl-dev/fctl/internal/workspace/entity"
)

// Stale sets Stale and StaleReasons of every link. Units that were edited count as having another
// revision if edited says so.
func (w *Workspace) Stale(edited map[*Unit]bool) {
	for _, l := range w.Links {
		l.StaleReasons = w.staleReasons(l, edited)
		l.Stale = len(l.StaleReasons) > 0
	}
}

func (w *Workspace) staleReasons(l *Link, edited map[*Unit]bool) []entity.StaleReason {
	if l.UpdateType == entity.UpdateNone || l.To == nil || l.From == nil {
		return nil
	}
	var reasons []entity.StaleReason
	add := func(holds bool, reason entity.StaleReason) {
		if holds {
			reasons = append(reasons, reason)
		}
	}
	never := l.ResolvedHash == "" && !l.MadeCurrent
	version := l.To.HeadRevisionNum
	if l.UseLiveState {
		version = l.To.HeadUnitActionNum
	} else if edited[l.To] {
		version++
	}
	add(never, entity.StaleNeverResolved)
	add(version > l.UpstreamLastMergedRevisionNum, entity.StaleUpstreamChanged)
	add(l.ResolvedHash != "" && l.Hash != l.ResolvedHash, entity.StaleLinkChanged)
	if l.TransformHash != "" {
		i, ok := w.byID[l.TransformInvocationID].(*Invocation)
		add(ok && InvocationHash(i.Invocation) != l.TransformHash, entity.StaleTransformChanged)
	}
	add(l.LastError != nil, entity.StaleLastAttemptFailed)
	return reasons
}

// InvocationHash returns the hash of what a stored invocation does.
func InvocationHash(i *entity.Invocation) string {
	d := i.Definition()
	d.InvocationID, d.Common = "", entity.Common{}
	text, err := json.Marshal(d)
	if err != nil {
		return "" // the values of a definition are texts, numbers and truth values
	}
	return hash(text)
}
