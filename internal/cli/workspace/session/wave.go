package session

import (
	"errors"

	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/entity"
	"github.com/fctl-dev/fctl/internal/links/propagate"
	"github.com/fctl-dev/fctl/internal/links/resolve"
	"github.com/fctl-dev/fctl/internal/links/severity"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

// ResolveFlags holds the flags that say how links are resolved.
type ResolveFlags struct {
	KeepGoing, failOnConflict, strict bool
	force, noSelf, prune              bool
	adoptNamespace, ours, theirs      bool
	ambiguous                         string
	toRevision                        int64
}

// Add adds the flags.
func (o *ResolveFlags) Add(flags *pflag.FlagSet) {
	flags.BoolVar(&o.KeepGoing, "keep-going", false, "resolve the other links if one fails")
	flags.BoolVar(&o.failOnConflict, "fail-on-conflict", false,
		"write nothing if there is a conflict")
	flags.BoolVar(&o.ours, "ours", false,
		"keep the value of the unit where its upstream changed it, too")
	flags.BoolVar(&o.theirs, "theirs", false,
		"take the value of the upstream where the unit changed it, too")
	flags.BoolVar(&o.strict, "strict", false,
		"write nothing if a need is ambiguous or has no provider")
	flags.BoolVar(&o.force, "force", false, "write also bound values that were edited")
	flags.BoolVar(&o.noSelf, "no-self", false, "do not fill needs of a unit from the unit itself")
	flags.BoolVar(&o.prune, "prune", false, "delete resources that are not produced any more "+
		"(Upsert)")
	flags.BoolVar(&o.adoptNamespace, "adopt-namespace", false,
		"give resources that a merge adds the namespace of the unit")
	flags.StringVar(&o.ambiguous, "ambiguous", "",
		"`HOW` to fill a need whose providers have different values: first takes the first one")
	flags.Int64Var(&o.toRevision, "to-revision", 0,
		"merge the upstream up to revision `N`; 0 is the head")
}

// Options returns the options of a resolve.
func (o *ResolveFlags) Options(s *Session) (resolve.Options, error) {
	if o.ambiguous != "" && o.ambiguous != "first" {
		return resolve.Options{}, diag.Usage("--ambiguous: first is expected, not %q", o.ambiguous)
	}
	if o.ours && o.theirs {
		return resolve.Options{}, diag.Usage("--ours and --theirs exclude each other")
	}
	return resolve.Options{
		Ours: o.ours, Theirs: o.theirs,
		DryRun: s.DryRun, KeepGoing: o.KeepGoing, Force: o.force, NoSelf: o.noSelf,
		Prune: o.prune, AmbiguousFirst: o.ambiguous == "first", AdoptNamespace: o.adoptNamespace,
		ToRevision: o.toRevision,
	}, nil
}

// Refused returns why the result of a resolve must not be written, nil if it may be.
func (o *ResolveFlags) Refused(s *Session, u *workspace.Unit, out *resolve.Outcome) error {
	no := func(code entity.Code, message string) error {
		return u.Fail(code, "%s: %s; nothing was written", u.Name(), message).
			WithClass(api.FailureNo)
	}
	least := entity.SeverityError
	if o.failOnConflict {
		least = entity.SeverityWarning
	}
	if all := severity.Select(s.rules(), out.Result.Conflicts, least); len(all) > 0 {
		message := diag.Count(len(all), "conflict")
		if !o.failOnConflict {
			message += " of the severity error, the first at " + ConflictPosition(&all[0])
		}
		return no(entity.CodeFunctionFailed, message)
	}
	for _, w := range out.Result.Warnings {
		if o.strict && (w.Code == entity.WarnAmbiguous || w.Code == entity.WarnUnmatched) {
			return no(entity.CodeAmbiguous, w.Message)
		}
	}
	return nil
}

// Refuse returns the error of Refused. In a dry run, the error follows what is shown.
func (o *ResolveFlags) Refuse(s *Session) propagate.Refuse {
	return func(u *workspace.Unit, out *resolve.Outcome) error {
		err := o.Refused(s, u, out)
		if err != nil && s.DryRun {
			s.After(func() error { return err })
			return nil
		}
		return err
	}
}

// FailedLinks returns the problems of the links of a unit that failed while the others went on:
// either of the links that are only noted, or of all others.
func FailedLinks(r propagate.UnitResult, noted bool) []error {
	var failed []error
	for _, l := range r.Output.Result.Links {
		if l.Status == entity.StatusFailed && r.Noted[l.Link] == noted {
			e := r.Unit.Fail(l.Code, "%s", l.Message).WithClass(api.FailureFunction)
			e.Link = l.Link
			failed = append(failed, e)
		}
	}
	return failed
}

// Explicit returns the link of a unit that a user names to resolve it.
func (s *Session) Explicit(u *workspace.Unit, slug string) (*workspace.Link, error) {
	l, err := s.Link(u.SpaceSlug, slug)
	switch {
	case err != nil:
		return nil, err
	case l.From != u:
		return nil, l.Fail(entity.CodeNotFrom, "the link %s is one of %s/%s, not of %s", l.Name(),
			l.SpaceSlug, l.FromUnit, u.Name())
	case l.UpdateType == entity.UpdateNone:
		return nil, l.Fail(entity.CodeResolveNone,
			"the link %s has the type None, which is for order only", l.Name())
	}
	return l, nil
}

// EachUnit calls do for units and propagates what it changed. What fails for one of several units
// does not stop the others.
func (s *Session) EachUnit(units []*workspace.Unit, do func(*workspace.Unit) error) error {
	var errs []error
	for _, u := range units {
		if err := do(u); err != nil {
			if len(units) == 1 {
				return err
			}
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		s.After(func() error { return errors.Join(errs...) })
	}
	return s.Propagate()
}

// FailedResult returns the result of a resolve that wrote nothing, as -o json prints it: the links
// that are at fault failed, the others were skipped.
func (s *Session) FailedResult(
	u *workspace.Unit, links []*workspace.Link, err error,
) *resolve.Outcome {
	out := &resolve.Outcome{Result: entity.ResolveResult{
		Space: u.SpaceSlug, Unit: u.Slug, DryRun: s.DryRun, BaseRevisionNum: u.HeadRevisionNum,
		NewRevisionNum: u.HeadRevisionNum,
	}}
	for _, l := range links {
		result := entity.LinkResult{
			Link: l.Slug, UpdateType: l.Type(), Status: entity.StatusSkipped,
			UpstreamFrom: l.UpstreamLastMergedRevisionNum,
			UpstreamTo:   l.UpstreamLastMergedRevisionNum,
		}
		for _, e := range entity.ProblemsIn(err, entity.CodeFunctionFailed) {
			if e.Link == "" || e.Link == l.Slug {
				result.Status, result.Code, result.Message = entity.StatusFailed, e.Code, e.Message
				break
			}
		}
		out.Result.Links = append(out.Result.Links, result)
	}
	return out
}

// Failed ends a command that resolves links of one unit with an error. Nothing is written, except
// why the links failed. With -o json the result is printed as well.
func (s *Session) Failed(links []*workspace.Link, err error) {
	s.After(func() error { return err })
	if s.DryRun {
		return
	}
	s.Tx.Drop()
	s.Tx = s.Store.Begin("")
	s.Propagator.Tx = s.Tx
	s.Propagator.Failed(links, err)
	for _, l := range links { // also what the dropped transaction recorded
		if l.LastError != nil {
			s.Tx.WriteState(l)
		}
	}
}

// Propagate resolves automatic links downstream of every unit that the transaction revised, and
// shows what was done once the transaction is committed. live are units with a new live state.
func (s *Session) Propagate(live ...*workspace.Unit) error {
	return s.wave(propagate.Wave{}, live)
}

// PropagateLinks resolves new or changed links with AutoUpdate, and what they cause.
func (s *Session) PropagateLinks(links []*workspace.Link) error {
	chosen := make(map[string]bool, len(links))
	for _, l := range links {
		chosen[l.LinkID] = true
	}
	return s.wave(propagate.Wave{Links: func(l *workspace.Link) bool {
		return l.AutoUpdate && chosen[l.LinkID]
	}}, nil)
}

// wave resolves links in one wave: those of a selection, and what follows.
func (s *Session) wave(sel propagate.Wave, live []*workspace.Unit) error {
	s.After(s.ShowResults)
	if s.NoPropagate || s.Store.Config.NoAutoUpdate || len(s.Links) == 0 {
		return nil
	}
	s.Propagator.Options = resolve.Options{DryRun: s.DryRun}
	change := s.Revised()
	for _, u := range live {
		change.Live[u] = true
	}
	sel.Propagate, sel.OneSpace = true, s.NoCrossSpace
	var err error
	s.Propagated, err = s.Propagator.Run(s.Ctx, change, sel)
	if problems, ok := errors.AsType[entity.Errors](err); ok && len(problems) > 0 &&
		problems[0].Code == entity.CodeLinkCycle {
		s.Note("automatic links were not resolved: %v", problems[0].Message)
		return nil
	}
	return err
}

// Revised returns the units that the transaction has revised, as a change.
func (s *Session) Revised() propagate.ChangedUnits {
	change := propagate.ChangedUnits{
		Revised: map[*workspace.Unit]bool{}, Live: map[*workspace.Unit]bool{},
	}
	for _, u := range s.Tx.Revised {
		change.Revised[u] = true
	}
	return change
}
