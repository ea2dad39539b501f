package workspace

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/internal/cli/app"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/link"
	"github.com/fctl-dev/fctl/internal/workspace"
	"github.com/fctl-dev/fctl/internal/workspace/entity"
	"github.com/fctl-dev/fctl/internal/workspace/wave"
)

// resolveFlags holds the flags that say how links are resolved.
type resolveFlags struct {
	keepGoing, failOnConflict, strict bool
	force, noSelf, prune              bool
	adoptNamespace                    bool
	ambiguous                         string
	toRevision                        int64
}

func (o *resolveFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&o.keepGoing, "keep-going", false, "resolve the other links if one fails")
	flags.BoolVar(&o.failOnConflict, "fail-on-conflict", false, "write nothing if there is a conflict")
	flags.BoolVar(&o.strict, "strict", false,
		"write nothing if a need is ambiguous or has no provider")
	flags.BoolVar(&o.force, "force", false, "also write bound values that were edited")
	flags.BoolVar(&o.noSelf, "no-self", false, "leave needs that the unit itself satisfies")
	flags.BoolVar(&o.prune, "prune", false, "Upsert: delete resources that are not produced any more")
	flags.BoolVar(&o.adoptNamespace, "adopt-namespace", false,
		"give resources that a merge adds the namespace of the unit")
	flags.StringVar(&o.ambiguous, "ambiguous", "",
		"first takes the first of several providers with different values (`HOW`)")
	flags.Int64Var(&o.toRevision, "to-revision", 0, "merge the upstream up to revision `N`; 0 is the head")
}

func (o *resolveFlags) options(s *session) (link.Options, error) {
	if o.ambiguous != "" && o.ambiguous != "first" {
		return link.Options{}, diag.Usage("--ambiguous: first is expected, not %q", o.ambiguous)
	}
	return link.Options{
		DryRun: s.dryRun, KeepGoing: o.keepGoing, Force: o.force, NoSelf: o.noSelf,
		Prune: o.prune, AmbiguousFirst: o.ambiguous == "first", AdoptNamespace: o.adoptNamespace,
		ToRevision: o.toRevision,
	}, nil
}

// refused returns why the result of a resolve must not be written, nil if it may be.
func (o *resolveFlags) refused(u *workspace.Unit, out *link.Output) error {
	no := func(code entity.Code, message string) error {
		return &entity.Error{
			Code: code, Class: 1, Space: u.SpaceSlug, Unit: u.Slug,
			Message: u.Name() + ": " + message + "; nothing was written",
		}
	}
	if o.failOnConflict && len(out.Result.Conflicts) > 0 {
		return no(entity.CodeFunctionFailed, count(len(out.Result.Conflicts), "conflict"))
	}
	for _, w := range out.Result.Warnings {
		if o.strict && (w.Code == entity.WarnAmbiguous || w.Code == entity.WarnUnmatched) {
			return no(entity.CodeAmbiguous, w.Message)
		}
	}
	return nil
}

// resolveOne resolves links of a unit explicitly, and shows the result.
func (s *session) resolveOne(
	u *workspace.Unit, links []*workspace.Link, o *resolveFlags, form string,
) error {
	options, err := o.options(s)
	if err != nil {
		return err
	}
	e, err := s.engine()
	if err != nil {
		return err
	}
	out, err := e.Resolve(s.ctx, u, links, options)
	if err != nil {
		return err
	}
	if err := o.refused(u, out); err != nil {
		return err
	}
	s.results = append(s.results, wave.UnitResult{Unit: u, Output: out})
	s.form = form
	return nil
}

// resolveUnit resolves the links that the flags of unit update name.
func (o *unitUpdate) resolveUnit(s *session, u *workspace.Unit) error {
	var links []*workspace.Link
	add := func(l *workspace.Link) {
		if !slices.Contains(links, l) {
			links = append(links, l)
		}
	}
	own := s.LinksFrom(u)
	if o.upgrade {
		i := slices.IndexFunc(own, func(l *workspace.Link) bool {
			return l.UpdateType == entity.UpdateUpgradeUnit
		})
		if i < 0 {
			return &entity.Error{
				Code: entity.CodeNoUpstream, Space: u.SpaceSlug, Unit: u.Slug,
				Message: u.Name() + " has no link of the type UpgradeUnit",
			}
		}
		add(own[i])
	}
	for _, word := range o.resolve {
		slug, ok := strings.CutPrefix(word, "Link:")
		switch {
		case !ok || slug == "":
			return diag.Usage("--resolve: Link:SLUG or Link:* is expected, not %q", word)
		case slug == "*":
			for _, l := range own {
				add(l)
			}
		default:
			l, err := s.explicit(u, slug)
			if err != nil {
				return err
			}
			add(l)
		}
	}
	return s.resolveOne(u, links, &o.resolveFlags, o.form)
}

// explicit returns the link of a unit that a user names to resolve it.
func (s *session) explicit(u *workspace.Unit, slug string) (*workspace.Link, error) {
	l, err := s.Link(u.SpaceSlug, slug)
	if err != nil {
		return nil, err
	}
	switch {
	case l.From != u:
		return nil, &entity.Error{
			Code: entity.CodeNotFrom, Space: l.SpaceSlug, Link: l.Slug,
			Message: "the link " + l.Name() + " is one of " + l.SpaceSlug + "/" + l.FromUnit +
				", not of " + u.Name(),
		}
	case l.UpdateType == entity.UpdateNone:
		return nil, &entity.Error{
			Code: entity.CodeResolveNone, Space: l.SpaceSlug, Link: l.Slug,
			Message: "the link " + l.Name() + " has the type None, which is for order only",
		}
	}
	return l, nil
}

// merge merges a range of another unit, or a file, once.
func (o *unitUpdate) merge(s *session, u *workspace.Unit) error {
	e, err := s.engine()
	if err != nil {
		return err
	}
	options, err := o.options(s)
	if err != nil {
		return err
	}
	options.Protect = o.protect
	in := &link.MergeInput{Source: entity.SourceMergeUnits}
	in.Options = options
	var up *workspace.Unit
	description := o.changeDesc
	if o.mergeExternal != "" {
		in.Source = entity.SourceMergeExternal
		if in.Base, err = s.Store.External(u); err != nil {
			return err
		}
		if in.End, err = s.input(o.mergeExternal); err != nil {
			return err
		}
		description = cmp.Or(description, "merged "+o.mergeExternal)
	} else {
		if up, err = s.unit(o.mergeSource); err != nil {
			return err
		}
		if err := o.mergeRange(s, e, up, in); err != nil {
			return err
		}
		description = cmp.Or(description, "merged "+up.Name())
	}
	out, err := e.Merge(u, up, in, description)
	if err != nil {
		return err
	}
	if err := o.refused(u, out); err != nil {
		return err
	}
	if o.mergeExternal != "" {
		if err := s.tx.WriteExternal(u, in.End); err != nil {
			return err
		}
	}
	s.results = append(s.results, wave.UnitResult{Unit: u, Output: out})
	s.form = o.form
	return nil
}

// mergeRange fills in the range of the upstream to merge.
func (o *unitUpdate) mergeRange(
	s *session, e *wave.Runner, up *workspace.Unit, in *link.MergeInput,
) error {
	if _, err := s.tx.Edits(e, []*workspace.Unit{up}, s.strictWorktree); err != nil {
		return err
	}
	base, end := o.mergeBase, o.mergeEnd
	if end == 0 {
		end = up.HeadRevisionNum
	}
	if base < 0 || base > end || end > up.HeadRevisionNum {
		return diag.Usage("--merge-base and --merge-end: 0 <= base <= end <= %d is expected, got %d and %d",
			up.HeadRevisionNum, base, end)
	}
	var err error
	if in.Base, err = s.Store.Data(up, base); err != nil {
		return err
	}
	if in.End, err = s.Store.Data(up, end); err != nil {
		return err
	}
	in.Mutation = entity.Mutation{
		MergeSourceID: up.UnitID, MergeBaseRevisionNum: &base, MergeEndRevisionNum: &end,
		Subgroup: o.subgroup,
	}
	return nil
}

// propagate resolves automatic links downstream of every unit that the transaction revised, and
// shows what was done once the transaction is committed. live are units with a new live state.
func (s *session) propagate(live ...*workspace.Unit) error {
	return s.runWave(wave.Selection{Propagate: true}, live)
}

// propagateLinks resolves new or changed links with AutoUpdate, and what they cause.
func (s *session) propagateLinks(links []*workspace.Link) error {
	return s.runWave(wave.Selection{Propagate: true, Links: func(l *workspace.Link) bool {
		return l.AutoUpdate && slices.ContainsFunc(links, func(o *workspace.Link) bool {
			return o.LinkID == l.LinkID
		})
	}}, nil)
}

func (s *session) runWave(sel wave.Selection, live []*workspace.Unit) error {
	s.after(s.showResults)
	if s.noPropagate || s.Store.Config.NoAutoUpdate {
		return nil
	}
	if len(s.Links) == 0 {
		return nil
	}
	e, err := s.engine()
	if err != nil {
		return err
	}
	e.Options = link.Options{DryRun: s.dryRun}
	change := wave.Change{
		Revised: map[*workspace.Unit]bool{}, Live: map[*workspace.Unit]bool{},
	}
	for _, u := range s.tx.Revised {
		change.Revised[u] = true
	}
	for _, u := range live {
		change.Live[u] = true
	}
	s.propagated, err = e.Run(s.ctx, change, sel)
	if problems, ok := errors.AsType[entity.Errors](err); ok && len(problems) > 0 &&
		problems[0].Code == entity.CodeLinkCycle {
		s.note("automatic links were not resolved: %v", problems[0].Message)
		return nil
	}
	return err
}

func newLinkResolve(a *app.App) *cobra.Command {
	o := &linkResolve{common: common{app: a}}
	cmd := &cobra.Command{
		Use:   "resolve [flags] [LINK...]",
		Short: "Resolve links",
		Long: `Resolve links: change their downstream units. The links of one unit are resolved
together: one that fails keeps all from being written, unless --keep-going is
given. With --from and --all, all links of a unit are resolved; with --stale those
that are out of date. What a change makes necessary downstream follows, for links
with AutoUpdate.`,
		Example: `  fctl link resolve web-ns
  fctl link resolve --from web --all
  fctl link resolve --stale --all --space '*'`,
	}
	o.add(cmd)
	o.addWrite(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		if err := o.check(cmd, names, false); err != nil {
			return err
		}
		return o.write(cmd, "link resolve "+strings.Join(names, " "), func(s *session) error {
			return o.run(s, names)
		})
	}
	return cmd
}

// linkResolve holds the flags of link resolve and link plan.
type linkResolve struct {
	common
	selection
	resolveFlags
	form  string
	from  string
	all   bool
	stale bool
}

func (o *linkResolve) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	o.selection.add(flags)
	o.resolveFlags.add(flags)
	flags.StringVar(&o.from, "from", "", "the links of `UNIT`")
	flags.BoolVar(&o.all, "all", false, "all links; with --stale also those without AutoUpdate")
	flags.BoolVar(&o.stale, "stale", false, "the links that are stale")
	flags.StringVarP(&o.form, "output", "o", "", "output `FORMAT`: text, json or mutations")
}

func (o *linkResolve) check(cmd *cobra.Command, names []string, plan bool) error {
	given := len(names) > 0 || o.selection.isSet() || o.from != "" || o.stale || o.all
	if !given && !plan {
		return diag.UsageHint(cmd.UseLine(), "a link, --from, --stale or --where is expected")
	}
	if len(names) > 0 && (o.selection.isSet() || o.from != "" || o.stale) {
		return diag.UsageHint(cmd.UseLine(), "either names or flags that select links, not both")
	}
	if !slices.Contains([]string{"", "text", "json", "mutations"}, o.form) {
		return diag.Usage("output format %q is not one of text, json, mutations", o.form)
	}
	return nil
}

// run resolves the selected links unit by unit, upstreams first, and what follows.
func (o *linkResolve) run(s *session, names []string) error {
	s.form, s.asked = o.form, true
	options, err := o.options(s)
	if err != nil {
		return err
	}
	sel, err := o.selected(s, names)
	if err != nil {
		return err
	}
	e, err := s.engine()
	if err != nil {
		return err
	}
	e.Options = options
	sel.Explicit = true
	sel.Propagate = !s.noPropagate && !s.Store.Config.NoAutoUpdate
	if o.stale { // an edit of an upstream makes a link stale
		if _, err := s.tx.Edits(e, s.Units, s.strictWorktree); err != nil {
			return err
		}
	}
	change := wave.Change{Revised: map[*workspace.Unit]bool{}, Live: map[*workspace.Unit]bool{}}
	for _, u := range s.tx.Revised {
		change.Revised[u] = true
	}
	results, err := e.Run(s.ctx, change, sel)
	if err != nil {
		return err
	}
	var errs []error
	for _, r := range results {
		if r.Err != nil {
			errs = append(errs, r.Err)
			continue
		}
		if err := o.refused(r.Unit, r.Output); err != nil {
			return err
		}
		for _, l := range r.Output.Result.Links {
			if l.Status == entity.StatusFailed {
				errs = append(errs, &entity.Error{
					Code: l.Code, Message: l.Message, Space: r.Unit.SpaceSlug, Unit: r.Unit.Slug,
					Link: l.Link, Class: api.FailureFunction,
				})
			}
		}
	}
	s.results = append(s.results, results...)
	s.after(s.showResults)
	if len(errs) > 0 {
		if len(results) == 1 && !o.keepGoing {
			return errors.Join(errs...)
		}
		s.after(func() error { return errors.Join(errs...) })
	}
	return nil
}

// selected returns which links are resolved first.
func (o *linkResolve) selected(s *session, names []string) (wave.Selection, error) {
	chosen := map[*workspace.Link]bool{}
	switch {
	case len(names) > 0:
		for _, name := range names {
			l, err := s.linkNamed(name)
			if err != nil {
				return wave.Selection{}, err
			}
			if l.From != nil {
				if _, err := s.explicit(l.From, l.Slug); err != nil {
					return wave.Selection{}, err
				}
			}
			chosen[l] = true
		}
	case o.from != "":
		u, err := s.unit(o.from)
		if err != nil {
			return wave.Selection{}, err
		}
		for _, l := range s.LinksFrom(u) {
			chosen[l] = true
		}
	case o.selection.isSet() || o.all || o.stale:
		if o.stale {
			if err := s.staleLinks(); err != nil {
				return wave.Selection{}, err
			}
		}
		links, err := o.links(s)
		if err != nil {
			return wave.Selection{}, err
		}
		for _, l := range links {
			chosen[l] = !o.stale || l.Stale && (o.all || l.AutoUpdate)
		}
	}
	return wave.Selection{Links: func(l *workspace.Link) bool { return chosen[l] }}, nil
}
