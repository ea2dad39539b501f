package link

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/cli/workspace/session"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/links/propagate"
	"github.com/fctl-dev/fctl/internal/links/workspace"
)

func newLinkResolve(a *command.App) *cobra.Command {
	o := &linkResolve{Common: session.Common{App: a}}
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
	o.AddWrite(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		if err := o.check(cmd, names, false); err != nil {
			return err
		}
		title := "link resolve " + strings.Join(names, " ")
		return o.Write(cmd, title, func(s *session.Session) error {
			return o.run(s, names)
		})
	}
	return cmd
}

// linkResolve holds the flags of link resolve and link plan.
type linkResolve struct {
	session.Common
	session.Selection
	session.ResolveFlags
	form  string
	from  string
	all   bool
	stale bool

	failed []error // what could not be resolved
}

func (o *linkResolve) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	o.Selection.Add(flags)
	o.ResolveFlags.Add(flags)
	flags.StringVar(&o.from, "from", "", "resolve the links of `UNIT`")
	flags.BoolVar(&o.all, "all", false, "resolve all links; with --stale also links without "+
		"AutoUpdate")
	flags.BoolVar(&o.stale, "stale", false, "resolve the links that are stale")
	flags.StringVarP(&o.form, "output", "o", "", "output `FORMAT`: text, json or mutations")
}

func (o *linkResolve) check(cmd *cobra.Command, names []string, plan bool) error {
	given := len(names) > 0 || o.Selection.IsSet() || o.from != "" || o.stale || o.all
	if !given && !plan {
		return diag.UsageHint(cmd.UseLine(), "a link, --from, --stale or --where is expected")
	}
	if len(names) > 0 && (o.Selection.IsSet() || o.from != "" || o.stale) {
		return diag.UsageHint(cmd.UseLine(), "either names or flags that select links, not both")
	}
	if !slices.Contains([]string{"", "text", "json", "mutations"}, o.form) {
		forms := "text, json, mutations"
		if plan {
			forms = "text, diff, json, mutations"
		}
		return diag.Usage("output format %q is not one of %s", o.form, forms)
	}
	return nil
}

// run resolves the selected links unit by unit, upstreams first, and what follows.
func (o *linkResolve) run(s *session.Session, names []string) error {
	s.Form, s.Asked = o.form, true
	options, err := o.Options(s)
	if err != nil {
		return err
	}
	e, err := s.Engine()
	if err != nil {
		return err
	}
	e.Options = options
	if o.stale { // an edit makes links stale
		problems, err := s.RecordEdits()
		if err != nil {
			return err
		}
		s.Unread(problems.Err())
	}
	sel, err := o.selected(s, names)
	if err != nil {
		return err
	}
	sel.Explicit, sel.OneSpace = true, o.NoCrossSpace()
	sel.Propagate = !s.NoPropagate && !s.Store.Config.NoAutoUpdate
	change := propagate.Change{Revised: map[*workspace.Unit]bool{}, Live: map[*workspace.Unit]bool{}}
	for _, u := range s.Tx.Revised {
		change.Revised[u] = true
	}
	results, err := e.Run(s.Ctx, change, sel)
	if err != nil {
		return err
	}
	for i, r := range results {
		if r.Err != nil {
			if r.Follows { // it is noted
				continue
			}
			o.failed = append(o.failed, r.Err)
			results[i].Output = s.FailedResult(r.Unit, sel.Links, r.Err)
			continue
		}
		if err := o.Refused(r.Unit, r.Output); err != nil {
			if !s.DryRun {
				return err
			}
			o.failed = append(o.failed, err)
		}
		o.failed = append(o.failed, session.FailedLinks(r, false)...)
	}
	for _, r := range results {
		if r.Follows {
			s.Propagated = append(s.Propagated, r)
		} else {
			s.Results = append(s.Results, r)
		}
	}
	s.After(s.ShowResults)
	if len(results) == 1 && results[0].Err != nil && !results[0].Follows {
		var links []*workspace.Link
		for _, l := range s.LinksFrom(results[0].Unit) {
			if sel.Links(l) {
				links = append(links, l)
			}
		}
		return s.Failed(links, results[0].Err)
	}
	o.fail(s)
	return nil
}

// fail reports what could not be resolved, after everything else.
func (o *linkResolve) fail(s *session.Session) {
	s.After(func() error { return errors.Join(o.failed...) })
}

// selected returns which links are resolved first.
func (o *linkResolve) selected(s *session.Session, names []string) (propagate.Selection, error) {
	chosen := map[*workspace.Link]bool{}
	switch {
	case len(names) > 0:
		for _, name := range names {
			l, err := s.LinkNamed(name)
			if err != nil {
				return propagate.Selection{}, err
			}
			if err := s.Ends(l); err != nil {
				return propagate.Selection{}, err
			}
			if _, err := s.Explicit(l.From, l.Slug); err != nil {
				return propagate.Selection{}, err
			}
			chosen[l] = true
		}
	case o.from != "":
		u, err := s.UnitNamed(o.from)
		if err != nil {
			return propagate.Selection{}, err
		}
		for _, l := range s.LinksFrom(u) {
			chosen[l] = true
			s.Unread(s.Ends(l))
		}
	case o.Selection.IsSet() || o.all || o.stale:
		if o.stale {
			s.StaleLinks()
		}
		links, err := o.Links(s)
		if err != nil {
			return propagate.Selection{}, err
		}
		for _, l := range links {
			chosen[l] = !o.stale || l.Stale && (o.all || l.AutoUpdate)
			s.Unread(s.Ends(l))
		}
	}
	return propagate.Selection{Links: func(l *workspace.Link) bool { return chosen[l] }}, nil
}
